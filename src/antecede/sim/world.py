"""One run: the algorithms of `core`, a network between them, and traffic.

The world is a driver in the sense of `antecede.core.algorithm`. It calls `send` when the traffic says so, `receive`
when a packet arrives and `tick` when a timer is due, and carries out the effects in order. Everything that happens is
an event of the kernel; everything that is up to chance comes from a stream named after its purpose. So the same
parameters give the same run, on any machine; and two algorithms with the same seed, network and open traffic see the
same sends at the same times, and the same latency for each copy of each message: latencies are drawn when a message is
sent, from a stream of its sender, in the order of the destinations' names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from antecede.core.effects import Deliver, Effect, Sent, SetTimer, Transmit
from antecede.core.registry import create
from antecede.core.types import GroupId, Packet, ProcessId
from antecede.sim.channels import Channels
from antecede.sim.flight import Flight
from antecede.sim.kernel import EVENTS_MAX, Kernel
from antecede.sim.measure.ledger import Ledger
from antecede.sim.measure.metrics import Result
from antecede.sim.measure.milestones import Marks
from antecede.sim.measure.packet_size import Scale
from antecede.sim.measure.processing_cost import Processors
from antecede.sim.parameters import Parameters
from antecede.sim.trace import Recorder
from antecede.sim.workload import Letter, Traffic

TIMER, SEND = 1, 2
"""Priorities: at one instant packets arrive first, then timers are due, then processes send."""


class Party(Protocol):
    """Who sends and receives: an algorithm's process, or whoever stands in for it."""

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> list[Effect]: ...

    def receive(self, packet: Packet) -> list[Effect]: ...


class World:
    """The processes of one algorithm and all that is between them. `run` is to be called once.

    `stand_ins` send and receive in place of the algorithm's processes: forms that are not in the registry."""

    def __init__(
        self,
        parameters: Parameters,
        recorder: Recorder | None = None,
        progress: Callable[[float], None] | None = None,
        events_max: int = EVENTS_MAX,
        stand_ins: Mapping[ProcessId, Party] | None = None,
    ) -> None:
        self.parameters, self.recorder = parameters, recorder
        self.names = parameters.names
        self.traffic = Traffic(parameters.workload, self.names, parameters.info.addressing, parameters.seed)
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
        self.ledger = Ledger(parameters, recorder, self.scale)
        self.marks = Marks(parameters, self.ledger, self.kernel, self._state_bytes, progress)
        if parameters.workload.pattern != "open":
            self.ledger.answer = self._answer
        self._timed = any(option.endswith("_s") for option in parameters.options)  # the algorithm has to know the time
        self._payload = bytes(parameters.workload.payload_bytes)
        self._letter = Letter(frozenset())
        parties: Mapping[ProcessId, Party] = stand_ins or self.nodes
        self._senders = {name: party.send for name, party in parties.items()}
        self._receivers = {name: party.receive for name, party in parties.items()}
        self._delivered = self.ledger.delivered
        self._connect()

    def _connect(self) -> None:
        """What is not asked for costs nothing: the way of a packet has a step for headers that cost time, for a trace
        and for timers only where there are such."""
        free = self.parameters.cost.free
        attentive = self._timed or self.recorder is not None
        self._receive = self._receive_attentively if attentive else self._hand_over
        arrive = self._receive if free else self._arrive
        seed, size = self.parameters.seed, self.scale.packet_bytes
        self.channels = Channels(self.parameters.channels, self.kernel, seed, arrive, size)
        self._carry = self.channels.carry if free else self._leave

    def run(self) -> Result:
        for name in self.names:
            self._schedule(name)
        events = self.kernel.run()
        if self.recorder is not None:
            self.recorder.close()
        return self._result(events)

    def _schedule(self, process: ProcessId) -> None:
        self.kernel.at(self.kernel.now + self.traffic.interval_s(process), self._send_next, process, priority=SEND)

    def _send_next(self, process: ProcessId) -> None:
        if self._may_send():
            self._send(process, self.traffic.letter(process))
            self._schedule(process)

    def _may_send(self) -> bool:
        return self.parameters.messages is None or self.ledger.messages < self.parameters.messages

    def _send(self, process: ProcessId, letter: Letter) -> None:
        if self._may_send():
            if self._timed:
                self._tick(process)
            self._letter = letter
            self._carry_out(process, self._senders[process](letter.to, self._payload))

    def _answer(self, at: ProcessId, flight: Flight) -> None:
        message = flight.message
        answer = self.traffic.answer(at, flight.name, message.sender, flight.letter, message.dests)
        if answer is not None:
            think, letter = answer
            self.kernel.at(self.kernel.now + think, self._send, at, letter, priority=SEND)

    def _tick(self, process: ProcessId) -> None:
        self._carry_out(process, self.nodes[process].tick(self.kernel.now))

    def _arrive(self, to: ProcessId, packet: Packet, flight: Flight | None) -> None:
        """Where headers cost time: the process takes the packet when it has done with what came before, and with it."""
        self.kernel.at(self._done_at(to, packet), self._receive, to, packet, flight)

    def _leave(self, process: ProcessId, dests: list[ProcessId], packet: Packet, flight: Flight | None) -> None:
        """Where headers cost time: a packet leaves when its header is made, which is once for all it goes to."""
        self.kernel.at(self._done_at(process, packet), self.channels.carry, process, dests, packet, flight)

    def _done_at(self, process: ProcessId, packet: Packet) -> float:
        cost = self.parameters.cost
        size_bytes = self.scale.stamp_bytes(packet) if cost.byte_s else 0
        return self.processors.done_at(process, self.kernel.now, cost.of(packet.stamp.entries, size_bytes))

    def _receive_attentively(self, to: ProcessId, packet: Packet, flight: Flight | None) -> None:
        """Where there is a trace, or the algorithm has to know the time."""
        if self._timed:
            self._tick(to)
        if self.recorder is not None and flight is not None:
            self.recorder.other(self.kernel.now, to, "receive", flight.name)
        self._hand_over(to, packet, flight)

    def _hand_over(self, to: ProcessId, packet: Packet, flight: Flight | None) -> None:
        effects = self._receivers[to](packet)
        if len(effects) == 1 and type(effect := effects[0]) is Deliver and effect.message is packet.message:
            self._delivered(to, effect.message, flight, self.kernel.now)  # mostly, that is all
            return
        self._carry_out(to, effects)
        if flight is not None and to in flight.awaiting:
            self.ledger.held(to, flight, self.kernel.now)

    def _carry_out(self, process: ProcessId, effects: list[Effect]) -> None:
        """In order; a packet that goes to several, one after the other, is dealt with once."""
        packet: Packet | None = None
        dests: list[ProcessId] = []
        for effect in effects:
            if isinstance(effect, Transmit):
                if effect.packet is not packet:
                    self._transmit(process, packet, dests)
                    packet, dests = effect.packet, []
                dests.append(effect.to)
            else:
                self._transmit(process, packet, dests)
                packet = None
                self._carry_out_here(process, effect)
        self._transmit(process, packet, dests)

    def _transmit(self, process: ProcessId, packet: Packet | None, dests: list[ProcessId]) -> None:
        if packet is not None:
            self._carry(process, dests, packet, self.ledger.departed(packet, len(dests)))

    def _carry_out_here(self, process: ProcessId, effect: Sent | Deliver | SetTimer) -> None:
        if isinstance(effect, Deliver):
            flight = self.ledger.flights.get(effect.message.id)
            self.ledger.delivered(process, effect.message, flight, self.kernel.now)
        elif isinstance(effect, Sent):
            self.ledger.sent(effect.message, self._letter, self.kernel.now)
        else:
            self.kernel.at(effect.at, self._tick, process, priority=TIMER)

    def _state_bytes(self, number: int) -> int:
        return len(self.nodes[self.names[number % len(self.names)]].snapshot())

    def _result(self, events: int) -> Result:
        parameters, ledger, counts = self.parameters, self.ledger, self.channels.counts
        return Result(
            algorithm=parameters.algorithm,
            processes=parameters.processes,
            seed=parameters.seed,
            duration_s=ledger.last_s,
            messages=ledger.messages,
            deliveries=ledger.deliveries,
            undelivered=ledger.undelivered,
            events=events,
            packets=ledger.packets,
            control_packets=ledger.control_packets,
            lost=counts.lost,
            duplicated=counts.duplicated,
            retransmitted=counts.retransmitted,
            acknowledgements=counts.acknowledgements,
            violations=None if ledger.oracle is None else ledger.oracle.violations,
            **ledger.window.means(parameters.processes, parameters.oracle),  # type: ignore[arg-type]  # by name
        )


def simulate(
    parameters: Parameters, recorder: Recorder | None = None, progress: Callable[[float], None] | None = None
) -> Result:
    """Run it to its end. `recorder` takes the trace; `progress` is told now and then what part is done."""
    return World(parameters, recorder, progress).run()
