"""Simulate time, with a heap of (time, priority, serial, action, arguments) and a clock that jumps from one event to
the next.

A caller says when an event is to happen, and which function to call. Events at one instant happen in the order of their
priority, and events of one priority in the order in which they were scheduled. So nothing depends on chance or on the
addresses of objects. The serial belongs to the kernel, so two worlds in one program do not disturb each other.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any, TypeAlias

from antecede.core.errors import LimitReached

EVENTS_MAX = 1_000_000_000
"""Events of one run, unless the kernel is told otherwise: a world that feeds itself for ever ends here."""

Action: TypeAlias = Callable[..., object]


class Kernel:
    """The clock and the schedule of a simulation.

    `now` is the time of the event that is happening, in seconds. It never runs backwards.
    """

    __slots__ = ("_heap", "_serial", "_stopped", "events_max", "now")

    def __init__(self, events_max: int = EVENTS_MAX) -> None:
        self.now = 0.0
        self.events_max = events_max
        self._heap: list[tuple[float, int, int, Action, tuple[Any, ...]]] = []
        self._serial = 0
        self._stopped = False

    def __len__(self) -> int:
        """Return the number of events that are still to come."""
        return len(self._heap)

    def at(self, time_s: float, action: Action, *arguments: Any, priority: int = 0) -> None:
        """Call `action(*arguments)` at `time_s`, or after the current event if that time has passed."""
        self._serial = serial = self._serial + 1
        heappush(self._heap, (time_s if time_s > self.now else self.now, priority, serial, action, arguments))

    def after(self, delay_s: float, action: Action, *arguments: Any) -> None:
        """Call `action(*arguments)` after `delay_s`, which must be 0 or more."""
        self._serial = serial = self._serial + 1
        heappush(self._heap, (self.now + delay_s, 0, serial, action, arguments))

    def stop(self) -> None:
        """Let `run` return after the event that is happening."""
        self._stopped = True

    def run(self) -> int:
        """Run until no event is left or `stop` is called, and return how many events happened."""
        heap = self._heap
        self._stopped = False
        for happened in range(self.events_max):
            if not heap or self._stopped:
                return happened
            self.now, _, _, action, arguments = heappop(heap)
            action(*arguments)
        raise LimitReached(
            f"{self.events_max} events happened by {self.now} s, the limit, and {len(heap)} are still to come: "
            "ask for fewer messages or deliveries, or see whether what is waited for can still be delivered"
        )
