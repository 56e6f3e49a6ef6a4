"""Open the input of a check: find its files, recognise their format, and cut them into blocks.

The files are looked into where the tasks run, through the runner.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial

import pyarrow as pa

from antecede.pipeline.limits import Limits
from antecede.pipeline.read import blocks as cutting
from antecede.pipeline.read import doubtful_rows
from antecede.pipeline.read.blocks import Block
from antecede.pipeline.read.detection.detect_format import DetectedFormat, detect_format, read_heads
from antecede.pipeline.read.detection.head_sample import HEAD_BYTES
from antecede.pipeline.read.detection.mapping_notes import note_what_is_missing
from antecede.pipeline.read.files import PATHS, InputFile, UnknownFileSystem, list_files, refuse_odd_name
from antecede.pipeline.read.formats import csv, jaeger, jsonl, mapped, otlp, parquet, shiviz, shiviz_runs, spans, zipkin
from antecede.pipeline.read.formats.json_texts import has_texts_in_lines
from antecede.pipeline.read.rows import Reader, ReadRows, Wanted
from antecede.pipeline.read.source import Prepare
from antecede.pipeline.read.sources.handed_files import look_at_handed_files
from antecede.pipeline.runner import Batches, Runner

LISTED = pa.schema([("path", pa.string()), ("name", pa.string()), ("bytes", pa.int64()), ("version", pa.string())])
FILE_HEADS = pa.schema(
    [
        *LISTED,
        ("head", pa.binary()),
        ("has_index", pa.bool_()),
        ("is_unknown", pa.bool_()),  # true in the only row if Arrow cannot open a path
    ]
)
SPAN_READERS = {"otlp": otlp.read, "zipkin": zipkin.read, "jaeger": jaeger.read}
BY_LINES = ("jsonl", "mapped", *SPAN_READERS)
"""Readers of files that can be cut at lines."""
COUNTED_AT_ONCE_BYTES_MAX = 4 << 30
"""Up to this many bytes, one task counts all lines. That takes about two seconds."""


@dataclass(frozen=True, slots=True)
class Expressions:
    """The arguments by which a caller says how a log is to be read."""

    regex: str | None = None
    delimiter: str | None = None
    mapping: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class OpenInput:
    """The files of the input, and how they are read."""

    files: tuple[InputFile, ...]
    format: DetectedFormat
    expressions: Expressions
    notes: tuple[str, ...]
    is_handed: bool = False
    """Whether only the runner can open the files, and hands their content to the tasks."""
    has_index: bool = True
    """Whether the source gives the events of a process an order. If not, whole runs are numbered before the judging."""

    @property
    def is_parquet(self) -> bool:
        return self.format.reader == "parquet"

    @property
    def has_spans(self) -> bool:
        return self.format.reader in SPAN_READERS

    @property
    def is_gathered(self) -> bool:
        """Return whether the meaning of a row depends on all other rows."""
        return self.format.reader == "shiviz"

    def reader(self, wanted: Wanted) -> Reader:
        """Return the function that reads a block."""
        name, given = self.format.reader, self.expressions
        if name in SPAN_READERS:
            return partial(SPAN_READERS[name], wanted=wanted)
        if name == "shiviz":
            return partial(shiviz.read, wanted=wanted, regex=given.regex, delimiter=given.delimiter)
        if name == "mapped" and self.format.name == "antecede":
            return partial(mapped.read_unnumbered, wanted=wanted)
        if name in ("mapped", "csv"):
            read = mapped.read if name == "mapped" else csv.read
            return partial(read, wanted=wanted, mapping=self.format.mapping or {})
        return partial(parquet.read if name == "parquet" else jsonl.read, wanted=wanted)

    def prepare(self, wanted: Wanted) -> Prepare | None:
        """Return the function that makes events of all rows, or None if rows are events by themselves."""
        if self.has_spans:
            return partial(_prepare_spans, wanted)
        if self.is_gathered:
            return partial(_prepare_clocks, tuple(file.name for file in self.files))
        return None


def open_input(runner: Runner, paths: Sequence[str], wanted: str, expressions: Expressions) -> OpenInput:
    """Find the files of the input, and recognise their format. `wanted` is the name of a format, or "auto"."""
    for path in paths:
        refuse_odd_name(path)
    shiviz.refuse_bad_expressions(expressions.regex, expressions.delimiter)
    found = runner.call(_look_at_files, pa.table([list(paths)], schema=PATHS), FILE_HEADS).to_pylist()
    unknown = [row.pop("is_unknown") for row in found]
    if any(unknown):
        found = look_at_handed_files(runner, paths)
    heads = {row["path"]: row.pop("head") for row in found}
    with_index = [row.pop("has_index") for row in found]
    listed = [InputFile(**row) for row in found]
    files = tuple(file for file in listed if file.bytes)
    looked_at = {path: head for path, head in heads.items() if head is not None}
    format = detect_format(files, looked_at, wanted, regex=expressions.regex, mapping=expressions.mapping)
    if format.reader == "shiviz":
        shiviz.refuse_large_files(files)
    has_index = all(with_index) if format.mapping is None else "index" in format.mapping
    of_spans = (spans.ORDER_NOTE,) if format.reader in SPAN_READERS else ()
    notes = (*of_spans, *format.notes, *_note_missing(expressions, looked_at), *_note_empty(listed))
    return OpenInput(files, format, expressions, notes, any(unknown), has_index)


def cut_into_blocks(runner: Runner, opened: OpenInput, limits: Limits) -> tuple[list[Block], list[int]]:
    """Return the blocks of text files, with the lines before each, and their sizes in bytes."""
    sizes = {file.path: file.bytes for file in opened.files}
    if opened.format.reader not in BY_LINES or all(size <= limits.block_bytes for size in sizes.values()):
        found = [cutting.whole_file(file) for file in opened.files]
    else:
        task = partial(_cut_files, has_spans=opened.has_spans, block_bytes=limits.block_bytes)
        listed = pa.Table.from_pylist([asdict(file) for file in opened.files], LISTED)
        found = list(cutting.blocks_in(runner.call(task, listed, cutting.BLOCKS).to_batches()))
        found = _number_lines(runner, found)
    return found, [sizes[block.path] if block.is_whole else block.end - block.start for block in found]


def _cut_files(batches: Batches, *, has_spans: bool, block_bytes: int) -> Iterator[pa.RecordBatch]:
    """Yield the blocks of files of lines, as `BLOCKS`. This is a task.

    A file of spans that is one JSON text is one block.
    """
    blocks: list[Block] = []
    for file in (InputFile(**row) for batch in batches for row in batch.to_pylist()):
        is_document = has_spans and file.bytes > block_bytes and not has_texts_in_lines(file.path)
        blocks += [cutting.whole_file(file)] if is_document else cutting.cut_lines(file, block_bytes)
    yield from cutting.table_of((0, block) for block in blocks).to_batches()


def _number_lines(runner: Runner, blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with the number of lines before each in its file."""
    some = [block for block in blocks if not block.is_whole]
    asked = cutting.table_of((place % (4 * runner.cores), block) for place, block in enumerate(some))
    if sum(block.end - block.start for block in some) <= COUNTED_AT_ONCE_BYTES_MAX:
        counted = runner.call(cutting.count_lines, asked, cutting.LINE_COUNTS)
    else:
        counted = runner.hand_out(asked).map(cutting.count_lines, cutting.LINE_COUNTS).collect()
    lines = {(row["path"], row["start"]): row["lines"] for row in counted.to_pylist()}
    return cutting.number_lines(blocks, [lines.get((block.path, block.start), 0) for block in blocks])


def _look_at_files(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Yield the files of paths, as `FILE_HEADS`, with the beginning of some of them. This is a task."""
    paths = [path for batch in batches for path in batch.column("path").to_pylist()]
    try:
        files = list_files(paths)
    except UnknownFileSystem:
        yield from pa.Table.from_pylist([{"is_unknown": True}], FILE_HEADS).to_batches()
        return
    heads = read_heads([file for file in files if file.bytes])
    rows = [
        {"path": file.path, "name": file.name, "bytes": file.bytes, "version": file.version, "is_unknown": False}
        | {"head": heads.get(file.path), "has_index": parquet.has_index(file.path, heads.get(file.path) or b"")}
        for file in files
    ]
    yield from pa.Table.from_pylist(rows, FILE_HEADS).to_batches()


def _prepare_spans(wanted: Wanted, rows: pa.Table) -> ReadRows:
    events, unnamed = spans.resolve_spans(rows)
    kept, refused = doubtful_rows.refuse_bad_events(events.select(wanted.events.names))
    return ReadRows(kept, refused, unnamed=unnamed)


def _prepare_clocks(files: Sequence[str], rows: pa.Table) -> ReadRows:
    named = rows
    if len(files) > 1 and shiviz_runs.shares_events(rows):
        named = shiviz_runs.name_runs_after_files(rows, files)
    return ReadRows(*shiviz_runs.find_clock_gaps(named))


def _note_missing(expressions: Expressions, heads: Mapping[str, bytes]) -> tuple[str, ...]:
    return () if expressions.mapping is None else note_what_is_missing(heads, expressions.mapping, HEAD_BYTES)


def _note_empty(listed: Sequence[InputFile]) -> tuple[str, ...]:
    empty = [file.name for file in listed if not file.bytes]
    if not empty:
        return ()
    others = f" and {len(empty) - 1:,} others" if len(empty) > 1 else ""
    return (f"{empty[0]}{others}: empty, so nothing was read of it",)
