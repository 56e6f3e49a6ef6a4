"""What does not move, and why: the answer to "where is my message?", for whoever asks the node or `antecede status`.

A node stalls in two ways. A message is held back because one that it depends on is not here; then the stall names the
missing messages and who sent them. Or a destination cannot be reached; then the stall names it and what is owed to it.
Both are kept for `Node.stalls` once, when they have lasted for a while, and again only if they end and begin anew.
Nothing is logged. At a station a message is held back for one of its hosts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from antecede.core.types import MessageId, Need, ProcessId
from antecede.runtime.outbox import Lane


class Waiting(NamedTuple):
    """A message that is here and may not be delivered yet; at a station, for `host`."""

    message: MessageId
    needs: tuple[Need, ...]
    host: ProcessId | None = None


@dataclass(frozen=True, slots=True)
class Stall:
    """Something that does not move: `message` is held back for `needs`, or `owed` entries of the outbox cannot reach
    `to`.
    """

    since_s: float
    message: MessageId | None = None
    needs: tuple[Need, ...] = ()
    to: ProcessId | None = None
    owed: int = 0
    reason: str = ""
    host: ProcessId | None = None

    @property
    def awaited_from(self) -> tuple[ProcessId, ...]:
        """The processes whose messages are awaited."""
        return tuple(sorted({need.sender for need in self.needs}))

    def as_dict(self) -> dict[str, object]:
        """Return what `antecede status` shows: what waits, for whom, since when, and all of it in words."""
        what = f"{self.owed} packets" if self.message is None else str(self.message)
        whom = [self.to or "the trace"] if self.message is None else list(self.awaited_from)
        return {"what": what, "from": whom, "since_s": round(self.since_s, 1), "text": str(self)}

    def __str__(self) -> str:
        if self.message is not None:
            whose = "" if self.host is None else f" for {self.host}"
            return f"{self.message}{whose} has waited {self.since_s:.1f} s for " + "; ".join(map(str, self.needs))
        where = f"the inbox of {self.to}" if self.to else "the stream of the trace"
        return f"{self.owed} packets have waited {self.since_s:.1f} s for {where}: {self.reason}"


class Watch:
    """Looks at what is held back and blocked, again and again, and says what is stalled and was not before."""

    def __init__(self, after_s: float, clock: Callable[[], float]) -> None:
        self._after_s, self._clock = after_s, clock
        self._since: dict[tuple[MessageId, ProcessId | None], float] = {}
        self._told: set[tuple[object, object]] = set()

    def waiting(self, held: Iterable[Waiting], lanes: Iterable[Lane]) -> list[Stall]:
        """Everything that waits now, the oldest first."""
        return sorted([*self._held(held), *self._blocked(lanes)], key=lambda stall: -stall.since_s)

    def look(self, held: Iterable[Waiting], lanes: Iterable[Lane]) -> list[Stall]:
        """The stalls that began to be stalls since the last look, oldest first."""
        stalled = [stall for stall in self.waiting(held, lanes) if stall.since_s >= self._after_s]
        current = {(stall.message or stall.to, stall.host): stall for stall in stalled}
        fresh = [stall for key, stall in current.items() if key not in self._told]
        self._told = set(current)
        return fresh

    def _held(self, held: Iterable[Waiting]) -> list[Stall]:
        now = self._clock()
        by_key = {(one.message, one.host): one for one in held}
        self._since = {key: self._since.get(key, now) for key in by_key}
        return [
            Stall(now - since, message=key[0], needs=by_key[key].needs, host=key[1])
            for key, since in self._since.items()
        ]

    def _blocked(self, lanes: Iterable[Lane]) -> list[Stall]:
        now = self._clock()
        return [
            Stall(now - lane.blocked_since, to=lane.to, owed=len(lane.waiting) + lane.under_way, reason=lane.reason)
            for lane in lanes
            if lane.blocked_since is not None
        ]
