"""What runs on the executors: functions from Arrow batches to Arrow batches, for `mapInArrow`.

Each reads its whole partition first, because all of them need all rows of what they work on (a run, a message, a
window), and the plan sees to it that a partition holds those complete and little else. `compose` alone reads as it
goes: its input is one row per end of a window, in the order of windows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from antecede.pipeline.findings import findings
from antecede.pipeline.lanes import CROSSING, Rows
from antecede.pipeline.paired import Names, Numbered, from_table, names_of, pair_messages, paired_runs
from antecede.pipeline.stamp import PROCESSES_MAX, Vectors, stamp, stamp_runs
from antecede.pipeline.windows import NOTHING, Composition, End, Known, summarise

Batches = Iterable[pa.RecordBatch]
Task = Callable[[Batches], Iterator[pa.RecordBatch]]
Longs = npt.NDArray[np.int64]

BATCH_ROWS_MAX = 64 * 1024
KNOWN, CYCLE = 3, 4  # roles of rows that bring a window what the windows before it made known
ENDS = pa.schema(
    [
        ("run", pa.int32()),
        ("part", pa.int32()),
        ("process", pa.int32()),
        ("sent_index", pa.int64()),
        ("reached", pa.list_(pa.int32())),
        ("sends", pa.binary()),
        ("entries", pa.binary()),
        ("cyclic", pa.bool_()),
    ]
)
STATES = pa.schema(
    [
        ("part", pa.int32()),
        ("role", pa.int8()),
        ("process", pa.int32()),
        ("sent_index", pa.int64()),
        ("known", pa.binary()),
    ]
)


@dataclass(frozen=True, slots=True)
class Parts:
    """The windows of all runs that are cut, numbered through: run k has parts starts[k] up to starts[k + 1]."""

    runs: tuple[Numbered, ...]
    starts: tuple[int, ...]

    @property
    def names(self) -> Names:
        return names_of(self.runs)

    def run(self, part: Longs) -> Longs:
        return np.searchsorted(np.array(self.starts), part, side="right") - 1

    def widths(self, part: Longs) -> Longs:
        return np.array([len(self.runs[run].processes) for run in self.run(part).tolist()], np.int64)


def verify_runs(*, detail: bool) -> Task:
    """All rows of some runs to findings."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        table = _gathered(batches)
        if table is None:
            return
        paired = paired_runs(table)
        wide = paired.rows.widths > PROCESSES_MAX
        yield from _cut(findings(paired, stamp_runs(paired.rows, wide), wide=wide, detail=detail))

    return task


def join_messages(runs: Sequence[Numbered], *, detail: bool) -> Task:
    """All rows of some messages to paired rows in numbers; without `detail`, without the messages' names."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        table = _gathered(batches)
        if table is not None:
            paired = pair_messages(table, runs)
            yield from _cut(paired if detail else paired.drop_columns("message"))

    return task


def summarise_windows(parts: Parts) -> Task:
    """The rows of some windows to what their ends have reached. The tick of a crossing is the part it gets to."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        table = _gathered(batches)
        if table is None:
            return
        number, group = _groups(table)
        rows = from_table(table, group, parts.widths(number), parts.run(number)[group], parts.names).rows
        rows = replace(rows, first=np.ones(len(group), np.bool_))
        yield from _cut(_ends(rows, parts, number))

    return task


def compose(parts: Parts) -> Task:
    """The ends of all windows of some runs, in the order of parts, to what is known where."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        for run, rows in groupby(_rows(batches), key=itemgetter("run")):
            composition, cyclic = Composition(len(parts.runs[run].processes)), False
            for part, ends in groupby(rows, key=itemgetter("part")):
                found = list(ends)
                cyclic = cyclic or any(row["cyclic"] for row in found)
                if not cyclic:
                    yield from _states(composition.compose(part, [_end(row) for row in found]))
            if cyclic:
                yield from _cut(_cycle(parts, run))

    return task


def verify_windows(parts: Parts, *, detail: bool) -> Task:
    """The rows of some windows, and what is known where they begin, to findings."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        table = _gathered(batches)
        if table is None:
            return
        number, group = _groups(table)
        role = table["role"].to_numpy()
        cyclic = np.zeros(len(number), np.bool_)
        cyclic[group[role == CYCLE]] = True
        known = _vectors(table.filter(pa.array(role == KNOWN)), group[role == KNOWN])
        events = role < KNOWN
        table, group = table.filter(pa.array(events)), group[events]
        paired = from_table(table, group, parts.widths(number), parts.run(number)[group], parts.names)
        stamped = stamp(paired.rows, known).without(cyclic, group)
        yield from _cut(findings(paired, stamped, detail=detail))

    return task


def _gathered(batches: Batches) -> pa.Table | None:
    kept = [batch for batch in batches if batch.num_rows]
    return pa.Table.from_batches(kept) if kept else None


def _cut(table: pa.Table) -> Iterator[pa.RecordBatch]:
    yield from table.to_batches(max_chunksize=BATCH_ROWS_MAX)


def _groups(table: pa.Table) -> tuple[Longs, Longs]:
    """The parts that have rows here, in order, and the place of each row's part among them."""
    part = table["part"].to_numpy().astype(np.int64)
    if part.min() == part.max():
        return part[:1], np.zeros(len(part), np.int64)
    number, group = np.unique(part, return_inverse=True)
    return number, group.astype(np.int64)


def _ends(rows: Rows, parts: Parts, number: Longs) -> pa.Table:
    ends = summarise(rows)
    offsets = np.concatenate([[0], np.cumsum(rows.widths[ends.group])])
    part = number[ends.group]
    table = pa.table(
        {
            "run": pa.array(parts.run(part), pa.int32()),
            "part": pa.array(part, pa.int32()),
            "process": pa.array(ends.process, pa.int32()),
            "sent_index": ends.sent_index,
            "reached": _reached(rows, int(np.sum(ends.sent_index == NOTHING))),
            "sends": _binary(ends.sends, offsets),
            "entries": _binary(ends.entries, offsets),
            "cyclic": np.zeros(len(part), np.bool_),
        },
        schema=ENDS,
    ).filter(pa.array(~ends.cyclic[ends.group]))
    bad = number[ends.cyclic]
    cyclic = [
        {"run": run, "part": at, "cyclic": True} for run, at in zip(parts.run(bad).tolist(), bad.tolist(), strict=True)
    ]
    return pa.concat_tables([table, pa.Table.from_pylist(cyclic, ENDS)])


def _reached(rows: Rows, states: int) -> pa.Array:
    """By end: the parts where its message is delivered. Messages come after the states, by (group, process, index)."""
    at = np.flatnonzero(rows.role == CROSSING)
    columns = (rows.tick[at], rows.sent_index[at], rows.sender[at], rows.group[at])
    order = np.lexsort(columns)
    part, *identity = (column[order] for column in columns)
    changes = np.ones((2, len(at)), np.bool_)
    changes[1, 1:] = np.any([column[1:] != column[:-1] for column in identity], axis=0)
    changes[0, 1:] = changes[1, 1:] | (part[1:] != part[:-1])
    starts = np.cumsum(changes[0])[changes[1]] - 1
    offsets = np.concatenate([np.zeros(states, np.int64), starts, [int(changes[0].sum())]])
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(part[changes[0]], pa.int32()))


def _binary(values: npt.NDArray[Any], offsets: Longs) -> pa.Array:
    """Flat vectors as one binary value each: Spark hands those on as they are."""
    places = pa.py_buffer((offsets * values.itemsize).astype(np.int32))
    return pa.Array.from_buffers(
        pa.binary(), len(offsets) - 1, [None, places, pa.py_buffer(np.ascontiguousarray(values))]
    )


def _rows(batches: Batches) -> Iterator[dict[str, Any]]:
    for batch in batches:
        yield from batch.to_pylist()


def _end(row: dict[str, Any]) -> End:
    sends, entries = np.frombuffer(row["sends"], np.int64), np.frombuffer(row["entries"], np.bool_)
    return End(row["process"], row["sent_index"], sends, entries, row["reached"] or ())


def _states(known: Iterator[Known]) -> Iterator[pa.RecordBatch]:
    rows = [
        {"part": one.window, "role": KNOWN, "process": one.process, "sent_index": one.sent_index}
        | {"known": one.known.tobytes()}
        for one in known
    ]
    yield from _cut(pa.Table.from_pylist(rows, STATES))


def _cycle(parts: Parts, run: int) -> pa.Table:
    rows = [{"part": part, "role": CYCLE} for part in range(parts.starts[run], parts.starts[run + 1])]
    return pa.Table.from_pylist(rows, STATES)


def _vectors(table: pa.Table, group: Longs) -> Vectors:
    known = np.frombuffer(b"".join(table["known"].to_pylist()), np.int64)
    process = table["process"].to_numpy().astype(np.int64)
    return Vectors(group, process, table["sent_index"].to_numpy().astype(np.int64), known)
