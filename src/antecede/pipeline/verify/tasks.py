"""What runs on the executors: functions from Arrow batches to Arrow batches, for `mapInArrow`.

Each reads its whole partition first, because all of them need all rows of what they work on (a run, a message, a
window), and the plan sees to it that a partition holds those complete and little else. `compose` alone reads as it
goes: its input is one row per end of a window, in the order of windows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc

from antecede.pipeline.arrow import fill_table
from antecede.pipeline.kernel.encode import encode
from antecede.pipeline.kernel.findings import findings
from antecede.pipeline.kernel.pair import Paired, paired_runs
from antecede.pipeline.kernel.stamp import Vectors, stamp, stamp_runs
from antecede.pipeline.limits import LIMITS, Limits
from antecede.pipeline.windows.compose import Composition, End, Known, summarise
from antecede.pipeline.windows.parts import Parts, from_table, pair_messages
from antecede.pipeline.windows.summaries import (
    CYCLIC,
    ROWS,
    WINDOWS,
    ends_table,
    facts_table,
    narrow,
    opened,
    stream,
)

Batches = Iterable[pa.RecordBatch]
Task = Callable[[Batches], Iterator[pa.RecordBatch]]
Longs = npt.NDArray[np.int64]

BATCH_ROWS_MAX = 64 * 1024
CHUNK_ROWS = 250_000
KNOWN, CYCLE = 3, 4  # roles of rows that bring a window what the windows before it made known
DEALT = pa.schema([("task", pa.int32()), ("rows", pa.binary())])
STATES = pa.schema(
    [
        ("part", pa.int32()),
        ("role", pa.int8()),
        ("process", pa.int32()),
        ("sent_index", pa.int64()),
        ("known", pa.binary()),
    ]
)
DETAIL = ("time", "sent_time", "message")


def deal(tasks: int) -> Task:
    """Rows to streams of rows, one for each task that is named in the column `task`.

    This is a shuffle of Arrow data: Spark's own would take each row apart, and put it together again for Python.
    """

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        for table in _chunks(batches):
            yield from deal_table(table.drop_columns("task"), table["task"].to_numpy(), tasks)

    return task


def verify_runs(*, detail: bool, worst: int = 0, limits: Limits = LIMITS) -> Task:
    """All rows of some runs to findings."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        table = _gathered(batches)
        if table is None:
            return
        yield from cut(judged(paired_runs(encode(table)), detail=detail, worst=worst, limits=limits))

    return task


def judged(paired: Paired, *, detail: bool, worst: int, limits: Limits) -> pa.Table:
    """Whole runs to findings."""
    stamped = stamp_runs(paired.rows, vector_entries_max=limits.vector_entries_max)
    return findings(paired, stamped, detail=detail, worst=worst)


def join_messages(parts: Parts, tasks: int, *, named: bool) -> Task:
    """All rows of some messages to paired rows in numbers, dealt out to the tasks that have their windows; unless
    `named`, without names and times."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        table = _gathered(batches)
        if table is not None:
            paired = pair_messages(table, parts)
            paired = paired if named else paired.drop_columns(list(DETAIL))
            yield from deal_table(narrow(paired), paired["part"].to_numpy() % tasks, tasks)

    return task


def summarise_windows(parts: Parts) -> Task:
    """The rows of some windows to what their ends have reached, what the plan has to know, and the rows themselves."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        table = _gathered(batches)
        if table is None:
            return
        number, group = _groups(table)
        rows = from_table(table, number, group, parts).rows
        ends = summarise(rows, table["reached"].to_numpy())
        yield from cut(ends_table(rows, ends, parts, number))
        yield from cut(facts_table(rows, ends, parts, number, table["slack"].to_numpy()))
        yield from cut(fill_table(WINDOWS, 1, what=[ROWS], part=number[:1], rows=[stream(table.drop_columns("slack"))]))

    return task


def compose(parts: Parts) -> Task:
    """The ends of all windows of some runs, in the order of parts, to what is known where."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        for run, rows in groupby(_rows(batches), key=itemgetter("run")):
            composition, cyclic = Composition(len(parts.runs[run].processes)), False
            for part, ends in groupby(rows, key=itemgetter("part")):
                found = list(ends)
                cyclic = cyclic or any(row["what"] == CYCLIC for row in found)
                if not cyclic:
                    yield from _states(composition.compose(part, [_end(row) for row in found]))
            if cyclic:
                yield from cut(_cycle(parts, run))

    return task


def verify_windows(parts: Parts, good: Sequence[int], *, detail: bool, worst: int = 0) -> Task:
    """The rows of some windows, and what is known where they begin, to findings; those of the good runs alone."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        kept = [batch for batch in batches if batch.num_rows]
        if not kept:
            return
        received = pa.Table.from_batches(kept)
        table = opened(received["rows"])
        states = received.filter(pc.is_valid(received["role"]))
        table = table.filter(pa.array(np.isin(parts.run(table["part"].to_numpy()), good)))
        if table.num_rows:
            yield from cut(_verified(table, states, parts, detail=detail, worst=worst))

    return task


def _verified(table: pa.Table, states: pa.Table, parts: Parts, *, detail: bool, worst: int) -> pa.Table:
    number, group = _groups(table)
    paired = from_table(table, number, group, parts)
    role, of_state = states["role"].to_numpy(), np.searchsorted(number, states["part"].to_numpy())
    cyclic = np.zeros(len(number), np.bool_)
    cyclic[of_state[role == CYCLE]] = True
    known = _vectors(states.filter(pa.array(role == KNOWN)), of_state[role == KNOWN])
    return findings(paired, stamp(paired.rows, known).without(cyclic, group), detail=detail, worst=worst)


def _gathered(batches: Batches) -> pa.Table | None:
    """All rows that were dealt to this task."""
    streams = [batch.column("rows") for batch in batches if batch.num_rows]
    return opened(pa.chunked_array(streams)) if streams else None


def _chunks(batches: Batches) -> Iterator[pa.Table]:
    """The batches, put together to tables of some size."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(one.num_rows for one in held) >= CHUNK_ROWS:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)


def deal_table(table: pa.Table, at: npt.NDArray[Any], tasks: int) -> Iterator[pa.RecordBatch]:
    """A table as streams, one for each task that any of its rows is for."""
    narrow = np.uint16 if tasks <= 2**16 else np.int64  # NumPy sorts 16 bits by radix
    order, ends = np.argsort(at.astype(narrow), kind="stable"), np.cumsum(np.bincount(at, minlength=tasks))
    table = table.take(pa.array(order))
    for number, (start, end) in enumerate(pairwise([0, *ends.tolist()])):
        if start < end:
            yield from cut(fill_table(DEALT, 1, task=[number], rows=[stream(table.slice(start, end - start))]))


def cut(table: pa.Table) -> Iterator[pa.RecordBatch]:
    """In batches that Spark takes."""
    yield from table.to_batches(max_chunksize=BATCH_ROWS_MAX)


def _groups(table: pa.Table) -> tuple[Longs, Longs]:
    """The parts that have rows here, in order, and the place of each row's part among them."""
    part = table["part"].to_numpy().astype(np.int64)
    if part.min() == part.max():
        return part[:1], np.zeros(len(part), np.int64)
    number, group = np.unique(part, return_inverse=True)
    return number, group.astype(np.int64)


def _rows(batches: Batches) -> Iterator[dict[str, Any]]:
    for batch in batches:
        yield from batch.to_pylist()


def _end(row: dict[str, Any]) -> End:
    sends, entries = np.frombuffer(row["sends"], np.int64), np.frombuffer(row["entries"], np.bool_)
    return End(row["process"], row["low"], sends, entries, row["reached"] or ())


def _states(known: Iterator[Known]) -> Iterator[pa.RecordBatch]:
    rows = [
        {"part": one.window, "role": KNOWN, "process": one.process, "sent_index": one.sent_index}
        | {"known": one.known.tobytes()}
        for one in known
    ]
    yield from cut(pa.Table.from_pylist(rows, STATES))


def _cycle(parts: Parts, run: int) -> pa.Table:
    part = np.arange(parts.starts[run], parts.starts[run + 1])
    return fill_table(STATES, len(part), part=part, role=np.full(len(part), CYCLE))


def _vectors(table: pa.Table, group: Longs) -> Vectors:
    known = np.frombuffer(b"".join(table["known"].to_pylist()), np.int64)
    process = table["process"].to_numpy().astype(np.int64)
    return Vectors(group, process, table["sent_index"].to_numpy().astype(np.int64), known)
