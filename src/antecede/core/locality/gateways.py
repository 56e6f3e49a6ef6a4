"""Gateways: Allocations 4 and 5 of paper 004 (section 4.4) repaired, and 6, which is ours.

A receiver R compares m1 from p1 with m2 from p2. Chains from p1 to p2 that avoid R are seen by p1's clock, as in
Allocation 3. For those through R, a gateway uses its own clock instead: R notes when it first knew of the sending
of m1, p2 keeps R's clock, and m1 is before m2 if m2 shows a later time of R. There are three treatments of p1 at R:

* `clock`: no gateway. p1's clock goes to all simple paths from p1 to p2, as in Allocation 3.
* `arrival` (the paper's): "first knew" is taken to be the arrival of m1. That is true only if nothing else can tell R
  of m1 sooner: the link is p1's only path to R, and it is FIFO. The paper asks for neither, and gives wrong answers.
* `memory` (ours): R keeps p1's clock, remembers at which own time each of its values came, and looks up when it
  first exceeded that of m1. True on any graph and any channels; p1's clock goes no further than R.

Allocation 4 takes arrival wherever it is true, 5 at the gateways where that is cheaper, 6 also takes memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from antecede.core.errors import Misuse
from antecede.core.locality.allocation import (
    Allocation,
    Holders,
    add_holders,
    clock_sets,
    entries_added,
    observation_sets,
)
from antecede.core.locality.graph import Graph, reachable, without
from antecede.core.locality.simple_paths import Budget, Method, SimplePaths, worst
from antecede.core.types import ProcessId

KEPT_MAX = 32
"""For how many processes the paths that avoid them are kept; each takes as much memory as the graph."""


@dataclass(slots=True)
class Demand:
    """What one treatment of a receiver asks for."""

    holders: Holders = field(default_factory=dict)
    remembered: set[ProcessId] = field(default_factory=set)
    gateway: bool = False

    def ask(self, owner: ProcessId, holders: set[ProcessId]) -> None:
        add_holders(self.holders, {owner: holders})


class Gateways:
    """The treatments of each receiver of one graph. Simple paths that avoid a process are kept a while."""

    def __init__(self, graph: Graph, *, fifo: bool, memory: bool) -> None:
        self.graph = graph
        self.fifo = fifo
        self.memory = memory
        self._budget = Budget()
        self._method = Method.EXACT
        self._all = SimplePaths(graph.successors, self._budget)
        self._kept: dict[ProcessId, SimplePaths] = {}

    def demand(self, receiver: ProcessId, *, gateway: bool) -> Demand:
        """Return what the receiver asks for: as a `gateway`, or if all senders are treated by clock.

        A gateway treats each sender by arrival if that is true, else by memory if wanted, else by clock.
        """
        demand = Demand()
        senders = self.graph.predecessors[receiver]
        for sender in senders:
            others = [other for other in senders if other != sender]
            by_arrival = gateway and self.fifo and only_the_link(self.graph, sender, receiver)
            if not by_arrival and not (gateway and self.memory):
                demand.ask(sender, self._all.through(sender, others))
                continue
            demand.ask(sender, self._through(sender, others, avoiding=receiver))
            beyond = self._through(receiver, others, avoiding=sender)
            if beyond:
                demand.gateway = True
                demand.ask(receiver, beyond)
            if beyond and not by_arrival:
                demand.ask(sender, self._all.through(sender, [receiver]))
                demand.remembered.add(sender)
        return demand

    def cheaper_demands(self, order: Sequence[ProcessId] | None, arrival_price: int) -> dict[ProcessId, Demand]:
        """Return for each receiver the demand that adds fewer entries; that without a gateway if they add equally many.

        Receivers are visited in `order`, and each demand is compared by what it adds to those before it.
        """
        order = self.graph.processes if order is None else order
        if sorted(order) != sorted(self.graph.processes):
            raise Misuse("the order of visiting gateways must name every process of the graph once")
        given: Holders = {}
        demands: dict[ProcessId, Demand] = {}
        for receiver in order:
            plain, gateway = self.demand(receiver, gateway=False), self.demand(receiver, gateway=True)
            price = entries_added(given, gateway.holders) + arrival_price
            cheaper = gateway.gateway and price < entries_added(given, plain.holders)
            demands[receiver] = gateway if cheaper else plain
            add_holders(given, demands[receiver].holders)
        return {p: demands[p] for p in self.graph.processes}

    def allocation(self, name: str, demands: dict[ProcessId, Demand]) -> Allocation:
        """Return the allocation that meets these demands, one for each receiver."""
        holders: Holders = {}
        for demand in demands.values():
            add_holders(holders, demand.holders)
        clocks = clock_sets(self.graph, holders)
        return Allocation(
            name,
            self.graph,
            self.fifo,
            worst([self._method, *(paths.method for paths in (self._all, *self._kept.values()))]),
            clocks,
            observation_sets(self.graph, clocks),
            frozenset(p for p, demand in demands.items() if demand.gateway),
            {p: frozenset(demand.remembered) for p, demand in demands.items() if demand.remembered},
        )

    def _through(self, source: ProcessId, targets: Iterable[ProcessId], avoiding: ProcessId) -> set[ProcessId]:
        """Return who is on simple paths that avoid a process. They are searched only to targets that are reached."""
        reach = reachable(self.graph.successors, [source])
        goals = [target for target in targets if target in reach]
        return self._avoiding(avoiding).through(source, goals) if goals else set()

    def _avoiding(self, process: ProcessId) -> SimplePaths:
        if process not in self._kept:
            if len(self._kept) == KEPT_MAX:
                oldest = self._kept.pop(next(iter(self._kept)))
                self._method = worst([self._method, oldest.method])
            self._kept[process] = SimplePaths(without(self.graph.successors, process), self._budget)
        return self._kept[process]


def allocation_4(graph: Graph, *, fifo: bool = True) -> Allocation:
    """Return Allocation 4: arrival times wherever they are true.

    On channels that are not FIFO that is nowhere, and this is Allocation 3.
    """
    gateways = Gateways(graph, fifo=fifo, memory=False)
    return gateways.allocation("4", {p: gateways.demand(p, gateway=True) for p in graph.processes})


def allocation_5(
    graph: Graph, *, fifo: bool = True, order: Sequence[ProcessId] | None = None, arrival_price: int = 0
) -> Allocation:
    """Return Allocation 5: arrival times at the gateways where they are cheaper, visited in `order`, or by name.

    `arrival_price` is what a gateway's notes cost, in clock entries: the messages it keeps for comparison. The
    paper leaves both open, and the result depends on them.
    """
    gateways = Gateways(graph, fifo=fifo, memory=False)
    return gateways.allocation("5", gateways.cheaper_demands(order, arrival_price))


def allocation_6(graph: Graph, *, fifo: bool = True) -> Allocation:
    """Return Allocation 6: as 5, with memory where arrival times are not true."""
    gateways = Gateways(graph, fifo=fifo, memory=True)
    return gateways.allocation("6", gateways.cheaper_demands(None, 0))


def only_the_link(graph: Graph, sender: ProcessId, receiver: ProcessId) -> bool:
    """Return whether the link is the only path from `sender` to `receiver`."""
    elsewhere = (p for p in graph.successors[sender] if p != receiver)
    return receiver not in reachable(graph.successors, elsewhere, avoiding=sender)
