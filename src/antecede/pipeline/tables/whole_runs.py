"""Make all tables of whole runs that were judged in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from antecede.judge.trace import arrange
from antecede.pipeline.arrow import without_dictionaries
from antecede.pipeline.read.rows import to_events
from antecede.pipeline.tables import clock_edges, measures
from antecede.pipeline.tables.hold_back import EVENTS_MAX, hold_backs

NEEDLESS = pa.schema([("run", pa.string()), ("process", pa.string()), ("index", pa.int64()), ("needless", pa.bool_())])


def make_tables(
    events: pa.Table, counts: pa.Table, runs: pa.Table, messages: pa.Table, deliveries: pa.Table
) -> tuple[dict[str, pa.Table], pa.Table | None]:
    """Return the tables of whole runs by name, and the edges of vector clocks if the runs have no messages.

    `runs` has a row for each run, with its verdict.
    """
    edges = clock_edges.find_edges(events) if not messages.num_rows else None
    timed = measures.measure_deliveries(deliveries, events, _find_needless(events, counts))
    links = measures.measure_links(events, timed, edges)
    return {
        "events": events.cast(without_dictionaries(events.schema)),
        "messages": messages,
        "deliveries": timed,
        "violations": timed.filter(timed["violation"]),
        "links": links,
        "processes": measures.measure_processes(counts, events, timed, links),
        "summary": measures.fill_zeros(
            runs.join(measures.measure_runs(timed, events), "run", join_type="left outer"), ("held", "needless")
        ),
    }, edges


def _find_needless(events: pa.Table, counts: pa.Table) -> pa.Table | None:
    """Return which hold-backs were needless, of the runs that have receives and delivers and are small enough."""
    sizes = counts.group_by("run").aggregate([("events", "sum"), ("receives", "sum"), ("delivers", "sum")]).to_pylist()
    fit = [
        row["run"] for row in sizes if row["receives_sum"] and row["delivers_sum"] and row["events_sum"] <= EVENTS_MAX
    ]
    if not fit:
        return None
    kept = events.filter(pc.is_in(events["run"].cast(pa.string()), pa.array(fit)))
    rows: Iterator[Mapping[str, Any]] = (
        {"run": event.run, "process": event.process, "index": event.index, "needless": free}
        for run in arrange(to_events(kept))
        for event, free in hold_backs(run)
    )
    return pa.Table.from_pylist(list(rows), NEEDLESS)
