"""Allocations of graphs whose every link goes both ways, in time and space linear in the graph and the answer.

There the clock set of a process is the union of one set per block it is in (see `components`; a block of two processes
is a bridge, a process in several blocks a cut vertex). Let p1 and p2 be neighbours of R. If they are all in one block,
the simple paths from p1 to p2 fill that block. If not, R is a cut vertex, and they fill two: that of p1 and R, that of
R and p2.
Reading this for all p1, a block B is given, by

* Allocations 2 and 3: its members, unless it is a bridge; and for each of its cut vertices all neighbours of that.
* Allocations 4 and 5: the same, but a cut vertex that is a gateway leaves out the neighbours it has across bridges,
  which are just those whose link is their only path to it, and puts itself in, unless B is the only such bridge.
* Allocation 6: its members; but of a bridge, if channels are FIFO only its cut vertices, and nobody if it has none.

Allocation 1 gives all processes of a connected part to all of it. Everyone wants to hear of its own clocks only. The
tests hold this file to the same sets as `allocation` and `gateways`, which work on any graph.
"""

from __future__ import annotations

from collections.abc import Callable

from antecede.core.locality.allocation import Allocation, Parts, ProcessSet, union
from antecede.core.locality.components import Blocks, blocks
from antecede.core.locality.graph import Graph, reachable
from antecede.core.locality.simple_paths import Method
from antecede.core.types import ProcessId


class BlockAllocations:
    """The allocations of one graph; its blocks are found once."""

    def __init__(self, graph: Graph, *, fifo: bool = True) -> None:
        assert graph.is_two_way, "only for graphs whose every link goes both ways"
        self.graph = graph
        self.fifo = fifo
        self._blocks: Blocks = blocks(graph.successors)
        self._neighbours = {p: frozenset(qs) for p, qs in graph.successors.items() if self._blocks.is_cut_vertex(p)}

    def allocation_1(self) -> Allocation:
        clocks: dict[ProcessId, Parts] = {}
        for process in self.graph.processes:
            if process not in clocks:
                part = reachable(self.graph.successors, [process])
                compared = frozenset(
                    p for p in part if any(len(self.graph.successors[q]) > 1 for q in self.graph.successors[p])
                )
                clocks.update(dict.fromkeys(part, (compared,)))
        return Allocation("1", self.graph, self.fifo, Method.EXACT, {p: clocks[p] for p in self.graph.processes}, None)

    def allocation_2(self) -> Allocation:
        return Allocation("2", self.graph, self.fifo, Method.EXACT, self._clocks(self._by_clock), None)

    def allocation_3(self) -> Allocation:
        return self._allocation("3", self._clocks(self._by_clock))

    def allocation_4(self) -> Allocation:
        return self.allocation_5("4")

    def allocation_5(self, name: str = "5", *, arrival_price: int = 0) -> Allocation:
        """Return Allocation 5, or 4 by `name`, which has all the gateways whatever they save.

        A gateway's saving is counted as if there were no other: exact but for the far ends of its bridges.
        """
        bridged = {
            cut_vertex: across for cut_vertex in self._neighbours if (across := self._across_bridges(cut_vertex))
        }
        gateways = {
            cut_vertex: across
            for cut_vertex, across in bridged.items()
            if self.fifo and (name == "4" or self._saving(cut_vertex, across) > arrival_price)
        }
        clocks = self._clocks(lambda block: self._by_arrival(block, gateways))
        return self._allocation(name, clocks, gateways=frozenset(gateways))

    def allocation_6(self) -> Allocation:
        remembered = dict(self._neighbours)
        if self.fifo:
            remembered = {
                cut_vertex: near - self._across_bridges(cut_vertex) for cut_vertex, near in remembered.items()
            }
        return self._allocation(
            "6",
            self._clocks(self._by_memory),
            gateways=frozenset(self._neighbours),
            remembered={cut_vertex: near for cut_vertex, near in remembered.items() if near},
        )

    def _allocation(
        self,
        name: str,
        clocks: dict[ProcessId, Parts],
        gateways: ProcessSet = frozenset(),
        remembered: dict[ProcessId, ProcessSet] | None = None,
    ) -> Allocation:
        return Allocation(name, self.graph, self.fifo, Method.EXACT, clocks, clocks, gateways, remembered or {})

    def _clocks(self, of_block: Callable[[ProcessSet], ProcessSet]) -> dict[ProcessId, Parts]:
        """Return the parts of each process: those of its blocks, in at most two."""
        parts = [of_block(block) for block in self._blocks.members]
        return {p: _largest_and_rest([parts[number] for number in self._blocks.of[p]]) for p in self.graph.processes}

    def _by_clock(self, block: ProcessSet) -> ProcessSet:
        return union([*_unless_bridge(block), *(self._neighbours[p] for p in block if p in self._neighbours)])

    def _by_arrival(self, block: ProcessSet, gateways: dict[ProcessId, ProcessSet]) -> ProcessSet:
        parts = [*_unless_bridge(block)]
        for cut_vertex in block & self._neighbours.keys():
            across = gateways.get(cut_vertex, frozenset())
            parts.append(self._neighbours[cut_vertex] - across)
            if across - block:
                parts.append(frozenset([cut_vertex]))
        return union([part for part in parts if part])

    def _by_memory(self, block: ProcessSet) -> ProcessSet:
        if len(block) > 2:
            return block
        cut_vertices = block & self._neighbours.keys()
        return cut_vertices if self.fifo or not cut_vertices else block

    def _across_bridges(self, cut_vertex: ProcessId) -> ProcessSet:
        bridges = [self._blocks.members[n] for n in self._blocks.of[cut_vertex] if len(self._blocks.members[n]) == 2]
        return frozenset().union(*bridges) - {cut_vertex}

    def _saving(self, cut_vertex: ProcessId, across: ProcessSet) -> int:
        around = sum(len(self._blocks.members[number]) - 1 for number in self._blocks.of[cut_vertex])
        added = len(across) + 1 if len(across) > 1 else 0
        return len(across) * around - added


def _unless_bridge(block: ProcessSet) -> Parts:
    return (block,) if len(block) > 2 else ()


def _largest_and_rest(parts: list[ProcessSet]) -> Parts:
    """Return the largest part, shared with the whole block that has it, and all the others as one."""
    if len(parts) < 2:
        return tuple(parts) or (frozenset(),)
    largest = max(parts, key=len)
    rest = frozenset().union(*(part for part in parts if part is not largest)) - largest
    return (largest, rest) if rest else (largest,)
