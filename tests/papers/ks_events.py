"""Random executions of `ks`, event by event: what LOG was before and after each, and what each message carried.

The lemmas of 002 are about events, and an event is a send or a delivery. So a packet is brought at the instant at which
it can be delivered, and each call of a process is one event. `replay` performs a part of an execution again: the
causal past of one send, as if nothing else had happened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from antecede import Message, MessageId, Packet
from antecede.core.ordering.ks import KsStamp
from tests.properties.execution import Dot, Execution
from tests.stage import Flight, Stage

NAMES = ("a", "b", "c", "d")


@dataclass(frozen=True, slots=True)
class KsState:
    """LOG_j as its dots, and the highest clock that j knows of each sender."""

    log: frozenset[Dot]
    context: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class KsEvent:
    """A send or a delivery of `message` at `process`. `bit` is the event, and `past` the events before it, as bits."""

    process: str
    message: Message
    is_send: bool
    before: KsState
    after: KsState
    bit: int
    past: int


@dataclass
class Played:
    """An execution: its events in an order that is possible, and the packet of each message for each destination."""

    stage: Stage
    execution: Execution = field(default_factory=Execution)
    events: list[KsEvent] = field(default_factory=list)

    def packet(self, message: MessageId, to: str) -> Packet:
        return self.stage.packet(self.execution.messages[message], to)

    def send(self, process: str, dests: set[str]) -> Message:
        before = self._state(process)
        message = self.stage.send(process, dests)
        self.execution.send(message)
        self._add(process, message, before, is_send=True)
        return message

    def deliver(self, message: Message, to: str) -> None:
        before = self._state(to)
        assert self.stage.arrive(message, to) == [message.id]
        self.execution.deliver(to, message.id)
        self._add(to, message, before, is_send=False)

    def _state(self, process: str) -> KsState:
        ordering = self.stage.ordering(process)
        return KsState(frozenset(dots_of_log(ordering.log)), dict(ordering.context))

    def _add(self, process: str, message: Message, before: KsState, *, is_send: bool) -> None:
        bit = 1 << (self.execution.events - 1)
        past = self.execution.past[process] & ~bit
        self.events.append(KsEvent(process, message, is_send, before, self._state(process), bit, past))


def dots_of_log(log: Mapping[str, Mapping[int, frozenset[str]]]) -> list[Dot]:
    return [(i, t, d) for i, entries in log.items() for t, dests in entries.items() for d in dests]


def dots_of(packet: Packet, to: str) -> set[Dot]:
    """What the packet tells `to` is owed: O_M."""
    stamp = packet.stamp
    assert isinstance(stamp, KsStamp)
    return {*dots_of_log(stamp.owed), *((i, t, to) for i, t in stamp.due.get(to, {}).items())}


def without_dot(packet: Packet, dot: Dot) -> Packet:
    """Return the packet without one thing that it says: that `dot` is owed."""
    stamp = packet.stamp
    assert isinstance(stamp, KsStamp)
    sender, clock, dest = dot
    owed = {
        i: {t: d - {dest} if (i, t) == (sender, clock) else d for t, d in row.items()} for i, row in stamp.owed.items()
    }
    due = {to: {i: t for i, t in row.items() if (i, t, to) != dot} for to, row in stamp.due.items()}
    return replace(packet, stamp=replace(stamp, owed=owed, due=due))


def play(seed: str, sends: int, names: Sequence[str] = NAMES) -> Played:
    """Send and deliver in random order, until all that was sent is delivered."""
    random, played = Random(seed), Played(Stage("ks", names))
    while sends or played.stage.flying:
        ready = [flight for flight in played.stage.flying if is_deliverable(played.stage, flight)]
        if sends and (not ready or random.random() < 0.4):
            sender = random.choice(list(names))
            others = [name for name in names if name != sender]
            played.send(sender, set(random.sample(others, random.randint(1, len(others)))))
            sends -= 1
        else:
            flight = random.choice(ready)
            assert flight.packet.message is not None
            played.deliver(flight.packet.message, flight.to)
    return played


def is_deliverable(stage: Stage, flight: Flight) -> bool:
    ordering, message = stage.ordering(flight.to), flight.packet.message
    return next(iter(ordering.unmet(message, flight.packet.stamp)), None) is None


def replay(played: Played, last: KsEvent) -> Played:
    """Perform the causal past of a send, and the send."""
    again = Played(Stage("ks", played.stage.names))
    for event in played.events:
        if event is last or event.bit & last.past:
            if event.is_send:
                assert again.send(event.process, set(event.message.dests)) == event.message
            else:
                again.deliver(event.message, event.process)
    return again
