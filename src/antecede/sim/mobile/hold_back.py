"""Measure which messages are held back at the stations, since when, and how much of the wait is needless.

A station says which messages it holds. After each of its inputs that list is compared with the previous one. A new
message is held from now. A message that is gone is no longer held, whether it went to its host, left with the host's
luggage or was passed on. If a message waits at one station and then at another, its wait is the sum of both. It waits
needlessly while no message that precedes it is missing at the host itself (`oracle`).
"""

from __future__ import annotations

from typing import TypeAlias

from antecede.core.mobile.protocols import AnyStation
from antecede.core.types import MessageId, ProcessId
from antecede.sim.measure.oracle import Oracle

Waiter: TypeAlias = tuple[ProcessId, MessageId]


class HoldBackMeter:
    """A meter of the waits at the stations.

    The caller must report every input of a station, and every delivery.
    """

    def __init__(self, oracle: Oracle | None) -> None:
        self.oracle = oracle
        self._held: dict[ProcessId, dict[Waiter, float]] = {}
        self._waited: dict[Waiter, tuple[float, float]] = {}

    def observe_station(self, station: AnyStation, now_s: float) -> None:
        """Compare what a station holds with what it held before, and record the waits that began or ended."""
        before = self._held.get(station.me) or {}
        held = station.held()
        if not held and not before:
            return
        waiters = dict.fromkeys((one.host, one.message) for one in held)
        for waiter, since_s in before.items():
            if waiter not in waiters:
                self._end_wait(waiter, since_s, now_s)
        self._held[station.me] = {waiter: before.get(waiter, now_s) for waiter in waiters}
        if self.oracle is not None:
            for host, message in waiters:
                self.oracle.record_hold(host, message, now_s)

    def pop_wait(self, host: ProcessId, message: MessageId) -> tuple[float, float] | None:
        """Return and forget how long a message was held back and how much of that was needless.

        Return None if the message was never held back.
        """
        return self._waited.pop((host, message), None)

    def _end_wait(self, waiter: Waiter, since_s: float, now_s: float) -> None:
        held_s, needless_s = self._waited.get(waiter, (0.0, 0.0))
        more = self.oracle.end_hold(*waiter, now_s) if self.oracle is not None else 0.0
        self._waited[waiter] = (held_s + now_s - since_s, needless_s + more)
