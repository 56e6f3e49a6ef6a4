"""The books of a run: which messages are in flight, since when packets are held back, and what the meters say.

The world tells the ledger of every send, departure, arrival and delivery as it happens. The ledger draws the latencies
of a message when it is sent, weighs what leaves, tells the recorder and the observer if there are any, and calls
`answer` after a delivery and `at_mark` when the deliveries reach `next_mark`, if it is given these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from antecede.core.types import Message, MessageId, Packet, ProcessId
from antecede.sim.chance import Distribution, Draws, stream
from antecede.sim.flight import Flight
from antecede.sim.measure.metrics import Meter
from antecede.sim.measure.oracle import Oracle
from antecede.sim.measure.packet_size import Scale
from antecede.sim.trace import Recorder
from antecede.sim.workload import Letter


class Kept(Protocol):
    """What the books need to know of a run: `latency` is that of a copy from its author to a destination."""

    @property
    def seed(self) -> int: ...
    @property
    def names(self) -> list[ProcessId]: ...
    @property
    def latency(self) -> Distribution: ...
    @property
    def warmup(self) -> int: ...
    @property
    def oracle(self) -> bool: ...
    @property
    def weigh_bytes(self) -> bool: ...


class Ledger:
    """`window` is the meter of what counts; `meter` is the one in use."""

    def __init__(self, parameters: Kept, recorder: Recorder | None, scale: Scale) -> None:
        self.parameters, self.recorder, self.scale = parameters, recorder, scale
        self.oracle = Oracle() if parameters.oracle else None
        self.flights: dict[MessageId, Flight] = {}
        self.messages = self.deliveries = self.next_mark = 0
        self.last_s = 0.0
        self.window = Meter()
        self._meters: list[Meter] = []
        self.use(Meter() if parameters.warmup else self.window)
        self.answer: Callable[[ProcessId, Flight], None] | None = None
        self.at_mark: Callable[[], None] | None = None
        self._held_since: dict[tuple[MessageId, ProcessId], float] = {}
        self._latencies = {
            name: Draws(parameters.latency, stream(parameters.seed, "latency", name)) for name in parameters.names
        }

    def use(self, meter: Meter) -> None:
        """From now on."""
        self._meters.append(meter)
        self.meter, self._delayed = meter, meter.delays_s.append

    def sent(self, message: Message, letter: Letter, now_s: float) -> None:
        name, process, row = str(message.id), message.id.sender, None
        dests = sorted(message.dests)
        self.messages += 1
        self.last_s = now_s
        if self.recorder is not None:
            size = len(message.payload)
            row = self.recorder.send(now_s, process, name, dests=dests, group=letter.group, payload_bytes=size)
            if dests == [process]:
                self.recorder.stamp(row, 0, 0)
        if self.oracle is not None:
            self.oracle.sent(message.id, dests)
        latency_s = dict(zip(dests, self._latencies[process].take(len(dests)), strict=True))
        self.flights[message.id] = Flight(
            message, process, name, letter, now_s, latency_s, set(dests), row, self.meter
        )  # fmt: skip

    def departed(self, packet: Packet, copies: int) -> Flight | None:
        """A packet is weighed once for all that it goes to, and the first of a message stands for all of that message.
        Returns the flight of its message, if it has one."""
        entries = packet.stamp.entries
        if packet.message is None:
            self.meter.control.count(copies, entries)
            return None
        self.meter.copies.count(copies, entries)
        flight = self.flights.get(packet.message.id)
        if flight is not None and not flight.stamped:
            flight.stamped = True
            size_bytes = self.scale.stamp_bytes(packet) if self.parameters.weigh_bytes else None
            flight.meter.stamped(entries, size_bytes)
            if self.recorder is not None and flight.row is not None:
                self.recorder.stamp(flight.row, size_bytes, entries)
        return flight

    def held(self, at: ProcessId, flight: Flight, now_s: float) -> None:
        """It arrived and was not delivered: it waits from now, or has done so since it first came."""
        key = (flight.message.id, at)
        if key not in self._held_since:
            self._held_since[key] = now_s
            if self.oracle is not None:
                self.oracle.held(at, flight.message.id, now_s)

    def delivered(self, at: ProcessId, message: Message, flight: Flight | None, now_s: float) -> None:
        if self.recorder is not None:
            self.recorder.other(now_s, at, "deliver", str(message.id))
        if flight is None:
            return
        try:
            flight.awaiting.remove(at)
        except KeyError:
            return  # again: the trace shows it, and it is no delivery to measure
        self.last_s = now_s
        self._delayed(now_s - flight.sent_s)
        if self._held_since and (message.id, at) in self._held_since:
            self.meter.held_s.append(now_s - self._held_since.pop((message.id, at)))
        if self.oracle is not None:
            self.meter.needless_s.append(self.oracle.delivered(at, message.id, now_s))
        if not flight.awaiting:
            self._land(message.id)
        self.deliveries = deliveries = self.deliveries + 1
        if self.answer is not None:
            self.answer(at, flight)
        if deliveries == self.next_mark and self.at_mark is not None:
            self.at_mark()

    @property
    def undelivered(self) -> int:
        return sum(len(flight.awaiting) for flight in self.flights.values())

    @property
    def control_packets(self) -> int:
        return sum(meter.control.packets for meter in self._meters)

    @property
    def packets(self) -> int:
        return self.control_packets + sum(meter.copies.packets for meter in self._meters)

    def _land(self, message: MessageId) -> None:
        del self.flights[message]
        if self.oracle is not None:
            self.oracle.forget(message)
