"""Lamport's clock: one number per process, a total order that agrees with happened-before.

If one event happened before another its time is smaller. The converse does not hold: equal or smaller
times say nothing, so this clock can sort a log but cannot tell concurrency (paper 004, section 1).
"""

from __future__ import annotations

from typing import NamedTuple

from antecede.core.clocks.stamp import VALUE_MAX, is_value
from antecede.core.errors import RemoteViolation
from antecede.core.types import ProcessId


class LamportTime(NamedTuple):
    """The time of an event. Times sort by number, and ties by name, so that all processes sort them alike."""

    time: int
    process: ProcessId


class LamportClock:
    """The clock of one process. Call `event` for each internal event and each send, `receive` for each arrival."""

    __slots__ = ("process", "time")

    def __init__(self, process: ProcessId) -> None:
        self.process = process
        self.time = 0

    def event(self) -> LamportTime:
        """Return the time of a new event here. On a send, attach it to the message."""
        self.time += 1
        return LamportTime(self.time, self.process)

    def receive(self, stamp: LamportTime) -> LamportTime:
        """Return the time of the arrival of a message that carried `stamp`."""
        if not is_value(stamp.time, 1, VALUE_MAX - 1):
            raise RemoteViolation(
                f"{self.process!r} got the time {stamp.time!r}, which must be a whole number from 1 to {VALUE_MAX - 1}"
            )
        self.time = max(self.time, stamp.time)
        return self.event()
