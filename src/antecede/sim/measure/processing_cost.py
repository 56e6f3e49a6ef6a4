"""What a header costs to process: a time for each packet, for each control entry, and for each byte of the stamp.

A process is one processor. It works on one packet at a time, in the order in which they come: on a packet to be sent
before it leaves, and on one that arrived before the algorithm gets it. Meanwhile others wait. With the costs all
at 0, which is how they are unless told otherwise, nobody waits and nothing is computed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from antecede.core.types import ProcessId
from antecede.sim.bounds import TIME_MAX_S, checked


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of a process's time, on each side of the channel."""

    packet_s: float = 0.0
    entry_s: float = 0.0
    byte_s: float = 0.0

    def __post_init__(self) -> None:
        for what, cost_s in (("packet", self.packet_s), ("entry", self.entry_s), ("byte", self.byte_s)):
            checked(f"a cost for each {what}, in seconds,", cost_s, 0.0, TIME_MAX_S)

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
