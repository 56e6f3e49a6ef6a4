"""The bytes of files in pieces of complete lines: any cut, any compression, damage, and lines without end."""

from __future__ import annotations

import bz2
import gzip
import random
import tracemalloc
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest

from antecede.pipeline.read import content
from antecede.pipeline.read.content import Piece, Unread

LINE_MAX = 12


def lines_of(parts: Iterator[Piece | Unread]) -> list[tuple[int, bytes | str]]:
    """Return the number and the bytes of every line, or the reason why it was not read."""
    found: list[tuple[int, bytes | str]] = []
    for part in parts:
        if isinstance(part, Unread):
            found.append((part.line, part.reason))
            continue
        texts = part.data.split(b"\n")
        if part.data.endswith(b"\n"):
            texts.pop()
        found += enumerate(texts, start=part.first_line)
    return found


def expected_lines(data: bytes) -> list[tuple[int, bytes | str]]:
    """Return what must be found in a file if a line may have `LINE_MAX` bytes."""
    texts = data.split(b"\n")
    if not texts[-1]:
        texts.pop()
    too_long = "the line has {:,} bytes; the limit is 12, and the line was not read"
    return [
        (number, text if len(text) <= LINE_MAX else too_long.format(len(text)))
        for number, text in enumerate(texts, start=1)
    ]


@pytest.mark.parametrize("seed", range(60))
def test_lines_come_once_and_in_order_however_a_file_is_cut(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    data = bytes(rng.choice(b"ab\n\n\r \xff") for _ in range(rng.randint(0, 300)))
    if rng.random() < 0.5:
        at = rng.randint(0, len(data))
        data = data[:at] + b"x" * rng.randint(0, 100) + data[at:]
    path = str(tmp_path / "t")
    Path(path).write_bytes(data)
    wanted = expected_lines(data)
    for piece_bytes in (1, 7, 64, 1 << 20):
        limits = {"line_bytes_max": LINE_MAX, "piece_bytes": piece_bytes}
        assert lines_of(content.read_lines(path, 0, -1, 0, **limits)) == wanted
        cuts = sorted({0, len(data), *(rng.randint(0, len(data)) for _ in range(rng.randint(0, 6)))})
        before, found = 0, []
        for start, end in pairwise(cuts):
            found += lines_of(content.read_lines(path, start, end, before, **limits))
            before += content.count_lines(path, start, end)
        assert found == wanted
        assert before == len(wanted)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lambda data: pa.compress(data, "zstd", asbytes=True)])
def test_what_is_compressed_is_read_whatever_it_is_called(tmp_path: Path, pack: object) -> None:
    data = b"".join(b"line %d\n" % number for number in range(1_000))
    path = tmp_path / "t.jsonl"
    path.write_bytes(pack(data))  # type: ignore[operator]  # one of the functions above
    assert content.is_compressed(str(path))
    assert content.read_head(str(path), 6) == b"line 0"
    assert content.read_whole(str(path), 1 << 20) == (data, None)
    assert lines_of(content.read_lines(str(path), 0, -1, 0, piece_bytes=100)) == [
        (number + 1, b"line %d" % number) for number in range(1_000)
    ]


def test_gzip_of_several_members_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "t.gz"
    path.write_bytes(gzip.compress(b"one\n") + gzip.compress(b"two\n"))
    assert lines_of(content.read_lines(str(path), 0, -1, 0)) == [(1, b"one"), (2, b"two")]


def test_plain_text_in_a_file_that_is_called_gz_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.gz"
    path.write_bytes(b"one\n")
    assert not content.is_compressed(str(path))
    assert lines_of(content.read_lines(str(path), 0, -1, 0)) == [(1, b"one")]


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.9, 0.999])
def test_of_a_damaged_file_all_that_comes_before_the_damage_is_read(tmp_path: Path, cut: float) -> None:
    rng = random.Random(1)
    lines = [b"%d" % rng.randrange(10**12) for _ in range(50_000)]
    packed = gzip.compress(b"\n".join(lines))
    path = tmp_path / "t.gz"
    path.write_bytes(packed[: int(len(packed) * cut)])
    *found, (line, reason) = lines_of(content.read_lines(str(path), 0, -1, 0))
    assert str(reason).startswith("the file is damaged or ends early, and nothing from here on could be read")
    assert line == len(found) + 1
    assert [text for _, text in found] == lines[: len(found)]
    recovered = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(path.read_bytes())
    assert len(found) == recovered.count(b"\n")  # all complete lines that zcat shows
    data, damage = content.read_whole(str(path), 1 << 30)
    assert data == recovered
    assert content.read_head(str(path), 100) == recovered[:100]
    assert str(damage).startswith("the file is damaged or ends early")


def test_a_small_file_that_ends_early_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "t.gz"
    path.write_bytes(gzip.compress(b"one\ntwo\n")[:-8])  # without its check sum
    *found, (line, _) = lines_of(content.read_lines(str(path), 0, -1, 0))
    assert (found, line) == ([(1, b"one"), (2, b"two")], 3)
    assert content.read_head(str(path), 100) == b"one\ntwo\n"


@pytest.mark.parametrize(("more", "is_damaged"), [(bytes(100_000), False), (bytes(9) + b"odd", True)])
def test_zeros_may_follow_gzip_and_nothing_else(tmp_path: Path, more: bytes, *, is_damaged: bool) -> None:
    path = tmp_path / "t.gz"
    path.write_bytes(gzip.compress(b"one\n") + more)
    assert len(lines_of(content.read_lines(str(path), 0, -1, 0))) == 1 + is_damaged


def test_what_is_damaged_from_the_start_reads_as_nothing(tmp_path: Path) -> None:
    for name, data in (("cut", b"\x1f\x8b"), ("odd", b"\x1f\x8b" + bytes(100)), ("zstd", b"\x28\xb5\x2f\xfdxxxx")):
        path = tmp_path / name
        path.write_bytes(data)
        assert content.read_head(str(path), 100) == b""
        ((line, reason),) = lines_of(content.read_lines(str(path), 0, -1, 0))
        assert (line, str(reason)[:40]) == (1, "the file is damaged or ends early, and n")


def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.touch()
    assert list(content.read_lines(str(path), 0, -1, 0)) == []
    assert content.count_lines(str(path), 0, 0) == 0
    assert content.read_whole(str(path), 10) == (b"", None)
    (tmp_path / "t.gz").write_bytes(gzip.compress(b""))
    assert list(content.read_lines(str(tmp_path / "t.gz"), 0, -1, 0)) == []


def test_a_line_of_300_mb_in_290_kb_is_told_and_not_read(tmp_path: Path) -> None:
    path = tmp_path / "t.gz"
    with gzip.open(path, "wb", compresslevel=9) as file:
        file.write(b'{"first": 1}\n')
        for _ in range(300):
            file.write(b"x" * 1_000_000)
        file.write(b'\n{"last": 1}\n')
    assert path.stat().st_size < 300_000
    tracemalloc.start()
    first, long, last = content.read_lines(str(path), 0, -1, 0)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (first, last) == (Piece(b'{"first": 1}\n', 1), Piece(b'{"last": 1}\n', 3))
    assert isinstance(long, Unread)
    assert (long.line, long.row) == (2, "x" * 1_000)
    assert long.reason == "the line has 300,000,000 bytes; the limit is 16,777,216, and the line was not read"
    assert most < 100_000_000


def test_at_most_so_much_of_a_file_is_read_at_once(tmp_path: Path) -> None:
    path = tmp_path / "t.gz"
    path.write_bytes(gzip.compress(b"0123456789" * 10))
    assert content.read_whole(str(path), 100) == (b"0123456789" * 10, None)
    data, reason = content.read_whole(str(path), 99)
    assert (len(data), reason) == (99, "the file has more than 99 bytes, and the rest was not read")


def test_pieces_are_bounded_however_long_the_file_is(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(b"\n" * 1_000_000 + b"abc\n" * 1_000)
    parts = list(content.read_lines(str(path), 0, -1, 0, piece_bytes=10_000))
    assert max(len(part.data) for part in parts if isinstance(part, Piece)) <= 70_000
    assert sum(len(part.data) for part in parts if isinstance(part, Piece)) == path.stat().st_size
