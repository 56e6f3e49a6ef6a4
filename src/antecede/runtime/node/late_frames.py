"""Frames that were offered and could not be taken yet: the broker offers them again until they are."""

from __future__ import annotations

from zlib import crc32

from antecede.core.types import ProcessId


class LateFrames:
    """The frames, each known by its sender and its checksum.

    A frame is late because a list of names is missing, or because the limit of what is held back is reached.
    """

    def __init__(self) -> None:
        self._frames: dict[tuple[ProcessId | None, int], bool] = {}

    @property
    def beyond_limit(self) -> int:
        """Return the number of frames that were refused because the limit of what is held back is reached."""
        return sum(self._frames.values())

    def note(self, sender: ProcessId | None, data: bytes, *, is_beyond_limit: bool) -> None:
        """Remember a frame that could not be taken."""
        self._frames[sender, crc32(data)] = is_beyond_limit

    def forget(self, sender: ProcessId | None, data: bytes) -> None:
        """Forget a frame, because it was taken or refused for good."""
        if self._frames:
            self._frames.pop((sender, crc32(data)), None)

    def has_any_of(self, sender: ProcessId) -> bool:
        """Return whether a frame of `sender` is late."""
        return any(one == sender for one, _ in self._frames)
