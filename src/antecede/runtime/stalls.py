"""What does not move, and why: the answer to "where is my message?" before anybody has to ask.

A node stalls in two ways. A message is held back because one that it depends on is not here; then the stall names the
missing messages and who sent them. Or a destination can not be reached; then the stall names it and what is owed to it.
Both are reported once, when they have lasted for a while, and again only if they end and begin anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from antecede.core.types import MessageId, Need, Pending, ProcessId
from antecede.runtime.lanes import Lane


@dataclass(frozen=True, slots=True)
class Stall:
    """Either `message` is held back for `needs`, or `owed` entries of the outbox can not get to `to`."""

    since_s: float
    message: MessageId | None = None
    needs: tuple[Need, ...] = ()
    to: ProcessId | None = None
    owed: int = 0
    reason: str = ""

    @property
    def awaited_from(self) -> tuple[ProcessId, ...]:
        """Whose messages are awaited."""
        return tuple(sorted({need.sender for need in self.needs}))

    def __str__(self) -> str:
        if self.message is not None:
            return f"{self.message} has waited {self.since_s:.1f} s for " + "; ".join(map(str, self.needs))
        return f"{self.owed} packets have waited {self.since_s:.1f} s for the inbox of {self.to}: {self.reason}"


class Watch:
    """Looks at what is held back and blocked, again and again, and says what is stalled and was not before."""

    def __init__(self, after_s: float, clock: Callable[[], float]) -> None:
        self._after_s, self._clock = after_s, clock
        self._held_since: dict[MessageId, float] = {}
        self._told: set[MessageId | ProcessId] = set()

    def look(self, pending: Iterable[Pending], lanes: Iterable[Lane]) -> list[Stall]:
        """The stalls that began to be stalls since the last look, oldest first."""
        stalls = [*self._held(pending), *self._blocked(lanes)]
        current = {stall.message or stall.to or "": stall for stall in stalls}
        fresh = [stall for key, stall in current.items() if key not in self._told]
        self._told = set(current)
        return sorted(fresh, key=lambda stall: -stall.since_s)

    def _held(self, pending: Iterable[Pending]) -> list[Stall]:
        now = self._clock()
        held = {one.message.id: one for one in pending}
        self._held_since = {key: self._held_since.get(key, now) for key in held}
        return [
            Stall(now - since, message=key, needs=held[key].needs)
            for key, since in self._held_since.items()
            if now - since >= self._after_s
        ]

    def _blocked(self, lanes: Iterable[Lane]) -> list[Stall]:
        now = self._clock()
        return [
            Stall(now - lane.blocked_since, to=lane.to, owed=len(lane.waiting) + lane.under_way, reason=lane.reason)
            for lane in lanes
            if lane.blocked_since is not None and now - lane.blocked_since >= self._after_s
        ]
