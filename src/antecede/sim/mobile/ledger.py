"""Keep the ledger of a run with roaming hosts.

Sends and deliveries happen at the hosts: the `Ledger` that every run has records them. Hold-back happens at the
stations: the `HoldBackMeter` records it. The `RoamingMeter` counts packets on the wires and hand-offs; it is changed
together with the meter of the ledger.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from antecede.core.mobile.effects import Dropped
from antecede.core.mobile.protocols import AnyStation
from antecede.core.types import Message, ProcessId
from antecede.sim.channels import ChannelCounts
from antecede.sim.kernel import Kernel
from antecede.sim.measure.ledger import Ledger
from antecede.sim.measure.metrics import Meter
from antecede.sim.measure.milestones import Milestones
from antecede.sim.measure.packet_size import Scale
from antecede.sim.mobile.hold_back import HoldBackMeter
from antecede.sim.mobile.metrics import MobileResult, RoamingMeter
from antecede.sim.mobile.packet_contents import MESSAGE, PacketContents
from antecede.sim.mobile.parameters import MobileParameters
from antecede.sim.trace import RunRecorder
from antecede.sim.workload import Letter


class MobileLedger:
    """The ledger of a run with roaming hosts.

    `missed` counts packets on the air that arrived in a cell after the host had left it.
    """

    def __init__(
        self,
        parameters: MobileParameters,
        recorder: RunRecorder | None,
        kernel: Kernel,
        state_bytes: Callable[[int], int],
        progress: Callable[[float], None] | None,
    ) -> None:
        self.parameters, self.recorder, self.kernel = parameters, recorder, kernel
        self.host_ledger = Ledger(parameters, recorder, Scale(parameters.names))
        Milestones(parameters, self.host_ledger, kernel, state_bytes, progress, on_meter_change=self._change_meter)
        self.hold_back = HoldBackMeter(self.host_ledger.oracle)
        self.window = RoamingMeter()
        self.meter = RoamingMeter() if parameters.warmup else self.window
        self.kinds: Counter[str] = Counter()
        self.air_packets = self.missed = self.dropped = self.wire_packets = 0
        self._entered_s: dict[ProcessId, float] = {}

    def record_send(self, message: Message, letter: Letter) -> None:
        """Record that a host sent a message."""
        self.meter.sent += 1
        self.host_ledger.record_send(message, letter, self.kernel.now)

    def record_departure(self, inside: PacketContents, integers: int, size_bytes: int) -> None:
        """Record that a packet leaves a station for another.

        The first packet of a message stands for all packets of that message.
        """
        self.wire_packets += 1
        self.meter.count_packet(inside, size_bytes)
        flight = self.host_ledger.flights.get(inside.message) if inside.message is not None else None
        if flight is not None and inside.kind == MESSAGE and not flight.stamped:
            flight.stamped = True
            header_bytes = size_bytes - inside.payload_bytes
            flight.meter.count_stamp(integers, header_bytes)
            if self.recorder is not None and flight.row is not None:
                self.recorder.stamp(flight.row, header_bytes, integers)

    def observe_station(self, station: AnyStation) -> None:
        """Record which messages a station holds back now."""
        self.hold_back.observe_station(station, self.kernel.now)

    def record_delivery(self, at: ProcessId, message: Message) -> None:
        """Record that a message was delivered at host `at`."""
        flight, meter = self.host_ledger.flights.get(message.id), self.host_ledger.meter
        if flight is not None and not flight.stamped and at != message.sender:
            flight.stamped = True  # it was delivered without going over a wire, so it had no header
            if self.recorder is not None and flight.row is not None:
                self.recorder.stamp(flight.row, 0, 0)
        waited = self.hold_back.pop_wait(at, message.id)
        if waited is not None:
            meter.held_s.append(waited[0])
            meter.needless_s.append(waited[1])  # the host ledger adds 0 for every delivery; shares are of deliveries
        self.host_ledger.record_delivery(at, message, flight, self.kernel.now)

    def record_drop(self, drop: Dropped) -> None:
        """Record that a station gave up a delivery."""
        flight = self.host_ledger.flights.get(drop.message)
        if flight is not None and drop.host in flight.awaiting:
            self.dropped += 1
            flight.awaiting.remove(drop.host)
            if self.host_ledger.oracle is not None:
                self.host_ledger.oracle.record_drop(drop.host, drop.message)

    def record_move(self, host: ProcessId, kind: str, cell: ProcessId) -> None:
        """Record that a host moved or connected to a cell, or disconnected from it."""
        self.kinds[kind] += 1
        if kind != "disconnect":
            self._entered_s[host] = self.kernel.now
        if self.recorder is not None:
            self.recorder.record_move(self.kernel.now, host, kind, cell)

    def record_welcome(self, host: ProcessId) -> None:
        """Record that the hand-off of a host is complete."""
        self.meter.handoffs_s.append(self.kernel.now - self._entered_s[host])

    def result(self, events: int, wires: ChannelCounts, air: ChannelCounts) -> MobileResult:
        """Return the measurements of the run."""
        parameters, ledger = self.parameters, self.host_ledger
        means = self.window.means(ledger.window, parameters.oracle)
        return MobileResult(
            protocol=parameters.protocol,
            stations=parameters.stations,
            hosts=parameters.hosts,
            logical=parameters.logical,
            seed=parameters.seed,
            duration_s=ledger.last_s,
            messages=ledger.messages,
            deliveries=ledger.deliveries,
            undelivered=ledger.undelivered,
            dropped=self.dropped,
            moves=self.kinds["move"],
            disconnections=self.kinds["disconnect"],
            events=events,
            wire_packets=self.wire_packets,
            air_packets=self.air_packets,
            air_lost=air.lost + self.missed,
            duplicated=wires.duplicated + air.duplicated,
            violations=None if ledger.oracle is None else ledger.oracle.violations,
            **means,  # type: ignore[arg-type]  # by name
        )

    def _change_meter(self, meter: Meter) -> None:
        self.meter = self.window if meter is self.host_ledger.window else RoamingMeter()
