"""Keep the ledger of a run with roaming hosts.

Sends and deliveries happen at the hosts, and are recorded as in every run. Hold-back happens at the stations: the
`HoldBackMeter` records it. The `RoamingMeter` counts packets on the wires and hand-offs; it changes together with the
meter of the ledger.
"""

from __future__ import annotations

from collections import Counter

from antecede.core.mobile.effects import Dropped
from antecede.core.mobile.protocols import AnyStation
from antecede.core.mobile.scheme import Waiter
from antecede.core.types import Message, MessageId, ProcessId
from antecede.sim.chance import Distribution
from antecede.sim.channels import ChannelCounts
from antecede.sim.measure.ledger import Flight, Ledger
from antecede.sim.measure.metrics import Meter, ratio
from antecede.sim.measure.oracle import Oracle
from antecede.sim.mobile.energy import EnergyMeter
from antecede.sim.mobile.host_work import HostWork
from antecede.sim.mobile.metrics import MobileResult, RoamingMeter
from antecede.sim.mobile.packet_contents import MESSAGE, PacketContents
from antecede.sim.mobile.parameters import MobileParameters
from antecede.sim.trace import RunRecorder
from antecede.sim.workload import Letter


class HoldBackMeter:
    """A meter of which messages are held back at the stations, since when, and how much of the wait is needless.

    A station says which messages it holds. After each of its inputs that list is compared with the previous one. A new
    message is held from now. A message that is gone is no longer held, whether it went to its host, left with the
    host's luggage or was passed on. If a message waits at one station and then at another, its wait is the sum of both.
    It waits needlessly while no message that precedes it is missing at the host itself (`oracle`).

    The caller must report every input of a station, and every delivery.
    """

    def __init__(self, oracle: Oracle | None) -> None:
        self.oracle = oracle
        self._held: dict[ProcessId, dict[Waiter, float]] = {}
        self._waited: dict[Waiter, tuple[float, float]] = {}

    def observe_station(self, station: AnyStation, now_s: float) -> None:
        """Compare what a station holds with what it held before, and record the waits that began or ended."""
        before = self._held.get(station.me) or {}
        waiters = dict.fromkeys(station.waiters())
        if not waiters and not before:
            return
        for waiter, since_s in before.items():
            if waiter not in waiters:
                self._end_wait(waiter, since_s, now_s)
        self._held[station.me] = {waiter: before.get(waiter, now_s) for waiter in waiters}
        if self.oracle is not None:
            for host, message in waiters:
                self.oracle.record_hold(host, message, now_s)

    def pop_wait(self, host: ProcessId, message: MessageId) -> tuple[float, float] | None:
        """Return and forget how long a message was held back and how much of that was needless.

        Return None if the message was never held back.
        """
        return self._waited.pop((host, message), None)

    def _end_wait(self, waiter: Waiter, since_s: float, now_s: float) -> None:
        held_s, needless_s = self._waited.get(waiter, (0.0, 0.0))
        more = self.oracle.end_hold(*waiter, now_s) if self.oracle is not None else 0.0
        self._waited[waiter] = (held_s + now_s - since_s, needless_s + more)


class MobileLedger(Ledger):
    """The ledger of a run with roaming hosts, which are the processes that send.

    A copy has no latency of its own, because a message takes no direct way from its author to a destination. `missed`
    counts packets on the air that arrived in a cell after the host had left it, or that a host sent to a cell that it
    had left without noticing.
    """

    def __init__(self, parameters: MobileParameters, recorder: RunRecorder | None) -> None:
        self.roaming_window = RoamingMeter()
        super().__init__(parameters, recorder, names=parameters.names, latency=Distribution("constant", 0.0))
        self.parameters = parameters
        self.hold_back = HoldBackMeter(self.oracle)
        self.kinds: Counter[str] = Counter()
        self.air_packets = self.air_bytes = self.missed = self.dropped = self.wire_packets = 0
        self.beacons = self.beacon_bytes = 0
        self.host_energy = EnergyMeter(parameters.energy, parameters.names)
        self.host_work = HostWork()
        self._entered_s: dict[ProcessId, float] = {}

    def use_meter(self, meter: Meter) -> None:
        """Use another meter from now on, and the companion that belongs to it."""
        super().use_meter(meter)
        self.roaming_meter = self.roaming_window if meter is self.window else RoamingMeter()

    def record_send(self, message: Message, letter: Letter, now_s: float) -> None:
        """Record that a host sent a message."""
        self.roaming_meter.sent += 1
        super().record_send(message, letter, now_s)

    def record_wire_packet(self, inside: PacketContents, integers: int, size_bytes: int) -> None:
        """Record that a packet leaves a station for another.

        The first packet of a message stands for all packets of that message.
        """
        self.wire_packets += 1
        self.roaming_meter.count_packet(inside, size_bytes)
        flight = self.flights.get(inside.message) if inside.message is not None else None
        if flight is not None and inside.kind == MESSAGE and not flight.stamped:
            header_bytes = size_bytes - inside.payload_bytes
            flight.meter.count_stamp(integers, header_bytes)
            self.complete_send(flight, header_bytes, integers)

    def record_delivery(self, at: ProcessId, message: Message, flight: Flight | None, now_s: float) -> None:
        """Record that a message was delivered at host `at`."""
        if flight is not None and not flight.stamped and at != message.sender:
            self.complete_send(flight, 0, 0)  # it was delivered without going over a wire, so it had no header
        waited = self.hold_back.pop_wait(at, message.id)
        if waited is not None:
            self.meter.held_s.append(waited[0])
            self.meter.needless_s.append(waited[1])  # the ledger adds 0 for every delivery; shares are of deliveries
        super().record_delivery(at, message, flight, now_s)

    def record_drop(self, drop: Dropped) -> None:
        """Record that a station gave up a delivery."""
        flight = self.flights.get(drop.message)
        if flight is not None and drop.host in flight.awaiting:
            self.dropped += 1
            flight.awaiting.remove(drop.host)
            if self.oracle is not None:
                self.oracle.record_drop(drop.host, drop.message)

    def record_move(self, host: ProcessId, kind: str, cell: ProcessId, now_s: float) -> None:
        """Record that a host moved or connected to a cell, or disconnected from it."""
        self.kinds[kind] += 1
        if kind != "disconnect":
            self._entered_s[host] = now_s
        if self.recorder is not None:
            self.recorder.record_move(now_s, host, kind, cell)

    def record_air_packet(self, size_bytes: int) -> None:
        """Record that a host or a station sends a packet over the air."""
        self.air_packets += 1
        self.air_bytes += size_bytes

    def record_beacon(self, size_bytes: int) -> None:
        """Record that a station broadcasts its beacon, which is one packet on the air for all hosts of the cell."""
        self.beacons += 1
        self.beacon_bytes += size_bytes
        self.record_air_packet(size_bytes)

    def record_notice(self, host: ProcessId, now_s: float) -> None:
        """Record that a host hears the first beacon of the cell that it has entered."""
        self.roaming_meter.notices_s.append(now_s - self._entered_s[host])

    def record_welcome(self, host: ProcessId, now_s: float) -> None:
        """Record that the hand-off of a host is complete."""
        self.roaming_meter.handoffs_s.append(now_s - self._entered_s[host])

    def result(self, events: int, wires: ChannelCounts, air: ChannelCounts) -> MobileResult:
        """Return the measurements of the run."""
        parameters = self.parameters
        return MobileResult(
            protocol=parameters.protocol,
            stations=parameters.stations,
            hosts=parameters.hosts,
            logical=parameters.logical,
            seed=parameters.seed,
            duration_s=self.last_s,
            messages=self.messages,
            deliveries=self.deliveries,
            undelivered=self.undelivered,
            dropped=self.dropped,
            moves=self.kinds["move"],
            disconnections=self.kinds["disconnect"],
            events=events,
            wire_packets=self.wire_packets,
            air_packets=self.air_packets,
            air_bytes=self.air_bytes,
            air_lost=air.lost + self.missed,
            beacons=self.beacons,
            beacon_bytes=self.beacon_bytes,
            duplicated=wires.duplicated + air.duplicated,
            violations=None if self.oracle is None else self.oracle.violations,
            **self.host_energy.means(),  # type: ignore[arg-type]  # by name
            host_steps_mean=ratio(self.host_work.steps, self.messages + self.deliveries),
            **self.roaming_window.means(self.window, parameters.oracle),  # type: ignore[arg-type]  # by name
        )
