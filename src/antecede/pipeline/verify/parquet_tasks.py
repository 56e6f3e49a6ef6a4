"""What runs on the executors to read Parquet files there: functions from row groups to Arrow batches, for `mapInArrow`.

`look` tells whether the files are fit for it, `look_at_shapes` what they are made of, `survey` counts and doubts
(`survey`), `compare` looks for numbers that come twice, `deal_runs` and `deal_messages` pass on what counts, to the
tasks that have a run, or a message, complete.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from zlib import crc32

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline.arrow import Doubles, codes, kind_codes
from antecede.pipeline.kernel.encode import DELIVER, RECEIVE
from antecede.pipeline.read import row_groups
from antecede.pipeline.read.row_groups import Lines
from antecede.pipeline.report.explanations import Span
from antecede.pipeline.verify import survey as facts
from antecede.pipeline.verify.tasks import Batches, Task, cut, deal_table
from antecede.pipeline.windows.summaries import plain

DEALT_ROWS = 250_000
NAMES_MAX = 1_000  # in a dictionary that goes with a stream; where there are more, each row has its own
PICKED = plain(row_groups.COLUMNS)


def look(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Files to the rows of their row groups, null where they are not for Arrow to read; to how many of these each run
    has, as JSON, null where there are many runs; and to their versions."""
    for batch in batches:
        paths = batch.column("path").to_pylist()
        versions = pa.array([row_groups.version(path) for path in paths], pa.string())
        found = pa.array([row_groups.fitness(path) for path in paths], pa.list_(pa.int64()))
        runs = pa.array([json.dumps(row_groups.runs(path)) for path in paths])
        yield pa.record_batch({"path": batch.column("path"), "rows": found, "runs": runs, "version": versions})


def look_at_shapes(names: list[str]) -> Task:
    """Files to their shapes, as far as columns of these names go; null where Arrow cannot open the footer."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            shapes = [row_groups.shape(path, names) for path in batch.column("path").to_pylist()]
            found = pa.array([shape and list(shape) for shape in shapes], pa.map_(pa.string(), pa.string()))
            yield pa.record_batch({"path": batch.column("path"), "shape": found})

    return task


def survey(tasks: int, left_out: Lines, *, trusted: bool) -> Task:
    """Row groups to facts."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        for table in _read(batches, left_out, others=True):
            for found in facts.facts(table, tasks, trusted=trusted):
                yield from cut(found)

    return task


def compare(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Numbers to whether any of them comes twice."""
    numbers = [number for batch in batches for number in batch.column("numbers").to_pylist()]
    yield pa.record_batch({"twice": [facts.twice(numbers)]})


def deal_runs(tasks: int, left_out: Lines, *, receives: bool, without: Sequence[str]) -> Task:
    """Row groups to streams of what counts, all rows of a run for the same task."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        for table in _chunks(_read(batches, left_out)):
            run, names = codes(table["run"])
            kind = kind_codes(table["kind"], facts.CODED)
            kept = (kind >= 0) if receives else (kind >= 0) & (kind != RECEIVE)
            if without:
                kept &= ~_among(names, without)[run]
            at = np.array([crc32(name.encode()) % tasks for name in names.to_pylist()], np.int64)[run]
            yield from deal_table(_coded(table, kind, kept), at[kept], tasks)

    return task


def deal_messages(tasks: int, left_out: Lines, *, runs: Sequence[str], receiving: Sequence[str]) -> Task:
    """Row groups to streams of what counts in these runs, all rows of a message for the same task."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        for table in _chunks(_read(batches, left_out)):
            run, names = codes(table["run"])
            kind = kind_codes(table["kind"], facts.CODED)
            if receiving:
                kind = np.where(_among(names, receiving)[run] & (kind == RECEIVE), np.int8(DELIVER), kind)
            kept = (kind >= 0) & (kind != RECEIVE) & _among(names, runs)[run]
            coded = _coded(table, kind, kept)
            number = facts.hashes(coded["message"], np.zeros(coded.num_rows, np.int64))
            yield from deal_table(coded, number % tasks, tasks)

    return task


def pick(left_out: Lines, spans: Sequence[Span]) -> Task:
    """Row groups to the events that any of these spans asks for, and maybe some of other runs in their time."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        edges, messages = _edges(spans), pa.array(sorted({m for one in spans for m in (one.overtaken, one.overtaking)}))
        runs = pa.array(sorted({one.run for one in spans}))
        for table in _read(batches, left_out):
            inside = np.searchsorted(edges, table["time"].to_numpy(), side="right") % 2 == 1
            near = pc.or_(pa.array(inside), pc.fill_null(pc.is_in(table["message"], messages), False))
            found = table.filter(pc.and_(near, pc.is_in(table["run"].cast(pa.string()), runs)))
            yield from cut(found.cast(PICKED))

    return task


def _among(names: pa.Array, chosen: Sequence[str]) -> npt.NDArray[np.bool_]:
    wanted = set(chosen)
    return np.array([name in wanted for name in names.to_pylist()], np.bool_)


def _edges(spans: Sequence[Span]) -> Doubles:
    """Where the spans, taken together, begin and end by time, in turns; an end is the next number after it."""
    edges: list[float] = []
    for start, end in sorted((one.from_time, np.nextafter(one.to_time, np.inf)) for one in spans):
        if edges and start <= edges[-1]:
            edges[-1] = max(edges[-1], end)
        elif start < end:
            edges += [start, end]
    return np.array(edges, np.float64)


def _read(batches: Batches, left_out: Lines, *, others: bool = False) -> Iterator[pa.Table]:
    for batch in batches:
        for split in batch.to_pylist():
            yield from row_groups.read_split(split, left_out, others=others)


def _chunks(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """The tables, put together to some size: each becomes a stream for every task."""
    held: list[pa.Table] = []
    for table in tables:
        held.append(table)
        if sum(one.num_rows for one in held) >= DEALT_ROWS:
            yield pa.concat_tables(held).unify_dictionaries().combine_chunks()
            held = []
    if held:
        yield pa.concat_tables(held).unify_dictionaries().combine_chunks()


def _coded(
    table: pa.Table, kind: npt.NDArray[np.int8], kept: npt.NDArray[np.bool_], *, names_max: int = NAMES_MAX
) -> pa.Table:
    """The rows kept, with codes for kinds, and without dictionaries of more than `names_max` names, which are too large
    to go with every stream."""
    coded = table.set_column(table.column_names.index("kind"), "kind", pa.array(kind))
    coded = coded if kept.all() else coded.filter(pa.array(kept))
    large = any(len(chunk.dictionary) > names_max for name in ("run", "process") for chunk in coded[name].chunks)
    large |= any(len(chunk.values.dictionary) > names_max for chunk in coded["dests"].chunks)
    return coded.cast(plain(coded.schema)) if large else coded
