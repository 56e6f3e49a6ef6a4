"""Simulated time: a heap of (time, priority, serial, action, arguments), and a clock that jumps from one to the next.

Whoever wants something to happen says when, and what to call. Events at one instant happen in the order of their
priority, and those of one priority in the order in which they were asked for: nothing is left to chance or to
the addresses of objects. The serial belongs to the kernel, so two worlds in one program do not disturb each other.
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
    """`now` is the time of the event that is happening, in seconds; it never runs backwards."""

    __slots__ = ("_heap", "_serial", "_stopped", "events_max", "now")

    def __init__(self, events_max: int = EVENTS_MAX) -> None:
        self.now = 0.0
        self.events_max = events_max
        self._heap: list[tuple[float, int, int, Action, tuple[Any, ...]]] = []
        self._serial = 0
        self._stopped = False

    def __len__(self) -> int:
        """Events that are still to come."""
        return len(self._heap)

    def at(self, time_s: float, action: Action, *arguments: Any, priority: int = 0) -> None:
        """Call `action(*arguments)` when `time_s` has come; at once, after what is happening, if it has."""
        self._serial += 1
        now = self.now
        heappush(self._heap, (time_s if time_s > now else now, priority, self._serial, action, arguments))

    def stop(self) -> None:
        """Let `run` return after the event that is happening."""
        self._stopped = True

    def run(self) -> int:
        """Until nothing is left to happen, or `stop`. Returns how many events happened."""
        heap, happened = self._heap, 0
        self._stopped = False
        while heap and not self._stopped:
            self.now, _, _, action, arguments = heappop(heap)
            action(*arguments)
            happened += 1
            if happened >= self.events_max:
                raise LimitReached(
                    f"{happened} events happened by {self.now} s, the limit, and {len(heap)} are still to come: "
                    "ask for fewer messages or deliveries, or see whether what is waited for can still be delivered"
                )
        return happened
