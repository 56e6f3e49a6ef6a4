"""A message between its send and its last delivery: what the world and the channels have to remember of it.

The latencies of its copies are drawn when it is sent, whenever the algorithm lets them go: so different algorithms
meet the same network.
"""

from __future__ import annotations

from dataclasses import dataclass

from antecede.core.types import Message, ProcessId
from antecede.sim.trace import Row
from antecede.sim.workload import Letter


@dataclass(slots=True)
class Flight:
    """`awaiting` are the destinations that have not delivered it; it counts if it was sent within the window."""

    message: Message
    name: str
    letter: Letter
    sent_s: float
    latency_s: dict[ProcessId, float]
    awaiting: set[ProcessId]
    row: Row | None
    counts: bool
    stamped: bool = False

    def latency_to(self, source: ProcessId, to: ProcessId) -> float | None:
        """Of the copy that the author sends to a destination; of nothing else."""
        return self.latency_s.get(to) if self.message.id.sender == source else None
