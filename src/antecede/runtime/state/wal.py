"""Damage in the log of SQLite (`-wal`), which SQLite takes for the end of the log.

SQLite reads its log up to the first frame that does not fit its checksum, because so ends a log whose last write was
interrupted. A bit that is wrong in the middle therefore makes the store older, and nobody is told. So the log is looked
at here before SQLite opens it.

SQLite begins a transaction only behind a whole one, and the checksum of a frame goes on from that of the frame before:

    frames   ... 7 8 | 9 10 end | 11 end | 12 13 end        frame 9 does not fit, and 11 goes on from the end in 10:
                       ^                                    what ends in 10 was whole once, so something is damaged
    frames   ... 7 8 | 9 10 end : 11 12 end                 frame 9 does not fit, and 11 goes on from another frame:
                       ^                                    it is left of an earlier commit that was interrupted

So if a frame at or behind the first wrong one ends a transaction, and the next frame goes on from it, the log is
refused: what is missing may have been promised to somebody. Of a process that is killed, only the last transaction is
interrupted; so it is in a power cut with durability "power", which flushes the log at every commit. A power cut with
durability "process" may leave a log that is refused. Damage to the last transaction, damage that reaches up to it, and
a log that is cut off, look like an interrupted write, and are not found here. Nor is damage, in the last transaction
but one, to the number of a frame that says that a transaction ends there, if the number is zero then.

A store begins an empty log when it is opened (`store`). Stores that earlier releases opened may have the remains of
any number of interrupted commits in their logs.

The format is https://sqlite.org/fileformat2.html#walformat.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator
from pathlib import Path

from antecede.runtime.state.store_error import unreadable

HEADER, FRAME = struct.Struct(">8I"), struct.Struct(">6I")
SUMMED, FRAME_SUMMED = 24, 8
"""How many bytes of the header of the log and of a frame are in a checksum."""
LITTLE, BIG = 0x377F0682, 0x377F0683
PAGE_SIZES = {2**power for power in range(9, 17)}
AGAIN_S = 0.1


def check_log(store: Path) -> None:
    """Raise `StoreError` if the log of the store has damage that SQLite would take for its end.

    A log that changes meanwhile belongs to a process that runs: it is not looked at.
    """
    log = store.with_name(f"{store.name}-wal")
    content = _read(log)
    damage = _find_damage(content)
    if damage:
        time.sleep(AGAIN_S)
        if _read(log) == content:
            raise unreadable(log, damage)


def _read(log: Path) -> bytes:
    try:
        return log.read_bytes()
    except FileNotFoundError:
        return b""


def _find_damage(content: bytes) -> str:
    """Return what is wrong with a log, or nothing."""
    if len(content) < HEADER.size + FRAME.size:
        return ""
    magic, _, page_bytes, _, *salts, first, second = HEADER.unpack_from(content)
    order = {LITTLE: "<", BIG: ">"}.get(magic)
    if order is None or page_bytes not in PAGE_SIZES:
        return "its header is damaged"
    sums = _add((0, 0), content[:SUMMED], order)
    if sums != (first, second):
        return "its header is damaged"
    wrong = 0
    ended: set[tuple[int, int]] = set()  # the checksums that the frame after the end of a transaction may go on from
    for number, (at, fields) in enumerate(_frames(content, page_bytes), start=1):
        summed = content[at : at + FRAME_SUMMED] + content[at + FRAME.size :][:page_bytes]
        is_of_this_log, stored = fields[2:4] == tuple(salts), (fields[4], fields[5])
        if is_of_this_log and any(_add(end, summed, order) == stored for end in ended):
            return f"frame {wrong} is damaged, and a transaction that ended after it was whole once"
        sums = _add(sums, summed, order)
        if not wrong and not (is_of_this_log and sums == stored):
            wrong = number
        ended = {stored, sums} if wrong and fields[1] else set()
        if wrong:
            sums = stored
    return ""


def _frames(content: bytes, page_bytes: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the place of each whole frame, and the numbers in its header."""
    for at in range(HEADER.size, len(content) - FRAME.size - page_bytes + 1, FRAME.size + page_bytes):
        yield at, FRAME.unpack_from(content, at)


def _add(sums: tuple[int, int], data: bytes, order: str) -> tuple[int, int]:
    """Return the checksum of what came before `data`, and of `data`."""
    first, second = sums
    words = iter(struct.unpack(f"{order}{len(data) // 4}I", data))
    for one, other in zip(words, words, strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second
