"""The whole way of a huge run through windows, without Spark: the same tasks, and the plan done here by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa

from antecede.pipeline.kernel.encode import DELIVER
from antecede.pipeline.verify import tasks
from antecede.pipeline.windows import summaries
from antecede.pipeline.windows.compose import shifts
from antecede.pipeline.windows.parts import Numbered, Parts
from tests.pipeline.traces import Row, coded

Dicts = list[dict[str, Any]]


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


def uncut(rows: Sequence[Row]) -> Numbered:
    times = [row.time for row in rows if row.time is not None]
    names = tuple(sorted({row.process for row in rows}))
    return Numbered(rows[0].run, names, min(times), max(times), (0,) * len(names))


def through_windows(rows: Sequence[Row], cuts: Sequence[float]) -> Dicts | None:
    """The findings of one run, cut at these shares of its shifted time; None where it can not be cut."""
    kept = effective(rows)
    if not kept or any(row.time is None for row in kept):
        return None
    one = uncut(kept)
    streams = run(tasks.join_messages(Parts((one,)), 1, named=True), dealt(coded(kept)))
    pairs = summaries.opened(streams["rows"]).to_pylist()
    links = [row for row in pairs if row["role"] == DELIVER and row["first"] and row["sender"] >= 0]
    sender, receiver, slack = (
        np.array([row[name] for row in links], np.int64) for name in ("sender", "process", "slack")
    )
    shift = shifts(len(one.processes), sender, receiver, slack)
    if shift is None:
        return None
    ticks = [row["tick"] + int(shift[row["process"]]) for row in pairs]
    low, span = min(ticks), max(ticks) - min(ticks)
    bounds = tuple(sorted({low + round(span * share) for share in cuts}))
    return _findings(kept, Parts((replace(one, shifts=tuple(shift.tolist()), cuts=bounds),)))


def _findings(kept: Sequence[Row], parts: Parts) -> Dicts | None:
    streams = run(tasks.join_messages(parts, 3, named=True), dealt(coded(kept))).to_pylist()
    each = [pa.Table.from_pylist([row for row in streams if row["task"] == task], tasks.DEALT) for task in range(3)]
    windows = pa.concat_tables(run(tasks.summarise_windows(parts), one, summaries.WINDOWS) for one in each)
    what = [row["what"] for row in windows.select(["what"]).to_pylist()]
    spans = [row for row in windows.to_pylist() if row["what"] == summaries.SPAN]
    for before, after in pairwise(sorted(spans, key=itemgetter("process", "part"))):
        if before["process"] == after["process"] and before["high"] > after["low"]:
            return None
    assert all(row["low"] >= 0 for row in windows.to_pylist() if row["what"] == summaries.LINK)
    ends = windows.filter(pa.array([kind in (summaries.END, summaries.CYCLIC) for kind in what])).sort_by("part")
    states = run(tasks.compose(parts), ends, tasks.STATES)
    rows = windows.filter(pa.array([kind == summaries.ROWS for kind in what])).select(["part", "rows"])
    both = pa.concat_tables([rows, states], promote_options="default")
    return run(tasks.verify_windows(parts, [0], detail=True), both).to_pylist()


def dealt(table: pa.Table) -> pa.Table:
    """The rows as a task gets them: as streams."""
    return run(tasks.deal(1), table.append_column("task", pa.array([0] * table.num_rows, pa.int32())), tasks.DEALT)


def run(task: tasks.Task, table: pa.Table, empty: pa.Schema | None = None) -> pa.Table:
    batches = list(task(table.to_batches(max_chunksize=7)))
    return pa.Table.from_batches(batches, batches[0].schema if batches else empty)
