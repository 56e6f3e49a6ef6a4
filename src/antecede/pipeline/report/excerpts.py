"""A part of a trace, fetched: the events of one run, or between two times, for an export or a diagram.

Bounded: one event more than `EVENTS_MAX` is fetched at most, so that whoever gets them can tell that it is too many.
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
    """Events with the columns of the trace; with a time given, those that have one."""
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
