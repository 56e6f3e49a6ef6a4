"""The error of a store, and the checksum that finds damage in it."""

from __future__ import annotations

from functools import lru_cache
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
    parts: list[bytes] = []
    for value in values:
        if type(value) is bytes:
            parts += (b"%d " % len(value), value)
        elif type(value) is int:
            digits = b"%d" % value
            parts.append(b"%d %b" % (len(digits), digits))
        else:
            parts.append(_with_length(value))
    return crc32(b"".join(parts))


@lru_cache(maxsize=4_096)
def _with_length(value: object) -> bytes:
    """Return a text or None as bytes, after their length. The result is cached, because most names come often."""
    data = repr(value).encode()
    return b"%d %b" % (len(data), data)
