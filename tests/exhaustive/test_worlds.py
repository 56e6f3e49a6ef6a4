"""Every execution of every small world keeps the order and loses nothing."""

from collections.abc import Callable

import pytest

import antecede
from antecede.core.mobile.protocols import protocols
from tests.exhaustive.__main__ import explain_violation, explore_world
from tests.exhaustive.worlds import ORDERING, ROAMING, describe_limits, worlds
from tests.paths import ROOT


@pytest.mark.slow
@pytest.mark.parametrize(("name", "limits"), worlds())
def test_no_execution_breaks_a_rule(
    name: str, limits: tuple[int, ...], record_property: Callable[[str, object], None]
) -> None:
    explored, found = explore_world(name, limits)
    record_property("found", found)
    assert not explored.violation, explain_violation(name, explored)
    assert explored.states > 1_000


def test_every_causal_algorithm_and_every_protocol_has_a_world() -> None:
    assert set(ORDERING) == {name for name, info in antecede.algorithms().items() if info.causal}
    assert set(ROAMING) == set(protocols())


def test_the_readme_has_every_world() -> None:
    readme = (ROOT / "tests" / "README.md").read_text()
    table: dict[str, tuple[tuple[int, ...], ...]] = {**ORDERING, **ROAMING}
    rows = [f"| `{name}` | {describe_worlds(name, limits)} |" for name, limits in table.items()]
    assert "\n".join(rows) in readme


def describe_worlds(name: str, limits: tuple[tuple[int, ...], ...]) -> str:
    return "; ".join(describe_limits(name, each) for each in limits)
