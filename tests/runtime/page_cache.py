"""What of a file is on the disk, as Linux knows it: pages that were written and not flushed are dirty.

`cachestat` is a call of Linux 6.5 and later, which Python does not have. On a file system in memory all pages are
dirty.
"""

import ctypes
import os
from pathlib import Path

CACHESTAT = 451
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class CacheRange(ctypes.Structure):
    """A part of a file."""

    _fields_ = (("offset", ctypes.c_uint64), ("length", ctypes.c_uint64))


class CacheCounts(ctypes.Structure):
    """The pages of a part of a file, by what is known of them."""

    _fields_ = tuple((name, ctypes.c_uint64) for name in ("cached", "dirty", "writeback", "evicted", "recent"))


def unflushed_pages(descriptor: int, offset: int = 0, length: int = 0) -> int:
    """Return how many pages of a part of a file a power cut would lose. Length 0 is all of the file."""
    found, part = CacheCounts(), CacheRange(offset, length)
    call = ctypes.CDLL(None, use_errno=True).syscall
    if call(CACHESTAT, descriptor, ctypes.byref(part), ctypes.byref(found), 0):
        raise OSError(ctypes.get_errno(), "cachestat failed: it needs Linux 6.5 or later")
    return int(found.dirty + found.writeback)


def copy_flushed(source: Path, target: Path) -> int:
    """Copy a folder as a power cut would leave it now. Return the number of pages that are lost.

    Each file ends with its first page that is not flushed, whose beginning may have been flushed before. Names of files
    count as flushed.
    """
    lost = 0
    for path in sorted(source.rglob("*")):
        if path.is_dir():
            (target / path.relative_to(source)).mkdir(parents=True, exist_ok=True)
            continue
        with open(path, "rb") as file:
            content = file.read()
            lost += unflushed_pages(file.fileno())
            places = range(0, len(content), PAGE_BYTES)
            kept = (
                next((at for at in places if unflushed_pages(file.fileno(), at, PAGE_BYTES)), len(content)) + PAGE_BYTES
            )
        to = target / path.relative_to(source)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(content[:kept])
    return lost
