"""Read files that Arrow cannot open where the tasks run. The runner lists them, and hands their content to the tasks.

Spark reads any path that Hadoop can open, such as `s3a://`, `dbfs:/` and `wasb://`. A task writes the content of a file
to a private temporary file, reads it like any other, and removes it. A file is read as a whole, so it is one block, and
it can have at most `FILE_BYTES_MAX` bytes, because Spark holds its content in one value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.read import content
from antecede.pipeline.read.blocks import Block
from antecede.pipeline.read.detection.detect_format import SAMPLED_FILES_MAX
from antecede.pipeline.read.detection.head_sample import HEAD_BYTES
from antecede.pipeline.read.formats import parquet
from antecede.pipeline.read.rows import Reader, ReadRows
from antecede.pipeline.runner import Batches, Runner

FILE_BYTES_MAX = (2 << 30) - (1 << 20)
HEADS = pa.schema([("path", pa.string()), ("head", pa.binary()), ("has_index", pa.bool_())])


def look_at_handed_files(runner: Runner, paths: Sequence[str]) -> list[dict[str, Any]]:
    """Return the files of paths as rows of `open_input.FILE_HEADS`, with the beginning of some of them."""
    rows = sorted(runner.list_files(paths).to_pylist(), key=lambda row: str(row["path"]))
    for row in rows:
        if row["bytes"] > FILE_BYTES_MAX:
            raise UnreadableInput(
                f"{row['path']}: the file has {row['bytes']:,} bytes; a file that only Spark can open can have at most "
                f"{FILE_BYTES_MAX:,}; divide it, or copy it to where Arrow can open it"
            )
    full = [row["path"] for row in rows if row["bytes"]]
    if not full:
        raise UnreadableInput(f"{paths[0]}: there are no files with content; give the path of a trace")
    step = -(-len(full) // SAMPLED_FILES_MAX)
    heads = runner.read_files(full[::step]).map(_read_heads, HEADS).collect().to_pylist()
    looked_at = {row["path"]: row for row in heads}
    nothing = {"head": None, "has_index": True}
    return [{**row, "name": row["path"], **nothing, **looked_at.get(row["path"], {})} for row in rows]


def read_contents(batches: Batches, read: Reader) -> Iterator[ReadRows]:
    """Yield the rows of files, given as rows of `runner.CONTENTS`."""
    for block in _write_files(batches):
        yield from read(block)


def _read_heads(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Yield the first bytes of each file, decompressed, as `HEADS`. This is a task."""
    for block in _write_files(batches):
        head = content.read_head(block.path, HEAD_BYTES)
        yield pa.record_batch([[block.name], [head], [parquet.has_index(block.path, head)]], schema=HEADS)


def _write_files(batches: Batches) -> Iterator[Block]:
    """Yield each file as a block of a temporary copy, which is removed when the next file is asked for."""
    for batch in batches:
        for path, value in zip(batch.column("path").to_pylist(), batch.column("content"), strict=True):
            with TemporaryDirectory(prefix="antecede-") as folder:
                copy = Path(folder) / "content"
                copy.write_bytes(value.as_buffer())
                yield Block(path=str(copy), name=path, version=None)
