"""Fetch a part of a trace: the events of one run, or between two times, for an export.

At most one event more than `EXCERPT_EVENTS_MAX` is fetched, so that the caller can tell that there are too many. Rows
that contradict an earlier row of the trace are part of an excerpt: only a check of whole runs finds them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline import schema
from antecede.pipeline.arrow import without_dictionaries
from antecede.pipeline.dealing import DEALT, ROWS, deal_value, gather, in_chunks
from antecede.pipeline.read.rows import ReadRows
from antecede.pipeline.read.source import Consumer, Source

EXCERPT_EVENTS_MAX = 200_000


def excerpt(
    source: Source,
    *,
    run: str | None = None,
    start: float | None = None,
    end: float | None = None,
    events_max: int = EXCERPT_EVENTS_MAX,
) -> Iterator[dict[str, Any]]:
    """Yield the events of a run, or between two times, as rows with the columns of the trace.

    `source` reads all columns. If `start` or `end` is given, events without a time are left out. If there are more than
    `events_max` events, one more than this is returned.
    """
    picked = source.map(_pick(run, start, end, events_max + 1), DEALT).collect()
    rows = gather(picked.to_batches())
    if rows is None:
        return
    plain = rows.cast(without_dictionaries(rows.schema)).slice(0, events_max + 1)
    for row in plain.select(schema.TRACE.names).to_pylist():
        yield {**row, "attributes": None if row["attributes"] is None else dict(row["attributes"])}


def _pick(run: str | None, start: float | None, end: float | None, count: int) -> Consumer:
    """Return a consumer that passes on the chosen events, up to `count` of them."""

    def consume(read: Iterator[ReadRows]) -> Iterator[pa.RecordBatch]:
        left = count
        for events in in_chunks(rows.events for rows in read):
            chosen = events
            if run is not None:
                chosen = chosen.filter(pc.equal(chosen["run"].cast(pa.string()), run))
            if start is not None:
                chosen = chosen.filter(pc.greater_equal(chosen["time"], start))
            if end is not None:
                chosen = chosen.filter(pc.less_equal(chosen["time"], end))
            chosen = chosen.slice(0, left)
            left -= chosen.num_rows
            yield deal_value(ROWS, chosen)

    return consume
