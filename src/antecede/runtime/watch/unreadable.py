"""Frames that a later release wrote, and that this one cannot read: they stay with the broker, and are named.

The broker offers such a frame again every `UNREADABLE_RETRY_S`. One that is not offered for twice as long is not there
any more, for example because somebody has removed it, and is forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

from antecede.core.types import ProcessId

COUNT_MAX = 1_000
UNREADABLE_RETRY_S = 30.0
"""How long a frame of a later release stays with the broker before it is looked at again."""
GONE_AFTER_S = 2 * UNREADABLE_RETRY_S


@dataclass(frozen=True, slots=True)
class UnreadableFrame:
    """A frame of `sender`, and why it cannot be read."""

    sender: ProcessId | None
    checksum: int
    reason: str


class UnreadableFrames:
    """The frames that were found unreadable, and wait at the broker until this process is upgraded."""

    def __init__(self) -> None:
        self._found: dict[tuple[ProcessId | None, int], UnreadableFrame] = {}
        self._offered_at: dict[tuple[ProcessId | None, int], float] = {}
        """The time of the first `expire` after each frame was last offered."""

    def note(self, sender: ProcessId | None, data: bytes, reason: str) -> None:
        """Remember a frame, and forget the oldest if there are too many."""
        key = (sender, crc32(data))
        self._found[key] = UnreadableFrame(sender, key[1], reason)
        self._offered_at.pop(key, None)
        if len(self._found) > COUNT_MAX:
            self._forget(next(iter(self._found)))

    def forget(self, sender: ProcessId | None, data: bytes) -> None:
        """Forget a frame, because it could be read after all."""
        if self._found:
            self._forget((sender, crc32(data)))

    def forget_sender(self, sender: ProcessId) -> None:
        """Forget the frames of a process, because nothing of it is taken any more."""
        for key in [key for key in self._found if key[0] == sender]:
            self._forget(key)

    def expire(self, now: float, *, is_receiving: bool) -> None:
        """Forget the frames that are not offered any more. Call this now and then.

        While the process does not receive, because it is cut off or its inbox is full, nothing is offered: that time
        does not count.
        """
        if not is_receiving:
            self._offered_at.clear()
            return
        for key in list(self._found):
            if now - self._offered_at.setdefault(key, now) >= GONE_AFTER_S:
                self._forget(key)

    def has(self, sender: ProcessId | None, data: bytes) -> bool:
        """Return whether a frame was found unreadable."""
        return self.find(sender, data) is not None

    def find(self, sender: ProcessId | None, data: bytes) -> UnreadableFrame | None:
        """Return what is known of a frame that was found unreadable, or None if it was not."""
        return self._found.get((sender, crc32(data))) if self._found else None

    def has_from(self, sender: ProcessId) -> bool:
        """Return whether a frame of this process was found unreadable."""
        return any(frame.sender == sender for frame in self._found.values())

    def all(self) -> list[UnreadableFrame]:
        """Return all frames that were found unreadable, the oldest first."""
        return list(self._found.values())

    def _forget(self, key: tuple[ProcessId | None, int]) -> None:
        self._found.pop(key, None)
        self._offered_at.pop(key, None)
