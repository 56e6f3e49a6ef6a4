"""Clock sets and observation sets: which clocks each process keeps, and which of them it wants to hear of.

Names of the paper: `ClockSet_p` is `Allocation.clock_set(p)`, `ObsSet_p` is `observation_set(p)`. A message from p to
q carries `link_set(p, q)`. Here are Allocations 1 to 3 (paper 004, sections 4.1 to 4.3), for any graph; 4 and 5, and
our own 6, are in `gateways`; those for chosen pairs of processes are in `pairs`. Each is a pure function of the graph.
Sets are kept as unions of shared parts, because whole neighbourhoods have the same clocks.

p1 and p2 are senders to a common receiver. Allocation 1 gives p1's clock to every process on a path from p1 to p2,
2 to every process on a simple path, because what has been heard once is not news; 3 also sends less.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from antecede.core.errors import Misuse
from antecede.core.locality.graph import Graph, reachable
from antecede.core.locality.simple_paths import BUDGET, Budget, Method, SimplePaths
from antecede.core.types import ProcessId

ProcessSet: TypeAlias = frozenset[ProcessId]
Parts: TypeAlias = tuple[ProcessSet, ...]
"""A set of processes as one or two sets that have no member in common."""
Holders: TypeAlias = dict[ProcessId, set[ProcessId]]
"""For each process, who keeps its clock: the clock sets, seen from the other side."""


@dataclass(frozen=True, slots=True)
class Allocation:
    """Which clocks each process of a graph keeps, and which of them messages carry. `plan` makes it.

    `gateways` note for each arrival when they first knew of its sending. `remembered[g]` are the processes whose every
    step gateway g must remember for that (Allocation 6). `observed` is None if whole clocks travel. If the allocation
    is for chosen pairs, `partners[p]` are the processes whose events are compared with those of p (see `pairs`);
    otherwise `partners` is empty, and messages that arrive at one process are compared.
    """

    name: str
    graph: Graph
    fifo: bool
    method: Method
    clocks: Mapping[ProcessId, Parts]
    observed: Mapping[ProcessId, Parts] | None
    gateways: frozenset[ProcessId] = frozenset()
    remembered: Mapping[ProcessId, ProcessSet] = field(default_factory=dict)
    partners: Mapping[ProcessId, ProcessSet] = field(default_factory=dict)

    def clock_set(self, process: ProcessId) -> ProcessSet:
        """Return the processes whose clocks `process` keeps."""
        return union(self.clocks[process])

    def observation_set(self, process: ProcessId) -> ProcessSet:
        """Return the processes whose clocks `process` wants to hear of."""
        return union((self.observed or self.clocks)[process])

    def link_set(self, sender: ProcessId, receiver: ProcessId) -> ProcessSet:
        """Return whose clocks a message from `sender` to `receiver` carries: Propagation 2 or 3."""
        if self.observed is None:
            return self.clock_set(sender)
        return self.clock_set(sender) & self.observation_set(receiver)

    def timestamp_set(self, process: ProcessId) -> ProcessSet:
        """Return whose clocks the timestamp of an event of `process` has. It must be a process of a chosen pair."""
        if process not in self.partners:
            raise Misuse(f"events of {process!r} cannot be compared by timestamps: plan with it in one of the pairs")
        return self.clock_set(process) & (self.partners[process] | {process})

    def is_numbered(self, sender: ProcessId, receiver: ProcessId) -> bool:
        """Return whether messages carry a sequence number. They do only without FIFO, if the sender's own entry cannot
        do its work.
        """
        if self.fifo or self.partners:
            return False
        if sender in self.remembered.get(receiver, ()):
            return True
        observed = self.clocks[sender] if self.observed is None else self.observed[receiver]
        return not all(any(sender in part for part in parts) for parts in (self.clocks[sender], observed))


def union(parts: Sequence[ProcessSet]) -> ProcessSet:
    """Return the union of `parts`. One part is returned as it is, so that all that have it share it."""
    return parts[0] if len(parts) == 1 else frozenset().union(*parts)


def rivals(graph: Graph) -> Iterator[tuple[ProcessId, set[ProcessId], set[ProcessId]]]:
    """Yield each p1, all p2 it can reach such that some third process hears from both, and all that p1 reaches.

    One at a time, because all together may be the square of the graph: many senders of one receiver, say, that
    do not reach each other and so need no clock.
    """
    senders = {p: frozenset(before) for p, before in graph.predecessors.items()}
    for sender, receivers in graph.successors.items():
        reach = reachable(graph.successors, [sender])
        others: set[ProcessId] = set().union(*(reach & senders[receiver] for receiver in receivers))
        yield sender, others - {sender}, reach


def allocation_1(graph: Graph, *, fifo: bool = True) -> Allocation:
    """Return Allocation 1: p1's clock on any path from p1 to p2. It is exact for every graph, by reachability."""
    holders: Holders = {}
    for sender, others, reach in rivals(graph):
        holders[sender] = reachable(graph.predecessors, others) & reach
    return Allocation("1", graph, fifo, Method.EXACT, clock_sets(graph, holders), None)


def allocation_2(graph: Graph, *, fifo: bool = True, budget: int = BUDGET) -> Allocation:
    """Return Allocation 2: p1's clock on any simple path from p1 to p2."""
    paths = SimplePaths(graph.successors, Budget(budget))
    holders = {sender: paths.through(sender, others) for sender, others, _ in rivals(graph)}
    return Allocation("2", graph, fifo, paths.method, clock_sets(graph, holders), None)


def allocation_3(graph: Graph, *, fifo: bool = True, budget: int = BUDGET) -> Allocation:
    """Return Allocation 3: the clocks of 2, but a message carries only what its receiver wants."""
    second = allocation_2(graph, fifo=fifo, budget=budget)
    observed = observation_sets(graph, second.clocks)
    return Allocation("3", graph, fifo, second.method, second.clocks, observed)


def add_holders(given: Holders, more: Holders) -> None:
    """Add `more` to the holders that are `given`."""
    for owner, holders in more.items():
        given.setdefault(owner, set()).update(holders)


def entries_added(given: Holders, more: Holders) -> int:
    """Return how many clock entries `more` would add to those that are `given`."""
    return sum(len(holders - given.get(owner, set())) for owner, holders in more.items())


def clock_sets(graph: Graph, holders: Mapping[ProcessId, set[ProcessId]]) -> dict[ProcessId, Parts]:
    """Return for each process the clocks it keeps, from who keeps whose clock. Processes with equal sets share one."""
    kept: dict[ProcessId, list[ProcessId]] = {p: [] for p in graph.processes}
    for owner in graph.processes:
        for holder in holders.get(owner, ()):
            kept[holder].append(owner)
    shared: dict[tuple[ProcessId, ...], ProcessSet] = {}
    return {p: (shared.setdefault(tuple(owners), frozenset(owners)),) for p, owners in kept.items()}


def observation_sets(graph: Graph, clocks: Mapping[ProcessId, Parts]) -> dict[ProcessId, Parts]:
    """Return for each process its own clocks, and those of the senders that two arrivals may be compared by.

    A receiver wants p1's clock if another of its senders keeps it. Section 4.3 asks for a path from p1 to that
    other sender instead: the same in Allocation 3, but in 4 and 5 it asks for clocks that nobody keeps.
    """
    sets = {p: union(parts) for p, parts in clocks.items()}
    observed: dict[ProcessId, Parts] = {}
    for receiver, senders in graph.predecessors.items():
        among = frozenset(senders)
        wanted: set[ProcessId] = set().union(*((sets[p2] & among) - {p2} for p2 in senders))
        more = frozenset(wanted - sets[receiver])
        observed[receiver] = (*clocks[receiver], more) if more else clocks[receiver]
    return observed
