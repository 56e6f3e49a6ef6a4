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
from antecede.sim.chance import Distribution


@dataclass(frozen=True, slots=True)
class Partition:
    """From `start_s` until `end_s`, nothing passes between `side` and `other`; an empty `other` is everybody else."""

    start_s: float
    end_s: float
    side: frozenset[ProcessId]
    other: frozenset[ProcessId] = frozenset()

    def __post_init__(self) -> None:
        if not 0 <= self.start_s < self.end_s < float("inf"):
            raise Misuse(f"a partition from {self.start_s} s until {self.end_s} s: it starts at 0 or later, and heals")
        if not self.side or self.side & self.other:
            raise Misuse(f"a partition between {sorted(self.side)} and {sorted(self.other)}: name two sets apart")

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
                raise Misuse(f"{name} is {getattr(self, name)}: a probability is from 0 to 1")
        if self.bandwidth_bytes_per_s is not None and self.bandwidth_bytes_per_s <= 0:
            raise Misuse(f"a bandwidth of {self.bandwidth_bytes_per_s} bytes a second: it is more than 0, or None")
        if self.retransmit_after_s is not None and self.retransmit_after_s <= 0:
            raise Misuse(f"retransmission after {self.retransmit_after_s} s: it is more than 0, or None")
        if self.retransmit_after_s is not None and self.loss > 0.9:
            raise Misuse(f"retransmission against a loss of {self.loss} takes for ever: give a loss of at most 0.9")

    @property
    def lossy(self) -> bool:
        return bool(self.loss or self.partitions)

    @property
    def plain(self) -> bool:
        """Nothing but a latency."""
        return not (self.lossy or self.duplicate or self.fifo or self.bandwidth_bytes_per_s or self.retransmit_after_s)
