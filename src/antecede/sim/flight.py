"""Define what the world and the channels remember of a message between its send and its last delivery.

The latencies of the copies of a message are drawn at its send, no matter when the algorithm transmits them. So
different algorithms meet the same network. A latency applies only to a copy that goes from the author to a destination.
"""

from __future__ import annotations

from dataclasses import dataclass

from antecede.core.types import Message, ProcessId
from antecede.sim.measure.metrics import Meter
from antecede.sim.trace import TraceRow
from antecede.sim.workload import Letter


@dataclass(slots=True)
class Flight:
    """A message that has been sent and not yet delivered everywhere.

    `awaiting` are the destinations that have not delivered it. `meter` is the meter that was in use at its send.
    `stamped` is true as soon as its first packet has been measured.
    """

    message: Message
    author: ProcessId
    name: str
    letter: Letter
    sent_s: float
    latency_s: dict[ProcessId, float]
    awaiting: set[ProcessId]
    row: TraceRow | None
    meter: Meter
    stamped: bool = False
