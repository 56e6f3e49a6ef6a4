"""Take one run through windows: the tasks of `antecede.pipeline.windows`, with cuts that a test chooses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa

from antecede.pipeline.arrow import DELIVER
from antecede.pipeline.dealing import DEALT, deal_table, gather
from antecede.pipeline.kernel.counts import count_by_process
from antecede.pipeline.results import put_together
from antecede.pipeline.runner import InProcess, Task
from antecede.pipeline.verify.judge import add_up_runs
from antecede.pipeline.verify.window_tasks import judge_windows
from antecede.pipeline.windows.compose import shifts
from antecede.pipeline.windows.cut import Windows
from antecede.pipeline.windows.summaries import DEALT_LINKS, DEALT_SPANS
from antecede.pipeline.windows.tasks import join_messages, summarise_windows
from antecede.pipeline.windows.window_plan import CutRun, WindowPlan
from tests.pipeline.traces import Row, coded, table

TASKS = 3


@dataclass(frozen=True, slots=True)
class Composed:
    """What was found in the windows of one run: all that is counted of it, and the violating delivers."""

    counts: dict[str, int]
    violations: list[dict[str, Any]]


def effective(rows: Sequence[Row]) -> list[Row]:
    """Return the sends and delivers alone. If there are no delivers, receives stand for them."""
    kind = "deliver" if any(row.kind == "deliver" for row in rows) else "receive"
    kept = [row for row in rows if row.kind in ("send", kind)]
    return [row if row.kind == "send" else replace(row, kind="deliver") for row in kept]


def uncut(rows: Sequence[Row]) -> CutRun:
    """Return a run without any cuts."""
    times = [row.time for row in rows if row.time is not None]
    names = tuple(sorted({row.process for row in rows}))
    return CutRun(rows[0].run, names, min(times), max(times), (0,) * len(names))


def through_windows(rows: Sequence[Row], cuts: Sequence[float]) -> Composed | None:
    """Return what is found in one run, cut at these shares of its shifted time, or None if it cannot be cut."""
    kept = effective(rows)
    if not kept or any(row.time is None for row in kept):
        return None
    one = uncut(kept)
    joined = gather(run(join_messages(WindowPlan((one,)), 1), dealt(coded(kept))))
    assert joined is not None
    pairs = joined.to_pylist()
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
    return _compose(kept, WindowPlan((replace(one, shifts=tuple(shift.tolist()), cuts=bounds),)))


def _compose(kept: Sequence[Row], plan: WindowPlan) -> Composed | None:
    windows = (
        InProcess()
        .hand_out(dealt(coded(kept)))
        .map(join_messages(plan, TASKS), DEALT)
        .deal(TASKS)
        .map(summarise_windows(plan, TASKS), DEALT)
        .keep()
    )
    facts = windows.where("name", (DEALT_LINKS, DEALT_SPANS)).collect().to_batches()
    links, found = gather(facts, DEALT_LINKS), gather(facts, DEALT_SPANS)
    assert links is not None
    assert found is not None
    spans = sorted(found.to_pylist(), key=itemgetter("process", "window"))
    for before, after in pairwise(spans):
        if before["process"] == after["process"] and before["high"] > after["low"]:
            return None
    assert all(slack >= 0 for slack in links["slack"].to_pylist())
    entered = Windows(plan, TASKS, windows, (0,)).rows_and_states()
    told = put_together(entered.map(judge_windows(plan, [0], worst=10**6), DEALT).collect())
    sizes, _ = count_by_process(table(kept))
    (counts,) = add_up_runs(told["parts"], sizes).to_pylist()
    return Composed(counts, told["worst"].to_pylist())


def dealt(table: pa.Table) -> pa.Table:
    """Return the rows as a task gets them: as streams."""
    part = np.zeros(table.num_rows, np.int64)
    return pa.Table.from_batches(deal_table(table, part, 1), DEALT)


def run(task: Task, table: pa.Table) -> Iterator[pa.RecordBatch]:
    """Run a task on a table in small batches."""
    return task(table.to_batches(max_chunksize=7))
