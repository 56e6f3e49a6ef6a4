"""What a header costs to process: a time for each packet, for each control entry, and for each byte of the stamp.

A process is one processor. It works on one packet at a time, in the order in which they come: on a packet to be sent
before it leaves, and on one that arrived before the algorithm gets it. Meanwhile others wait. With the costs all
at 0, which is how they are unless told otherwise, nobody waits and nothing is computed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from antecede.core.errors import Misuse
from antecede.core.types import ProcessId


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of a process's time, on each side of the channel."""

    packet_s: float = 0.0
    entry_s: float = 0.0
    byte_s: float = 0.0

    def __post_init__(self) -> None:
        if min(self.packet_s, self.entry_s, self.byte_s) < 0:
            raise Misuse(f"{self}: a cost is 0 or more")

    @property
    def free(self) -> bool:
        return not (self.packet_s or self.entry_s or self.byte_s)

    def of(self, entries: int, size_bytes: int) -> float:
        return self.packet_s + self.entry_s * entries + self.byte_s * size_bytes


@dataclass(slots=True)
class Processors:
    """Until when each process is busy."""

    busy_until_s: dict[ProcessId, float] = field(default_factory=dict)

    def done_at(self, process: ProcessId, now_s: float, work_s: float) -> float:
        """When `process`, given this work now, will have done it."""
        start = max(now_s, self.busy_until_s.get(process, 0.0))
        done = self.busy_until_s[process] = start + work_s
        return done
