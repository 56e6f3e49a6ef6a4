"""Measure delays, hold-backs and stamps, by delivery, link, process and run.

These are functions from tables to tables. The last `select` of each gives a schema of `antecede.pipeline.schema`. A
delay is measured with two clocks and is as accurate as they are; a hold-back is measured with one clock. If the source
does not give a value, it is null.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from antecede.pipeline import schema

LINK = ("run", "sender", "process")
PLACE = ("run", "process")


def deliveries(found: DataFrame, receipts: DataFrame | None, needless: DataFrame | None) -> DataFrame:
    """Return the verified deliveries with their delays, and with their hold-backs if receives are recorded."""
    timed = found.withColumn("delay_s", fn.when(fn.col("first"), fn.col("time") - fn.col("sent_time")))
    if receipts is not None:
        later = fn.col("first") & (fn.col("index") > fn.col("received_index"))
        timed = timed.join(receipts, ["run", "process", "message"], "left").withColumn(
            "hold_s", fn.when(later, fn.col("time") - fn.col("received_time"))
        )
    if needless is not None:
        held = fn.when(fn.col("hold_s") > 0, fn.col("needless"))
        timed = timed.join(needless, ["run", "process", "index"], "left").withColumn("needless", held)
    return schema.conform(timed, schema.DELIVERIES)


def receipts(events: DataFrame) -> DataFrame:
    """Return the first receive of each message at each process."""
    return (
        events.where("kind = 'receive'")
        .groupBy("run", "process", "message")
        .agg(fn.min("index").alias("received_index"), fn.min_by("time", "index").alias("received_time"))
    )


def links(events: DataFrame, deliveries: DataFrame, edges: DataFrame | None = None) -> DataFrame:
    """Return the communication graph: who wrote to whom, how much, and what became of it."""
    sends = events.where("kind = 'send'")
    sent = (
        sends.select(
            "run",
            fn.col("process").alias("sender"),
            fn.explode(fn.array_distinct("dests")).alias("process"),
            "control_bytes",
            "control_entries",
        )
        .groupBy(*LINK)
        .agg(fn.count("*").alias("sent"), *(fn.sum(name).alias(name) for name in ("control_bytes", "control_entries")))
    )
    got = (
        deliveries.where(fn.col("sender").isNotNull())
        .groupBy(*LINK)
        .agg(
            *_delivery_measures(),
            fn.max("delay_s").alias("delay_s_max"),
            fn.count_if(fn.col("delay_s") < 0).alias("early"),
            fn.count_if(fn.col("first") & fn.col("addressed")).alias("arrived"),
        )
    )
    joined = sent.join(got, list(LINK), "full")
    if edges is not None:
        joined = joined.join(_edge_measures(edges), list(LINK), "full")
        joined = joined.withColumn("delay_s_mean", fn.coalesce("delay_s_mean", "edge_s_mean")).withColumn(
            "delay_s_max", fn.coalesce("delay_s_max", "edge_s_max")
        )
    counts = ("sent", "deliveries", "violations", "overtaken", "early", "held", "needless", "arrived", "inferred")
    whole = _fill_zeros(joined, counts)
    return schema.conform(whole.withColumn("lost", fn.col("sent") - fn.col("arrived")), schema.LINKS)


def processes(events: DataFrame, deliveries: DataFrame, links: DataFrame) -> DataFrame:
    """Return what each process did, and what went wrong among its deliveries."""
    kind = fn.col("kind")
    own = events.groupBy(*PLACE).agg(
        fn.count("*").alias("events"),
        fn.count_if(kind == "send").alias("sends"),
        fn.count_if(kind == "receive").alias("receives"),
        *_stamp_measures(),
    )
    got = deliveries.groupBy(*PLACE).agg(
        *_delivery_measures(),
        fn.count_if("duplicate").alias("duplicates"),
        fn.count_if("spurious").alias("spurious"),
    )
    lost = links.groupBy(*PLACE).agg(fn.sum("lost").alias("lost"))
    joined = own.join(got, list(PLACE), "full").join(lost, list(PLACE), "full")
    counts = [field.name for field in schema.PROCESSES.fields if field.dataType == schema.LONG]
    return schema.conform(_fill_zeros(joined, [name for name in counts if "control" not in name]), schema.PROCESSES)


def summary(runs: DataFrame, events: DataFrame, deliveries: DataFrame) -> DataFrame:
    """Return the verdict of each run, with its measures."""
    got = deliveries.groupBy("run").agg(*_delivery_measures(), fn.max("delay_s").alias("delay_s_max"))
    stamps = events.where("kind = 'send'").groupBy("run").agg(*_stamp_measures())
    measures = ("run", "delay_s_mean", "delay_s_max", "held", "hold_s_mean", "needless")
    joined = runs.join(got.select(*measures), "run", "left").join(stamps, "run", "left")
    return schema.conform(_fill_zeros(joined, ("held", "needless")), schema.SUMMARY)


def violations(deliveries: DataFrame, words: DataFrame) -> DataFrame:
    """Return the violating deliveries.

    `words` has run, process, index, rank, words and late_s of those that are explained.
    """
    found = deliveries.where("violation").join(fn.broadcast(words), ["run", "process", "index"], "left")
    return schema.conform(found, schema.VIOLATIONS)


def _delivery_measures() -> list[Column]:
    return [
        fn.count("*").alias("deliveries"),
        fn.count_if("violation").alias("violations"),
        fn.sum("overtaken").alias("overtaken"),
        fn.mean("delay_s").alias("delay_s_mean"),
        fn.mean("hold_s").alias("hold_s_mean"),
        fn.count_if(fn.col("hold_s") > 0).alias("held"),
        fn.count_if("needless").alias("needless"),
    ]


def _stamp_measures() -> list[Column]:
    return [
        fn.count("control_bytes").alias("stamped"),
        fn.sum("control_bytes").alias("control_bytes"),
        fn.sum("control_entries").alias("control_entries"),
    ]


def _edge_measures(edges: DataFrame) -> DataFrame:
    delay = fn.col("time") - fn.col("sent_time")
    return edges.groupBy(*LINK).agg(
        fn.count("*").alias("inferred"), fn.mean(delay).alias("edge_s_mean"), fn.max(delay).alias("edge_s_max")
    )


def _fill_zeros(table: DataFrame, counts: tuple[str, ...] | list[str]) -> DataFrame:
    """Return the table with 0 in place of a count that is null or missing."""

    def zero(made: DataFrame, name: str) -> DataFrame:
        value = fn.coalesce(fn.col(name), fn.lit(0)) if name in made.columns else fn.lit(0)
        return made.withColumn(name, value.cast("long"))

    return reduce(zero, counts, table)
