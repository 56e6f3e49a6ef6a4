"""Random executions in which the plan changes while processes run, with the truth beside every verdict."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from antecede.core.clocks.stamp import Order
from antecede.core.locality.allocation import Allocation
from antecede.core.locality.epochs import (
    ChangingClock,
    EpochArrival,
    EpochStamp,
    PlanMissing,
    add_links,
    compare_epoch_events,
)
from antecede.core.locality.graph import Graph
from antecede.core.locality.plan import Plan, plan
from tests.core.locality.executions import Internal, Receive, Send, Step, describe_step, event_pasts, pasts, truth
from tests.core.locality.graphs import random_graph
from tests.replay import Drawing


@dataclass
class Run:
    """An execution in which each process adopts each plan at a time of its own, or when a message makes it."""

    plans: Sequence[Allocation]
    chance: random.Random
    steps: list[Step] = field(default_factory=list)
    arrivals: dict[str, list[tuple[int, EpochArrival]]] = field(default_factory=dict)
    timestamps: list[EpochStamp | None] = field(default_factory=list)
    transit: dict[tuple[str, str], list[tuple[int, EpochStamp]]] = field(default_factory=dict)
    forced: int = 0
    late: int = 0

    def __post_init__(self) -> None:
        self.drawing = Drawing()
        self.clocks = {p: ChangingClock(self.plans[0], p) for p in self.plans[0].graph.processes}

    def go(self, messages: int) -> None:
        sent = 0
        while sent < messages or self.transit:
            if self.chance.random() < 0.02:
                self.adopt(self.chance.choice(list(self.clocks)))
            if sent < messages and self.chance.random() < 0.5:
                sent += self.send(self.chance.choice(list(self.clocks)), sent)
            elif self.transit:
                self.receive(*self.chance.choice(list(self.transit)))
            if self.chance.random() < 0.05:
                process = self.chance.choice(list(self.clocks))
                self.clocks[process].event()
                self.note(process, Internal(process))

    def note(self, process: str, step: Step) -> None:
        self.steps.append(step)
        self.drawing.add(process, describe_step(step))
        self.timestamps.append(self.clocks[process].timestamp() if process in self.plans[0].partners else None)

    def adopt(self, process: str) -> None:
        """Adopt the next plan, if there is one. A process that is new in it starts with it."""
        epoch = self.clocks[process].epoch + 1
        if epoch > len(self.plans):
            return
        allocation = self.plans[epoch - 1]
        self.drawing.add(process, f"adopt plan {epoch}")
        self.clocks[process].adopt(epoch, allocation)
        for new in allocation.graph.processes:
            if new not in self.clocks:
                self.clocks[new] = ChangingClock(allocation, new, epoch=epoch)

    def send(self, process: str, number: int) -> int:
        clock = self.clocks[process]
        receivers = self.plans[clock.epoch - 1].graph.successors[process]
        if not receivers:
            return 0
        to = self.chance.choice(receivers)
        self.transit.setdefault((process, to), []).append((number, clock.send(to)))
        self.note(process, Send(number, process, to))
        return 1

    def receive(self, sender: str, receiver: str) -> None:
        waiting = self.transit[sender, receiver]
        number, stamp = waiting.pop(0 if self.plans[0].fifo else self.chance.randrange(len(waiting)))
        if not waiting:
            del self.transit[sender, receiver]
        while self.clocks[receiver].epoch < stamp.epoch:
            self.refuse_early(receiver, stamp)
            self.adopt(receiver)
            self.forced += 1
        self.late += stamp.epoch < self.clocks[receiver].epoch
        self.arrivals.setdefault(receiver, []).append((number, self.clocks[receiver].receive(stamp)))
        self.note(receiver, Receive(number))

    def refuse_early(self, receiver: str, stamp: EpochStamp) -> None:
        """Check that a message of a later epoch is refused, and that nothing changes."""
        try:
            self.clocks[receiver].receive(stamp)
        except PlanMissing:
            return
        raise AssertionError(f"{receiver} took a message of epoch {stamp.epoch}, and does not have its plan")

    def verdicts(self) -> Iterator[tuple[Order, Order]]:
        """What is said of each two messages of one epoch and one receiver, and what is true."""
        past = pasts(self.steps)
        for receiver, arrived in self.arrivals.items():
            for first, m1 in arrived:
                for second, m2 in arrived:
                    if first != second and m1.epoch == m2.epoch:
                        yield self.clocks[receiver].compare(m1, m2), truth(past, first, second)

    def event_verdicts(self) -> Iterator[tuple[Order, Order]]:
        """What is said of each two events of one epoch and one pair, or one process of it, and what is true."""
        past = {number: before for number, (_, before) in enumerate(event_pasts(self.steps))}
        stamped = [(number, made) for number, made in enumerate(self.timestamps) if made is not None]
        for first, e1 in stamped:
            for second, e2 in stamped:
                p, q = e1.stamp.sender, e2.stamp.sender
                if first != second and e1.epoch == e2.epoch and (p == q or q in self.plans[0].partners[p]):
                    said = compare_epoch_events(e1, e2, self.plans[e1.epoch - 1])
                    yield said, truth(past, first, second)


def change(chance: random.Random, first: Plan, *, remove: bool = False) -> list[Allocation]:
    """Two more plans, each with some links more, one of them to a new process; with `remove`, some lack a link."""
    names = [*first.allocation.graph.processes, "new"]
    plans = [first]
    for _ in range(2):
        links = [(p, q) for p, q in (chance.sample(names, 2) for _ in range(chance.randint(1, 2)))]
        plans.append(add_links(plans[-1], links))
        if remove and chance.random() < 0.4:
            plans[-1] = _without_a_link(chance, plans[-1])
    return [made.allocation for made in plans]


def _without_a_link(chance: random.Random, before: Plan) -> Plan:
    made = before.allocation
    removed = chance.choice(made.graph.links)
    left = [link for link in made.graph.links if link != removed]
    pairs = [(p, q) for p, others in made.partners.items() for q in sorted(others) if p < q]
    return plan(Graph.of(left or made.graph.links, made.graph.processes), fifo=made.fifo, pairs=pairs or None)


def random_run(
    chance: random.Random, *, fifo: bool, pairs: bool = False, remove: bool = False, messages: int = 120
) -> Run:
    """Return an execution that has ended, of clocks for arrivals or for the events of a pair."""
    graph = random_graph(chance, processes_max=6)
    p, q = chance.sample(graph.processes, 2)
    first = plan(graph, fifo=fifo, pairs=[(p, q)] if pairs else None)
    run = Run(change(chance, first, remove=remove), chance)
    run.go(messages)
    return run
