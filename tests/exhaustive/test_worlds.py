"""Every execution of every small world keeps the order and loses nothing."""

import pytest

import antecede
from antecede.core.mobile.protocols import protocols
from tests.exhaustive.__main__ import explain_violation, explore_world
from tests.exhaustive.worlds import ORDERING, ROAMING, worlds


@pytest.mark.slow
@pytest.mark.parametrize(("name", "limits"), worlds())
def test_no_execution_breaks_a_rule(name: str, limits: tuple[int, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        explored = explore_world(name, limits)
    assert not explored.violation, explain_violation(name, explored)
    assert explored.states > 1_000


def test_every_causal_algorithm_and_every_protocol_has_a_world() -> None:
    assert set(ORDERING) == {name for name, info in antecede.algorithms().items() if info.causal}
    assert set(ROAMING) == set(protocols())
