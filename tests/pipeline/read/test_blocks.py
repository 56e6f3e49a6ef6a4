"""Files cut into blocks, and blocks on their way to tasks."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from antecede.pipeline.read.blocks import (
    Block,
    blocks_in,
    count_lines,
    cut_lines,
    number_lines,
    table_of,
    whole_file,
)
from antecede.pipeline.read.files import list_files


def test_blocks_of_lines_lie_side_by_side_and_cover_the_file(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"0123456789")
    (file,) = list_files([str(tmp_path / "t")])
    assert [(block.start, block.end) for block in cut_lines(file, 4)] == [(0, 4), (4, 8), (8, 10)]
    assert cut_lines(file, 10) == [whole_file(file)]
    assert whole_file(file).is_whole
    assert not cut_lines(file, 9)[0].is_whole


def test_what_is_compressed_is_one_block(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(gzip.compress(b"0123456789"))
    (file,) = list_files([str(tmp_path / "t")])
    assert cut_lines(file, 4) == [whole_file(file)]


def test_blocks_come_back_as_they_were_by_file_and_place() -> None:
    a, b = (Block(path=name, name=f"file {name}", version="1 2") for name in "ab")
    parts = [
        (1, replace(b, start=5, end=9, before=7)),
        (0, replace(a, start=3, end=5, runs=("x", "y"), tells_refused=False)),
        (1, a),
        (0, replace(b, runs=())),
    ]
    table = table_of(parts)
    assert table["part"].to_pylist() == [1, 0, 1, 0]
    found = list(blocks_in(table.to_batches(max_chunksize=1)))
    assert found == [a, parts[1][1], parts[3][1], parts[0][1]]
    assert list(blocks_in([])) == []


def test_lines_are_numbered_through_the_blocks_of_each_file(tmp_path: Path) -> None:
    blocks = []
    for name, text in (("a", b"1\n2\n\n4\n"), ("b", b"one line")):
        (tmp_path / name).write_bytes(text)
        blocks += cut_lines(list_files([str(tmp_path / name)])[0], 3)
    asked = table_of((0, block) for block in blocks)
    counted = pa.Table.from_batches(count_lines(asked.to_batches(max_chunksize=2)))
    assert counted["start"].to_pylist() == [0, 3, 6, 0, 3, 6]
    assert counted["lines"].to_pylist() == [2, 2, 0, 1, 0, 0]
    numbered = number_lines(blocks, counted["lines"].to_pylist())
    assert [(Path(block.path).name, block.start, block.before) for block in numbered] == [
        ("a", 0, 0),
        ("a", 3, 2),
        ("a", 6, 4),
        ("b", 0, 0),
        ("b", 3, 1),
        ("b", 6, 1),
    ]
