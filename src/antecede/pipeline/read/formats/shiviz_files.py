"""ShiViz logs through Spark: the files as bytes, `shiviz` in an Arrow function, and what only all logs together show.

Whether several files are one execution is not written in them. They are taken for one unless two of them have the
same event (the same host at the same clock value); then each file is its own, named after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as fn

from antecede.pipeline import schema
from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.read import files
from antecede.pipeline.read.formats import shiviz
from antecede.pipeline.read.formats.destinations import destinations

BATCH_ROWS = 10_000
NOTED_FILES_MAX = 20
OUTPUT = """run string, process string, index long, kind string, time double, message string, dests array<string>,
attributes map<string,string>, line long, reason string, row string, file string, layout string, skipped long,
lacking long"""
ARROW = pa.schema(
    [
        ("run", pa.string()),
        ("process", pa.string()),
        ("index", pa.int64()),
        ("kind", pa.string()),
        ("time", pa.float64()),
        ("message", pa.string()),
        ("dests", pa.list_(pa.string())),
        ("attributes", pa.map_(pa.string(), pa.string())),
        ("line", pa.int64()),
        ("reason", pa.string()),
        ("row", pa.string()),
        ("file", pa.string()),
        ("layout", pa.string()),
        ("skipped", pa.int64()),
        ("lacking", pa.int64()),
    ]
)
"""An event or a refused row; or, where `layout` is set, what there is to say of a whole file."""


def read(
    spark: SparkSession, paths: Sequence[files.File], regex: str | None, delimiter: str | None
) -> tuple[DataFrame, tuple[str, ...]]:
    """Candidates, and per file by which expression it was read and how much was skipped."""
    for file in paths:
        if file.bytes > shiviz.BYTES_MAX:
            raise UnreadableInput(
                f"{file.name}: {file.bytes} bytes, and a ShiViz log is searched whole, up to {shiviz.BYTES_MAX}; "
                "split it between executions or processes, or convert it to JSON Lines"
            )
    for expression, required in ((regex, shiviz.REQUIRED_GROUPS), (delimiter, ())):
        if expression is not None:
            shiviz.compiled(expression, required)  # on the spot, so that a mistake is told before any file is opened
    raw = spark.read.format("binaryFile").load([file.literal for file in paths])
    bytes_of = raw.select(files.file_name().alias("file"), "content")
    found = bytes_of.mapInArrow(_searcher(regex, delimiter), OUTPUT).persist(StorageLevel.MEMORY_AND_DISK)
    notes, lacking = _told(found)
    rows = found.where(fn.col("layout").isNull())
    candidates = _stepping(_run_named(rows) if len(paths) > 1 else rows)
    if lacking:
        candidates, more = destinations(candidates)
        notes = (*notes, *more)
    return schema.conform(candidates, schema.CANDIDATES), notes


def _searcher(
    regex: str | None, delimiter: str | None
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def search(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for name, content in zip(batch["file"].to_pylist(), batch["content"], strict=True):
                yield from _batches(name, content.as_py(), regex, delimiter)

    return search


def _batches(name: str, content: bytes, regex: str | None, delimiter: str | None) -> Iterator[pa.RecordBatch]:
    text, damage = shiviz.decoded(content)
    how = shiviz.layout(text, regex, delimiter)
    skipped = shiviz.Skipped()
    lacking = 0
    pending: list[dict[str, object]] = []
    for row in shiviz.rows(text, how, skipped):
        pending.append(_record(row, name))
        lacking += row.kind == "send" and row.dests is None
        if len(pending) == BATCH_ROWS:
            yield pa.RecordBatch.from_pylist(pending, ARROW)
            pending = []
    if damage is not None:
        rest = shiviz.Row(line=text.count("\n") + 1, reason=f"{damage}; nothing from here on could be read")
        pending.append(_record(rest, name))
    pending.append({"file": name, "layout": how.name, "skipped": skipped.lines, "lacking": lacking})
    yield pa.RecordBatch.from_pylist(pending, ARROW)


def _record(row: shiviz.Row, name: str) -> dict[str, object]:
    attributes = None if row.attributes is None else list(row.attributes.items())
    return {**asdict(row), "attributes": attributes, "file": name}


def _told(found: DataFrame) -> tuple[tuple[str, ...], bool]:
    """A note per file, for the first few; and whether any send lacks its destinations."""
    told = found.where(fn.col("layout").isNotNull())
    noted = fn.slice(fn.array_sort(fn.collect_list(fn.struct("file", "layout", "skipped"))), 1, NOTED_FILES_MAX)
    (all_files,) = told.agg(noted.alias("noted"), fn.sum("lacking").alias("lacking")).collect()
    notes = tuple(
        f"{row.file}: read as a ShiViz log by {row.layout if ' ' in row.layout else f'the {row.layout} expression'}"
        + (f"; lines skipped because the expression does not match them: {row.skipped}" if row.skipped else "")
        for row in all_files.noted
    )
    return notes, bool(all_files.lacking)


def _run_named(events: DataFrame) -> DataFrame:
    valid = events.where(fn.col("reason").isNull())
    same = valid.groupBy("run", "process", "index").agg(fn.count_distinct("file").alias("files"))
    if not same.where(fn.col("files") > 1).limit(1).collect():
        return events
    short = fn.element_at(fn.split("file", "/"), -1)
    return events.withColumn("run", fn.concat_ws(" ", short, fn.nullif("run", fn.lit(""))))


def _stepping(events: DataFrame) -> DataFrame:
    """A host counts its events from 1 by 1; one whose predecessor is not there is not to be trusted."""
    own = Window.partitionBy("run", "process").orderBy("index", "file", "line")
    before = fn.coalesce(fn.lag("index").over(own), fn.lit(0))
    gap = fn.concat(fn.lit("the clock of "), "process", fn.lit(" steps from "), before, fn.lit(" to "), "index")
    checked = events.withColumn("gap", fn.when(fn.col("index") - before > 1, gap))
    return checked.withColumn("reason", fn.coalesce("reason", "gap")).drop("gap")
