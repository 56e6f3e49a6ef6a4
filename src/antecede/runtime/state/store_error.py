"""The error of a store, and the checksum that finds damage in it."""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

from antecede.core.errors import AntecedeError

SAFE = (
    "Make this file readable again, or start with another name, and let the others give up this one. An older copy "
    "cannot take its place: it is refused, because messages would be lost"
)
"""What to do about a store that cannot be read."""


class StoreError(AntecedeError):
    """The store cannot be opened, read or written: the disk is full, read-only, damaged or gone. The process must stop.

    A full or read-only disk harms nothing that was committed: put it right, and start again with the same file. If the
    file is damaged or lost, begin with another name. An older copy of the file is refused.
    """


def unreadable(path: Path | None, reason: object) -> StoreError:
    """Return the error for a store that cannot be read."""
    return StoreError(f"{path} cannot be read: {reason}. {SAFE}")


def checksum(*values: bytes | str | int | None) -> int:
    """Return the CRC-32 of the values of a row. It differs if a value changes, or moves to another column."""
    found = 0
    for value in values:
        data = value if isinstance(value, bytes) else repr(value).encode()
        found = crc32(data, crc32(b"%d " % len(data), found))
    return found
