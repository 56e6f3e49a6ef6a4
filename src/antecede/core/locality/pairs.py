"""Allocations for chosen pairs of processes: any two events of a pair can be compared, with no receiver in common.

Paper 004, section 7, says that its algorithms apply equally well to any two processes p1 and p2 whose events are to be
compared, and no more. This is our reading. Every event of a process of a pair gets a timestamp: its own entry, and the
entries of the processes that it is paired with, as far as it keeps them. Who has the timestamps of e1 and e2, and knows
the allocation, compares them by Determination 3: e1 is before e2 exactly if `T_e2(p1)` is above `T_e1(p1)`.

Allocation 3 is sufficient. p1's clock is kept on all simple paths from p1 to p2, and a message carries what both of its
ends keep. Suppose that e1 of p1 is before e2 of p2. Then there is a chain of messages from p1, sent at e1 or later, to
p2, received at e2 or earlier. Of all such chains take one with the fewest messages. It visits nobody twice: if it did,
what lies between the two visits could be left out, because the second visit is later at the same process. So it
follows a simple path, every process on it keeps p1's clock, and every message of it carries p1's entry. The first
message was sent at some time s of p1, at e1 or later; its receiver notes s + 1, and the entry grows only. So
`T_e2(p1) >= s + 1 > T_e1(p1)`. Conversely, an entry above `T_e1(p1)` can only come from a message that p1 sent at e1 or
later, so e1 is before e2.

Each of these entries is necessary, as long as p1's entry is the evidence. If a process on a simple path from p1 to p2
does not keep it, and the only messages are one along each link of that path, then p2 never hears of p1. If there is no
path from p1 to p2, no event of p1 is before one of p2, and nobody but p1 keeps p1's clock. p1 itself always does: that
orders its own events. So the clock sets are the smallest, if the simple paths were found exactly.

Gateways (Allocations 4 to 6) do not help here. A gateway replaces p1's clock by a note, made when a message arrived,
and the note stays with the gateway. Who has only the two timestamps does not have it.

In Allocation 3 a process does not observe its own clock, which no message can advance. Order on the channels does not
matter, and messages carry no sequence numbers. The arrivals at one process are not compared.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from antecede.core.clocks.stamp import ClockStamp, Order
from antecede.core.errors import Misuse
from antecede.core.locality.allocation import Allocation, Holders, Parts, ProcessSet, clock_sets, union
from antecede.core.locality.graph import Graph, checked_link, reachable
from antecede.core.locality.simple_paths import BUDGET, Budget, Method, SimplePaths
from antecede.core.types import ProcessId

Pair: TypeAlias = tuple[ProcessId, ProcessId]


class PairAllocations:
    """Allocations 1 to 3 of one graph, for these pairs of processes."""

    def __init__(self, graph: Graph, pairs: Iterable[Pair], *, fifo: bool = True, budget: int = BUDGET) -> None:
        self.graph = graph
        self.fifo = fifo
        self.partners = _partners(graph, pairs)
        self._budget = budget

    def allocation_1(self) -> Allocation:
        """Return Allocation 1: p1's clock on any path from p1 to p2."""
        holders: Holders = {}
        for owner, others in self.partners.items():
            reach = reachable(self.graph.successors, [owner])
            holders[owner] = {owner} | reachable(self.graph.predecessors, others & reach) & reach
        return self._allocation("1", clock_sets(self.graph, holders), None, Method.EXACT)

    def allocation_2(self) -> Allocation:
        """Return Allocation 2: p1's clock on any simple path from p1 to p2."""
        clocks, method = self._on_simple_paths()
        return self._allocation("2", clocks, None, method)

    def allocation_3(self) -> Allocation:
        """Return Allocation 3: the clocks of 2, but a message carries only what its receiver keeps of others."""
        clocks, method = self._on_simple_paths()
        observed: dict[ProcessId, Parts] = {p: (union(parts) - {p},) for p, parts in clocks.items()}
        return self._allocation("3", clocks, observed, method)

    def _on_simple_paths(self) -> tuple[dict[ProcessId, Parts], Method]:
        paths = SimplePaths(self.graph.successors, Budget(self._budget))
        holders = {owner: {owner} | paths.through(owner, others) for owner, others in self.partners.items()}
        return clock_sets(self.graph, holders), paths.method

    def _allocation(
        self, name: str, clocks: dict[ProcessId, Parts], observed: dict[ProcessId, Parts] | None, method: Method
    ) -> Allocation:
        return Allocation(name, self.graph, self.fifo, method, clocks, observed, partners=self.partners)


def compare_events(first: ClockStamp, second: ClockStamp, allocation: Allocation) -> Order:
    """Return how two different events of a pair stand to each other, from their timestamps.

    `LocalClock.timestamp` makes the timestamps. Both events may be of the same process. Raise `Misuse` if the plan is
    not for this pair, or if a stamp is not the timestamp of an event.
    """
    p1, p2 = first.sender, second.sender
    for stamp in (first, second):
        wanted = allocation.timestamp_set(stamp.sender)
        if stamp.clock.keys() != wanted:
            raise Misuse(
                f"a stamp of {stamp.sender!r} has the clocks {sorted(stamp.clock)}, not {sorted(wanted)}: compare what "
                f"`LocalClock.timestamp` returned under the same plan"
            )
    if p1 != p2 and p2 not in allocation.partners[p1]:
        raise Misuse(f"events of {p1!r} and {p2!r} cannot be compared: plan with this pair")
    if first.clock[p1] < second.clock.get(p1, 0):
        return Order.BEFORE
    if second.clock[p2] < first.clock.get(p2, 0):
        return Order.AFTER
    return Order.CONCURRENT


def _partners(graph: Graph, pairs: Iterable[Pair]) -> dict[ProcessId, ProcessSet]:
    """Return for each process of a pair all processes that it is paired with."""
    partners: dict[ProcessId, set[ProcessId]] = {}
    for first, second in map(checked_link, pairs):
        for name in (first, second):
            if name not in graph.successors:
                raise Misuse(f"pair {first!r}, {second!r} names {name!r}, which is not a process of the graph")
        if first == second:
            raise Misuse(f"{first!r} is paired with itself: name two processes, any pair orders the events of each")
        partners.setdefault(first, set()).add(second)
        partners.setdefault(second, set()).add(first)
    if not partners:
        raise Misuse("no pair of processes is named: name at least one, or none at all to plan for receivers")
    return {p: frozenset(partners[p]) for p in sorted(partners)}
