"""Measure a run with roaming hosts, beyond what `antecede.sim.measure.metrics` measures of any run.

The window is that of every run: it begins after the first `warmup` deliveries and ends with the last measured delivery.
A packet counts by the instant at which a station sends it. A hand-off counts by the departure of the host's luggage.
Its duration, from the moment in which the host enters the cell to its welcome, counts by its end. It begins with the
time until the host notices the cell, if stations broadcast beacons.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from math import fsum

from antecede.sim.measure.metrics import Meter, RunResult, ratio
from antecede.sim.mobile.packet_contents import HAND_OFF, MESSAGE, PACKET_KINDS, PASSED_ON, PacketContents


@dataclass(frozen=True, slots=True, kw_only=True)
class MobileResult(RunResult):
    """The measurements of a run with roaming hosts.

    A header is everything in a packet between stations except the sender's payload. `entries` are the integers in the
    header of the first packet of each message that went to another station. Wire and air packets, the bytes on the air,
    moves and faults are those of the whole run. `dropped` counts deliveries that a station gave up, by its policy.
    Beacons are among the packets and bytes on the air. `notice_mean_s` is the time from entering a cell to hearing its
    beacon, or None without beacons. The bytes on the air and the energy of a host (`AirEnergy`) are those of the whole
    run, the mean over all hosts and the most of one. `host_steps_mean` is how many steps (`host_work`) hosts take
    in the whole run for each message that one of them sends or delivers, or None if there is none.
    """

    protocol: str
    stations: int
    hosts: int
    logical: int
    dropped: int
    moves: int
    disconnections: int
    wire_packets: int
    air_packets: int
    air_bytes: int
    air_lost: int
    beacons: int
    beacon_bytes: int
    host_sent_bytes_mean: float
    host_received_bytes_mean: float
    host_energy_mean: float
    host_energy_max: float
    host_steps_mean: float | None
    header_bytes_mean: float | None
    header_bytes_max: int | None
    packets_per_message: float | None
    passed_on_per_message: float | None
    extra_per_message: float | None
    handoffs: int
    handoff_messages: float | None
    handoff_bytes: float | None
    handoff_mean_s: float | None
    handoff_max_s: float | None
    notice_mean_s: float | None
    notice_max_s: float | None


@dataclass(slots=True)
class RoamingMeter:
    """A companion of a `Meter` that counts messages, packets on the wires by kind, hand-offs and their durations."""

    sent: int = 0
    packets: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PACKET_KINDS, 0))
    handoffs: int = 0
    handoff_bytes: int = 0
    handoffs_s: array[float] = field(default_factory=lambda: array("d"))
    notices_s: array[float] = field(default_factory=lambda: array("d"))

    def count_packet(self, contents: PacketContents, size_bytes: int) -> None:
        """Add a packet that leaves a station for another."""
        self.packets[contents.kind] += 1
        if contents.kind == HAND_OFF:
            self.handoffs += contents.handover
            self.handoff_bytes += size_bytes

    def means(self, meter: Meter, oracle: bool) -> dict[str, float | int | None]:
        """Return the fields of `MobileResult` that come from the window."""
        shared = meter.means(1, oracle)
        packets, kept = self.packets, [name for name in shared if name in MobileResult.__dataclass_fields__]
        return {
            **{name: shared[name] for name in kept},
            "window_messages": self.sent,
            "header_bytes_mean": shared["bytes_mean"],
            "header_bytes_max": shared["bytes_max"],
            "packets_per_message": ratio(packets[MESSAGE], self.sent),
            "passed_on_per_message": ratio(packets[PASSED_ON], self.sent),
            "extra_per_message": ratio(packets["extra"], self.sent),
            "handoffs": self.handoffs,
            "handoff_messages": ratio(packets[HAND_OFF], self.handoffs),
            "handoff_bytes": ratio(self.handoff_bytes, self.handoffs),
            "handoff_mean_s": ratio(fsum(self.handoffs_s), len(self.handoffs_s)),
            "handoff_max_s": max(self.handoffs_s, default=None),
            "notice_mean_s": ratio(fsum(self.notices_s), len(self.notices_s)),
            "notice_max_s": max(self.notices_s, default=None),
        }
