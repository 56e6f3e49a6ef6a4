"""Define the properties of the channels between processes: how long a packet takes, and which faults it meets.

There is a channel from every process to every other. A packet leaves when the channel is free (if it has a bandwidth),
takes a time from a distribution, and arrives. A packet may be lost, arrive twice, or be cut off by a partition.
Channels are not FIFO unless `fifo` is true. `antecede.sim.channels` carries packets through them.

During a partition nothing passes between two sets of processes: a packet that is sent across is lost. Loss and
partitions break an assumption of every algorithm except `history` and `none`. With `retransmit_after_s` a copy is sent
again until its acknowledgement is back. That makes channels reliable again, at the price of time and of duplicates.

With `answers_ride`, a control packet that answers a packet rides on the acknowledgement of that packet, so that it
is not a packet of its own. 003 §3.1 says of resynchronisations that they are "not very expensive as a lot of transport
layers use some sort of acknowledgment mechanism", and not how: this is ours.

Processes may be connected by links of different bandwidth, as the stations of 000 §9.3 are: some by "low bandwidth
telephone lines", others by "high bandwidth ATM channels". A channel is as fast as the slower link at its two ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from antecede.core.errors import Misuse
from antecede.core.types import ProcessId
from antecede.sim.bounds import TIME_MAX_S, check_range, check_time
from antecede.sim.chance import Distribution

BANDWIDTHS = (1e-3, 1e15)
REPETITIONS_MAX = 100_000


@dataclass(frozen=True, slots=True)
class Partition:
    """A time from `start_s` until `end_s` in which nothing passes between `side` and `other`.

    If `other` is empty, it stands for all other processes.
    """

    start_s: float
    end_s: float
    side: frozenset[ProcessId]
    other: frozenset[ProcessId] = frozenset()

    def __post_init__(self) -> None:
        if not 0 <= self.start_s < self.end_s <= TIME_MAX_S:
            raise Misuse(
                f"a partition from {self.start_s} s until {self.end_s} s: it must start at 0 or later, and heal by "
                f"{TIME_MAX_S:g} s"
            )
        if not self.side or self.side & self.other:
            raise Misuse(
                f"a partition between {sorted(self.side)} and {sorted(self.other)}: name two sets that do not overlap"
            )

    def has_cut(self, source: ProcessId, to: ProcessId, now_s: float) -> bool:
        """Return whether this partition cuts the channel from `source` to `to` at `now_s`."""
        if not self.start_s <= now_s < self.end_s:
            return False
        return self._is_between(source, to) or self._is_between(to, source)

    def _is_between(self, one: ProcessId, two: ProcessId) -> bool:
        return one in self.side and (two in self.other if self.other else two not in self.side)


@dataclass(frozen=True, slots=True)
class AccessLink:
    """The link by which `process` is connected to the network, and the bandwidth of that link (000 §9.3)."""

    process: ProcessId
    bandwidth_bytes_per_s: float

    def __post_init__(self) -> None:
        check_range(
            f"a link of {self.process} with a bandwidth, in bytes a second,", self.bandwidth_bytes_per_s, *BANDWIDTHS
        )


@dataclass(frozen=True, slots=True)
class Network:
    """The properties of the channels of a run.

    `bandwidth_bytes_per_s` is the bandwidth of the link of every process that is not in `links`. None means no limit.
    Each channel has its bandwidth for itself: packets of one process to several others do not wait for each other.
    """

    latency: Distribution = field(default_factory=Distribution)
    bandwidth_bytes_per_s: float | None = None
    fifo: bool = False
    loss: float = 0.0
    duplicate: float = 0.0
    partitions: tuple[Partition, ...] = ()
    retransmit_after_s: float | None = None
    links: tuple[AccessLink, ...] = ()
    answers_ride: bool = False

    def __post_init__(self) -> None:
        for name in ("loss", "duplicate"):
            if not 0 <= getattr(self, name) <= 1:
                raise Misuse(f"{name} is {getattr(self, name)}: give a probability from 0 to 1")
        if self.bandwidth_bytes_per_s is not None:
            check_range("a bandwidth, in bytes a second,", self.bandwidth_bytes_per_s, *BANDWIDTHS)
        if self.retransmit_after_s is not None:
            self._check_retransmission(self.retransmit_after_s)
        elif self.answers_ride:
            raise Misuse("answers ride on acknowledgements, and there are none: let the network retransmit packets")
        if len({link.process for link in self.links}) < len(self.links):
            raise Misuse(f"a process has two links in {self.links}: name each process once")

    def _check_retransmission(self, after_s: float) -> None:
        """Raise `Misuse` if retransmission would repeat a packet too often."""
        check_time("retransmission after a time", after_s)
        if self.loss > 0.9:
            raise Misuse(f"retransmission against a loss of {self.loss} takes for ever: give a loss of at most 0.9")
        longest_s = max((one.end_s - one.start_s for one in self.partitions), default=0.0)
        if longest_s > REPETITIONS_MAX * after_s:
            raise Misuse(
                f"a partition of {longest_s:g} s, with retransmission after {after_s:g} s: a packet would be sent more "
                f"than {REPETITIONS_MAX:,} times; retransmit less often, or let the partition heal sooner"
            )

    def check_names(self, kind: str, names: Sequence[ProcessId]) -> None:
        """Raise `Misuse` if a partition or a link names a process that does not exist.

        `kind` is what a process is called.
        """
        cut = {name for partition in self.partitions for name in partition.side | partition.other}
        unknown = (cut | {link.process for link in self.links}) - set(names)
        if unknown:
            raise Misuse(f"there is no {kind} {min(unknown)!r}; they are {names[0]} to {names[-1]}")

    @property
    def is_lossy(self) -> bool:
        """Return whether a packet can get lost."""
        return bool(self.loss or self.partitions)

    @property
    def is_plain(self) -> bool:
        """Return whether the network has nothing but a latency."""
        limited = self.bandwidth_bytes_per_s or self.links
        return not (self.is_lossy or self.duplicate or self.fifo or limited or self.retransmit_after_s)

    def bandwidth_between(self, source: ProcessId, to: ProcessId) -> float | None:
        """Return the bandwidth of the channel from `source` to `to`, or None if it has no limit."""
        own = {link.process: link.bandwidth_bytes_per_s for link in self.links}
        ends = (own.get(process, self.bandwidth_bytes_per_s) for process in (source, to))
        return min((bandwidth for bandwidth in ends if bandwidth is not None), default=None)
