"""Each erratum of paper 004: the printed form misses the truth, ours does not."""

import pytest

from tests.errata.erratum import Erratum
from tests.errata.msv import counterexamples


@pytest.mark.parametrize("erratum", counterexamples(), ids=lambda erratum: erratum.title)
def test_the_printed_form_fails_and_ours_holds(erratum: Erratum) -> None:
    assert erratum.printed != erratum.truth
    assert erratum.ours == erratum.truth


def test_the_three_overtakings_are_missed_causes() -> None:
    """The printed forms never invent an order; they miss one."""
    for erratum in counterexamples()[:3]:
        assert (erratum.printed, erratum.truth) == ("concurrent", "before")
