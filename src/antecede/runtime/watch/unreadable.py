"""Frames that a later release wrote, and that this one cannot read: they stay with the broker, and are named."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

from antecede.core.types import ProcessId

COUNT_MAX = 1_000


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

    def note(self, sender: ProcessId | None, data: bytes, reason: str) -> None:
        """Remember a frame, and forget the oldest if there are too many."""
        key = (sender, crc32(data))
        self._found[key] = UnreadableFrame(sender, key[1], reason)
        if len(self._found) > COUNT_MAX:
            del self._found[next(iter(self._found))]

    def forget(self, sender: ProcessId | None, data: bytes) -> None:
        """Forget a frame, because it could be read after all."""
        if self._found:
            self._found.pop((sender, crc32(data)), None)

    def has(self, sender: ProcessId | None, data: bytes) -> bool:
        """Return whether a frame was found unreadable."""
        return bool(self._found) and (sender, crc32(data)) in self._found

    def all(self) -> list[UnreadableFrame]:
        """Return all frames that were found unreadable, the oldest first."""
        return list(self._found.values())
