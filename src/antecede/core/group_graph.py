"""The graph of groups, and its cycles (003 §2.1).

The vertices are the groups, and "two groups are immediate neighbors if there is a process that is member of these two
groups". So there is one edge between two groups, however many processes they share; and three groups that share a
process are a cycle, because each is a neighbor of the others.

    g1 = {P1, P2}   g2 = {P2, P3}   g3 = {P1, P3}          g1 -- P2 -- g2
                                                             \\         /
                                                             P1     P3
                                                               \\   /
                                                                 g3

If the graph has a cycle, a message can depend on others that its sender was never told of in a group of its own, and
stamps are about all groups (§2.3). If it has none, less is enough: `acyclic` says when, and why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from antecede.core.errors import Misuse
from antecede.core.roster import checked_members
from antecede.core.types import GroupId, ProcessId

CYCLE_LENGTH_MIN = 3


@dataclass(frozen=True, slots=True)
class GroupGraph:
    """The graph of groups.

    `groups` are the names of all groups, sorted. `edges` has the processes that two groups share, for each pair of
    groups that share any; the names of a pair are sorted. `cycle` is a shortest cycle: its groups in order, each once.
    It is empty if there is no cycle.
    """

    groups: tuple[GroupId, ...]
    edges: Mapping[tuple[GroupId, GroupId], tuple[ProcessId, ...]]
    cycle: tuple[GroupId, ...]

    @property
    def is_acyclic(self) -> bool:
        """Return whether the graph has no cycle."""
        return not self.cycle

    @property
    def cycle_count(self) -> int:
        """Return the number of independent cycles."""
        return sum(1 for _ in self._chords(self._spanning_trees()))

    def cycles(self) -> Iterator[tuple[GroupId, ...]]:
        """Yield the independent cycles: every cycle of the graph is a sum of some of these.

        Each is an edge outside of a spanning tree, closed by the way through the tree. Its groups are in order, each
        once, and begin with the names of that edge.
        """
        came_from = self._spanning_trees()
        for one, other in self._chords(came_from):
            up, down = _trace(came_from, one), _trace(came_from, other)
            common = sum(1 for a, b in zip(up, down, strict=False) if a == b)
            yield (one, *reversed(down[common:]), *up[common - 1 : -1])

    def _spanning_trees(self) -> dict[GroupId, GroupId]:
        """Return for each group the group before it on the way from the root of its tree. A root is its own."""
        neighbors = _neighbors(self.edges)
        came_from: dict[GroupId, GroupId] = {}
        for root in self.groups:
            level = [] if root in came_from else [root]
            came_from.setdefault(root, root)
            while level:
                following = []
                for group in level:
                    for neighbor in sorted(neighbors.get(group, ())):
                        if neighbor not in came_from:
                            came_from[neighbor] = group
                            following.append(neighbor)
                level = following
        return came_from

    def _chords(self, came_from: Mapping[GroupId, GroupId]) -> Iterator[tuple[GroupId, GroupId]]:
        """Yield the edges outside of the spanning trees."""
        for one, other in self.edges:
            if came_from[one] != other and came_from[other] != one:
                yield one, other


def group_graph(groups: Mapping[GroupId, Iterable[ProcessId]]) -> GroupGraph:
    """Return the graph of `groups`, which are the members of each group. Raise `Misuse` if they are not that."""
    members = checked_members(groups)
    if not members:
        raise Misuse('a graph of groups needs at least one group, such as {"g1": ["a", "b"]}')
    groups_of: dict[ProcessId, list[GroupId]] = {}
    for group in sorted(members):
        for process in members[group]:
            groups_of.setdefault(process, []).append(group)
    shared: dict[tuple[GroupId, GroupId], list[ProcessId]] = {}
    for process, joined in sorted(groups_of.items()):
        for pair in combinations(joined, 2):
            shared.setdefault(pair, []).append(process)
    edges = {pair: tuple(shared[pair]) for pair in sorted(shared)}
    return GroupGraph(tuple(sorted(members)), edges, _shortest_cycle(edges))


def _neighbors(edges: Iterable[tuple[GroupId, GroupId]]) -> dict[GroupId, set[GroupId]]:
    """Return the neighbors of each group that has any."""
    neighbors: dict[GroupId, set[GroupId]] = {}
    for one, other in edges:
        neighbors.setdefault(one, set()).add(other)
        neighbors.setdefault(other, set()).add(one)
    return neighbors


def _shortest_cycle(edges: Iterable[tuple[GroupId, GroupId]]) -> tuple[GroupId, ...]:
    """Return the groups of a shortest cycle: an edge, and the shortest way between its ends that does not use it."""
    neighbors = _neighbors(edges)
    shortest: tuple[GroupId, ...] = ()
    for one, other in edges:
        way = _way_around(neighbors, one, other, below=len(shortest))
        if way:
            shortest = (one, *reversed(way[1:]))  # the edge first: in the order of the names
        if len(shortest) == CYCLE_LENGTH_MIN:
            break
    return shortest


def _way_around(
    neighbors: Mapping[GroupId, set[GroupId]], start: GroupId, end: GroupId, *, below: int
) -> tuple[GroupId, ...]:
    """Return the shortest way from `start` to `end` that is not their edge, of fewer than `below` groups if that is
    not 0. Return nothing if there is none.
    """
    came_from = {start: start}
    level, length = [start], 1
    while level and (not below or length + 1 < below):
        length += 1
        following = []
        for group in level:
            for neighbor in sorted(neighbors[group]):
                if neighbor in came_from or (group, neighbor) == (start, end):
                    continue
                came_from[neighbor] = group
                following.append(neighbor)
        if end in came_from:
            return _trace(came_from, end)
        level = following
    return ()


def _trace(came_from: Mapping[GroupId, GroupId], end: GroupId) -> tuple[GroupId, ...]:
    """Return the way to `end`, from its start."""
    way = [end]
    while came_from[way[-1]] != way[-1]:
        way.append(came_from[way[-1]])
    return tuple(reversed(way))
