"""Read the bytes of a block: complete lines in pieces of a bounded size, from plain and compressed files.

No function here holds more than one piece and one line, except for `read_whole`. A line that is longer than
`LINE_BYTES_MAX` is not read: only its place and its length are told. If a file is damaged, the bytes before the damage
are read, and the damage is told.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from antecede.pipeline.read import files

NOT_UTF8 = re.compile("[\udc80-\udcff]")
"""What Python decodes bytes to that are not UTF-8, with the error handler `surrogateescape`."""
PIECE_BYTES = 8 << 20
READ_BYTES = 64 << 10
LINE_BYTES_MAX = 16 << 20
DAMAGED = "the file is damaged or ends early"
"""The beginning of the reason for a quarantined row that stands for the unread rest of a file."""
COMPRESSIONS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Piece:
    """Complete lines of a file. `first_line` is the number of the first of them."""

    data: bytes
    first_line: int


@dataclass(frozen=True, slots=True)
class Unread:
    """A line that is too long, or the rest of a damaged file, with the reason. `row` shows how it begins."""

    line: int
    reason: str
    row: str | None = None


def compression_of(head: bytes) -> str | None:
    """Return the compression that the first bytes of a file show."""
    return next((name for magic, name in COMPRESSIONS.items() if head.startswith(magic)), None)


def is_compressed(path: str) -> bool:
    """Return whether a file begins like a compressed one."""
    system, name = files.locate(path)
    with system.open_input_stream(name, compression=None) as stream:
        return compression_of(stream.read(4)) is not None


def read_head(path: str, size: int) -> bytes:
    """Return the first `size` bytes of a file, decompressed if need be, or nothing if they are damaged."""
    try:
        with _open(path) as stream:
            return bytes(stream.read(size))
    except (OSError, pa.ArrowException):
        return b""


def read_whole(path: str, size_max: int) -> tuple[bytes, str | None]:
    """Return the bytes of a file, and a reason if the file has more bytes than these, or None.

    At most `size_max` bytes are returned, counted after decompression.
    """
    parts: list[bytes] = []
    size = 0
    try:
        with _open(path) as stream:
            for part in _read_through(stream, PIECE_BYTES):
                parts.append(part)
                size += len(part)
                if size > size_max:
                    break
    except (OSError, pa.ArrowException) as error:
        return b"".join(parts), f"{DAMAGED}, and nothing from here on could be read: {error}"
    if size > size_max:
        return b"".join(parts)[:size_max], f"the file has more than {size_max:,} bytes, and the rest was not read"
    return b"".join(parts), None


def count_lines(path: str, start: int, end: int) -> int:
    """Return how many lines of a plain file begin between `start` and `end`. A line begins at 0 and after a break."""
    lines, last = 0, b"\n"
    for last in _chunks(path, start, end, PIECE_BYTES):
        lines += last.count(b"\n")
    return lines + (not last.endswith(b"\n"))


def read_lines(
    path: str,
    start: int,
    end: int,
    before: int,
    *,
    line_bytes_max: int = LINE_BYTES_MAX,
    piece_bytes: int = PIECE_BYTES,
) -> Iterator[Piece | Unread]:
    """Yield the lines of a file that begin between `start` and `end`, in pieces.

    `end` is -1 for the whole file, which may be compressed. `before` is the number of lines before `start`.
    """
    line = before + 1
    kept = b""
    skipped = 0  # bytes of a line that is too long
    shown = b""
    chunks = _chunks(path, start, end, piece_bytes)
    while True:
        try:
            data = next(chunks, b"")
        except (OSError, pa.ArrowException) as error:
            yield Unread(line, f"{DAMAGED}, and nothing from here on could be read: {error}")
            return
        if not data:
            break
        if skipped:
            head, found, data = data.partition(b"\n")
            skipped += len(head)
            if not found:
                continue
            yield _too_long(line, skipped, line_bytes_max, shown)
            line, skipped = line + 1, 0
        cut = data.rfind(b"\n") + 1
        if not cut:
            kept += data
            if len(kept) > line_bytes_max:
                skipped, shown, kept = len(kept), kept[:4_000], b""
            continue
        piece, kept = kept + data[:cut], data[cut:]
        yield from _without_long_lines(piece, line, line_bytes_max)
        line += piece.count(b"\n")
    if skipped:
        yield _too_long(line, skipped, line_bytes_max, shown)
    elif kept:
        yield from _without_long_lines(kept, line, line_bytes_max)


def _without_long_lines(data: bytes, line: int, line_bytes_max: int) -> Iterator[Piece | Unread]:
    """Yield `data` as one piece, or as several if a line of it is too long. `line` is the number of its first line."""
    if len(data) <= line_bytes_max:
        yield Piece(data, line)
        return
    begin, at = 0, 0
    first = line
    while at < len(data):
        stop = data.find(b"\n", at)
        stop = len(data) if stop < 0 else stop
        if stop - at > line_bytes_max:
            if begin < at:
                yield Piece(data[begin:at], first)
            yield _too_long(line, stop - at, line_bytes_max, data[at : at + 4_000])
            begin, first = stop + 1, line + 1
        at, line = stop + 1, line + 1
    if begin < len(data):
        yield Piece(data[begin:], first)


def _too_long(line: int, size: int, size_max: int, shown: bytes) -> Unread:
    return Unread(
        line,
        f"the line has {size:,} bytes; the limit is {size_max:,}, and the line was not read",
        shown.decode(errors="replace")[:1_000],
    )


def _chunks(path: str, start: int, end: int, piece_bytes: int) -> Iterator[bytes]:
    """Yield the bytes of the lines that begin between `start` and `end`."""
    if end < 0:
        with _open(path) as stream:
            yield from _read_through(stream, piece_bytes)
        return
    system, name = files.locate(path)
    with system.open_input_file(name) as file:
        at = max(start - 1, 0)  # a line begins after a line break
        file.seek(at)
        is_begun = start == 0
        while data := bytes(file.read(min(piece_bytes, end - at) if at < end else READ_BYTES)):
            begin, at = at, at + len(data)
            if not is_begun:
                skipped = data.find(b"\n") + 1
                is_begun, begin, data = skipped > 0, begin + skipped, data[skipped:]
                if begin >= end:
                    return
            if is_begun and at >= end:  # the last line goes on to its line break
                stop = data.find(b"\n", max(end - 1 - begin, 0)) + 1
                yield data[:stop] if stop else data
                if stop:
                    return
            elif is_begun and data:
                yield data


def _read_through(stream: Any, size: int) -> Iterator[bytes]:
    """Yield the bytes of a stream in parts of about `size`. If it is damaged, yield all that comes before the damage.

    A read that meets the damage gives nothing, so reads are small.
    """
    parts: list[bytes] = []
    have = 0
    try:
        while data := stream.read(min(size, READ_BYTES)):
            parts.append(bytes(data))
            have += len(data)
            if have >= size:
                yield b"".join(parts)
                parts, have = [], 0
    except (OSError, pa.ArrowException):
        if parts:
            yield b"".join(parts)
        raise
    if parts:
        yield b"".join(parts)


def _open(path: str) -> Any:
    """Open a file for reading from its beginning, decompressed if it is compressed."""
    system, name = files.locate(path)
    with system.open_input_stream(name, compression=None) as stream:
        compression = compression_of(stream.read(4))
    if compression == "gzip":
        return closing(_GzipStream(system.open_input_stream(name, compression=None)))
    return system.open_input_stream(name, compression=compression)


class _GzipStream:
    """A decompressed stream of gzip. If the file ends early, the stream returns all bytes before the end, then raises.

    Arrow's stream, and Python's `gzip`, return nothing from a read that meets the end.
    """

    def __init__(self, packed: Any) -> None:
        self._packed = packed
        self._ahead = b""
        self._member = zlib.decompressobj(zlib.MAX_WBITS | 16)

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes, and none at the end. Raise `OSError` if there is damage and nothing before it."""
        parts: list[bytes] = []
        left = size
        while left:
            try:
                part = self._read_some(left)
            except (OSError, pa.ArrowException):
                if parts:
                    break  # the next read meets the damage again
                raise
            if not part:
                break
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def close(self) -> None:
        self._packed.close()

    def _read_some(self, size: int) -> bytes:
        """Return some bytes, or none at the end of the last member."""
        while not self._member.eof or self._begin_member():
            self._ahead = self._ahead or bytes(self._packed.read(READ_BYTES))
            is_at_end = not self._ahead
            try:
                part = self._member.decompress(self._ahead, size)
            except zlib.error as error:
                raise OSError(str(error)) from None
            self._ahead = self._member.unused_data if self._member.eof else self._member.unconsumed_tail
            if part:
                return part
            if is_at_end and not self._member.eof:
                raise OSError("the gzip stream has no end")
        return b""

    def _begin_member(self) -> bool:
        """Begin the next member, which may come after zeros. Return whether there is one."""
        self._ahead = self._ahead.lstrip(b"\0")
        while not self._ahead and (more := bytes(self._packed.read(READ_BYTES))):
            self._ahead = more.lstrip(b"\0")
        self._member = zlib.decompressobj(zlib.MAX_WBITS | 16) if self._ahead else self._member
        return bool(self._ahead)
