"""What is left out of worlds of roaming protocols hides nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest

from antecede.core.mobile.protocols import protocols
from antecede.core.ordering.ks import Ks
from tests.exhaustive.machines import Numbers
from tests.exhaustive.roaming import RoamingWorld, State
from tests.exhaustive.search import Violation, explore
from tests.marks import slow

MIRROR = {"x": "y", "y": "x", "s1": "s2", "s2": "s1"}
SMALL = [
    *((protocol, (1, 1, 0)) for protocol in sorted(protocols())),
    *((protocol, (0, 2, 0)) for protocol in sorted(protocols()) if protocol != "av3"),
    slow("av3", (0, 2, 0)),
]


def mirror(words: str) -> str:
    """Return words with hosts and stations exchanged."""
    return re.sub(r"\b(x|y|s1|s2)\b", lambda found: MIRROR[found[0]], words)


def first_steps(world: RoamingWorld, host: str) -> list[State]:
    """Return the states after the first steps of a host."""
    (first,) = world.begin()
    return [after for words, after in world.steps(first) if words.startswith(f"{host} ")]


def reach(world: RoamingWorld, states: Iterable[State]) -> dict[State, list[tuple[str, State]]]:
    """Return every state that can be reached from these, each with its steps."""
    found: dict[State, list[tuple[str, State]]] = {}
    todo = list(states)
    while todo:
        state = todo.pop()
        if state not in found:
            found[state] = list(world.steps(state))
            todo += [after for _, after in found[state]]
    return found


def shapes(steps: dict[State, list[tuple[str, State]]], numbers: Numbers, *, mirrored: bool) -> set[int]:
    """Return the number of the shape of every state: the words of its steps, each with the shape of the state after it.

    Two states with the same shape have the same future, word for word; or mirrored words, if one of them is `mirrored`.
    """
    known: dict[State, int] = {}

    def shape(state: State) -> int:
        if state not in known:
            parts = [(mirror(words) if mirrored else words, shape(after)) for words, after in steps[state]]
            known[state] = numbers.of(tuple(sorted(parts)))
        return known[state]

    return {shape(state) for state in steps}


@pytest.mark.parametrize(("protocol", "limits"), SMALL)
def test_what_follows_a_step_of_one_host_mirrors_what_follows_a_step_of_the_other(
    protocol: str, limits: tuple[int, int, int]
) -> None:
    world = RoamingWorld(protocol, *limits, thorough=True)
    of_x, of_y = (reach(world, first_steps(world, host)) for host in "xy")
    assert len(of_x) == len(of_y) > 30
    numbers = Numbers()
    assert shapes(of_x, numbers, mirrored=True) == shapes(of_y, numbers, mirrored=False)


def test_the_first_step_is_of_the_first_host() -> None:
    world = RoamingWorld("roam", 1)
    assert len(first_steps(world, "x")) == 2
    assert first_steps(world, "y") == []
    world.thorough = True
    assert len(first_steps(world, "y")) == 2


@pytest.mark.parametrize(("protocol", "limits"), SMALL)
def test_every_end_is_reached(protocol: str, limits: tuple[int, int, int]) -> None:
    """An end is a state after which nothing can happen: everything that was sent is delivered there."""
    world = RoamingWorld(protocol, *limits)
    starts = first_steps(world, "x")
    some = reach(world, starts)
    world.thorough = True
    every = reach(world, starts)
    assert some.keys() < every.keys()
    assert set(ends(some)) == set(ends(every))


def ends(steps: dict[State, list[tuple[str, State]]]) -> Iterator[State]:
    return (state for state, after in steps.items() if not after)


def test_a_violation_is_found_with_less_and_its_shortest_way_with_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second message of x overtakes the first between the stations."""
    monkeypatch.setattr(Ks, "unmet", lambda *_: iter(()))
    world = RoamingWorld("roam", 2, 1)
    quick, full = explore(world), explore(replace(world, thorough=True))
    assert quick.violation == full.violation == "y delivers x:2 before x:1, which happened before it"
    assert len(quick.way) >= len(full.way)
    assert [words for words in full.way if "moves" in words] == []


def test_a_rule_that_is_broken_is_told() -> None:
    with pytest.raises(Violation, match="never delivered: x:1 at y"):
        list(_lose_everything(RoamingWorld("roam", 1, 0)))


def _lose_everything(world: RoamingWorld) -> Iterator[tuple[str, State]]:
    """Yield the steps after x has sent, what is under way is lost, and timers were due for the last time."""
    ((snapshots, _, air, past, _),) = first_steps(world, "x")
    yield from world.steps((snapshots, (), tuple(() for _ in air), past, (0, 0, 0, 6)))
