"""What runs on the executors: functions from Arrow batches to Arrow batches, for `mapInArrow`.

Each reads its whole partition first, because all of them need all rows of what they work on (a run, a message, a window)
and the plan sees to it that a partition holds those complete and little else. `compose` alone reads as it goes:
its input is one row per end of a window, in the order of windows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from antecede.pipeline.findings import findings
from antecede.pipeline.lanes import CROSSING, Rows
from antecede.pipeline.normalise import mask
from antecede.pipeline.paired import Numbered, from_table, names_of, pair_messages, paired_runs
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
        ("window", pa.int32()),
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
        ("run", pa.int32()),
        ("window", pa.int32()),
        ("role", pa.int8()),
        ("process", pa.int32()),
        ("sent_index", pa.int64()),
        ("known", pa.binary()),
    ]
)


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


def join_messages(runs: Sequence[Numbered]) -> Task:
    """All rows of some messages to paired rows in numbers."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        table = _gathered(batches)
        if table is not None:
            yield from _cut(pair_messages(table, runs))

    return task


def summarise_windows(runs: Sequence[Numbered]) -> Task:
    """The rows of some windows to what their ends have reached."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        table = _gathered(batches)
        if table is None:
            return
        keys, group = _groups(table)
        rows = from_table(table, group, _widths(keys, runs), names_of(())).rows
        yield from _cut(_ends(rows, keys, table["reached"].to_numpy()))

    return task


def compose(runs: Sequence[Numbered], windows: Sequence[int]) -> Task:
    """The ends of all windows of some runs, in the order of (run, window), to what is known where."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        for run, rows in groupby(_rows(batches), key=itemgetter("run")):
            composition, cyclic = Composition(len(runs[run].processes)), False
            for window, ends in groupby(rows, key=itemgetter("window")):
                found = list(ends)
                cyclic = cyclic or any(row["cyclic"] for row in found)
                if not cyclic:
                    yield from _states(run, composition.compose(window, [_end(row) for row in found]))
            if cyclic:
                yield from _cut(_cycle(run, windows[run]))

    return task


def verify_windows(runs: Sequence[Numbered], *, detail: bool) -> Task:
    """The rows of some windows, and what is known where they begin, to findings."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        table = _gathered(batches)
        if table is None:
            return
        keys, group = _groups(table)
        role = table["role"].to_numpy()
        cyclic = np.zeros(len(keys), np.bool_)
        cyclic[group[role == CYCLE]] = True
        events = role < KNOWN
        paired = from_table(table.filter(pa.array(events)), group[events], _widths(keys, runs), names_of(runs))
        stamped = stamp(paired.rows, _vectors(table.filter(pa.array(role == KNOWN)), group[role == KNOWN]))
        yield from _cut(findings(paired, stamped.without(cyclic, paired.rows.group), detail=detail))

    return task


def _gathered(batches: Batches) -> pa.Table | None:
    kept = [batch for batch in batches if batch.num_rows]
    return pa.Table.from_batches(kept) if kept else None


def _cut(table: pa.Table) -> Iterator[pa.RecordBatch]:
    yield from table.combine_chunks().to_batches(max_chunksize=BATCH_ROWS_MAX)


def _groups(table: pa.Table) -> tuple[Longs, Longs]:
    """The windows in the table as run << 32 | window, in order, and the place of each row's among them."""
    keys = table["run"].to_numpy().astype(np.int64) << 32 | table["window"].to_numpy()
    if len(keys) and keys.min() == keys.max():
        return keys[:1], np.zeros(len(keys), np.int64)
    distinct, group = np.unique(keys, return_inverse=True)
    return distinct, group.astype(np.int64)


def _widths(keys: Longs, runs: Sequence[Numbered]) -> Longs:
    return np.array([len(runs[run].processes) for run in (keys >> 32).tolist()], np.int64)


def _ends(rows: Rows, keys: Longs, reached: npt.NDArray[Any]) -> pa.Table:
    ends = summarise(rows)
    width = rows.widths[ends.group]
    offsets = np.concatenate([[0], np.cumsum(width)])
    whole = ~ends.cyclic[ends.group]
    table = pa.table(
        {
            "run": pa.array(keys[ends.group] >> 32, pa.int32()),
            "window": pa.array(keys[ends.group] & 0xFFFFFFFF, pa.int32()),
            "process": pa.array(ends.process, pa.int32()),
            "sent_index": ends.sent_index,
            "reached": _reached(rows, ends.sent_index, reached),
            "sends": _binary(ends.sends, offsets),
            "entries": _binary(ends.entries, offsets),
            "cyclic": np.zeros(len(whole), np.bool_),
        },
        schema=ENDS,
    ).filter(pa.array(whole))
    cyclic = [
        {"run": int(key) >> 32, "window": int(key) & 0xFFFFFFFF, "cyclic": True} for key in keys[ends.cyclic].tolist()
    ]
    return pa.concat_tables([table, pa.Table.from_pylist(cyclic, ENDS)])


def _reached(rows: Rows, sent_index: Longs, reached: npt.NDArray[Any]) -> pa.Array:
    """By end: the windows where its message is delivered. Ends that are messages come last, by (process, index)."""
    at = np.flatnonzero(rows.role == CROSSING)
    columns = (reached[at].astype(np.int64), rows.sent_index[at], rows.sender[at], rows.group[at])
    order = np.lexsort(columns)
    window, *identity = (column[order] for column in columns)
    changes = np.ones((2, len(at)), np.bool_)
    changes[1, 1:] = np.any([column[1:] != column[:-1] for column in identity], axis=0)
    changes[0, 1:] = changes[1, 1:] | (window[1:] != window[:-1])
    starts = np.cumsum(changes[0])[changes[1]] - 1
    states = np.zeros(int(np.sum(sent_index == NOTHING)), np.int64)
    offsets = np.concatenate([states, starts, [int(changes[0].sum())]])
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(window[changes[0]], pa.int32()))


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


def _states(run: int, known: Iterator[Known]) -> Iterator[pa.RecordBatch]:
    rows = [
        {"run": run, "window": one.window, "role": KNOWN, "process": one.process, "sent_index": one.sent_index}
        | {"known": one.known.tobytes()}
        for one in known
    ]
    yield from _cut(pa.Table.from_pylist(rows, STATES))


def _cycle(run: int, windows: int) -> pa.Table:
    return pa.Table.from_pylist([{"run": run, "window": window, "role": CYCLE} for window in range(windows)], STATES)


def _vectors(table: pa.Table, group: Longs) -> Vectors:
    known = np.frombuffer(b"".join(table["known"].to_pylist()), np.int64)
    process = table["process"].to_numpy().astype(np.int64)
    return Vectors(group, process, table["sent_index"].to_numpy().astype(np.int64), known)
