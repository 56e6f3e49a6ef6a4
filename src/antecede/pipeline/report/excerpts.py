"""Fetch a part of a trace: the events of one run, or between two times, for an export.

At most one event more than `EVENTS_MAX` is fetched, so that the caller can tell that there are too many.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from antecede.pipeline import schema
from antecede.pipeline.spark.session import explained

EVENTS_MAX = 200_000


def excerpt(
    events: DataFrame,
    *,
    run: str | None = None,
    start: float | None = None,
    end: float | None = None,
    events_max: int = EVENTS_MAX,
) -> Iterator[dict[str, Any]]:
    """Yield events as rows with the columns of the trace.

    If `start` or `end` is given, events without a time are left out.
    """
    chosen = events.select(schema.TRACE.names)
    if run is not None:
        chosen = chosen.where(fn.col("run") == run)
    if start is not None:
        chosen = chosen.where(fn.col("time") >= start)
    if end is not None:
        chosen = chosen.where(fn.col("time") <= end)
    with explained("the excerpt could not be fetched"):
        rows = chosen.limit(events_max + 1).toArrow()
    for batch in rows.to_batches():
        for row in batch.to_pylist():
            yield {**row, "attributes": dict(row["attributes"]) if row["attributes"] is not None else None}
