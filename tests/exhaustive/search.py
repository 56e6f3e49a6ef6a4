"""Visit every state of a world once, in the order of the number of steps that lead to it.

A state is a value that can be hashed, and has everything in it that the future depends on. Two executions that lead to
the same state have the same future, so it is visited once. As the nearest states come first, the steps to the first
violation that is found are the shortest that there are.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

S = TypeVar("S", bound=Hashable)


class Violation(Exception):
    """A step broke a rule. The message says which."""


class World(Protocol[S]):
    """What can be explored."""

    def begin(self) -> Iterable[S]:
        """Return the first states."""
        ...

    def steps(self, state: S) -> Iterator[tuple[str, S]]:
        """Yield what can happen next, in words, with the state after it. Raise `Violation` if a rule is broken."""
        ...

    def try_step(self, state: S) -> str:
        """Return the words for the step that breaks a rule in this state, which `steps` did not yield."""
        ...


class TooManyStates(Exception):
    """The world is larger than what was allowed."""


@dataclass(frozen=True, slots=True)
class Explored:
    """What was found: the number of states and of steps between them, and the shortest way to a violation, if any."""

    states: int
    steps: int
    violation: str = ""
    way: tuple[str, ...] = ()

    def draw(self) -> str:
        """Return the execution that breaks the rule, one line for each step."""
        lines = [f"{number:3}. {step}" for number, step in enumerate(self.way, 1)]
        return "\n".join([*lines, f"     {self.violation}"])


def explore(world: World[S], states_max: int = 30_000_000) -> Explored:
    """Visit every state of the world, up to the first violation. Raise `TooManyStates` if there are too many."""
    states: list[S] = list(world.begin())
    known = set(states)
    parents: list[tuple[int, str]] = [(-1, "")] * len(states)
    at = steps = 0
    while at < len(states):
        try:
            for words, after in world.steps(states[at]):
                steps += 1
                if after not in known:
                    known.add(after)
                    states.append(after)
                    parents.append((at, sys.intern(words)))
        except Violation as violation:
            way = (*_way_to(at, parents), world.try_step(states[at]))
            return Explored(len(states), steps, str(violation), way)
        if len(states) > states_max:
            raise TooManyStates(f"more than {states_max:,} states")
        at += 1
    return Explored(len(states), steps)


def _way_to(at: int, parents: list[tuple[int, str]]) -> list[str]:
    way: list[str] = []
    while at >= 0:
        at, words = parents[at]
        way.append(words)
    return [words for words in reversed(way) if words]
