"""Select the tables of an answer from what was found. Their columns are those of `antecede.pipeline.schema`."""

from __future__ import annotations

from functools import partial, reduce

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from antecede.judge import rule
from antecede.pipeline import schema
from antecede.pipeline.kernel.findings import TALLY
from antecede.pipeline.spark.local_dataframe import given
from antecede.pipeline.windows.cut import Cutting

NOTES = pa.schema([("run", pa.string()), ("windows", pa.int32()), ("one_task", pa.string())])


def messages(findings: DataFrame) -> DataFrame:
    """Return the messages that were sent, as `schema.MESSAGES`."""
    lost = fn.col("dests") - fn.col("delivered")
    sent = findings.filter("what = 'message'").withColumns({"sender": fn.col("process"), "lost": lost})
    return sent.select(schema.MESSAGES.names)


def deliveries(findings: DataFrame) -> DataFrame:
    """Return the delivers, as `schema.FOUND`."""
    flags = {
        "spurious": fn.col("first") & ~fn.col("addressed"),
        "duplicate": ~fn.col("first"),
        "violation": fn.col("overtaken") > 0,
    }
    delivered = findings.filter("what = 'delivery'").withColumns(flags)
    return delivered.select([field.name for field in schema.FOUND])


def violations(findings: DataFrame) -> DataFrame:
    """Return the violating delivers, with what is needed to explain them."""
    return findings.filter("what = 'delivery' AND overtaken > 0").select(
        *("run", "process", "index", "time", "message", "sent_time", "overtaken", "witness", "witness_time")
    )


def skew(findings: DataFrame) -> DataFrame:
    """Return the links on which delivers precede their sends by the source's clocks: reported, never trusted."""
    return (
        findings.filter("what = 'link'")
        .groupBy("run", "sender", "process")
        .agg(fn.sum("early").alias("early"), fn.max("worst_s").alias("worst_s"))
    )


def runs(findings: DataFrame, sizes: DataFrame, cutting: Cutting) -> DataFrame:
    """Return one row per run, as `schema.RUNS`, also for runs without any message.

    All that is known of runs is added up together: in one shuffle, and without a join.
    """
    sizes = sizes.select("run", "events", "processes", "internals")
    tallies = findings.filter("what IN ('tally', 'link')").select(
        "run", *(fn.col(f"tally.{name}") for name in TALLY), "early"
    )
    cut_up = [(name, count, None) for name, count in cutting.windows.items()]
    uncut = [(name, 1, f"as one task, because {reason}") for name, reason in cutting.uncut.items()]
    notes = given(findings.sparkSession, [*cut_up, *uncut], NOTES)
    sums = (*sizes.columns[1:], *TALLY[:-1], "early")
    greatest = (*TALLY[-1:], "windows", "one_task")
    reason = _reason()
    violated = fn.when(fn.col("violations") > 0, "violated")
    verdict = violated.when(reason.isNotNull(), "undecidable").otherwise("holds")
    return (
        reduce(partial(DataFrame.unionByName, allowMissingColumns=True), [sizes, tallies, notes])
        .groupBy("run")
        .agg(*(fn.sum(name).alias(name) for name in sums), *(fn.max(name).alias(name) for name in greatest))
        .na.fill(0, [*sums, *TALLY[-1:]])
        .na.fill(1, ["windows"])
        .withColumns({"verdict": verdict, "reason": reason})
        .select(schema.RUNS.names)
    )


def _reason() -> Column:
    """Return why a run cannot be judged, or null. The rule is that of `antecede.judge.rule`."""
    unpaired = fn.col("paired") == 0
    return (
        fn.when(fn.col("cyclic") > 0, "happened-before has a cycle: an event would have to happen before itself")
        .when(unpaired & (fn.col("messages") > 0) & (fn.col("deliveries") > 0), rule.NO_SHARED_ID)
        .when(unpaired & (fn.col("messages") > 0), rule.NO_DELIVER)
        .when(unpaired & (fn.col("deliveries") > 0), rule.NO_SEND)
        .when(unpaired & (fn.col("internals") > 0), rule.NO_IDENTITY)
        .when(unpaired, rule.NO_MESSAGE)
    )
