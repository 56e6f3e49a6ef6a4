"""Measure a run.

Only the window of a run counts: it begins after the first `warmup` deliveries of the whole system and ends with the
last measured delivery (000 §7 discards 5,000 and measures 10,000). So there are three meters, one after the other:
before, within and after the window. A message counts by the instant of its send, a packet by the instant of its
departure, and a delivery by its own instant.

The size of a stamp is measured in entries on every packet. It is measured in bytes on the first packet of each message,
with the names of all processes known to both sides. Times are added up without loss (`fsum`), so that sums are the same
to the last bit on every machine and every version of Python.
"""

from __future__ import annotations

from array import array
from dataclasses import asdict, dataclass, field
from math import fsum


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """The measurements of any run, with processes that stay where they are or with roaming hosts.

    Means are over the window. A mean is None if there was nothing to measure or if it was not asked for. `duration_s`
    lasts until the last send or delivery. Messages, deliveries and faults are those of the whole run.
    """

    seed: int
    duration_s: float
    messages: int
    deliveries: int
    undelivered: int
    events: int
    duplicated: int
    window_messages: int
    window_deliveries: int
    entries_mean: float | None
    entries_max: int
    delay_mean_s: float | None
    delay_median_s: float | None
    delay_99_s: float | None
    delay_max_s: float | None
    held_share: float | None
    held_mean_s: float | None
    held_max_s: float
    needless_share: float | None
    needless_mean_s: float | None
    state_bytes_mean: float | None
    state_bytes_max: int | None
    violations: int | None

    def as_dict(self) -> dict[str, object]:
        """Return the measurements by name."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result(RunResult):
    """The measurements of a run with processes that stay where they are.

    Packets and faults are those of the whole run. Retransmissions and acknowledgements belong to the transport, and are
    not packets of the algorithm. 003 §3.1 says what makes control packets cheap: on a bus, a packet to several is one
    operation (`control_operations`), and a packet that answers the one that just arrived can ride on its
    acknowledgement (`control_answers`). `control_rides` are those that did, if the network lets them
    (`Network.answers_ride`); they are not among the packets.
    """

    algorithm: str
    processes: int
    packets: int
    control_packets: int
    control_operations: int
    control_answers: int
    control_rides: int
    lost: int
    retransmitted: int
    acknowledgements: int
    entries_per_copy_mean: float | None
    of_n_squared: float | None
    bytes_mean: float | None
    bytes_max: int | None
    control_packets_per_message: float | None
    control_entries_per_message: float | None


@dataclass(slots=True)
class Tally:
    """A number of packets, of the control entries on all of them, and of sends, each of a packet to one or more."""

    packets: int = 0
    entries: int = 0
    operations: int = 0

    def count(self, copies: int, entries: int) -> None:
        """Add copies of a packet."""
        self.packets += copies
        self.entries += copies * entries
        self.operations += 1


@dataclass(slots=True)
class Meter:
    """A collection of measurements that is filled while it is in use.

    It holds the delay of each delivery, the waits of deliveries that were held back or waited needlessly, and the
    number of packets that carry messages (`copies`) and of other packets (`control`).
    """

    messages: int = 0
    entries: int = 0
    entries_max: int = 0
    weighed: int = 0
    bytes_: int = 0
    bytes_max: int = 0
    copies: Tally = field(default_factory=Tally)
    control: Tally = field(default_factory=Tally)
    delays_s: array[float] = field(default_factory=lambda: array("d"))
    held_s: array[float] = field(default_factory=lambda: array("d"))
    needless_s: array[float] = field(default_factory=lambda: array("d"))
    states: int = 0
    state_bytes: int = 0
    state_bytes_max: int = 0

    def count_stamp(self, entries: int, size_bytes: int | None) -> None:
        """Add the stamp of the first packet of a message."""
        self.messages += 1
        self.entries += entries
        self.entries_max = max(self.entries_max, entries)
        if size_bytes is not None:
            self.weighed += 1
            self.bytes_ += size_bytes
            self.bytes_max = max(self.bytes_max, size_bytes)

    def count_state(self, size_bytes: int) -> None:
        """Add the size of the state of a process."""
        self.states += 1
        self.state_bytes += size_bytes
        self.state_bytes_max = max(self.state_bytes_max, size_bytes)

    def means(self, processes: int, oracle: bool) -> dict[str, float | int | None]:
        """Return the fields of `Result` that come from the window."""
        deliveries, delays = len(self.delays_s), sorted(self.delays_s)
        entries_mean = ratio(self.entries, self.messages)
        return {
            "window_messages": self.messages,
            "window_deliveries": deliveries,
            "entries_mean": entries_mean,
            "entries_max": self.entries_max,
            "entries_per_copy_mean": ratio(self.copies.entries, self.copies.packets),
            "of_n_squared": None if entries_mean is None else entries_mean / processes**2,
            "bytes_mean": ratio(self.bytes_, self.weighed),
            "bytes_max": self.bytes_max if self.weighed else None,
            "control_packets_per_message": ratio(self.control.packets, self.messages),
            "control_entries_per_message": ratio(self.control.entries, self.messages),
            "delay_mean_s": ratio(fsum(delays), deliveries),
            "delay_median_s": _rank(delays, 0.5),
            "delay_99_s": _rank(delays, 0.99),
            "delay_max_s": _rank(delays, 1.0),
            "held_share": ratio(sum(held > 0.0 for held in self.held_s), deliveries),
            "held_mean_s": ratio(fsum(self.held_s), deliveries),
            "held_max_s": max(self.held_s, default=0.0),
            "needless_share": ratio(sum(wait > 0.0 for wait in self.needless_s), deliveries) if oracle else None,
            "needless_mean_s": ratio(fsum(self.needless_s), deliveries) if oracle else None,
            "state_bytes_mean": ratio(self.state_bytes, self.states),
            "state_bytes_max": self.state_bytes_max if self.states else None,
        }


def ratio(total: float, count: int) -> float | None:
    """Return `total` divided by `count`, or None if `count` is 0."""
    return total / count if count else None


def _rank(ordered: list[float], share: float) -> float | None:
    """Return the smallest value that at least this share of all values does not exceed, or None if there are no
    values.
    """
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)] if ordered else None
