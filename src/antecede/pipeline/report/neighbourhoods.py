"""Explain violations of runs that no task has in memory. The events near a violation are read again, for one task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline.dealing import DEALT, deal_table, gather, in_chunks
from antecede.pipeline.read.rows import ReadRows
from antecede.pipeline.read.source import Consumer, Source
from antecede.pipeline.report.explanations import (
    WHOLE_RUN_EVENTS_MAX,
    ExplainedRun,
    arrange_one,
    can_be_found_by_time,
    explain_one,
    pack_explanations,
    select_near,
)
from antecede.pipeline.results import EXPLAINED, put_together, tell
from antecede.pipeline.runner import PART, Batches, Task

Row = Mapping[str, Any]


def explain_from_source(
    source: Source, worst: Sequence[Row], runs: Mapping[str, ExplainedRun], *, events_max: int
) -> pa.Table:
    """Return the explanations of violating delivers as rows of `results.EXPLAINED`.

    `worst` are rows of `kernel.findings.DELIVERY_FINDINGS`, and `runs` has the counts of their runs. If more than
    `events_max` events lie between the two sends of a violation, its explanation says so.
    """
    if not worst:
        return EXPLAINED.empty_table()
    near = [row for row in worst if _can_be_fetched(row, runs[row["run"]], events_max)]
    others = [explain_one(row, None, runs[row["run"]]) for row in worst if row not in near]
    if not near:
        return pack_explanations(others)
    dealt = source.map(_pick(near, runs, events_max), DEALT).deal(len(near))
    results = dealt.map(_explain(near, runs, events_max), DEALT).collect()
    return pa.concat_tables([put_together(results)["explained"], pack_explanations(others)])


def _can_be_fetched(row: Row, size: ExplainedRun, events_max: int) -> bool:
    return can_be_found_by_time(row, size) or size.events <= events_max


def _select(events: pa.Table, row: Row, size: ExplainedRun) -> pa.Table:
    """Return the events near a violation: all events of a small run, or those between the two sends."""
    if size.events <= WHOLE_RUN_EVENTS_MAX or not can_be_found_by_time(row, size):
        return events.filter(pc.equal(events["run"].cast(pa.string()), row["run"]))
    return select_near(events, row)


def _pick(rows: Sequence[Row], runs: Mapping[str, ExplainedRun], events_max: int) -> Consumer:
    """Return a consumer that deals the events near each violation to a part of its own.

    It deals at most one event more than `events_max` to each part, so that the task there can tell that there are too
    many.
    """

    def consume(read: Iterator[ReadRows]) -> Iterator[pa.RecordBatch]:
        left = [events_max + 1] * len(rows)
        for events in in_chunks(one.events for one in read):
            for number, row in enumerate(rows):
                near = _select(events, row, runs[row["run"]]).slice(0, left[number])
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
