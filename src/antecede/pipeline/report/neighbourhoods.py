"""Explain violations of runs that no task has in memory: read the events near each again, and give them to one task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from antecede.pipeline.dealing import DEALT, deal_table, gather, in_chunks
from antecede.pipeline.read.rows import ReadRows
from antecede.pipeline.read.source import Consumer, Source
from antecede.pipeline.report.explanations import (
    ExplainedRun,
    arrange_one,
    can_be_found_by_time,
    explain_one,
    pack_explanations,
    select_near,
)
from antecede.pipeline.results import RESULTS, put_together, tell
from antecede.pipeline.runner import PART, Batches, Task

Row = Mapping[str, Any]


def explain_from_source(
    source: Source, worst: Sequence[Row], runs: Mapping[str, ExplainedRun], *, events_max: int
) -> pa.Table:
    """Return the explanations of violating delivers as rows of `results.EXPLAINED`.

    `worst` are rows of `kernel.findings.DELIVERIES`. If more than `events_max` events lie between the two sends of one,
    its explanation says so.
    """
    if not worst:
        return put_together(RESULTS.empty_table())["explained"]
    by_time = [row for row in worst if can_be_found_by_time(row, runs[row["run"]])]
    others = [explain_one(row, None, runs[row["run"]]) for row in worst if row not in by_time]
    if not by_time:
        return pack_explanations(others)
    dealt = source.map(_pick(by_time, events_max), DEALT).deal(len(by_time))
    results = dealt.map(_explain(by_time, runs, events_max), RESULTS).collect()
    return pa.concat_tables([put_together(results)["explained"], pack_explanations(others)])


def _pick(rows: Sequence[Row], events_max: int) -> Consumer:
    """Return a consumer that deals the events near each violation to a part of its own, up to one more than the limit."""

    def consume(read: Iterator[ReadRows]) -> Iterator[pa.RecordBatch]:
        left = [events_max + 1] * len(rows)
        for events in in_chunks(one.events for one in read):
            for number, row in enumerate(rows):
                near = select_near(events, row).slice(0, left[number])
                left[number] -= near.num_rows
                marked = near.append_column(PART, pa.array(np.full(near.num_rows, number, np.int32)))
                yield from deal_table(marked, np.full(near.num_rows, number, np.int64), len(rows))

    return consume


def _explain(rows: Sequence[Row], runs: Mapping[str, ExplainedRun], events_max: int) -> Task:
    """Return a task that explains the violation whose events were dealt to it."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        events = gather(batches)
        if events is not None and events.num_rows:
            row = rows[events[PART][0].as_py()]
            run = arrange_one(events.unify_dictionaries()) if events.num_rows <= events_max else None
            yield from tell("explained", pack_explanations([explain_one(row, run, runs[row["run"]])]))

    return task
