"""One run with roaming hosts: the stations and hosts of `core.mobile`, wires, air, traffic and journeys.

The world is a driver in the sense of `antecede.core.mobile.station`. It tells a node the time before anything else, so
that timers are counted from now, and keeps one timer for each: the earliest it was asked for. What a station sends to a
host is heard if the host is still in the cell when it arrives; what a host sent is heard even if it has left.

Headers cost time at the stations, on the wires alone: a station makes the header of a message once, however many
stations it goes to, and reads each that arrives. What stays in the cell has no header.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from antecede.core.effects import Deliver, Sent, SetTimer, Transmit
from antecede.core.mobile.effects import Effect, Radio
from antecede.core.mobile.frames import Handover
from antecede.core.mobile.host import ENTERING, IN, OUT
from antecede.core.mobile.protocols import AnyStation, host, station
from antecede.core.mobile.station import Station
from antecede.core.types import Packet, ProcessId, Stamp
from antecede.sim.channels import Channels
from antecede.sim.flight import Flight
from antecede.sim.kernel import EVENTS_MAX, Kernel
from antecede.sim.measure.processing_cost import Processors
from antecede.sim.mobile.books import Books
from antecede.sim.mobile.contents import Contents, Weights, cell_of, contents, ordering_of
from antecede.sim.mobile.metrics import MobileResult
from antecede.sim.mobile.mobility import Journeys
from antecede.sim.mobile.parameters import MobileParameters
from antecede.sim.trace import Recorder
from antecede.sim.workload import Letter, Traffic

TIMER, SEND, ROAM = 1, 2, 3
"""Priorities: at one instant packets arrive first, then timers are due, then hosts send, then they move."""


class MobileWorld:
    """The stations and hosts of one protocol and all that is between them. `run` is to be called once.

    `make_station` is called like `station`, and makes forms of a protocol that are not among the `protocols`.
    """

    def __init__(
        self,
        parameters: MobileParameters,
        recorder: Recorder | None = None,
        progress: Callable[[float], None] | None = None,
        events_max: int = EVENTS_MAX,
        make_station: Callable[..., AnyStation] = station,
    ) -> None:
        self.parameters, self.recorder = parameters, recorder
        names, cells, seed = parameters.names, parameters.cells, parameters.seed
        self.kernel, self.processors = Kernel(events_max), Processors()
        self.traffic = Traffic(parameters.workload, names[: len(names) - parameters.idle], "multicast", seed)
        self.journeys = Journeys(parameters.mobility, names, cells, seed)
        homes = self.journeys.homes
        given: dict[str, Any] = {"stations": cells, "homes": homes, "policy": parameters.policy, **parameters.options}
        self.stations = {cell: make_station(parameters.protocol, name=cell, **given) for cell in cells}
        self.hosts = {name: host(name, home, retry_s=parameters.policy.retry_s) for name, home in homes.items()}
        self.weights = Weights(parameters)
        self.books = Books(parameters, recorder, self.kernel, self._state_bytes, progress)
        if parameters.workload.pattern != "open":
            self.books.ledger.answer = self._answer
        self.wires = Channels(parameters.wires, self.kernel, seed, self._from_wire, self.weights.wire_bytes)
        self.air = Channels(parameters.air, self.kernel, seed, self._from_air, self.weights.air_bytes)
        self._payload, self._letter = bytes(parameters.workload.payload_bytes), Letter(frozenset())
        self._timers: dict[ProcessId, float] = {}
        self._headed: Stamp | None = None

    def run(self) -> MobileResult:
        for name in self.traffic.names:
            self._later(self.traffic.interval_s(name), self._send_next, name, priority=SEND)
        for name in self.hosts:
            self._later(self.journeys.until_move_s(name), self._move, name)
            self._later(self.journeys.until_absence_s(name), self._disconnect, name)
        events = self.kernel.run()
        if self.recorder is not None:
            self.recorder.close()
        return self.books.result(events, self.wires.counts, self.air.counts)

    # What hosts do.

    def _send_next(self, name: ProcessId) -> None:
        if self._goes_on():
            self._send(name, self.traffic.letter(name))
            self._later(self.traffic.interval_s(name), self._send_next, name, priority=SEND)

    def _send(self, name: ProcessId, letter: Letter) -> None:
        if self._goes_on():
            self._tick(name)
            self._letter = letter
            self._carry_out(name, self.hosts[name].send(letter.to, self._payload))

    def _answer(self, at: ProcessId, flight: Flight) -> None:
        message = flight.message
        answer = self.traffic.answer(at, flight.name, message.sender, flight.letter, message.dests)
        if answer is not None:
            self._later(answer[0], self._send, at, answer[1], priority=SEND)

    def _move(self, name: ProcessId) -> None:
        if self._goes_on():
            if self.hosts[name].state != OUT:
                self._enter(name, self.journeys.next_cell(name, self.hosts[name].cell), "move")
            self._later(self.journeys.until_move_s(name), self._move, name)

    def _disconnect(self, name: ProcessId) -> None:
        if self._goes_on():
            self._tick(name)
            self.books.roamed(name, "disconnect", self.hosts[name].cell)
            self._carry_out(name, self.hosts[name].leave())
            self._later(self.journeys.absence_s(name), self._connect, name)

    def _connect(self, name: ProcessId) -> None:
        self._enter(name, self.journeys.cell_of_return(name), "connect")
        self._later(self.journeys.until_absence_s(name), self._disconnect, name)

    def _enter(self, name: ProcessId, cell: ProcessId, kind: str) -> None:
        self._tick(name)
        self.books.roamed(name, kind, cell)
        self._carry_out(name, self.hosts[name].enter(cell))

    def _goes_on(self) -> bool:
        return self.parameters.messages is None or self.books.ledger.messages < self.parameters.messages

    # What the network does.

    def _from_wire(self, to: ProcessId, packet: Packet, _: Flight | None) -> None:
        if self.parameters.cost.free:
            self._receive(to, packet)
        else:
            done_s = self._done_at(to, ordering_of(packet), self.weights.wire_bytes(packet))
            self.kernel.at(done_s, self._receive, to, packet)

    def _receive(self, to: ProcessId, packet: Packet) -> None:
        self._tick(to)
        self._carry_out(to, self.stations[to].receive(packet))
        self.books.look(self.stations[to])

    def _from_air(self, to: ProcessId, packet: Packet, _: Flight | None) -> None:
        if to in self.hosts:
            self._heard_by_host(to, packet)
            return
        self._tick(to)
        self._carry_out(to, self.stations[to].hear(packet))
        self.books.look(self.stations[to])

    def _heard_by_host(self, name: ProcessId, packet: Packet) -> None:
        host = self.hosts[name]
        if host.state == OUT or host.cell != cell_of(packet.sender):
            self.books.missed += 1
            return
        self._tick(name)
        before = host.state
        effects = host.hear(packet)
        if before == ENTERING and host.state == IN:
            self.books.welcomed(name)
        self._carry_out(name, effects)

    def _tick(self, name: ProcessId) -> None:
        node = self.hosts.get(name) or self.stations[name]
        self._carry_out(name, node.tick(self.kernel.now))

    def _timer(self, name: ProcessId, at_s: float) -> None:
        if self._timers.get(name) == at_s:
            del self._timers[name]
        self._tick(name)

    # What they ask for.

    def _carry_out(self, at: ProcessId, effects: list[Effect]) -> None:
        self._headed = None
        for effect in effects:
            if isinstance(effect, Transmit):
                self._transmit(at, effect)
            elif isinstance(effect, Radio):
                self.books.air_packets += 1
                self.air.carry(at, [effect.to], effect.packet, None)
            elif isinstance(effect, Deliver):
                self.books.delivered(at, effect.message)
            elif isinstance(effect, Sent):
                self.books.sent(effect.message, self._letter)
            elif isinstance(effect, SetTimer):
                self._set_timer(at, effect.at)
            else:
                self.books.gave_up(effect)

    def _transmit(self, at: ProcessId, effect: Transmit) -> None:
        packet = effect.packet
        if self.parameters.directory and isinstance(packet.stamp, Handover):
            self._announce(packet.stamp, effect.to)
        inside, size_bytes = contents(packet, at), self.weights.wire_bytes(packet)
        self.books.left(inside, self.weights.integers(inside.ordering), size_bytes)
        if self.parameters.cost.free:
            self.wires.carry(at, [effect.to], packet, None)
        else:
            made_s = self._made_at(at, inside, size_bytes)
            self.kernel.at(made_s, self.wires.carry, at, [effect.to], packet, None)

    def _announce(self, handover: Handover, to: ProcessId) -> None:
        for each in self.stations.values():
            if isinstance(each, Station):
                each.located(handover.host, handover.epoch, to)

    def _made_at(self, at: ProcessId, inside: Contents, size_bytes: int) -> float:
        """The header of a message is made for the first station it goes to, and there for the others."""
        if inside.ordering is not None and inside.ordering is self._headed:
            return self.processors.done_at(at, self.kernel.now, 0.0)
        self._headed = inside.ordering
        return self._done_at(at, inside.ordering, size_bytes)

    def _done_at(self, at: ProcessId, ordering: Stamp | None, size_bytes: int) -> float:
        work_s = self.parameters.cost.of(self.weights.integers(ordering), size_bytes)
        return self.processors.done_at(at, self.kernel.now, work_s)

    def _set_timer(self, name: ProcessId, at_s: float) -> None:
        """A node that is told the time too early asks again, so the earliest of its timers is enough."""
        if at_s < self._timers.get(name, float("inf")):
            self._timers[name] = at_s
            self.kernel.at(at_s, self._timer, name, at_s, priority=TIMER)

    def _later(self, delay_s: float | None, action: Callable[..., None], *who: object, priority: int = ROAM) -> None:
        if delay_s is not None:
            self.kernel.at(self.kernel.now + delay_s, action, *who, priority=priority)

    def _state_bytes(self, number: int) -> int:
        cells = self.parameters.cells
        return len(self.stations[cells[number % len(cells)]].snapshot())


def simulate_mobile(
    parameters: MobileParameters, recorder: Recorder | None = None, progress: Callable[[float], None] | None = None
) -> MobileResult:
    """Run it to its end. `recorder` takes the trace; `progress` is told now and then what part is done."""
    return MobileWorld(parameters, recorder, progress).run()
