"""The books of a run with roaming hosts: those of any run, and what only this one has.

Sends and deliveries, which happen at the hosts, are kept by the `Ledger`; hold-back, which happens at the stations, by
the `Watch`; packets on the wires and hand-offs by the `RoamingMeter` that goes along with the ledger's meter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from antecede.core.mobile.effects import Dropped
from antecede.core.mobile.protocols import AnyStation
from antecede.core.types import Message, ProcessId
from antecede.sim.channels import Counts
from antecede.sim.kernel import Kernel
from antecede.sim.measure.ledger import Ledger
from antecede.sim.measure.metrics import Meter
from antecede.sim.measure.milestones import Marks
from antecede.sim.measure.packet_size import Scale
from antecede.sim.mobile.contents import MESSAGE, Contents
from antecede.sim.mobile.metrics import MobileResult, RoamingMeter
from antecede.sim.mobile.parameters import MobileParameters
from antecede.sim.mobile.watch import Watch
from antecede.sim.trace import Recorder
from antecede.sim.workload import Letter


class Books:
    """To be told everything as it happens. `missed` counts what arrived on the air where the host no longer was."""

    def __init__(
        self,
        parameters: MobileParameters,
        recorder: Recorder | None,
        kernel: Kernel,
        state_bytes: Callable[[int], int],
        progress: Callable[[float], None] | None,
    ) -> None:
        self.parameters, self.recorder, self.kernel = parameters, recorder, kernel
        self.ledger = Ledger(parameters, recorder, Scale(parameters.names))
        Marks(parameters, self.ledger, kernel, state_bytes, progress, turned=self._turned)
        self.watch = Watch(self.ledger.oracle)
        self.window = RoamingMeter()
        self.meter = RoamingMeter() if parameters.warmup else self.window
        self.kinds: Counter[str] = Counter()
        self.air_packets = self.missed = self.dropped = self.wire_packets = 0
        self._entered_s: dict[ProcessId, float] = {}

    def sent(self, message: Message, letter: Letter) -> None:
        self.meter.sent += 1
        self.ledger.sent(message, letter, self.kernel.now)

    def left(self, inside: Contents, integers: int, size_bytes: int) -> None:
        """A packet leaves a station for another; the first of a message stands for all of that message."""
        self.wire_packets += 1
        self.meter.left(inside, size_bytes)
        flight = self.ledger.flights.get(inside.message) if inside.message is not None else None
        if flight is not None and inside.kind == MESSAGE and not flight.stamped:
            flight.stamped = True
            header_bytes = size_bytes - inside.payload_bytes
            flight.meter.stamped(integers, header_bytes)
            if self.recorder is not None and flight.row is not None:
                self.recorder.stamp(flight.row, header_bytes, integers)

    def look(self, station: AnyStation) -> None:
        self.watch.look(station, self.kernel.now)

    def delivered(self, at: ProcessId, message: Message) -> None:
        flight, meter = self.ledger.flights.get(message.id), self.ledger.meter
        if flight is not None and not flight.stamped and at != message.sender:
            flight.stamped = True  # it was delivered and has been on no wire: it had no header
            if self.recorder is not None and flight.row is not None:
                self.recorder.stamp(flight.row, 0, 0)
        waited = self.watch.delivered(at, message.id)
        if waited is not None:
            meter.held_s.append(waited[0])
            meter.needless_s.append(waited[1])  # the ledger adds a 0 for every delivery, and shares are of deliveries
        self.ledger.delivered(at, message, flight, self.kernel.now)

    def gave_up(self, drop: Dropped) -> None:
        flight = self.ledger.flights.get(drop.message)
        if flight is not None and drop.host in flight.awaiting:
            self.dropped += 1
            flight.awaiting.remove(drop.host)
            if self.ledger.oracle is not None:
                self.ledger.oracle.dropped(drop.host, drop.message)

    def roamed(self, host: ProcessId, kind: str, cell: ProcessId) -> None:
        self.kinds[kind] += 1
        if kind != "disconnect":
            self._entered_s[host] = self.kernel.now
        if self.recorder is not None:
            self.recorder.roamed(self.kernel.now, host, kind, cell)

    def welcomed(self, host: ProcessId) -> None:
        self.meter.handoffs_s.append(self.kernel.now - self._entered_s[host])

    def result(self, events: int, wires: Counts, air: Counts) -> MobileResult:
        parameters, ledger = self.parameters, self.ledger
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

    def _turned(self, meter: Meter) -> None:
        self.meter = self.window if meter is self.ledger.window else RoamingMeter()
