"""Strongly connected components, blocks, and the way from block to block, by depth-first walks with an explicit stack.

A path that leaves a strongly connected component never comes back to it. So a path is simple if its part inside each
component is simple, and the search for simple paths can be done one component at a time.

A process that is in two blocks (biconnected components) is a cut vertex: every path from one block to the other goes
through it. Blocks and cut vertices form a tree, the block-cut tree. If all links go both ways, a process lies on a
simple path between two others exactly if it is in a block on the one way through the tree between them. So membership
of simple paths, which is NP-complete in general, is read off the blocks.

A strongly connected component, with directions forgotten, has such a tree. A path through the component passes the
blocks on the one way between two processes, each block once, entering and leaving it by different cut vertices. The
ways between all pairs out of a set of processes together are what is left of the tree if dead ends without any of the
processes are cut off, again and again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from antecede.core.locality.graph import Adjacency
from antecede.core.types import ProcessId


def strongly_connected(links: Adjacency) -> dict[ProcessId, tuple[ProcessId, ...]]:
    """Return each process with the members of its component, by Tarjan's algorithm."""
    found: dict[ProcessId, int] = {}
    component: dict[ProcessId, tuple[ProcessId, ...]] = {}
    for process, _, low, waiting, start in _subtrees(links, found, component):
        if low == found[process]:
            members = tuple(waiting[start:])
            del waiting[start:]
            component.update(dict.fromkeys(members, members))
    return component


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks, each a set of processes, and for each process the numbers of its blocks (none if it has no link)."""

    members: tuple[frozenset[ProcessId], ...]
    of: dict[ProcessId, tuple[int, ...]]

    def is_cut_vertex(self, process: ProcessId) -> bool:
        """Return whether the process is in more than one block, so that the graph falls apart without it."""
        return len(self.of[process]) > 1


def blocks(links: Adjacency) -> Blocks:
    """Return the blocks of `links`, in which every link must have its reverse, by Hopcroft and Tarjan's algorithm.

    If a subtree of the walk leads back no further than the parent of its root, a block is complete: the parent, and all
    of the subtree that is not in a block yet.
    """
    found: dict[ProcessId, int] = {}
    members: list[frozenset[ProcessId]] = []
    for _, parent, low, waiting, start in _subtrees(links, found, ()):
        if parent is not None and low >= found[parent]:
            members.append(frozenset((*waiting[start:], parent)))
            del waiting[start:]
    of: dict[ProcessId, list[int]] = {process: [] for process in links}
    for number, block in enumerate(members):
        for process in block:
            of[process].append(number)
    return Blocks(tuple(members), {process: tuple(numbers) for process, numbers in of.items()})


def _subtrees(
    links: Adjacency, found: dict[ProcessId, int], closed: Collection[ProcessId]
) -> Iterator[tuple[ProcessId, ProcessId | None, int, list[ProcessId], int]]:
    """Walk depth-first over all processes, and yield each of them when everything below it has been walked.

    With a process come its parent in the walk, the number of the earliest process that its subtree leads back to, a
    list, and the place in the list from which on it has the processes of the subtree. The caller takes those out of the
    list that are complete. `found` gets the number of each process. Links to processes in `closed` lead nowhere.
    """
    for root in links:
        if root not in found:
            yield from _subtrees_below(links, root, found, closed)


def _subtrees_below(
    links: Adjacency, root: ProcessId, found: dict[ProcessId, int], closed: Collection[ProcessId]
) -> Iterator[tuple[ProcessId, ProcessId | None, int, list[ProcessId], int]]:
    found[root] = len(found)
    low = {root: found[root]}
    waiting = [root]
    walk: list[tuple[ProcessId, int, Iterator[ProcessId]]] = [(root, 0, iter(links[root]))]
    while walk:
        process, start, rest = walk[-1]
        for after in rest:
            if after not in found:
                found[after] = low[after] = len(found)
                walk.append((after, len(waiting), iter(links[after])))
                waiting.append(after)
                break
            if after not in closed and found[after] < low[process]:
                low[process] = found[after]
        else:
            walk.pop()
            parent = walk[-1][0] if walk else None
            if parent is not None:
                low[parent] = min(low[parent], low[process])
            yield process, parent, low[process], waiting, start


@dataclass(frozen=True, slots=True)
class BlockCutTree:
    """The blocks of one component, and which of them have a link that goes one way only."""

    blocks: Blocks
    one_way_blocks: frozenset[int]

    @staticmethod
    def of(links: Adjacency, backwards: Adjacency, component: Collection[ProcessId]) -> BlockCutTree:
        """Return the tree of one component of `links`. `backwards` has the same links the other way round."""
        inside = frozenset(component)
        found = blocks({p: tuple(sorted(inside.intersection((*links[p], *backwards[p])))) for p in component})
        one_way = [(p, q) for p in component for q in inside.intersection(links[p]).difference(backwards[p])]
        numbers = {number for p, q in one_way for number in found.of[p] if q in found.members[number]}
        return BlockCutTree(found, frozenset(numbers))

    def blocks_between(self, processes: Collection[ProcessId]) -> list[int]:
        """Return the numbers of the blocks on the ways between any two of `processes`."""
        left_of = {p: len(numbers) for p, numbers in self.blocks.of.items()}  # how many of its blocks are left
        size = [len(members) for members in self.blocks.members]
        ends = sorted(p for p, count in left_of.items() if count == 1 and p not in processes)
        while ends:
            end = ends.pop()
            for block in self.blocks.of[end]:
                if size[block] > 1:
                    size[block] -= 1
                    if size[block] == 1:
                        ends.extend(self._cut_off(block, left_of, processes))
            left_of[end] = 0
        return [block for block, left in enumerate(size) if left > 1]

    def _cut_off(
        self, block: int, left_of: dict[ProcessId, int], processes: Collection[ProcessId]
    ) -> Iterator[ProcessId]:
        """Cut off a block with one process left, through which no way leads. Yield that process if it is a dead end."""
        for process in self.blocks.members[block]:
            if left_of[process] > 0:
                left_of[process] -= 1
                if left_of[process] == 1 and process not in processes:
                    yield process

    def members_towards(self, block: int, processes: Collection[ProcessId]) -> set[ProcessId]:
        """Return the members of a block that are one of `processes`, or lead out of the block to one of them."""
        return {member for member in self.blocks.members[block] if self._leads_to(member, block, processes)}

    def _leads_to(self, member: ProcessId, block: int, processes: Collection[ProcessId]) -> bool:
        seen = {block}
        waiting = [member]
        while waiting:
            process = waiting.pop()
            if process in processes:
                return True
            for other in self.blocks.of[process]:
                if other not in seen:
                    seen.add(other)
                    waiting.extend(p for p in self.blocks.members[other] if p != process)
        return False
