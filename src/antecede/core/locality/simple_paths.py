"""Who lies on a simple path from one process to others: the question every allocation asks.

In directed graphs the question is NP-complete, so it is cut into pieces that mostly are not (see `components`):

* Different strongly connected components never disturb each other. A component of one process is on a simple path
  if it is on any path: that is exact by reachability, and so are all acyclic graphs.
* Inside a component, forget the directions: a directed simple path also goes from block to block, so blocks off the
  way are out, exactly. In a block whose links all go both ways, everybody is in, exactly.
* What remains is one block with one-way links, from one member to another. `Crossing` answers from two sides. From
  above: p can only be on such a path if it is reached from the source without the target, and reaches the target
  without the source. From below: a shortest path to p, and one on from there that avoids it, are a simple path, and all
  on it are members. If the two agree, the answer is exact. If not, simple paths are enumerated. If those are too many,
  the answer from above is taken, which is too large and therefore safe.

`SimplePaths.method` says the worst that was needed: `exact`, `enumerated` or `over-approximated`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Set
from enum import StrEnum

from antecede.core.locality.components import BlockCutTree, strongly_connected
from antecede.core.locality.graph import Adjacency, reachable, reversed_links
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


class SimplePaths:
    """Answers for one set of links; what is found out about a component is kept for the next question."""

    def __init__(self, links: Adjacency, budget: Budget) -> None:
        self.method = Method.EXACT
        self._links = links
        self._backwards = reversed_links(links)
        self._component = strongly_connected(links)
        self._budget = budget
        self._trees: dict[ProcessId, BlockCutTree] = {}
        self._crossings: dict[frozenset[ProcessId], Crossing] = {}
        self._crossed: dict[tuple[frozenset[ProcessId], ProcessId, ProcessId], frozenset[ProcessId]] = {}

    def through(self, source: ProcessId, targets: Iterable[ProcessId]) -> set[ProcessId]:
        """Return all processes on simple paths from `source` to any of `targets`, with both ends."""
        reach = reachable(self._links, [source])
        goals = {target for target in targets if target in reach and target != source}
        useful = reachable(self._backwards, goals) & reach
        found: set[ProcessId] = set()
        for process in sorted(useful):
            if process in found:
                continue
            component = self._component[process]
            if len(component) == 1:
                found.add(process)
            elif process == component[0]:
                found |= self._within(component, source, goals, useful)
        return found

    def _within(
        self, component: tuple[ProcessId, ...], source: ProcessId, goals: set[ProcessId], useful: set[ProcessId]
    ) -> set[ProcessId]:
        """Return the part of the answer in one component: between where paths come in and where they end or go out."""
        inside = set(component)
        exits = {p for p in component if p in goals or any(q in useful and q not in inside for q in self._links[p])}
        entries = (
            {source}
            if source in inside
            else {p for p in component if any(q in useful and q not in inside for q in self._backwards[p])}
        )
        tree = self._tree(component)
        found = entries & exits
        for block in tree.blocks_between(entries | exits):
            found |= self._through_block(tree, block, entries, exits)
        return found

    def _tree(self, component: tuple[ProcessId, ...]) -> BlockCutTree:
        if component[0] not in self._trees:
            self._trees[component[0]] = BlockCutTree.of(self._links, self._backwards, component)
        return self._trees[component[0]]

    def _through_block(
        self, tree: BlockCutTree, block: int, entries: Collection[ProcessId], exits: Collection[ProcessId]
    ) -> frozenset[ProcessId]:
        members = tree.blocks.members[block]
        if block not in tree.one_way_blocks:
            return members
        found: frozenset[ProcessId] = frozenset()
        for entry in sorted(tree.members_towards(block, entries)):
            for exit_ in sorted(tree.members_towards(block, exits)):
                if entry != exit_ and len(found) < len(members):
                    found |= self._crossing(members, entry, exit_)
        return found

    def _crossing(self, block: frozenset[ProcessId], source: ProcessId, target: ProcessId) -> frozenset[ProcessId]:
        if block not in self._crossings:
            self._crossings[block] = Crossing(self._links, self._backwards, block, self._budget)
        key = (block, source, target)
        if key not in self._crossed:
            self._crossed[key], method = self._crossings[block].members(source, target)
            self.method = worst([self.method, method])
        return self._crossed[key]


class Crossing:
    """One block of `links`, given both ways round, and the steps that may be spent on it."""

    def __init__(self, links: Adjacency, backwards: Adjacency, inside: frozenset[ProcessId], budget: Budget) -> None:
        self._links = {p: tuple(q for q in links[p] if q in inside) for p in inside}
        self._backwards = {p: tuple(q for q in backwards[p] if q in inside) for p in inside}
        self._inside = inside
        self._budget = budget

    def members(self, source: ProcessId, target: ProcessId) -> tuple[frozenset[ProcessId], Method]:
        """Return all processes on simple paths from `source` to `target`, and how they were found."""
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
        """Return a simple path by way of `process`: one half is shortest, the other avoids it.

        The path is empty if neither half can be chosen first.
        """
        there = _branch(from_source, process)
        onward = _branch(self._tree(self._backwards, target, set(there) - {process}), process)
        if not onward:
            onward = _branch(to_target, process)
            there = _branch(self._tree(self._links, source, set(onward) - {process}), process)
        return [*there, *onward] if there and onward else []

    def _tree(self, links: Adjacency, root: ProcessId, avoiding: Set[ProcessId]) -> dict[ProcessId, ProcessId]:
        """Return each process that is found breadth first from `root`, with the one before it on a shortest path."""
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
    """Return the path of the tree from `process` to its root. It is empty if `process` is not in the tree."""
    if process not in tree:
        return []
    path = [process]
    while tree[path[-1]] != path[-1]:
        path.append(tree[path[-1]])
    return path


def enumerate_simple_paths(
    links: Adjacency, inside: Set[ProcessId], source: ProcessId, target: ProcessId, budget: Budget
) -> frozenset[ProcessId] | None:
    """Return the processes on simple paths from `source` to `target` that stay `inside`; None if the steps were spent.

    The depth-first walk ends early when all of `inside` has been seen on some path.
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
