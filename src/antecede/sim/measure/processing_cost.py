"""Simulate the time that it takes to process a header: a time for each packet, control entry and byte of the stamp.

A process is one processor. It works on one packet at a time, in the order in which they come: on a packet to be sent
before it leaves, and on a packet that arrived before the algorithm gets it. Other packets wait meanwhile. By default
all costs are 0: then no packet waits and nothing is computed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from antecede.core.types import ProcessId
from antecede.sim.bounds import TIME_MAX_S, check_range


@dataclass(frozen=True, slots=True)
class ProcessingCost:
    """The time in seconds that a header takes, at the sender and again at the receiver."""

    packet_s: float = 0.0
    entry_s: float = 0.0
    byte_s: float = 0.0

    def __post_init__(self) -> None:
        for what, cost_s in (("packet", self.packet_s), ("entry", self.entry_s), ("byte", self.byte_s)):
            check_range(f"a cost for each {what}, in seconds,", cost_s, 0.0, TIME_MAX_S)

    @property
    def is_free(self) -> bool:
        """Return whether no header takes any time."""
        return not (self.packet_s or self.entry_s or self.byte_s)

    def work_s(self, entries: int, size_bytes: int) -> float:
        """Return the time that one header takes."""
        return self.packet_s + self.entry_s * entries + self.byte_s * size_bytes


@dataclass(slots=True)
class Processors:
    """The time until which each process is busy, and the time that all of them have worked."""

    busy_until_s: dict[ProcessId, float] = field(default_factory=dict)
    worked_s: float = 0.0

    def done_at(self, process: ProcessId, now_s: float, work_s: float) -> float:
        """Return when `process` finishes work of `work_s` that it gets now."""
        start = max(now_s, self.busy_until_s.get(process, 0.0))
        done = self.busy_until_s[process] = start + work_s
        self.worked_s += work_s
        return done
