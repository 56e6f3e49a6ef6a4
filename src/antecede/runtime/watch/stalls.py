"""What does not move, and why: the answer to "where is my message?".

A node stalls in three ways. A message is held back because one that it depends on is not here; then the stall names the
missing messages and who sent them. A destination cannot be reached; then the stall names it and what is owed to it. Or
a frame is of a later release, and is left with the broker; then the stall says which version is needed. All are kept
for `Node.stalls` once, when they have lasted for a while, and again only if they end and begin anew. They are problems
(`problems`), and are logged as such. At a station a message is held back for one of its hosts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from antecede.core.types import MessageId, Need, ProcessId
from antecede.runtime.outbox import DestinationQueue
from antecede.runtime.watch.problems import Problem
from antecede.runtime.watch.unreadable import UnreadableFrame, UnreadableFrames
from antecede.runtime.watch.words import did_you_mean

NO_INBOX_AFTER_S = 2.0
"""How long a destination that nobody started is waited for before it is a stall."""


class Waiting(NamedTuple):
    """A message that is here and may not be delivered yet; at a station, for `host`."""

    message: MessageId
    needs: tuple[Need, ...]
    host: ProcessId | None = None


@dataclass(frozen=True, slots=True)
class Stall(Problem):
    """Something that does not move: `message` is held back for `needs`, or `owed` packets cannot reach `to`."""

    message: MessageId | None = None
    needs: tuple[Need, ...] = ()
    to: ProcessId | None = None
    owed: int = 0
    reason: str = ""
    host: ProcessId | None = None

    @property
    def kind(self) -> str:
        """Return a word for what is wrong."""
        return "unreachable" if self.message is None else "held back"

    @property
    def key(self) -> Hashable:
        """Return what does not move: a message or a destination, and the host that waits for it."""
        return self.message or self.to, self.host

    @property
    def awaited_from(self) -> tuple[ProcessId, ...]:
        """Return the processes whose messages are awaited."""
        return tuple(sorted({need.sender for need in self.needs}))

    def as_dict(self) -> dict[str, object]:
        """Return what `antecede status` shows: what waits, for whom, since when, and all of it in words."""
        what = f"{self.owed} packet{'s' * (self.owed != 1)}" if self.message is None else str(self.message)
        whom = [self.to or "the trace"] if self.message is None else list(self.awaited_from)
        since_s = round(self.since_s, 1)
        return {"kind": self.kind, "what": what, "from": whom, "since_s": since_s, "text": str(self)}

    def __str__(self) -> str:
        if self.message is not None:
            whose = "" if self.host is None else f" for {self.host}"
            return f"{self.message}{whose} has waited {self.since_s:.1f} s for " + "; ".join(map(str, self.needs))
        where = f"the inbox of {self.to}" if self.to else "the stream of the trace"
        what = "1 packet has" if self.owed == 1 else f"{self.owed} packets have"
        return f"{what} waited {self.since_s:.1f} s for {where}: {self.reason}"


@dataclass(frozen=True, slots=True)
class NoSuchProcess(Stall):
    """A destination has no inbox: it was never started, or has left. `similar` are names that somebody has. If
    `can_give_up`, the destination can be given up here.
    """

    space: str = ""
    similar: tuple[ProcessId, ...] = ()
    can_give_up: bool = False

    @property
    def kind(self) -> str:
        """Return a word for what is wrong."""
        return "no such process"

    def __str__(self) -> str:
        waits = "1 packet waits" if self.owed == 1 else f"{self.owed} packets wait"
        end = f" If nobody ever starts it, call give_up({self.to!r})" if self.can_give_up else ""
        return (
            f"there is no process {self.to!r} in space {self.space!r}: it was never started there, or has left. "
            f"{waits} for it.{did_you_mean(self.similar)}{end}"
        )


@dataclass(frozen=True, slots=True)
class UpgradeNeeded(Stall):
    """A frame of `sender` cannot be read here, most often because a later release wrote it. The broker keeps it."""

    sender: ProcessId | None = None
    checksum: int = 0

    @property
    def kind(self) -> str:
        """Return a word for what is wrong."""
        return "upgrade needed"

    @property
    def key(self) -> Hashable:
        """Return the sender and the checksum of the frame."""
        return self.sender, self.checksum

    def as_dict(self) -> dict[str, object]:
        """Return what `antecede status` shows: the frame, its sender, since when, and all of it in words."""
        since_s = round(self.since_s, 1)
        return {"kind": self.kind, "what": "1 frame", "from": [self.sender], "since_s": since_s, "text": str(self)}

    def __str__(self) -> str:
        return f"a frame of {self.sender or 'somebody'} has waited {self.since_s:.1f} s: {self.reason}"


class Watch:
    """Looks at what is held back and blocked, again and again, and says what is stalled and was not before."""

    def __init__(self, after_s: float, clock: Callable[[], float], space: str = "", *, gives_up: bool = False) -> None:
        self._after_s, self._clock, self._space, self._gives_up = after_s, clock, space, gives_up
        self._since: dict[tuple[MessageId, ProcessId | None], float] = {}
        self._unreadable_since: dict[UnreadableFrame, float] = {}
        self._told: set[Hashable] = set()
        self.similar: dict[ProcessId, tuple[ProcessId, ...]] = {}
        """For a destination without an inbox, the names that somebody has and that are like it."""

    def waiting(
        self, held: Iterable[Waiting], queues: Iterable[DestinationQueue], unreadable: UnreadableFrames
    ) -> list[Stall]:
        """Return everything that waits now, the oldest first."""
        found = [*self._find_held(held), *self._find_blocked(queues), *self._find_unreadable(unreadable)]
        return sorted(found, key=lambda stall: -stall.since_s)

    def find_stalled(
        self, held: Iterable[Waiting], queues: Iterable[DestinationQueue], unreadable: UnreadableFrames
    ) -> list[Stall]:
        """Return everything that has waited for so long that it is a stall, the oldest first."""
        return self.pick_stalled(self.waiting(held, queues, unreadable))

    def pick_stalled(self, waiting: Iterable[Stall]) -> list[Stall]:
        """Return, of what waits, what has waited for so long that it is a stall."""
        return [stall for stall in waiting if stall.since_s >= self._after(stall)]

    def look(self, stalled: Iterable[Stall]) -> list[Stall]:
        """Return the stalls that began to be stalls since the last look, the oldest first."""
        current = {stall.key: stall for stall in stalled}
        fresh = [stall for key, stall in current.items() if key not in self._told]
        self._told = set(current)
        return fresh

    def _after(self, stall: Stall) -> float:
        if isinstance(stall, UpgradeNeeded):
            return 0.0  # waiting does not help
        return min(self._after_s, NO_INBOX_AFTER_S) if isinstance(stall, NoSuchProcess) else self._after_s

    def _find_unreadable(self, frames: UnreadableFrames) -> list[Stall]:
        now, all_frames = self._clock(), frames.all()
        self._unreadable_since = {frame: self._unreadable_since.get(frame, now) for frame in all_frames}
        return [
            UpgradeNeeded(now - since, reason=frame.reason, sender=frame.sender, checksum=frame.checksum)
            for frame, since in self._unreadable_since.items()
        ]

    def _find_held(self, held: Iterable[Waiting]) -> list[Stall]:
        now = self._clock()
        by_key = {(one.message, one.host): one for one in held}
        self._since = {key: self._since.get(key, now) for key in by_key}
        return [
            Stall(now - since, message=key[0], needs=by_key[key].needs, host=key[1])
            for key, since in self._since.items()
        ]

    def _find_blocked(self, queues: Iterable[DestinationQueue]) -> list[Stall]:
        now = self._clock()
        found: list[Stall] = []
        for queue in queues:
            if queue.blocked_since is None:
                continue
            since_s, owed = now - queue.blocked_since, queue.packets
            if queue.has_no_inbox and queue.to:
                found.append(
                    NoSuchProcess(
                        since_s,
                        to=queue.to,
                        owed=owed,
                        reason=queue.reason,
                        space=self._space,
                        similar=self.similar.get(queue.to, ()),
                        can_give_up=self._gives_up,
                    )
                )
            else:
                found.append(Stall(since_s, to=queue.to, owed=owed, reason=queue.reason))
        return found
