"""Runs clocks over an execution and compares every verdict with the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from antecede.core.clocks.differential import DifferentialClock
from antecede.core.clocks.stamp import Arrival, ClockStamp, Order
from antecede.core.clocks.vector import VectorClock, compare
from antecede.core.locality.allocation import Allocation
from antecede.core.locality.graph import Graph, reachable
from antecede.core.locality.local_clock import LocalClock, determination_2, determination_4
from antecede.core.locality.pairs import compare_events
from antecede.core.types import ProcessId
from tests.core.locality.executions import Internal, Send, Step, event_pasts, pasts, truth

Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True)
class Accused(Generic[Kept]):
    """One way of keeping clocks and of comparing what arrived. `start` makes the three calls of a fresh system."""

    name: str
    start: Callable[[], System[Kept]]
    compare: Callable[[ProcessId, Kept, Kept], Order]

    def run(self, steps: list[Step]) -> dict[ProcessId, list[tuple[int, Kept]]]:
        """What every process keeps of what arrived there, in order of arrival."""
        return drive(self.start(), steps)

    def verdict(self, steps: list[Step], first: int, second: int) -> Order:
        """Of two messages with one receiver."""
        for receiver, messages in self.run(steps).items():
            arrived = dict(messages)
            if first in arrived and second in arrived:
                return self.compare(receiver, arrived[first], arrived[second])
        raise AssertionError(f"messages {first} and {second} do not both arrive at one process")

    def wrong_verdicts(self, steps: list[Step]) -> Iterator[Wrong]:
        """Every pair of messages with one receiver, the one that arrived first named first."""
        past = pasts(steps)
        for receiver, messages in self.run(steps).items():
            for place, (second, m2) in enumerate(messages):
                for first, m1 in messages[:place]:
                    said, true = self.compare(receiver, m1, m2), truth(past, first, second)
                    if said is not true:
                        yield Wrong(receiver, first, second, said, true)


@dataclass(frozen=True, slots=True)
class EventVerdict:
    """A verdict on two events, which are named by their places in the execution, and the truth."""

    first: int
    second: int
    said: Order
    true: Order


@dataclass(frozen=True, slots=True)
class System(Generic[Kept]):
    event: Callable[[ProcessId], object]
    send: Callable[[ProcessId, ProcessId], ClockStamp]
    receive: Callable[[ProcessId, ClockStamp], Kept]


@dataclass(frozen=True, slots=True)
class Wrong:
    receiver: ProcessId
    first: int
    second: int
    said: Order
    true: Order


AnyAccused: TypeAlias = Accused[Arrival] | Accused[ClockStamp]


def drive(system: System[Kept], steps: list[Step]) -> dict[ProcessId, list[tuple[int, Kept]]]:
    """Carry the steps out; returns the arrivals of each process in their order."""
    kept: dict[ProcessId, list[tuple[int, Kept]]] = {}
    on_the_way: dict[int, tuple[ProcessId, ClockStamp]] = {}
    for step in steps:
        if isinstance(step, Internal):
            system.event(step.process)
        elif isinstance(step, Send):
            on_the_way[step.message] = (step.receiver, system.send(step.sender, step.receiver))
        else:
            receiver, stamp = on_the_way.pop(step.message)
            kept.setdefault(receiver, []).append((step.message, system.receive(receiver, stamp)))
    return kept


def local_system(clocks: dict[ProcessId, LocalClock]) -> System[Arrival]:
    return System(lambda p: clocks[p].event(), lambda p, q: clocks[p].send(q), lambda p, s: clocks[p].receive(s))


def local(allocation: Allocation) -> Accused[Arrival]:
    def start() -> System[Arrival]:
        return local_system({p: LocalClock(allocation, p) for p in allocation.graph.processes})

    return Accused(allocation.name, start, lambda receiver, m1, m2: determination_4(m1, m2, receiver))


def timestamps(allocation: Allocation, steps: list[Step]) -> list[ClockStamp | None]:
    """The timestamp of each step, if it is one of a process of a pair."""
    clocks = {p: LocalClock(allocation, p) for p in allocation.graph.processes}
    made: list[ClockStamp | None] = []

    def note(process: ProcessId) -> None:
        made.append(clocks[process].timestamp() if process in allocation.partners else None)

    def event(process: ProcessId) -> None:
        clocks[process].event()
        note(process)

    def send(process: ProcessId, to: ProcessId) -> ClockStamp:
        stamp = clocks[process].send(to)
        note(process)
        return stamp

    def receive(process: ProcessId, stamp: ClockStamp) -> Arrival:
        arrival = clocks[process].receive(stamp)
        note(process)
        return arrival

    drive(System(event, send, receive), steps)
    return made


def event_verdicts(allocation: Allocation, steps: list[Step]) -> Iterator[EventVerdict]:
    """The verdict on any two events of a pair, and of a process of a pair, beside the truth."""
    events, stamps = event_pasts(steps), timestamps(allocation, steps)
    of: dict[ProcessId, list[tuple[int, ClockStamp]]] = {p: [] for p in allocation.partners}
    for number, stamp in enumerate(stamps):
        if stamp is not None:
            of[stamp.sender].append((number, stamp))
    past = {number: before for number, (_, before) in enumerate(events)}
    for p, others in allocation.partners.items():
        for q in [p, *(other for other in others if other > p)]:
            for first, e1 in of[p]:
                for second, e2 in of[q]:
                    if first != second:
                        yield EventVerdict(
                            first, second, compare_events(e1, e2, allocation), truth(past, first, second)
                        )


def vectors(graph: Graph) -> Accused[ClockStamp]:
    def start() -> System[ClockStamp]:
        clocks = {p: VectorClock(p, graph.processes) for p in graph.processes}

        def receive(process: ProcessId, stamp: ClockStamp) -> ClockStamp:
            clocks[process].receive(stamp)
            return stamp

        return System(lambda p: clocks[p].event(), lambda p, _: clocks[p].event(), receive)

    return Accused("vector", start, lambda _, m1, m2: compare(m1, m2))


def vectors_and_paths(graph: Graph) -> Accused[ClockStamp]:
    """Determination 2. The messages of one sender are ordered by its own entry."""
    reach = {p: reachable(graph.successors, [p]) for p in graph.processes}

    def verdict(_: ProcessId, m1: ClockStamp, m2: ClockStamp) -> Order:
        first, second = (Arrival(m.sender, m.clock[m.sender], m.clock) for m in (m1, m2))
        return determination_2(first, second, lambda p, q: q in reach[p])

    return Accused("vector with paths", vectors(graph).start, verdict)


def differential(graph: Graph) -> Accused[ClockStamp]:
    def start() -> System[ClockStamp]:
        clocks = {p: DifferentialClock(p, graph.processes) for p in graph.processes}
        return System(lambda p: clocks[p].event(), lambda p, q: clocks[p].send(q), lambda p, s: clocks[p].receive(s))

    return Accused("differential", start, lambda _, m1, m2: compare(m1, m2))


def pairs(steps: list[Step]) -> int:
    """Pairs of messages with one receiver, all of which arrive."""
    counts: dict[ProcessId, int] = {}
    for step in steps:
        if isinstance(step, Send):
            counts[step.receiver] = counts.get(step.receiver, 0) + 1
    return sum(count * (count - 1) // 2 for count in counts.values())
