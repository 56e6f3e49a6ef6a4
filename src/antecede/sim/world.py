"""One run: the algorithms of `core`, a network between them, and traffic.

The world is a driver in the sense of `antecede.core.algorithm`. It calls `send` when the traffic says so, `receive`
when a packet arrives and `tick` when a timer is due, and carries out the effects in order. Everything that happens is
an event of the kernel; everything that is up to chance comes from a stream named after its purpose. So the same
parameters give the same run, on any machine; and two algorithms with the same seed, network and open traffic see the
same sends at the same times, and the same latency for each copy of each message.

Between its send and its last delivery a message is in flight: its `Flight` is what the world has to remember of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from antecede.core.effects import Deliver, Effect, Sent, SetTimer, Transmit
from antecede.core.registry import create
from antecede.core.types import Message, MessageId, Packet, ProcessId
from antecede.sim.channels import Channels
from antecede.sim.cost import Processors
from antecede.sim.kernel import EVENTS_MAX, Kernel
from antecede.sim.metrics import Meter, Result
from antecede.sim.oracle import Oracle
from antecede.sim.parameters import Parameters
from antecede.sim.scale import Scale
from antecede.sim.trace import Recorder, Row
from antecede.sim.workload import Letter, Traffic

TIMER, SEND = 1, 2
"""Priorities: at one instant packets arrive first, then timers are due, then processes send."""
PROGRESS_EVERY = 1_000


@dataclass(slots=True)
class Flight:
    """A message that has been sent and not yet been delivered everywhere."""

    name: str
    letter: Letter
    sent_s: float
    latency_s: dict[ProcessId, float]
    awaiting: set[ProcessId]
    row: Row | None
    counts: bool
    stamped: bool = False


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
        self.kernel, self.scale, self.meter = Kernel(events_max), Scale(self.names), Meter()
        self.channels = Channels(parameters.channels, self.kernel, seed, self._arrive, self.scale.packet_bytes)
        self.processors = None if parameters.cost.free else Processors()
        self.oracle = Oracle() if parameters.oracle else None
        self.messages = self.deliveries = self.packets = self.control_packets = 0
        self.flights: dict[MessageId, Flight] = {}
        self._held_since: dict[tuple[MessageId, ProcessId], float] = {}
        self._letter = Letter(frozenset())
        self._counting = not parameters.warmup
        self._end = None if parameters.deliveries is None else parameters.warmup + parameters.deliveries
        self._timed = any(option.endswith("_s") for option in parameters.options)  # the algorithm has to know the time
        self._payload = bytes(parameters.workload.payload_bytes)
        self._chance = Random(seed)  # noqa: S311 - seeded anew for every message
        self._latency = parameters.network.latency.draw()

    def run(self) -> Result:
        for name in self.names:
            self._schedule(name)
        events = self.kernel.run()
        if self.recorder is not None:
            self.recorder.close()
        counts, parameters = self.channels.counts, self.parameters
        return Result(
            algorithm=parameters.algorithm,
            processes=parameters.processes,
            seed=parameters.seed,
            duration_s=self.kernel.now,
            messages=self.messages,
            deliveries=self.deliveries,
            undelivered=sum(len(flight.awaiting) for flight in self.flights.values()),
            events=events,
            packets=self.packets,
            control_packets=self.control_packets,
            lost=counts.lost,
            duplicated=counts.duplicated,
            retransmitted=counts.retransmitted,
            acknowledgements=counts.acknowledgements,
            violations=None if self.oracle is None else self.oracle.violations,
            **self.meter.means(parameters.processes, self.oracle is not None),  # type: ignore[arg-type]  # by name
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
            self._tell_time(process)
            self._letter = letter
            self._carry_out(process, self.nodes[process].send(letter.to, self._payload))

    def _tell_time(self, process: ProcessId) -> None:
        if self._timed:
            self._tick(process)

    def _tick(self, process: ProcessId) -> None:
        self._carry_out(process, self.nodes[process].tick(self.kernel.now))

    def _arrive(self, to: ProcessId, packet: Packet) -> None:
        if self.processors is None:
            self._receive(to, packet)
        else:
            done = self.processors.done_at(to, self.kernel.now, self._work_s(packet))
            self.kernel.at(done, self._receive, to, packet)

    def _receive(self, to: ProcessId, packet: Packet) -> None:
        self._tell_time(to)
        message = packet.message
        if message is not None and self.recorder is not None:
            self.recorder.other(self.kernel.now, to, "receive", str(message.id))
        effects = self.nodes[to].receive(packet)
        self._carry_out(to, effects)
        if message is not None and (len(effects) != 1 or type(effects[0]) is not Deliver):
            self._perhaps_held(to, message.id)

    def _perhaps_held(self, at: ProcessId, message: MessageId) -> None:
        """It arrived: if it was not delivered, it waits from now, or has done so since it first came."""
        flight, key = self.flights.get(message), (message, at)
        if flight is None or at not in flight.awaiting or key in self._held_since:
            return
        self._held_since[key] = self.kernel.now
        if self.oracle is not None:
            self.oracle.held(at, message, self.kernel.now)

    def _carry_out(self, process: ProcessId, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Transmit):
                self._transmit(process, effect.to, effect.packet)
            elif isinstance(effect, Deliver):
                self._deliver(process, effect.message)
            elif isinstance(effect, Sent):
                self._sent(process, effect.message)
            else:
                assert isinstance(effect, SetTimer)
                self.kernel.at(effect.at, self._tick, process, priority=TIMER)

    def _sent(self, process: ProcessId, message: Message) -> None:
        """Whatever becomes of the message, the latencies of its copies are drawn now, in the order of names."""
        name, now, letter = str(message.id), self.kernel.now, self._letter
        dests = sorted(message.dests)
        self.messages += 1
        self._chance.seed(f"{self.parameters.seed}/latency/{name}")
        draw, chance = self._latency, self._chance
        latency = {to: draw(chance) for to in dests}
        row = None
        if self.recorder is not None:
            payload_bytes = len(message.payload)
            row = self.recorder.send(now, process, name, dests=dests, group=letter.group, payload_bytes=payload_bytes)
            if dests == [process]:
                self.recorder.stamp(row, 0, 0)
        if self.oracle is not None:
            self.oracle.sent(message.id, dests)
        self.flights[message.id] = Flight(name, letter, now, latency, set(dests), row, self._counting)

    def _transmit(self, process: ProcessId, to: ProcessId, packet: Packet) -> None:
        self.packets += 1
        built = self.scale.is_last(packet)
        entries = self.scale.entries(packet)
        message = packet.message
        flight = None if message is None else self.flights.get(message.id)
        name = latency = None
        if flight is not None and message is not None:
            if not flight.stamped:
                self._stamp(flight, packet, entries)
            if process == message.id.sender and to in flight.latency_s:
                name, latency = flight.name, flight.latency_s[to]
        if self._counting:
            self._count(packet, entries)
        if latency is None:
            latency = self.channels.latency_s(process, to)
        self.control_packets += message is None
        if self.processors is None:
            self.channels.carry(name, process, to, packet, latency)
        else:
            done = self.processors.done_at(process, self.kernel.now, 0.0 if built else self._work_s(packet))
            self.kernel.at(done, self.channels.carry, name, process, to, packet, latency)

    def _count(self, packet: Packet, entries: int) -> None:
        if packet.message is None:
            self.meter.controlled(entries)
        else:
            self.meter.copies += 1
            self.meter.copy_entries += entries

    def _stamp(self, flight: Flight, packet: Packet, entries: int) -> None:
        """The first packet of a message leaves: it stands for all of them."""
        flight.stamped = True
        size_bytes = self.scale.stamp_bytes(packet) if self.parameters.weigh_bytes else None
        if flight.counts:
            self.meter.stamped(entries, size_bytes)
        if self.recorder is not None and flight.row is not None:
            self.recorder.stamp(flight.row, size_bytes, entries)

    def _work_s(self, packet: Packet) -> float:
        cost = self.parameters.cost
        return cost.of(self.scale.entries(packet), self.scale.stamp_bytes(packet) if cost.byte_s else 0)

    def _deliver(self, at: ProcessId, message: Message) -> None:
        now, flight = self.kernel.now, self.flights.get(message.id)
        self.deliveries += 1
        if self.recorder is not None:
            self.recorder.other(now, at, "deliver", str(message.id))
        if flight is None or at not in flight.awaiting:
            return  # again: the trace shows it, and it is no delivery to measure
        held = now - self._held_since.pop((message.id, at), now) if self._held_since else 0.0
        if self._counting:
            self.meter.delivered(now - flight.sent_s, held)
        flight.awaiting.remove(at)
        if self.oracle is not None:
            needless = self.oracle.delivered(at, message.id, now)
            if self._counting:
                self.meter.waited_needlessly(needless)
        if not flight.awaiting:
            self._land(message.id)
        self._answer(at, message, flight)
        self._after_delivery()

    def _land(self, message: MessageId) -> None:
        del self.flights[message]
        if self.oracle is not None:
            self.oracle.forget(message)

    def _answer(self, at: ProcessId, message: Message, flight: Flight) -> None:
        if self.parameters.workload.pattern == "open":
            return
        answer = self.traffic.answer(at, flight.name, message.sender, flight.letter, message.dests)
        if answer is not None:
            think, letter = answer
            self.kernel.at(self.kernel.now + think, self._send, at, letter, priority=SEND)

    def _after_delivery(self) -> None:
        deliveries, every = self.deliveries, self.parameters.state_every
        if deliveries == self.parameters.warmup:
            self._counting = True
        if deliveries == self._end:
            self._counting = False
            self.kernel.stop()
        if every and self._counting and not deliveries % every:
            self.meter.state(len(self.nodes[self.names[deliveries // every % len(self.names)]].snapshot()))
        if self.progress is not None and not deliveries % PROGRESS_EVERY:
            done = (self.messages, self.parameters.messages) if self._end is None else (deliveries, self._end)
            self.progress(min(1.0, done[0] / (done[1] or 1)))


def simulate(
    parameters: Parameters, recorder: Recorder | None = None, progress: Callable[[float], None] | None = None
) -> Result:
    """Run it to its end. `recorder` takes the trace; `progress` is told now and then what part is done."""
    return World(parameters, recorder, progress).run()
