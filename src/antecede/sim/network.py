"""What the channels between processes are like: how long a packet takes, and what may become of it.

There is a channel from every process to every other. A packet leaves when the channel is free (with a bandwidth), takes
a time from a distribution, and arrives; it may be lost, arrive twice, or be cut off by a partition. Channels are not
FIFO unless asked to be. `antecede.sim.channels` carries packets through them.

A partition is a time during which nothing passes between two sets of processes: what is sent across is lost. Loss and
partitions break every algorithm's assumption but those of `history` and `none`; with `retransmit_after_s` a
copy is sent again until its acknowledgement is back, which makes channels reliable again, at the price of time
and of duplicates.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from antecede.core.errors import Misuse
from antecede.core.types import ProcessId
from antecede.sim.bounds import TIME_MAX_S, checked, checked_s
from antecede.sim.chance import Distribution

BANDWIDTHS = (1e-3, 1e15)
REPETITIONS_MAX = 100_000


@dataclass(frozen=True, slots=True)
class Partition:
    """From `start_s` until `end_s`, nothing passes between `side` and `other`; an empty `other` is everybody else."""

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

    def cuts(self, source: ProcessId, to: ProcessId, now_s: float) -> bool:
        if not self.start_s <= now_s < self.end_s:
            return False
        return self._apart(source, to) or self._apart(to, source)

    def _apart(self, one: ProcessId, two: ProcessId) -> bool:
        return one in self.side and (two in self.other if self.other else two not in self.side)


@dataclass(frozen=True, slots=True)
class Network:
    """What all channels have in common."""

    latency: Distribution = field(default_factory=Distribution)
    bandwidth_bytes_per_s: float | None = None
    fifo: bool = False
    loss: float = 0.0
    duplicate: float = 0.0
    partitions: tuple[Partition, ...] = ()
    retransmit_after_s: float | None = None

    def __post_init__(self) -> None:
        for name in ("loss", "duplicate"):
            if not 0 <= getattr(self, name) <= 1:
                raise Misuse(f"{name} is {getattr(self, name)}: give a probability from 0 to 1")
        if self.bandwidth_bytes_per_s is not None:
            checked("a bandwidth, in bytes a second,", self.bandwidth_bytes_per_s, *BANDWIDTHS)
        if self.retransmit_after_s is not None:
            self._check_retransmission(self.retransmit_after_s)

    def _check_retransmission(self, after_s: float) -> None:
        checked_s("retransmission after a time", after_s)
        if self.loss > 0.9:
            raise Misuse(f"retransmission against a loss of {self.loss} takes for ever: give a loss of at most 0.9")
        longest_s = max((one.end_s - one.start_s for one in self.partitions), default=0.0)
        if longest_s > REPETITIONS_MAX * after_s:
            raise Misuse(
                f"a partition of {longest_s:g} s, with retransmission after {after_s:g} s: a packet would be sent more "
                f"than {REPETITIONS_MAX:,} times; retransmit less often, or let the partition heal sooner"
            )

    @property
    def lossy(self) -> bool:
        return bool(self.loss or self.partitions)

    @property
    def plain(self) -> bool:
        """Nothing but a latency."""
        return not (self.lossy or self.duplicate or self.fifo or self.bandwidth_bytes_per_s or self.retransmit_after_s)
