"""Make all tables of whole runs that were judged in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from antecede.judge.events import Event
from antecede.judge.trace import arrange
from antecede.pipeline.arrow import without_dictionaries
from antecede.pipeline.read.rows import to_events
from antecede.pipeline.tables import clock_edges
from antecede.pipeline.tables.hold_back import NEEDLESS_EVENTS_MAX, hold_backs
from antecede.pipeline.tables.measures import measure_deliveries, sends_in
from antecede.pipeline.tables.sums import make_tables_of_sums, sum_deliveries, sum_sends

NEEDLESS = pa.schema([("run", pa.string()), ("process", pa.string()), ("index", pa.int64()), ("needless", pa.bool_())])


def make_tables(
    events: pa.Table, counts: pa.Table, runs: pa.Table, messages: pa.Table, deliveries: pa.Table
) -> tuple[dict[str, pa.Table], pa.Table | None]:
    """Return the tables of whole runs by name, and the edges of vector clocks if the runs have no messages.

    `counts` are rows of `kernel.counts.COUNTS`, and `runs` has a row for each run, with its verdict. `messages` and
    `deliveries` are the findings of the kernel.
    """
    edges = clock_edges.find_edges(events) if not messages.num_rows else None
    timed = measure_deliveries(deliveries, events, _find_needless(events, counts))
    links, stamps = sum_sends(sends_in(events))
    return {
        "events": events.cast(without_dictionaries(events.schema)),
        "messages": messages,
        "deliveries": timed,
        "violations": timed.filter(timed["violation"]),
        **make_tables_of_sums(pa.concat_tables([links, sum_deliveries(timed)]), stamps, counts, runs, edges),
    }, edges


def _find_needless(events: pa.Table, counts: pa.Table) -> pa.Table | None:
    """Return which hold-backs were needless, as `NEEDLESS`, or None if no run can be judged.

    A run is judged if it has receives and delivers, and is small enough.
    """
    sizes = counts.group_by("run").aggregate([("events", "sum"), ("receives", "sum"), ("delivers", "sum")]).to_pylist()
    fit = [
        row["run"]
        for row in sizes
        if row["receives_sum"] and row["delivers_sum"] and row["events_sum"] <= NEEDLESS_EVENTS_MAX
    ]
    if not fit:
        return None
    kept = events.filter(pc.is_in(events["run"].cast(pa.string()), pa.array(fit)))
    rows: Iterator[Mapping[str, Any]] = (
        {"run": event.run, "process": event.process, "index": event.index, "needless": free}
        for run in arrange(to_events(kept, Event))
        for event, free in hold_backs(run)
    )
    return pa.Table.from_pylist(list(rows), NEEDLESS)
