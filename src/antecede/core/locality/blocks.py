"""Blocks (biconnected components) of a graph whose links go both ways, by Hopcroft and Tarjan's algorithm.

Blocks are like rooms, and a process in two of them is a door: whoever goes from one room to the other goes through
it. In such a graph a process lies on a simple path between two others exactly if it is in a room on the one way
through the house between them, so membership of simple paths, NP-complete in general, is read off the rooms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from antecede.core.locality.graph import Adjacency
from antecede.core.types import ProcessId


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks, each a set of processes, and for each process the numbers of its blocks (none if it has no link)."""

    members: tuple[frozenset[ProcessId], ...]
    of: dict[ProcessId, tuple[int, ...]]

    def is_door(self, process: ProcessId) -> bool:
        """Is it in more than one block: does taking it out part the graph?"""
        return len(self.of[process]) > 1


def blocks(links: Adjacency) -> Blocks:
    """The blocks of `links`, in which every link must have its reverse."""
    found: dict[ProcessId, int] = {}
    members: list[frozenset[ProcessId]] = []
    for root in links:
        if root not in found:
            members.extend(_explore(links, root, found))
    of: dict[ProcessId, list[int]] = {process: [] for process in links}
    for number, block in enumerate(members):
        for process in block:
            of[process].append(number)
    return Blocks(tuple(members), {process: tuple(numbers) for process, numbers in of.items()})


def _explore(links: Adjacency, root: ProcessId, found: dict[ProcessId, int]) -> Iterator[frozenset[ProcessId]]:
    """Depth-first from `root`. When a child's subtree leads back no further than its parent, a block is complete:

    it is the parent and all that was found since the child and not yet given to a block.
    """
    found[root] = len(found)
    low = {root: found[root]}
    waiting: list[ProcessId] = []
    walk: list[tuple[ProcessId, int, Iterator[ProcessId]]] = [(root, 0, iter(links[root]))]
    while walk:
        process, _, rest = walk[-1]
        parent = walk[-2][0] if len(walk) > 1 else None
        for after in rest:
            if after not in found:
                found[after] = low[after] = len(found)
                walk.append((after, len(waiting), iter(links[after])))
                waiting.append(after)
                break
            if after != parent and found[after] < low[process]:
                low[process] = found[after]
        else:
            _, start, _ = walk.pop()
            if parent is None:
                continue
            low[parent] = min(low[parent], low[process])
            if low[process] >= found[parent]:
                yield frozenset((*waiting[start:], parent))
                del waiting[start:]
