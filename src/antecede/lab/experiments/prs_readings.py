"""Simulate other readings of paper 000, to see which could explain its figures. None of them is offered for use.

printed            as in §5.2 and §7
no-8               without step 8 of the reception, the garbage collection
no-subtraction     step 5 adds the new constraint and keeps those it makes superfluous
links              a link carries one message at a time; the others queue
unicasts           a message to d destinations is d messages of one destination
adds               step 3 of the send adds the message to the constraints of its destinations, instead of replacing
                   them by it
adds, no-8         both
adds, no-8, links  all three
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from antecede.core.ordering.prs import Prs, PrsStamp
from antecede.core.process import Process
from antecede.core.types import Message, Packet, ProcessId, Stamp
from antecede.sim import Parameters, World
from antecede.sim.measure.ledger import Flight
from antecede.sim.workload import Letter

READINGS = (
    "printed",
    "no-8",
    "no-subtraction",
    "links",
    "unicasts",
    "adds",
    "adds, no-8",
    "adds, no-8, links",
)


@dataclass(slots=True)
class Reading(Prs):
    """The ordering of `prs` with single steps read differently."""

    adds: bool = False
    collects: bool = True
    subtracts: bool = True

    def stamps(self, message: Message, others: Sequence[ProcessId]) -> list[Stamp]:
        before = {dest: dict(self.barrier.get(dest, {})) for dest in others}
        stamps = Prs.stamps(self, message, others)
        if self.adds:
            for dest in others:
                self.barrier[dest] = {**before[dest], self.me: message.id.seq}
        return stamps

    def learn(self, message: Message, stamp: Stamp) -> None:
        assert isinstance(stamp, PrsStamp)
        Prs.learn(self, message, stamp)
        if not self.subtracts:
            for dest in sorted(message.dests - {message.sender}):
                row = dict(self.barrier.get(dest, {}))
                for process, count in stamp.barrier.get(dest, {}).items():
                    row[process] = max(count, row.get(process, 0))
                self.barrier[dest] = row
            Prs._collect(self)

    def _collect(self) -> None:
        if self.collects:
            Prs._collect(self)


@dataclass(slots=True)
class QueueingLinks:
    """Links that carry one message at a time between two processes, for the latency that the message drew."""

    world: World
    free_s: dict[tuple[ProcessId, ProcessId], float]

    def carry(self, source: ProcessId, dests: list[ProcessId], packet: Packet, flight: Flight | None) -> None:
        assert flight is not None
        kernel = self.world.kernel
        for to in dests:
            start = max(kernel.now, self.free_s.get((source, to), 0.0))
            self.free_s[source, to] = start + flight.latency_s[to]
            kernel.at(self.free_s[source, to], self.world._receive, to, packet, flight)


def make_world(parameters: Parameters, reading: str) -> World:
    """Return a world in which all processes follow this reading of the paper."""
    made, words = World(parameters), reading.split(", ")
    for node in made.nodes.values():
        assert isinstance(node, Process)
        assert isinstance(node.ordering, Prs)
        state = {one.name: getattr(node.ordering, one.name) for one in fields(Prs)}
        node.ordering = Reading(
            **state, adds="adds" in words, collects="no-8" not in words, subtracts="no-subtraction" not in words
        )
    if "links" in words:
        made._carry = QueueingLinks(made, {}).carry
    if "unicasts" in words:
        _send_one_by_one(made)
    return made


def _send_one_by_one(made: World) -> None:
    """Make a world send a message to several destinations as several messages to one destination."""
    send = made._send

    def send_each(process: ProcessId, letter: Letter) -> None:
        assert not isinstance(letter.to, str)
        for dest in sorted(letter.to):
            send(process, Letter(frozenset({dest})))

    made._send = send_each  # type: ignore[method-assign]  # a reading of the paper that no option offers
