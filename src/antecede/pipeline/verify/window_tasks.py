"""Judge windows of large runs, each from the state that is known when it is entered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from antecede.pipeline.arrow import Longs, unpack
from antecede.pipeline.kernel import findings
from antecede.pipeline.kernel.stamp import Vectors, stamp
from antecede.pipeline.results import Told, tell
from antecede.pipeline.runner import Batches, Task
from antecede.pipeline.verify.tasks import SKEW_TOLD_MAX
from antecede.pipeline.verify.window_tables import write_window_tables
from antecede.pipeline.windows.summaries import CYCLE, KNOWN, ROWS
from antecede.pipeline.windows.tasks import group_by_window
from antecede.pipeline.windows.window_plan import WindowPlan, from_table


def judge_windows(plan: WindowPlan, good: Sequence[int], *, worst: int, folder: str | None = None) -> Task:
    """Return a task that judges the windows of the good runs that were dealt to it, and writes tables to `folder`."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        kept = [batch for batch in batches if batch.num_rows]
        if not kept:
            return
        received = pa.Table.from_batches(kept)
        what = received["what"].to_numpy()
        table = unpack(value.as_buffer() for value in received["rows"].filter(pa.array(what == ROWS)))
        if table is None:
            return
        table = table.filter(pa.array(np.isin(plan.run(table["window"].to_numpy()), list(good))))
        if table.num_rows:
            yield from _judge(table, received.filter(pa.array(np.isin(what, [KNOWN, CYCLE]))), plan, worst, folder)

    return task


def _judge(table: pa.Table, states: pa.Table, plan: WindowPlan, worst: int, folder: str | None) -> Told:
    number, group = group_by_window(table)
    paired = from_table(table, number, group, plan)
    states = states.filter(pa.array(np.isin(states["window"].to_numpy(), number)))  # a window may have no rows
    what, place = states["what"].to_numpy(), np.searchsorted(number, states["window"].to_numpy())
    cyclic = np.zeros(len(number), np.bool_)
    cyclic[place[what == CYCLE]] = True
    known = _vectors(states.filter(pa.array(what == KNOWN)), place[what == KNOWN])
    stamped = stamp(paired.rows, known).without(cyclic, group)
    skew = findings.skewed_links(paired)
    early = skew.group_by("run").aggregate([("early", "sum")]).rename_columns(["run", "early"])
    tallies = findings.tallies(paired, stamped).to_pylist()
    early_of = {row["run"]: row["early"] for row in early.to_pylist()}
    rows = [
        dict.fromkeys(findings.RUN_COUNTS.names, 0) | row | {"early": early_of.get(row["run"], 0)} for row in tallies
    ]
    yield from tell("parts", pa.Table.from_pylist(rows, findings.RUN_COUNTS))
    yield from tell("skew", skew.sort_by([("worst_s", "descending")]).slice(0, SKEW_TOLD_MAX))
    if folder is not None:
        yield from write_window_tables(paired, stamped, table, folder)
    if worst:
        yield from tell("worst", findings.worst_deliveries(paired, stamped, worst))


def _vectors(table: pa.Table, group: Longs) -> Vectors:
    known = np.frombuffer(b"".join(table["known"].to_pylist()), np.int64)
    process = table["process"].to_numpy().astype(np.int64)
    return Vectors(group, process, table["low"].to_numpy().astype(np.int64), known)
