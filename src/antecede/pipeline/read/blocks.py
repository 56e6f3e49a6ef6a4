"""Cut the files of the input into blocks. A task reads one block at a time.

    trace.jsonl     |-- lines from byte 0 --|-- from byte 32 M --|--  ...     one event per line: byte ranges
    trace.parquet   |-- row groups 0 and 1 --|-- row group 2 --|               Parquet: row groups
    trace.json.gz   |---------------------- the whole file ----|               what cannot be read from the middle

A block of lines owns the lines that begin in its range, so that neighbours need not agree on anything. To number its
lines, it must also be known how many lines the blocks before it have. `count_lines` counts them, at the speed of
reading.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace

import pyarrow as pa

from antecede.pipeline.read import content
from antecede.pipeline.read.files import InputFile
from antecede.pipeline.runner import PART

BLOCK_BYTES = 32 << 20
BLOCKS = pa.schema(
    [
        (PART, pa.int32()),
        ("path", pa.string()),
        ("name", pa.string()),
        ("version", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("before", pa.int64()),
        ("runs", pa.list_(pa.string())),
        ("tells_refused", pa.bool_()),
    ]
)
LINE_COUNTS = pa.schema([("path", pa.string()), ("start", pa.int64()), ("lines", pa.int64())])


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A part of a file: the bytes, or the row groups of Parquet, from `start` to `end`. `end` is -1 for a whole file.

    `before` is the number of lines or rows in the file before the block. If `runs` is not None, only rows of these runs
    are wanted. Several tasks may then read the block, and the task for which `tells_refused` is true tells of the rows
    that are not events.
    """

    path: str
    name: str
    version: str | None
    start: int = 0
    end: int = -1
    before: int = 0
    runs: tuple[str, ...] | None = None
    tells_refused: bool = True

    @property
    def is_whole(self) -> bool:
        return self.end < 0


@dataclass(frozen=True, slots=True)
class RowGroups:
    """The content of a Parquet file: the number of rows in each row group, and in each how many rows each run has.

    `runs` is None if a row group has too many runs to list. A file that is damaged has no rows, and its `runs` is None.
    """

    file: Block
    rows: Sequence[int]
    runs: Sequence[dict[str, int]] | None


def whole_file(file: InputFile) -> Block:
    """Return a file as one block."""
    return Block(path=file.path, name=file.name, version=file.version)


def cut_lines(file: InputFile, block_bytes: int = BLOCK_BYTES) -> list[Block]:
    """Return the blocks of a file of lines. A compressed file is one block."""
    if file.bytes <= block_bytes or content.is_compressed(file.path):
        return [whole_file(file)]
    starts = range(0, file.bytes, block_bytes)
    return [replace(whole_file(file), start=start, end=min(start + block_bytes, file.bytes)) for start in starts]


def table_of(parts: Iterable[tuple[int, Block]]) -> pa.Table:
    """Return blocks as rows, each with the part that reads it."""
    return pa.Table.from_pylist([{PART: part, **asdict(block)} for part, block in parts], BLOCKS)


def blocks_in(batches: Iterable[pa.RecordBatch]) -> Iterator[Block]:
    """Yield the blocks that rows of `table_of` stand for, in the order of the files."""
    rows = [row for batch in batches for row in batch.to_pylist()]
    for row in sorted(rows, key=lambda row: (row["path"], row["start"])):
        del row[PART]
        yield Block(**{**row, "runs": None if row["runs"] is None else tuple(row["runs"])})


def count_lines(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield for each block of lines how many lines begin in it, as `LINE_COUNTS`. This is a task."""
    for block in blocks_in(batches):
        count = content.count_lines(block.path, block.start, block.end)
        yield pa.record_batch([[block.path], [block.start], [count]], schema=LINE_COUNTS)


def number_lines(blocks: Sequence[Block], lines: Sequence[int]) -> list[Block]:
    """Return the blocks with the number of lines before each, from the number of lines in each."""
    before: Counter[str] = Counter()
    numbered = []
    for block, count in zip(blocks, lines, strict=True):
        numbered.append(replace(block, before=before[block.path]))
        before[block.path] += count
    return numbered
