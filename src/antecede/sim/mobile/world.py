"""Run the stations and hosts of `core.mobile`, with wires, air, traffic and journeys.

The world is a driver in the sense of `antecede.core.mobile.station`. It tells a node the time before any other call, so
that timers count from now. It keeps one timer for each node: the earliest that the node asked for. A packet from a
station to a host is received if the host is still in the cell when the packet arrives. A packet from a host is received
even if the host has left.

A host notices its cell at once, or, if stations broadcast beacons (001 §2), when it hears the beacon of that cell.
Until then it believes that it is where it was. What it sends reaches nobody, and it hears nothing but beacons. A beacon
is a packet that names its station and holds nothing else.

Headers cost time at the stations, for packets on the wires only. A station makes the header of a message once, however
many stations the message goes to, and reads the header of each packet that arrives. A packet that stays in the cell has
no header.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from antecede.core.effects import Deliver, Sent, SetTimer, Transmit
from antecede.core.mobile.effects import Effect, Radio
from antecede.core.mobile.host import ENTERING, IN, OUT, Host
from antecede.core.mobile.host_and_station_frames import Handover
from antecede.core.mobile.protocols import AnyStation, host, station
from antecede.core.mobile.station import Station
from antecede.core.ordering.none import NoStamp
from antecede.core.types import Packet, ProcessId, Stamp
from antecede.sim.chance import stream
from antecede.sim.channels import Channels
from antecede.sim.kernel import EVENTS_MAX, Kernel
from antecede.sim.measure.ledger import Flight, Milestones
from antecede.sim.measure.processing_cost import Processors
from antecede.sim.mobile.ledger import MobileLedger
from antecede.sim.mobile.metrics import MobileResult
from antecede.sim.mobile.mobility import Journeys
from antecede.sim.mobile.packet_contents import PacketContents, PacketSizes, cell_of, inspect_packet, ordering_of
from antecede.sim.mobile.parameters import MobileParameters
from antecede.sim.trace import RunRecorder
from antecede.sim.workload import Letter, Traffic

TIMER, SEND, ROAM, BEACON = 1, 2, 3, 4
"""Priorities: at one instant packets arrive first, then timers are due, hosts send, hosts move, stations broadcast."""


class MobileWorld:
    """The stations and hosts of one protocol, the channels between them, and their traffic. Call `run` once.

    `make_station` and `make_host` are called like `station` and `host`, and make forms of a protocol that are not among
    the `protocols`.
    """

    def __init__(
        self,
        parameters: MobileParameters,
        recorder: RunRecorder | None = None,
        progress: Callable[[float], None] | None = None,
        *,
        events_max: int = EVENTS_MAX,
        make_station: Callable[..., AnyStation] = station,
        make_host: Callable[..., Host] = host,
    ) -> None:
        self.parameters, self.recorder = parameters, recorder
        names, cells, seed = parameters.names, parameters.cells, parameters.seed
        self.kernel, self.processors = Kernel(events_max), Processors()
        self.traffic = Traffic(parameters.workload, names[: len(names) - parameters.idle], "multicast", seed)
        self.journeys = Journeys(parameters.mobility, names, cells, seed)
        homes = self.journeys.homes
        self.places: dict[ProcessId, ProcessId | None] = dict(homes)
        """The cell in which each host is, noticed or not, or None while the host is disconnected."""
        self._unaware: set[ProcessId] = set()
        settings: dict[str, Any] = {
            "stations": cells,
            "homes": homes,
            "policy": parameters.policy,
            **parameters.options,
        }
        self.stations = {cell: make_station(parameters.protocol, name=cell, **settings) for cell in cells}
        self.hosts = {name: make_host(name, home, retry_s=parameters.policy.retry_s) for name, home in homes.items()}
        self.packet_sizes = PacketSizes(parameters)
        self.ledger = MobileLedger(parameters, recorder)
        self.milestones = Milestones(parameters, self.ledger, self.kernel, self._state_bytes, progress)
        if parameters.workload.pattern != "open":
            self.ledger.answer = self._answer
        self.wires = Channels(
            parameters.wires, self.kernel, seed, self._receive_from_wire, self.packet_sizes.wire_bytes
        )
        self.air = Channels(parameters.air, self.kernel, seed, self._receive_from_air, self.packet_sizes.air_bytes)
        self._payload, self._letter = bytes(parameters.workload.payload_bytes), Letter(frozenset())
        self._timers: dict[ProcessId, float] = {}
        self._last_header: Stamp | None = None

    def run(self) -> MobileResult:
        """Run the simulation to its end and return the result."""
        for name in self.traffic.names:
            self._schedule(self.traffic.interval_s(name), self._send_next, name, priority=SEND)
        for name in self.hosts:
            self._schedule(self.journeys.until_move_s(name), self._move, name)
            self._schedule(self.journeys.until_absence_s(name), self._disconnect, name)
        if self.parameters.beacon_s is not None:
            for cell in self.stations:
                first_s = stream(self.parameters.seed, "beacon", cell).random() * self.parameters.beacon_s
                self._schedule(first_s, self._broadcast, Packet(cell, None, NoStamp()), priority=BEACON)
        events = self.kernel.run()
        if self.recorder is not None:
            self.recorder.close()
        return self.ledger.result(events, self.wires.counts, self.air.counts)

    # Actions of the hosts.

    def _send_next(self, name: ProcessId) -> None:
        if self._is_sending():
            self._send(name, self.traffic.next_letter(name))
            self._schedule(self.traffic.interval_s(name), self._send_next, name, priority=SEND)

    def _send(self, name: ProcessId, letter: Letter) -> None:
        if self._is_sending():
            self._tick(name)
            self._letter = letter
            self.ledger.host_work.count_input()
            self._carry_out(name, self.hosts[name].send(letter.to, self._payload))

    def _answer(self, at: ProcessId, flight: Flight) -> None:
        """Schedule the answer of host `at` to a message that it delivered, if the traffic has one."""
        message = flight.message
        answer = self.traffic.answer(at, flight.name, message.sender, flight.letter, message.dests)
        if answer is not None:
            self._schedule(answer[0], self._send, at, answer[1], priority=SEND)

    def _move(self, name: ProcessId) -> None:
        if self._is_sending():
            place = self.places[name]
            if place is not None:
                self._enter(name, self.journeys.next_cell(name, place), "move")
            self._schedule(self.journeys.until_move_s(name), self._move, name)

    def _disconnect(self, name: ProcessId) -> None:
        place = self.places[name]
        if self._is_sending() and place is not None:
            self._tick(name)
            self.ledger.record_move(name, "disconnect", place, self.kernel.now)
            if self.hosts[name].state != OUT:  # it is out if it has not noticed yet that it is back
                self.ledger.host_work.count_input()
                self._carry_out(name, self.hosts[name].leave())
            self.places[name] = None
            self._unaware.discard(name)
            self._schedule(self.journeys.absence_s(name), self._connect, name)

    def _connect(self, name: ProcessId) -> None:
        self._enter(name, self.journeys.cell_of_return(name), "connect")
        self._schedule(self.journeys.until_absence_s(name), self._disconnect, name)

    def _enter(self, name: ProcessId, cell: ProcessId, kind: str) -> None:
        self._tick(name)
        self.ledger.record_move(name, kind, cell, self.kernel.now)
        self.places[name] = cell
        if self.parameters.beacon_s is None:
            self.ledger.host_work.count_input()
            self._carry_out(name, self.hosts[name].enter(cell))
        else:
            self._unaware.add(name)

    # Beacons of the stations (001 §2).

    def _broadcast(self, beacon: Packet) -> None:
        """Send the beacon of a station once to all hosts in its cell, and schedule the next one.

        Beacons end when no more messages are sent and every host is connected and has noticed its cell.
        """
        cell, every_s = beacon.sender, self.parameters.beacon_s
        self.ledger.record_beacon(self.packet_sizes.air_bytes(beacon))
        self.air.carry(cell, [name for name, place in self.places.items() if place == cell], beacon, None)
        if self._is_sending() or self._unaware or None in self.places.values():
            self._schedule(every_s, self._broadcast, beacon, priority=BEACON)

    def _hear_beacon(self, name: ProcessId, cell: ProcessId) -> None:
        """Let a host notice the cell in which it is, and register there unless it is where it believed to be."""
        if name in self._unaware:
            self._unaware.remove(name)
            self.ledger.record_notice(name, self.kernel.now)
            if self.hosts[name].state == OUT or self.hosts[name].cell != cell:
                self._tick(name)
                self.ledger.host_work.count_input()
                self._carry_out(name, self.hosts[name].enter(cell))

    def _is_sending(self) -> bool:
        """Return whether more messages may be sent. If not, hosts do not move any more either."""
        return self.parameters.messages is None or self.ledger.messages < self.parameters.messages

    # Arrivals and timers.

    def _receive_from_wire(self, to: ProcessId, packet: Packet, _: Flight | None) -> None:
        if self.parameters.cost.is_free:
            self._receive(to, packet)
        else:
            done_s = self._done_at(to, ordering_of(packet), self.packet_sizes.wire_bytes(packet))
            self.kernel.at(done_s, self._receive, to, packet)

    def _receive(self, to: ProcessId, packet: Packet) -> None:
        self._tick(to)
        self._carry_out(to, self.stations[to].receive(packet))
        self.ledger.hold_back.observe_station(self.stations[to], self.kernel.now)

    def _receive_from_air(self, to: ProcessId, packet: Packet, _: Flight | None) -> None:
        if to in self.hosts:
            self._receive_at_host(to, packet)
            return
        self._tick(to)
        self._carry_out(to, self.stations[to].hear(packet))
        self.ledger.hold_back.observe_station(self.stations[to], self.kernel.now)

    def _receive_at_host(self, name: ProcessId, packet: Packet) -> None:
        """Give a packet to a host, or count it as missed.

        A host misses what comes after it has left the cell, or before it knows that it is in the cell.
        """
        host, cell = self.hosts[name], cell_of(packet.sender)
        is_here = self.places[name] == cell
        if is_here:
            self.ledger.host_energy.received_bytes[name] += self.packet_sizes.air_bytes(packet)
        if is_here and isinstance(packet.stamp, NoStamp):
            self.ledger.host_work.count_packet(packet)
            self._hear_beacon(name, cell)
            return
        if not is_here or host.state == OUT or host.cell != cell:
            self.ledger.missed += 1
            return
        self._tick(name)
        self.ledger.host_work.count_heard(packet, host)
        before = host.state
        effects = host.hear(packet)
        if before == ENTERING and host.state == IN:
            self.ledger.record_welcome(name, self.kernel.now)
        self._carry_out(name, effects)

    def _tick(self, name: ProcessId) -> None:
        node = self.hosts.get(name) or self.stations[name]
        self._carry_out(name, node.tick(self.kernel.now))

    def _fire_timer(self, name: ProcessId, at_s: float) -> None:
        if self._timers.get(name) == at_s:
            del self._timers[name]
        if name in self.hosts:
            self.ledger.host_work.count_input()
        self._tick(name)

    # Effects of stations and hosts.

    def _carry_out(self, at: ProcessId, effects: list[Effect]) -> None:
        self._last_header = None
        for effect in effects:
            if isinstance(effect, Transmit):
                self._transmit(at, effect)
            elif isinstance(effect, Radio):
                self._radio(at, effect)
            elif isinstance(effect, Deliver):
                flight = self.ledger.flights.get(effect.message.id)
                self.ledger.record_delivery(at, effect.message, flight, self.kernel.now)
            elif isinstance(effect, Sent):
                self.ledger.record_send(effect.message, self._letter, self.kernel.now)
            elif isinstance(effect, SetTimer):
                self._set_timer(at, effect.at)
            else:
                self.ledger.record_drop(effect)

    def _radio(self, at: ProcessId, effect: Radio) -> None:
        size_bytes = self.packet_sizes.air_bytes(effect.packet)
        self.ledger.record_air_packet(size_bytes)
        if at in self.hosts:
            self.ledger.host_energy.sent_bytes[at] += size_bytes
            self.ledger.host_work.count_packet(effect.packet)
        if at in self.hosts and self.places[at] != effect.to:
            self.ledger.missed += 1  # the host has left the cell and has not noticed it yet
        else:
            self.air.carry(at, [effect.to], effect.packet, None)

    def _transmit(self, at: ProcessId, effect: Transmit) -> None:
        packet = effect.packet
        if self.parameters.directory and isinstance(packet.stamp, Handover):
            self._announce(packet.stamp, effect.to)
        inside, size_bytes = inspect_packet(packet, at), self.packet_sizes.wire_bytes(packet)
        self.ledger.record_wire_packet(inside, self.packet_sizes.integers(inside.ordering), size_bytes)
        if self.parameters.cost.is_free:
            self.wires.carry(at, [effect.to], packet, None)
        else:
            made_s = self._header_done_at(at, inside, size_bytes)
            self.kernel.at(made_s, self.wires.carry, at, [effect.to], packet, None)

    def _announce(self, handover: Handover, to: ProcessId) -> None:
        """Tell every station where the luggage of a host goes, as a directory would."""
        for each in self.stations.values():
            if isinstance(each, Station):
                each.note_place(handover.host, handover.epoch, to)

    def _header_done_at(self, at: ProcessId, inside: PacketContents, size_bytes: int) -> float:
        """Return when the header of a packet is ready.

        A header is made for the first station that a message goes to, and is ready for the other stations from then on.
        """
        if inside.ordering is not None and inside.ordering is self._last_header:
            return self.processors.done_at(at, self.kernel.now, 0.0)
        self._last_header = inside.ordering
        return self._done_at(at, inside.ordering, size_bytes)

    def _done_at(self, at: ProcessId, ordering: Stamp | None, size_bytes: int) -> float:
        """Return when a station has processed a header that it begins with now."""
        work_s = self.parameters.cost.work_s(self.packet_sizes.integers(ordering), size_bytes)
        return self.processors.done_at(at, self.kernel.now, work_s)

    def _set_timer(self, name: ProcessId, at_s: float) -> None:
        """Set the timer of a node if it is earlier than its current timer.

        A node that is told the time too early asks again, so the earliest of its timers is enough.
        """
        if at_s < self._timers.get(name, float("inf")):
            self._timers[name] = at_s
            self.kernel.at(at_s, self._fire_timer, name, at_s, priority=TIMER)

    def _schedule(self, delay_s: float | None, action: Callable[..., None], *who: object, priority: int = ROAM) -> None:
        """Schedule `action(*who)` after `delay_s`, or never if that is None."""
        if delay_s is not None:
            self.kernel.at(self.kernel.now + delay_s, action, *who, priority=priority)

    def _state_bytes(self, number: int) -> int:
        cells = self.parameters.cells
        return len(self.stations[cells[number % len(cells)]].snapshot())


def simulate_mobile(
    parameters: MobileParameters, recorder: RunRecorder | None = None, progress: Callable[[float], None] | None = None
) -> MobileResult:
    """Run a simulation with roaming hosts to its end and return the result.

    `recorder` takes the trace. `progress` is called now and then with the share of the run that is done.
    """
    return MobileWorld(parameters, recorder, progress).run()
