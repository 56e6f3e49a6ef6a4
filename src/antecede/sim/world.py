"""Run the algorithms of `core` in a simulated network, with simulated traffic.

The world is a driver in the sense of `antecede.core.algorithm`. It calls `send` when the traffic says so, `receive`
when a packet arrives and `tick` when a timer is due, and carries out the effects in order. Everything that happens is
an event of the kernel, and every random number comes from a stream named after its purpose. So the same parameters give
the same run, on any machine.

Two algorithms with the same seed, network and open traffic see the same sends at the same times, and the same latency
for each copy of each message. That is because latencies are drawn when a message is sent, from a stream of its sender,
in the order of the destinations' names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from antecede.core.effects import Deliver, Effect, Sent, SetTimer, Transmit
from antecede.core.registry import create
from antecede.core.types import GroupId, Packet, ProcessId
from antecede.sim.channels import Channels
from antecede.sim.kernel import EVENTS_MAX, Kernel
from antecede.sim.local_clocks import LocalClocks
from antecede.sim.measure.ledger import Flight, Ledger, Milestones
from antecede.sim.measure.metrics import Result
from antecede.sim.measure.packet_size import Scale
from antecede.sim.measure.processing_cost import Processors
from antecede.sim.parameters import Parameters
from antecede.sim.trace import RunRecorder
from antecede.sim.workload import Letter, Traffic

TIMER, SEND = 1, 2
"""Priorities: at one instant packets arrive first, then timers are due, then processes send."""


class Endpoint(Protocol):
    """A process that sends and receives: a process of the algorithm, or an object in its place."""

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> list[Effect]: ...

    def receive(self, packet: Packet) -> list[Effect]: ...


class World:
    """The processes of one algorithm, the channels between them, and their traffic. Call `run` once.

    `stand_ins` send and receive in place of the processes of the algorithm. They serve forms that are not in the
    registry.
    """

    def __init__(
        self,
        parameters: Parameters,
        recorder: RunRecorder | None = None,
        progress: Callable[[float], None] | None = None,
        events_max: int = EVENTS_MAX,
        stand_ins: Mapping[ProcessId, Endpoint] | None = None,
    ) -> None:
        self.parameters, self.recorder = parameters, recorder
        self.names = parameters.names
        self.traffic = Traffic(
            parameters.workload, self.names, parameters.info.addressing, parameters.seed, parameters.graph
        )
        self.nodes = {
            name: create(
                parameters.algorithm,
                process=name,
                processes=self.names,
                groups=self.traffic.groups or None,
                **parameters.settings,
            )
            for name in self.names
        }
        self.kernel, self.scale, self.processors = Kernel(events_max), Scale(self.names), Processors()
        self.ledger = Ledger(
            parameters,
            recorder,
            names=self.names,
            latency=parameters.network.latency,
            scale=self.scale if parameters.weigh_bytes else None,
            synchronous=parameters.info.synchronous,
        )
        self.milestones = Milestones(parameters, self.ledger, self.kernel, self._state_bytes, progress)
        if parameters.local_clocks is not None and recorder is not None:
            fifo, is_lossy = parameters.info.causal, parameters.network.is_lossy
            self.ledger.clocks = LocalClocks(parameters.local_clocks, self.names, fifo=fifo, is_lossy=is_lossy)
        if parameters.workload.pattern != "open":
            self.ledger.answer = self._answer
        self._needs_time = any(
            option.endswith("_s") for option in parameters.options
        )  # the algorithm needs to know the time
        self._payload = bytes(parameters.workload.payload_bytes)
        self._letter = Letter(frozenset())
        endpoints: Mapping[ProcessId, Endpoint] = stand_ins or self.nodes
        self._senders = {name: endpoint.send for name, endpoint in endpoints.items()}
        self._receivers = {name: endpoint.receive for name, endpoint in endpoints.items()}
        self._record_delivery = self.ledger.record_delivery
        self._connect()

    def _connect(self) -> None:
        """Connect the channels to the processes, with only the steps that this run needs.

        A packet takes an extra step if headers cost time, if there is a trace, or if the algorithm has timers.
        """
        free = self.parameters.cost.is_free
        has_extra_steps = self._needs_time or self.recorder is not None
        self._receive = self._receive_and_record if has_extra_steps else self._hand_over
        arrive = self._receive if free else self._arrive
        self.channels = self._make_channels(arrive)
        self._carry = self.channels.carry if free else self._depart

    def _make_channels(self, arrive: Callable[[ProcessId, Packet, Flight | None], None]) -> Channels:
        """Return the channels between the processes, which call `arrive` for each packet that arrives."""
        seed, size = self.parameters.seed, self.scale.packet_bytes
        return Channels(self.parameters.channels, self.kernel, seed, arrive, size)

    def run(self) -> Result:
        """Run the simulation to its end and return the result."""
        for name in self.traffic.senders:
            self._schedule(name)
        events = self.kernel.run()
        if self.recorder is not None:
            self.recorder.close()
        return self._result(events)

    def _schedule(self, process: ProcessId) -> None:
        """Schedule the next send of a process."""
        self.kernel.at(self.kernel.now + self.traffic.interval_s(process), self._send_next, process, priority=SEND)

    def _send_next(self, process: ProcessId) -> None:
        if self._can_send():
            self._send(process, self.traffic.next_letter(process))
            self._schedule(process)

    def _can_send(self) -> bool:
        return self.parameters.messages is None or self.ledger.messages < self.parameters.messages

    def _send(self, process: ProcessId, letter: Letter) -> None:
        if self._can_send():
            if self._needs_time:
                self._tick(process)
            self._letter = letter
            self._carry_out(process, self._senders[process](letter.to, self._payload))

    def _answer(self, at: ProcessId, flight: Flight) -> None:
        """Schedule the answer of process `at` to a message that it delivered, if the traffic has one."""
        message = flight.message
        answer = self.traffic.answer(at, flight.name, message.sender, flight.letter, message.dests)
        if answer is not None:
            think, letter = answer
            self.kernel.at(self.kernel.now + think, self._send, at, letter, priority=SEND)

    def _tick(self, process: ProcessId) -> None:
        self._carry_out(process, self.nodes[process].tick(self.kernel.now))

    def _arrive(self, to: ProcessId, packet: Packet, flight: Flight | None) -> None:
        """Schedule the receipt of a packet, for a run in which headers cost time.

        The process receives the packet when it has processed the packets that came before, and then the header of this
        one.
        """
        self.kernel.at(self._done_at(to, packet), self._receive, to, packet, flight)

    def _depart(self, process: ProcessId, dests: list[ProcessId], packet: Packet, flight: Flight | None) -> None:
        """Schedule the departure of a packet, for a run in which headers cost time.

        The packet leaves when its header is made. The header is made once for all destinations.
        """
        self.kernel.at(self._done_at(process, packet), self.channels.carry, process, dests, packet, flight)

    def _done_at(self, process: ProcessId, packet: Packet) -> float:
        cost = self.parameters.cost
        size_bytes = self.scale.stamp_bytes(packet) if cost.byte_s else 0
        return self.processors.done_at(process, self.kernel.now, cost.work_s(packet.stamp.entries, size_bytes))

    def _receive_and_record(self, to: ProcessId, packet: Packet, flight: Flight | None) -> None:
        """Receive a packet in a run that has a trace, or whose algorithm needs to know the time."""
        if self._needs_time:
            self._tick(to)
        if self.recorder is not None and flight is not None:
            self.recorder.record_event(self.kernel.now, to, "receive", flight.name)
        self._hand_over(to, packet, flight)

    def _hand_over(self, to: ProcessId, packet: Packet, flight: Flight | None) -> None:
        """Give a packet to its process and carry out the effects."""
        effects = self._receivers[to](packet)
        if len(effects) == 1 and type(effect := effects[0]) is Deliver and effect.message is packet.message:
            self._record_delivery(to, effect.message, flight, self.kernel.now)  # the common case
            return
        self._carry_out(to, effects, packet.sender)
        if flight is not None and to in flight.awaiting:
            self.ledger.record_hold(to, flight, self.kernel.now)

    def _carry_out(self, process: ProcessId, effects: list[Effect], answered: ProcessId | None = None) -> None:
        """Carry out effects in order. Consecutive transmissions of the same packet are one departure.

        `answered` is the sender of the packet that has just arrived, if the effects come from one.
        """
        packet: Packet | None = None
        dests: list[ProcessId] = []
        for effect in effects:
            if isinstance(effect, Transmit):
                if effect.packet is not packet:
                    self._transmit(process, packet, dests, answered)
                    packet, dests = effect.packet, []
                dests.append(effect.to)
            else:
                self._transmit(process, packet, dests, answered)
                packet = None
                self._carry_out_here(process, effect)
        self._transmit(process, packet, dests, answered)

    def _transmit(
        self, process: ProcessId, packet: Packet | None, dests: list[ProcessId], answered: ProcessId | None
    ) -> None:
        if packet is not None:
            if packet.message is None and answered in dests:
                self.ledger.control_answers += 1
                dests = self.channels.let_ride(process, dests, packet)
            if self.ledger.synchronous:
                self.ledger.record_leaving(packet, self.kernel.now)
            if dests:
                self._carry(process, dests, packet, self.ledger.record_departure(packet, len(dests)))

    def _carry_out_here(self, process: ProcessId, effect: Sent | Deliver | SetTimer) -> None:
        if isinstance(effect, Deliver):
            flight = self.ledger.flights.get(effect.message.id)
            self.ledger.record_delivery(process, effect.message, flight, self.kernel.now)
        elif isinstance(effect, Sent):
            self.ledger.record_send(effect.message, self._letter, self.kernel.now)
        else:
            self.kernel.at(effect.at, self._tick, process, priority=TIMER)

    def _state_bytes(self, number: int) -> int:
        """Return the size of the `number`-th state to be measured. The processes take turns."""
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
            control_operations=ledger.control_operations,
            control_answers=ledger.control_answers,
            control_rides=counts.rides,
            lost=counts.lost,
            duplicated=counts.duplicated,
            retransmitted=counts.retransmitted,
            acknowledgements=counts.acknowledgements,
            violations=None if ledger.oracle is None else ledger.oracle.violations,
            **ledger.window.means(parameters.processes, parameters.oracle),  # type: ignore[arg-type]  # by name
        )


def simulate(
    parameters: Parameters, recorder: RunRecorder | None = None, progress: Callable[[float], None] | None = None
) -> Result:
    """Run a simulation to its end and return the result.

    `recorder` takes the trace. `progress` is called now and then with the share of the run that is done.
    """
    return World(parameters, recorder, progress).run()
