"""Reduce the measures to few enough numbers to draw: histograms, a time line, the busiest links and processes.

Everything fetched here is bounded: a histogram is `BUCKETS` counts and some percentiles, and lists are cut to the
busiest. Percentiles are Spark's approximate ones (to one part in `ACCURACY` of the rank).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as fn

from antecede.pipeline.report.model import (
    Histogram,
    HistogramBucket,
    LinkTotals,
    ProcessTotals,
    StampSizes,
    TimeBucket,
)
from antecede.pipeline.spark.local_dataframe import given

BUCKETS = 40
PERCENTS = (50.0, 90.0, 95.0, 99.0, 99.9)
ACCURACY = 10_000
LINKS_MAX = 4_000
PROCESSES_MAX = 200
TIME = "time"
BOUNDS = pa.schema([("what", pa.string()), ("low", pa.float64()), ("high", pa.float64())])


def distributions(
    deliveries: DataFrame, edges: DataFrame | None, sends: DataFrame
) -> tuple[dict[str, Histogram], tuple[TimeBucket, ...]]:
    """Return the histograms by measure, and the time line.

    This takes two passes: what lies in which bucket can be counted once the least and the greatest value are known.
    """
    rows = _values(deliveries, edges)
    found = rows.groupBy("what").agg(
        fn.count("*").alias("count"),
        fn.mean("value").alias("mean"),
        fn.min("value").alias("low"),
        fn.max("value").alias("high"),
        fn.percentile_approx("value", [percent / 100 for percent in PERCENTS], ACCURACY).alias("percentiles"),
    )
    ends = {row["what"]: row for row in found.collect()}
    counted = _count_by_bucket(rows, ends) if ends else {}
    made = {what: _histogram(row, counted) for what, row in ends.items() if what != TIME}
    return made, _timeline(ends[TIME], counted, deliveries, edges, sends) if TIME in ends else ()


def _timeline(
    ends: Row,
    counted: Mapping[tuple[str, int], tuple[int, int]],
    deliveries: DataFrame,
    edges: DataFrame | None,
    sends: DataFrame,
) -> tuple[TimeBucket, ...]:
    late = deliveries.where("first").select("time", "delay_s", "hold_s")
    if edges is not None:
        shown = edges.select("time", (fn.col("time") - fn.col("sent_time")).alias("delay_s"))
        late = late.unionByName(shown, allowMissingColumns=True)
    means = _means(late, ends)
    stamped = _means(sends.select("time", "control_bytes"), ends)
    none = {"delay_s": None, "hold_s": None, "control_bytes": None}
    made = []
    for place, (start, end) in enumerate(_bucket_bounds(ends)):
        mean = {**none, **means.get(place, {}), **stamped.get(place, {})}
        count = counted.get((TIME, place), (0, 0))
        made.append(TimeBucket(start, end, *count, mean["delay_s"], mean["hold_s"], mean["control_bytes"]))
    return tuple(made)


def _means(rows: DataFrame, ends: Row) -> dict[int, dict[str, float | None]]:
    """Return, for each bucket of the time line, the means of all columns but the time.

    Rows before or after the time line are ignored.
    """
    low, high = (fn.lit(float(ends[name])) for name in ("low", "high"))
    inside = rows.where(fn.col("time").between(low, high))
    names = [name for name in rows.columns if name != "time"]
    found = inside.groupBy(_bucket_of(fn.col("time"), low, high).alias("place")).agg(
        *(fn.mean(name).alias(name) for name in names)
    )
    return {row["place"]: {name: row[name] for name in names} for row in found.collect()}


def _bucket_of(value: Column, low: Column, high: Column) -> Column:
    """Return the number of the bucket between `low` and `high` that a value lies in."""
    share = (value - low) / fn.nullif(high - low, fn.lit(0.0))
    return fn.least(fn.floor(fn.coalesce(share, fn.lit(0.0)) * BUCKETS), fn.lit(BUCKETS - 1)).cast("int")


def _values(deliveries: DataFrame, edges: DataFrame | None) -> DataFrame:
    """Return every measured value of every first deliver as a row of `what`, `value` and `violation`."""

    def one(what: str, value: Column) -> Column:
        return fn.struct(fn.lit(what).alias("what"), value.alias("value"))

    needless = fn.when(fn.col("needless"), fn.col("hold_s"))
    measured = [one("delay_s", fn.col("delay_s")), one("hold_s", fn.col("hold_s")), one("needless_s", needless)]
    rows = deliveries.select(
        fn.explode(fn.array(*measured, one(TIME, fn.when(fn.col("first"), fn.col("time"))))).alias("one"), "violation"
    ).select("one.what", "one.value", "violation")
    if edges is not None:
        both = fn.array(one("delay_s", fn.col("time") - fn.col("sent_time")), one(TIME, fn.col("time")))
        shown = edges.select(fn.explode(both).alias("one"), fn.lit(False).alias("violation"))
        rows = rows.unionByName(shown.select("one.what", "one.value", "violation"))
    return rows.where(fn.col("value").isNotNull())


def _count_by_bucket(rows: DataFrame, ends: Mapping[str, Row]) -> dict[tuple[str, int], tuple[int, int]]:
    """Return the number of values, and of violations among them, by measure and bucket."""
    bounds = given(rows.sparkSession, [(what, row["low"], row["high"]) for what, row in sorted(ends.items())], BOUNDS)
    place = _bucket_of(fn.col("value"), fn.col("low"), fn.col("high"))
    found = rows.join(fn.broadcast(bounds), "what").groupBy("what", place.alias("place"))
    counts = found.agg(fn.count("*").alias("count"), fn.count_if("violation").alias("violations")).collect()
    return {(row["what"], row["place"]): (row["count"], row["violations"]) for row in counts}


def _bucket_bounds(row: Row) -> list[tuple[float, float]]:
    """Return the start and the end of each bucket. There is one bucket if all values are equal."""
    low, high = row["low"], row["high"]
    if high <= low:
        return [(low, low)]
    edges = [low + (high - low) * place / BUCKETS for place in range(BUCKETS)] + [high]
    return list(pairwise(edges))


def _histogram(row: Row, counted: Mapping[tuple[str, int], tuple[int, int]]) -> Histogram:
    buckets = tuple(
        HistogramBucket(start, end, counted.get((row["what"], place), (0, 0))[0])
        for place, (start, end) in enumerate(_bucket_bounds(row))
    )
    percentiles = tuple(zip(PERCENTS, row["percentiles"], strict=True))
    return Histogram(row["count"], row["mean"], row["high"], percentiles, buckets)


def stamps(events: DataFrame) -> StampSizes | None:
    """Return the sizes of the stamps on messages, or None if no message has a stamp of known size."""
    sent = events.where("kind = 'send'").agg(
        fn.count("control_bytes").alias("messages"),
        fn.sum("control_bytes").alias("bytes"),
        fn.max("control_bytes").alias("bytes_max"),
        fn.sum("control_entries").alias("entries"),
    )
    (row,) = sent.collect()
    return StampSizes(**row.asDict()) if row["messages"] else None


def busiest_links(links: DataFrame, limit: int = LINKS_MAX) -> tuple[LinkTotals, ...]:
    """Return the links over all runs, the busiest first."""
    weight = fn.when(fn.col("delay_s_mean").isNotNull(), fn.greatest("deliveries", "inferred"))
    found = links.groupBy("sender", "process").agg(
        fn.sum(fn.greatest("sent", "deliveries", "inferred")).alias("messages"),
        fn.sum("violations").alias("violations"),
        _mean("delay_s_mean", weight),
    )
    busiest = found.orderBy(fn.desc("messages"), "sender", "process").limit(limit)
    return tuple(LinkTotals(**row.asDict()) for row in busiest.collect())


def worst_processes(processes: DataFrame, limit: int = PROCESSES_MAX) -> tuple[ProcessTotals, ...]:
    """Return the processes over all runs: those with the most violations first, then the busiest."""
    added = ("events", "sends", "deliveries", "violations", "lost")
    weight = {name: fn.when(fn.col(name).isNotNull(), fn.col("deliveries")) for name in ("delay_s_mean", "hold_s_mean")}
    found = processes.groupBy("process").agg(
        *(fn.sum(name).alias(name) for name in added), *(_mean(name, by) for name, by in weight.items())
    )
    worst = found.orderBy(fn.desc("violations"), fn.desc("events"), "process").limit(limit)
    return tuple(ProcessTotals(**row.asDict()) for row in worst.collect())


def _mean(name: str, weight: Column) -> Column:
    """Return the mean of the means in a column, weighted by `weight`."""
    whole: Any = fn.sum(fn.col(name) * weight) / fn.nullif(fn.sum(weight), fn.lit(0))
    return whole.alias(name)
