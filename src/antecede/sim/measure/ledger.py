"""Keep the ledger of a run: which messages are in flight, since when packets are held back, and what the meters say.

The world reports every send, departure, arrival and delivery as it happens. The ledger draws the latencies of a message
when it is sent, measures the packets that leave, and reports to the recorder and the oracle if there are any. It calls
`clocks` at a send and at a delivery, `answer` after a delivery, and `at_mark` when the deliveries reach `next_mark`, if
these are set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from antecede.core.types import Message, MessageId, Packet, ProcessId
from antecede.sim.chance import Distribution, Draws, stream
from antecede.sim.kernel import Kernel
from antecede.sim.local_clocks import LocalClocks
from antecede.sim.measure.metrics import Meter
from antecede.sim.measure.oracle import Oracle
from antecede.sim.measure.packet_size import Scale
from antecede.sim.parameters import RunParameters
from antecede.sim.trace import RunRecorder, TraceRow
from antecede.sim.workload import Letter

PROGRESS_EVERY = 1_000


@dataclass(slots=True)
class Flight:
    """A message that has been sent and not yet delivered everywhere.

    The latencies of its copies are drawn at its send, no matter when the algorithm transmits them. So different
    algorithms meet the same network. A latency applies only to a copy that goes from the author to a destination.

    `awaiting` are the destinations that have not delivered it. `meter` is the meter that was in use at its send.
    `stamped` is true as soon as its first packet has been measured.
    """

    message: Message
    author: ProcessId
    name: str
    letter: Letter
    sent_s: float
    latency_s: dict[ProcessId, float]
    awaiting: set[ProcessId]
    row: TraceRow | None
    meter: Meter
    stamped: bool = False


class Ledger:
    """The ledger of a run.

    `names` are the processes that send, and `latency` is that of a copy from its author to a destination. `scale`
    weighs stamps; without it, stamps are not measured in bytes. `window` is the meter of the measured part of the run.
    `meter` is the meter in use. `control_answers` counts packets without a message that go to the sender of the packet
    that has just arrived. With `synchronous`, the trace has the send of a message when it leaves (`record_leaving`).
    The delay and the oracle begin when the application sent it, as with other algorithms.
    """

    def __init__(
        self,
        parameters: RunParameters,
        recorder: RunRecorder | None,
        *,
        names: Sequence[ProcessId],
        latency: Distribution,
        scale: Scale | None = None,
        synchronous: bool = False,
    ) -> None:
        self.recorder, self.scale, self.synchronous = recorder, scale, synchronous
        self.oracle = Oracle() if parameters.oracle else None
        self.flights: dict[MessageId, Flight] = {}
        self.messages = self.deliveries = self.next_mark = self.control_answers = 0
        self.last_s = 0.0
        self.window = Meter()
        self._meters: list[Meter] = []
        self.use_meter(Meter() if parameters.warmup else self.window)
        self.clocks: LocalClocks | None = None
        self.answer: Callable[[ProcessId, Flight], None] | None = None
        self.at_mark: Callable[[], None] | None = None
        self._held_since: dict[tuple[MessageId, ProcessId], float] = {}
        self._latencies = {name: Draws(latency, stream(parameters.seed, "latency", name)) for name in names}

    def use_meter(self, meter: Meter) -> None:
        """Use another meter from now on."""
        self._meters.append(meter)
        self.meter, self._add_delay = meter, meter.delays_s.append

    def record_send(self, message: Message, letter: Letter, now_s: float) -> None:
        """Record that a message was sent, and draw the latencies of its copies."""
        name, process = str(message.id), message.id.sender
        dests = sorted(message.dests)
        self.messages += 1
        self.last_s = now_s
        if self.oracle is not None:
            self.oracle.record_send(message.id, dests)
        latency_s = dict(zip(dests, self._latencies[process].take(len(dests)), strict=True))
        flight = self.flights[message.id] = Flight(
            message, process, name, letter, now_s, latency_s, set(dests), None, self.meter
        )  # fmt: skip
        if self.recorder is not None:
            if dests == [process]:
                self.recorder.stamp(self._add_row(self.recorder, flight, now_s), 0, 0)
            elif not self.synchronous:
                self._add_row(self.recorder, flight, now_s)

    def record_leaving(self, packet: Packet, now_s: float) -> None:
        """Record the send of the packet's message in the trace, if there is one and it has no send of it yet."""
        flight = None if packet.message is None else self.flights.get(packet.message.id)
        if self.recorder is not None and flight is not None and flight.row is None:
            self._add_row(self.recorder, flight, now_s)

    def _add_row(self, recorder: RunRecorder, flight: Flight, now_s: float) -> TraceRow:
        dests, size, group = sorted(flight.message.dests), len(flight.message.payload), flight.letter.group
        if self.clocks is not None:
            self.clocks.record_send(flight.message)
        flight.row = recorder.record_send(
            now_s, flight.author, flight.name, dests=dests, group=group, payload_bytes=size
        )
        return flight.row

    def record_departure(self, packet: Packet, copies: int) -> Flight | None:
        """Record that a packet leaves, and return the flight of its message, or None if it has no message.

        A packet is measured once for all its destinations. The first packet of a message stands for all packets of that
        message.
        """
        entries = packet.stamp.entries
        if packet.message is None:
            self.meter.control.count(copies, entries)
            return None
        self.meter.copies.count(copies, entries)
        flight = self.flights.get(packet.message.id)
        if flight is not None and not flight.stamped:
            size_bytes = None if self.scale is None else self.scale.stamp_bytes(packet)
            flight.meter.count_stamp(entries, size_bytes)
            self.complete_send(flight, size_bytes, entries)
        return flight

    def complete_send(self, flight: Flight, size_bytes: int | None, entries: int) -> None:
        """Record that the stamp of a message is known, and complete the row of its send."""
        flight.stamped = True
        if self.recorder is not None and flight.row is not None:
            self.recorder.stamp(flight.row, size_bytes, entries)

    def record_hold(self, at: ProcessId, flight: Flight, now_s: float) -> None:
        """Record that a message arrived at `at` and was not delivered. Its wait begins when it first arrived."""
        key = (flight.message.id, at)
        if key not in self._held_since:
            self._held_since[key] = now_s
            if self.oracle is not None:
                self.oracle.record_hold(at, flight.message.id, now_s)

    def record_delivery(self, at: ProcessId, message: Message, flight: Flight | None, now_s: float) -> None:
        """Record that a message was delivered at `at`, and call `answer` and `at_mark` if they are due."""
        if self.recorder is not None:
            attributes = None if self.clocks is None else self.clocks.record_delivery(at, message)
            self.recorder.record_event(now_s, at, "deliver", str(message.id), attributes)
        if flight is None:
            return
        try:
            flight.awaiting.remove(at)
        except KeyError:
            return  # a duplicate: the trace shows it, but it is not measured
        self.last_s = now_s
        self._add_delay(now_s - flight.sent_s)
        if self._held_since and (message.id, at) in self._held_since:
            self.meter.held_s.append(now_s - self._held_since.pop((message.id, at)))
        if self.oracle is not None:
            self.meter.needless_s.append(self.oracle.record_delivery(at, message.id, now_s))
        if not flight.awaiting:
            self._forget(message.id)
        self.deliveries = deliveries = self.deliveries + 1
        if self.answer is not None:
            self.answer(at, flight)
        if deliveries == self.next_mark and self.at_mark is not None:
            self.at_mark()

    @property
    def undelivered(self) -> int:
        """Return the number of deliveries that have not happened."""
        return sum(len(flight.awaiting) for flight in self.flights.values())

    @property
    def control_packets(self) -> int:
        """Return the number of packets that carried no message."""
        return sum(meter.control.packets for meter in self._meters)

    @property
    def control_operations(self) -> int:
        """Return how often packets that carried no message were sent, each to one process or more."""
        return sum(meter.control.operations for meter in self._meters)

    @property
    def packets(self) -> int:
        """Return the number of all packets."""
        return self.control_packets + sum(meter.copies.packets for meter in self._meters)

    def _forget(self, message: MessageId) -> None:
        del self.flights[message]
        if self.oracle is not None:
            self.oracle.forget(message)


class Milestones:
    """What is due at a number of deliveries: open or close the window, measure a state, report progress.

    The ledger counts deliveries and calls `handle_mark` at the next mark only, so that a delivery costs one comparison.
    `state(number)` returns the size of the `number`-th state that is measured.
    """

    def __init__(
        self,
        bounds: RunParameters,
        ledger: Ledger,
        kernel: Kernel,
        state: Callable[[int], int],
        progress: Callable[[float], None] | None,
    ) -> None:
        self.bounds, self.ledger, self.kernel, self.state, self.progress = bounds, ledger, kernel, state, progress
        self._end = None if bounds.deliveries is None else bounds.warmup + bounds.deliveries
        ledger.at_mark, ledger.next_mark = self.handle_mark, self._next_mark(0)

    def handle_mark(self) -> None:
        """Do what is due at the current number of deliveries, and set the next mark."""
        ledger, every = self.ledger, self.bounds.state_every
        deliveries = ledger.deliveries
        ledger.next_mark = self._next_mark(deliveries)
        if deliveries == self.bounds.warmup:
            ledger.use_meter(ledger.window)
        if deliveries == self._end:
            ledger.use_meter(Meter())
            self.kernel.stop()
        if every and not deliveries % every:
            ledger.meter.count_state(self.state(deliveries // every))
        if self.progress is not None:
            done = (ledger.messages, self.bounds.messages) if self._end is None else (deliveries, self._end)
            self.progress(min(1.0, done[0] / (done[1] or 1)))

    def _next_mark(self, deliveries: int) -> int:
        """Return the next number of deliveries, after `deliveries`, at which something is due."""
        every = self.bounds.state_every
        marks = [self.bounds.warmup, self._end or 0, deliveries - deliveries % PROGRESS_EVERY + PROGRESS_EVERY]
        if every:
            marks.append(deliveries - deliveries % every + every)
        return min(mark for mark in marks if mark > deliveries)
