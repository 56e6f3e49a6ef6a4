"""One run: the algorithms of `core`, a network between them, and traffic.

The world is a driver in the sense of `antecede.core.algorithm`. It calls `send` when the traffic says so, `receive`
when a packet arrives and `tick` when a timer is due, and carries out the effects in order. Everything that happens is
an event of the kernel; everything that is up to chance comes from a stream named after its purpose. So the same
parameters give the same run, on any machine; and two algorithms with the same seed, network and open traffic see the
same sends at the same times, and the same latency for each copy of each message: latencies are drawn when a message is
sent, from a stream of its sender, in the order of the destinations' names.
"""

from __future__ import annotations

from collections.abc import Callable

from antecede.core.effects import Deliver, Effect, Sent, SetTimer, Transmit
from antecede.core.registry import create
from antecede.core.types import Message, MessageId, Packet, ProcessId
from antecede.sim.chance import stream
from antecede.sim.channels import Channels
from antecede.sim.cost import Processors
from antecede.sim.flight import Flight, Outgoing
from antecede.sim.kernel import EVENTS_MAX, Kernel
from antecede.sim.metrics import Meter, Result
from antecede.sim.oracle import Oracle
from antecede.sim.parameters import Parameters
from antecede.sim.scale import Scale
from antecede.sim.trace import Recorder
from antecede.sim.workload import Letter, Traffic

TIMER, SEND = 1, 2
"""Priorities: at one instant packets arrive first, then timers are due, then processes send."""
PROGRESS_EVERY = 1_000


class World:
    """The processes of one algorithm and all that is between them. `run` is to be called once."""

    def __init__(
        self,
        parameters: Parameters,
        recorder: Recorder | None = None,
        progress: Callable[[float], None] | None = None,
        events_max: int = EVENTS_MAX,
    ) -> None:
        self.parameters, self.recorder, self.progress = parameters, recorder, progress
        self.names, seed = parameters.names, parameters.seed
        self.traffic = Traffic(parameters.workload, self.names, parameters.info.addressing, seed)
        self.nodes = {
            name: create(
                parameters.algorithm,
                process=name,
                processes=self.names,
                groups=self.traffic.groups or None,
                **parameters.options,
            )
            for name in self.names
        }
        self.kernel, self.scale, self.processors = Kernel(events_max), Scale(self.names), Processors()
        free = parameters.cost.free
        arrive = self._receive if free else self._arrive
        self.channels = Channels(parameters.channels, self.kernel, seed, arrive, self.scale.packet_bytes)
        self._carry = self.channels.carry if free else self._leave
        self.window = Meter()
        self.meter = Meter() if parameters.warmup else self.window
        self.meters, self._delayed = [self.meter], self.meter.delays_s.append
        self.oracle = Oracle() if parameters.oracle else None
        self.messages = self.deliveries = 0
        self._last_s = 0.0
        self.flights: dict[MessageId, Flight] = {}
        self._held_since: dict[tuple[MessageId, ProcessId], float] = {}
        self._letter = Letter(frozenset())
        self._outgoing = Outgoing(self.meter.copies)
        self._end = None if parameters.deliveries is None else parameters.warmup + parameters.deliveries
        self._next_mark = self._mark_after(0)
        self._timed = any(option.endswith("_s") for option in parameters.options)  # the algorithm has to know the time
        self._answering = parameters.workload.pattern != "open"
        self._payload = bytes(parameters.workload.payload_bytes)
        self._latency = parameters.network.latency.draws
        self._chances = {name: stream(seed, "latency", name) for name in self.names}

    def run(self) -> Result:
        for name in self.names:
            self._schedule(name)
        events = self.kernel.run()
        if self.recorder is not None:
            self.recorder.close()
        counts, parameters = self.channels.counts, self.parameters
        control_packets = sum(meter.control.packets for meter in self.meters)
        return Result(
            algorithm=parameters.algorithm,
            processes=parameters.processes,
            seed=parameters.seed,
            duration_s=self._last_s,
            messages=self.messages,
            deliveries=self.deliveries,
            undelivered=sum(len(flight.awaiting) for flight in self.flights.values()),
            events=events,
            packets=control_packets + sum(meter.copies.packets for meter in self.meters),
            control_packets=control_packets,
            lost=counts.lost,
            duplicated=counts.duplicated,
            retransmitted=counts.retransmitted,
            acknowledgements=counts.acknowledgements,
            violations=None if self.oracle is None else self.oracle.violations,
            **self.window.means(parameters.processes, self.oracle is not None),  # type: ignore[arg-type]  # by name
        )

    def _schedule(self, process: ProcessId) -> None:
        self.kernel.at(self.kernel.now + self.traffic.interval_s(process), self._send_next, process, priority=SEND)

    def _send_next(self, process: ProcessId) -> None:
        if self._may_send():
            self._send(process, self.traffic.letter(process))
            self._schedule(process)

    def _may_send(self) -> bool:
        return self.parameters.messages is None or self.messages < self.parameters.messages

    def _send(self, process: ProcessId, letter: Letter) -> None:
        if self._may_send():
            if self._timed:
                self._tick(process)
            self._letter = letter
            self._carry_out(process, self.nodes[process].send(letter.to, self._payload))

    def _tick(self, process: ProcessId) -> None:
        self._carry_out(process, self.nodes[process].tick(self.kernel.now))

    def _arrive(self, to: ProcessId, packet: Packet, flight: Flight | None) -> None:
        """Where headers cost time: the process takes the packet when it has done with what came before, and with it."""
        self.kernel.at(self._done_at(to, packet), self._receive, to, packet, flight)

    def _leave(self, process: ProcessId, to: ProcessId, packet: Packet, flight: Flight | None) -> None:
        """Where headers cost time: a packet leaves when its header is made, which is once for all it goes to."""
        fresh, self._outgoing.fresh = self._outgoing.fresh, False
        done = self._done_at(process, packet) if fresh else self.processors.done_at(process, self.kernel.now, 0.0)
        self.kernel.at(done, self.channels.carry, process, to, packet, flight)

    def _done_at(self, process: ProcessId, packet: Packet) -> float:
        cost = self.parameters.cost
        size_bytes = self.scale.stamp_bytes(packet) if cost.byte_s else 0
        return self.processors.done_at(process, self.kernel.now, cost.of(packet.stamp.entries, size_bytes))

    def _receive(self, to: ProcessId, packet: Packet, flight: Flight | None) -> None:
        if self._timed:
            self._tick(to)
        if self.recorder is not None and flight is not None:
            self.recorder.other(self.kernel.now, to, "receive", flight.name)
        effects = self.nodes[to].receive(packet)
        if len(effects) == 1 and isinstance(effect := effects[0], Deliver) and effect.message is packet.message:
            self._deliver(to, effect.message, flight)  # mostly: the message is delivered, and that is all
            return
        self._carry_out(to, effects)
        if flight is not None and to in flight.awaiting:
            self._hold_back(to, flight.message.id)

    def _hold_back(self, at: ProcessId, message: MessageId) -> None:
        """It arrived and was not delivered: it waits from now, or has done so since it first came."""
        key = (message, at)
        if key not in self._held_since:
            self._held_since[key] = self.kernel.now
            if self.oracle is not None:
                self.oracle.held(at, message, self.kernel.now)

    def _carry_out(self, process: ProcessId, effects: list[Effect]) -> None:
        outgoing, carry = self._outgoing, self._carry
        for effect in effects:
            if isinstance(effect, Transmit):
                packet = effect.packet
                if packet is not outgoing.packet:
                    self._weigh(packet)
                    outgoing = self._outgoing
                outgoing.tally.packets += 1
                outgoing.tally.entries += outgoing.entries
                carry(process, effect.to, packet, outgoing.flight)
            elif isinstance(effect, Deliver):
                self._deliver(process, effect.message, self.flights.get(effect.message.id))
            elif isinstance(effect, Sent):
                self._sent(process, effect.message)
            else:
                assert isinstance(effect, SetTimer)
                self.kernel.at(effect.at, self._tick, process, priority=TIMER)

    def _sent(self, process: ProcessId, message: Message) -> None:
        name, now, letter, row = str(message.id), self.kernel.now, self._letter, None
        dests, draw, chance = sorted(message.dests), self._latency, self._chances[process]
        self.messages += 1
        self._last_s = now
        if self.recorder is not None:
            size = len(message.payload)
            row = self.recorder.send(now, process, name, dests=dests, group=letter.group, payload_bytes=size)
            if dests == [process]:
                self.recorder.stamp(row, 0, 0)
        if self.oracle is not None:
            self.oracle.sent(message.id, dests)
        latency_s = dict(zip(dests, draw(chance, len(dests)), strict=True))
        self.flights[message.id] = Flight(message, process, name, letter, now, latency_s, set(dests), row, self.meter)

    def _weigh(self, packet: Packet) -> None:
        """Once for each packet, which may go to many. The first of a message stands for all of them."""
        entries, meter = packet.stamp.entries, self.meter
        if packet.message is None:
            self._outgoing = Outgoing(meter.control, packet, entries)
            return
        flight = self.flights.get(packet.message.id)
        self._outgoing = Outgoing(meter.copies, packet, entries, flight)
        if flight is None or flight.stamped:
            return
        flight.stamped = True
        size_bytes = self.scale.stamp_bytes(packet) if self.parameters.weigh_bytes else None
        flight.meter.stamped(entries, size_bytes)
        if self.recorder is not None and flight.row is not None:
            self.recorder.stamp(flight.row, size_bytes, entries)

    def _deliver(self, at: ProcessId, message: Message, flight: Flight | None) -> None:
        now = self.kernel.now
        if self.recorder is not None:
            self.recorder.other(now, at, "deliver", str(message.id))
        if flight is None or at not in flight.awaiting:
            return  # again: the trace shows it, and it is no delivery to measure
        self._last_s = now
        flight.awaiting.remove(at)
        self._delayed(now - flight.sent_s)
        if self._held_since and (message.id, at) in self._held_since:
            self.meter.held_s.append(now - self._held_since.pop((message.id, at)))
        if self.oracle is not None:
            self.meter.needless_s.append(self.oracle.delivered(at, message.id, now))
        if not flight.awaiting:
            self._land(message.id)
        if self._answering:
            self._answer(at, flight)
        self.deliveries += 1
        if self.deliveries == self._next_mark:
            self._at_mark()

    def _land(self, message: MessageId) -> None:
        del self.flights[message]
        if self.oracle is not None:
            self.oracle.forget(message)

    def _answer(self, at: ProcessId, flight: Flight) -> None:
        message = flight.message
        answer = self.traffic.answer(at, flight.name, message.sender, flight.letter, message.dests)
        if answer is not None:
            think, letter = answer
            self.kernel.at(self.kernel.now + think, self._send, at, letter, priority=SEND)

    def _use(self, meter: Meter) -> None:
        """From now on; the packet at hand is to be weighed again, on this one."""
        self.meters.append(meter)
        self.meter, self._delayed, self._outgoing = meter, meter.delays_s.append, Outgoing(meter.copies)

    def _mark_after(self, deliveries: int) -> int:
        """The next number of deliveries at which something is due: the window, a state to measure, progress."""
        every = self.parameters.state_every
        marks = [self.parameters.warmup, self._end or 0, deliveries - deliveries % PROGRESS_EVERY + PROGRESS_EVERY]
        if every:
            marks.append(deliveries - deliveries % every + every)
        return min(mark for mark in marks if mark > deliveries)

    def _at_mark(self) -> None:
        deliveries, every = self.deliveries, self.parameters.state_every
        self._next_mark = self._mark_after(deliveries)
        if deliveries == self.parameters.warmup:
            self._use(self.window)
        if deliveries == self._end:
            self._use(Meter())
            self.kernel.stop()
        if every and not deliveries % every:
            self.meter.state(len(self.nodes[self.names[deliveries // every % len(self.names)]].snapshot()))
        if self.progress is not None:
            done = (self.messages, self.parameters.messages) if self._end is None else (deliveries, self._end)
            self.progress(min(1.0, done[0] / (done[1] or 1)))


def simulate(
    parameters: Parameters, recorder: Recorder | None = None, progress: Callable[[float], None] | None = None
) -> Result:
    """Run it to its end. `recorder` takes the trace; `progress` is told now and then what part is done."""
    return World(parameters, recorder, progress).run()
