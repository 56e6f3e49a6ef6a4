"""Who lies on a simple path from one process to another inside one block that has one-way links.

This is the NP-complete core of the question, so it is answered from two sides. From above: p can only be on such a
path if it is reached from the source without the target, and reaches the target without the source. From below: a
shortest path to p, and one on from there that avoids it, are a simple path, and all on it are members. Where the two
meet, the answer is exact. Where they do not, simple paths are enumerated; where those are too many, the answer from
above is taken, which is too large and therefore safe.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from enum import StrEnum

from antecede.core.locality.graph import Adjacency
from antecede.core.types import ProcessId

BUDGET = 1_000_000
"""Steps of search in all, for one allocation of one graph."""
WALK_STEPS_MAX = 5_000
"""Steps of enumeration for one source and target."""


class Method(StrEnum):
    """How membership of simple paths was found; later ones are worse."""

    EXACT = "exact"
    ENUMERATED = "enumerated"
    OVER_APPROXIMATED = "over-approximated"


def worst(methods: Iterable[Method]) -> Method:
    return max(methods, key=list(Method).index, default=Method.EXACT)


class Budget:
    """Steps of search that are left. All searches for one allocation draw on one."""

    __slots__ = ("left",)

    def __init__(self, steps: int = BUDGET) -> None:
        self.left = steps


class Crossing:
    """One block of `links`, given both ways round, and the steps that may be spent on it."""

    def __init__(self, links: Adjacency, backwards: Adjacency, inside: frozenset[ProcessId], budget: Budget) -> None:
        self._links = {p: tuple(q for q in links[p] if q in inside) for p in inside}
        self._backwards = {p: tuple(q for q in backwards[p] if q in inside) for p in inside}
        self._inside = inside
        self._budget = budget

    def members(self, source: ProcessId, target: ProcessId) -> tuple[frozenset[ProcessId], Method]:
        """All on simple paths from `source` to `target`, and how that was found."""
        if self._budget.left <= 0:
            return self._inside, Method.OVER_APPROXIMATED
        from_source = self._tree(self._links, source, {target})
        to_target = self._tree(self._backwards, target, {source})
        possible = (from_source.keys() & to_target.keys()) | {source, target}
        found = {source, target} if target in self._links[source] else set()
        for process in sorted(possible - {source, target}):
            if process not in found and self._budget.left > 0:
                found.update(self._detour(source, process, target, from_source, to_target))
        if found == possible:
            return frozenset(found), Method.EXACT
        walked = enumerate_simple_paths(self._links, possible, source, target, self._budget)
        if walked is None:
            return frozenset(possible), Method.OVER_APPROXIMATED
        return walked, Method.ENUMERATED

    def _detour(
        self,
        source: ProcessId,
        process: ProcessId,
        target: ProcessId,
        from_source: dict[ProcessId, ProcessId],
        to_target: dict[ProcessId, ProcessId],
    ) -> list[ProcessId]:
        """A simple path by way of `process`: one half shortest, the other avoiding it. Empty if neither way works."""
        there = _branch(from_source, process)
        onward = _branch(self._tree(self._backwards, target, set(there) - {process}), process)
        if not onward:
            onward = _branch(to_target, process)
            there = _branch(self._tree(self._links, source, set(onward) - {process}), process)
        return [*there, *onward] if there and onward else []

    def _tree(self, links: Adjacency, root: ProcessId, avoiding: Set[ProcessId]) -> dict[ProcessId, ProcessId]:
        """Shortest paths from `root`, breadth first: each process found, with the one before it."""
        before = {root: root}
        waiting = [root]
        for process in waiting:
            for after in links[process]:
                if after not in before and after not in avoiding:
                    before[after] = process
                    waiting.append(after)
        self._budget.left -= len(waiting)
        return before


def _branch(tree: dict[ProcessId, ProcessId], process: ProcessId) -> list[ProcessId]:
    """The path of the tree from `process` to its root; empty if it is not in the tree."""
    if process not in tree:
        return []
    path = [process]
    while tree[path[-1]] != path[-1]:
        path.append(tree[path[-1]])
    return path


def enumerate_simple_paths(
    links: Adjacency, inside: Set[ProcessId], source: ProcessId, target: ProcessId, budget: Budget
) -> frozenset[ProcessId] | None:
    """The processes on simple paths from `source` to `target` that stay `inside`; None if the steps were spent.

    A depth-first walk; it ends early when all of `inside` has been seen on some path.
    """
    found: set[ProcessId] = set()
    path = [source]
    on_path = {source}
    rest = [iter(links[source])]
    least_left = max(0, budget.left - WALK_STEPS_MAX)
    while rest and len(found) < len(inside):
        after = next(rest[-1], None)
        if after is None:
            rest.pop()
            on_path.discard(path.pop())
        elif after == target:
            found.update(path)
            found.add(target)
        elif after in inside and after not in on_path:
            if budget.left <= least_left:
                return None
            budget.left -= 1
            path.append(after)
            on_path.add(after)
            rest.append(iter(links[after]))
    return frozenset(found)
