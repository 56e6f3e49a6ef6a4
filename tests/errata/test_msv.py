"""Each erratum of paper 004: the printed form misses the truth, ours does not, and what its defence grants is so."""

import random

import pytest

from tests.core.locality.graphs import random_graph
from tests.errata.erratum import Erratum
from tests.errata.msv import counterexamples
from tests.errata.msv_sets import breaks_lemma_8


@pytest.mark.parametrize("erratum", counterexamples(), ids=lambda erratum: erratum.title)
def test_the_printed_form_fails_and_ours_holds(erratum: Erratum) -> None:
    assert erratum.printed != erratum.truth
    assert erratum.ours == erratum.truth


def test_the_three_overtakings_are_missed_causes() -> None:
    """The printed forms never invent an order; they miss one."""
    for erratum in counterexamples()[:3]:
        assert (erratum.printed, erratum.truth) == ("concurrent", "before")


@pytest.mark.parametrize("seed", range(100))
def test_lemma_8_holds_from_a_path_to_the_clock_for_all_receivers(seed: int) -> None:
    assert not breaks_lemma_8(random_graph(random.Random(seed)), kept_without_path=False)
