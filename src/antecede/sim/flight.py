"""A message between its send and its last delivery: what the world and the channels have to remember of it.

The latencies of its copies are drawn when it is sent, whenever the algorithm lets them go: so different algorithms
meet the same network. They are those of the copies that go from the author to a destination, and of nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

from antecede.core.types import Message, ProcessId
from antecede.sim.measure.metrics import Meter
from antecede.sim.trace import Row
from antecede.sim.workload import Letter


@dataclass(slots=True)
class Flight:
    """`awaiting` are the destinations that have not delivered it; `meter` is the one that was in use at its send."""

    message: Message
    author: ProcessId
    name: str
    letter: Letter
    sent_s: float
    latency_s: dict[ProcessId, float]
    awaiting: set[ProcessId]
    row: Row | None
    meter: Meter
    stamped: bool = False
