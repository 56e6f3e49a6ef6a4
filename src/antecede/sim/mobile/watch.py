"""Who is held back at the stations, since when, and how much of it is needless.

A station says what it holds. After each of its inputs that is compared with what it held before: what is new is held
from now, what is gone is held no longer, whether it went to its host, left with the host's luggage or was passed on. A
message that waits at one station and then at another waited for the sum of both. It waits needlessly while
nothing that precedes it is missing at the host itself (`oracle`).
"""

from __future__ import annotations

from typing import TypeAlias

from antecede.core.mobile.protocols import AnyStation
from antecede.core.types import MessageId, ProcessId
from antecede.sim.measure.oracle import Oracle

Waiter: TypeAlias = tuple[ProcessId, MessageId]


class Watch:
    """To be told of every input of a station, and of every delivery."""

    def __init__(self, oracle: Oracle | None) -> None:
        self.oracle = oracle
        self._held: dict[ProcessId, dict[Waiter, float]] = {}
        self._waited: dict[Waiter, tuple[float, float]] = {}

    def look(self, station: AnyStation, now_s: float) -> None:
        before = self._held.get(station.me) or {}
        held = station.held()
        if not held and not before:
            return
        waiters = dict.fromkeys((one.host, one.message) for one in held)
        for waiter, since_s in before.items():
            if waiter not in waiters:
                self._released(waiter, since_s, now_s)
        self._held[station.me] = {waiter: before.get(waiter, now_s) for waiter in waiters}
        if self.oracle is not None:
            for host, message in waiters:
                self.oracle.held(host, message, now_s)

    def delivered(self, host: ProcessId, message: MessageId) -> tuple[float, float] | None:
        """How long it was held back, and how much of that was needless; None if it never was."""
        return self._waited.pop((host, message), None)

    def _released(self, waiter: Waiter, since_s: float, now_s: float) -> None:
        held_s, needless_s = self._waited.get(waiter, (0.0, 0.0))
        more = self.oracle.released(*waiter, now_s) if self.oracle is not None else 0.0
        self._waited[waiter] = (held_s + now_s - since_s, needless_s + more)
