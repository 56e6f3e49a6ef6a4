"""The whole way of a huge run through windows, without Spark: the same tasks, and the plan done here by hand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from antecede.pipeline import tasks
from antecede.pipeline.lanes import CROSSING
from antecede.pipeline.normalise import DELIVER, SEND
from antecede.pipeline.paired import Numbered
from antecede.pipeline.windows import shifts
from tests.pipeline.verify.traces import Row, coded

Dicts = list[dict[str, Any]]


def numbered(rows: Sequence[Row]) -> Numbered:
    times = [row.time for row in rows if row.time is not None]
    return Numbered(rows[0].run, tuple(sorted({row.process for row in rows})), min(times), max(times))


def effective(rows: Sequence[Row]) -> list[Row]:
    """Sends and delivers alone, with receives for delivers where there are none."""
    kind = "deliver" if any(row.kind == "deliver" for row in rows) else "receive"
    return [
        Row(
            row.run,
            row.process,
            row.index,
            "send" if row.kind == "send" else "deliver",
            row.time,
            row.message,
            row.dests,
        )
        for row in rows
        if row.kind in ("send", kind)
    ]


def cut(pairs: Dicts, run: Numbered, cuts: Sequence[float]) -> Dicts | None:
    """Give every row its window, and the window of its send, by shares of the shifted time; None where no cut is."""
    links = [row for row in pairs if row["role"] == DELIVER and row["first"] and row["sender"] >= 0]
    slack = np.array([row["tick"] - row["sent_tick"] for row in links], np.int64)
    sender, receiver = (np.array([row[name] for row in links], np.int64) for name in ("sender", "process"))
    shift = shifts(len(run.processes), sender, receiver, slack)
    if shift is None:
        return None
    ticks = [row["tick"] + int(shift[row["process"]]) for row in pairs]
    low, high = min(ticks), max(ticks)
    bounds = [low + (high - low) * share for share in cuts]
    for row, tick in zip(pairs, ticks, strict=True):
        sent = row["sent_tick"] + int(shift[row["sender"]]) if row["sender"] >= 0 else tick
        row["part"], row["sent_part"] = (sum(at >= bound for bound in bounds) for at in (tick, sent))
    by_process = sorted(pairs, key=lambda row: (row["process"], row["index"]))
    for before, after in pairwise(by_process):
        if before["process"] == after["process"] and before["part"] > after["part"]:
            return None
    return pairs


def expanded(pairs: Dicts, *, summary: bool) -> Dicts:
    """The rows of each window, and those that cross out of it: once for a summary, for every window to verify."""
    rows: Dicts = list(pairs)
    for row in pairs:
        if row["role"] == DELIVER and row["first"] and row["sender"] >= 0:
            crossed = range(row["sent_part"], row["part"])
            if summary:
                rows += [row | {"role": CROSSING, "part": part, "tick": row["part"]} for part in crossed[:1]]
            elif row["addressed"]:
                rows += [row | {"role": CROSSING, "part": part} for part in crossed]
    return rows


def through_windows(rows: Sequence[Row], cuts: Sequence[float]) -> Dicts | None:
    """The findings of one run, cut at these shares of its time; None where it can not be cut."""
    kept = effective(rows)
    if not kept or any(row.time is None for row in kept):
        return None
    parts = tasks.Parts((numbered(kept),), (0, len(cuts) + 1))
    pairs = _run(tasks.join_messages(parts.runs, detail=True), coded(kept))
    cutting = cut(pairs.to_pylist(), parts.runs[0], cuts)
    if cutting is None:
        return None
    schema = pairs.schema.append(pa.field("part", pa.int32()))
    summarised = [
        row for row in expanded(cutting, summary=True) if (row["first"] and row["sender"] >= 0) or row["role"] == SEND
    ]
    ends = _run(tasks.summarise_windows(parts), pa.Table.from_pylist(summarised, schema), tasks.ENDS)
    states = _run(tasks.compose(parts), ends.sort_by("part"), tasks.STATES)
    work = pa.Table.from_pylist(expanded(cutting, summary=False), schema)
    known = pa.Table.from_pylist(states.to_pylist(), schema.append(pa.field("known", pa.binary())))
    both = pa.concat_tables([work, known], promote_options="default")
    return _run(tasks.verify_windows(parts, detail=True), both).to_pylist()


def _run(task: tasks.Task, table: pa.Table, empty: pa.Schema | None = None) -> pa.Table:
    batches = list(task(table.to_batches(max_chunksize=7)))
    return pa.Table.from_batches(batches, batches[0].schema if batches else empty)
