"""Where verification gets a trace from: `Feed`, and the rows of a DataFrame as one.

A feed counts, shows how events are spread over time, and deals what counts out to tasks: as streams of many rows, all
rows of a run, or of a message, to the same task. `column_feed` is the other feed, of Parquet files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa
from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as fn
from pyspark.sql.pandas.types import from_arrow_schema

from antecede.judge.events import WITH_MESSAGE
from antecede.pipeline.kernel.encode import DELIVER, RECEIVE, SEND
from antecede.pipeline.verify import tasks

TRACE = ("run", "process", "index", "kind", "time", "message", "dests")
SIZED = ("events", "with_message", "sends", "receives", "delivers", "internals")
SIZE = pa.schema([("run", pa.string()), *((name, pa.int64()) for name in (*SIZED, "processes"))])


class Feed(Protocol):
    """A trace of valid events, in which positions and sent messages are unique in their run."""

    def counts(self) -> DataFrame:
        """By process of each run: what is counted, and what a plan for windows needs."""

    def sizes(self) -> Sequence[Row] | None:
        """By run: what of the counts is `SIZED`, added up, and how many processes; where that is known already."""

    def sampled(self, runs: Sequence[str], share: float) -> DataFrame:
        """run, process, time and events: some of the times in these runs, and how many events each stands for."""

    def by_run(self, count: int, *, receives: bool, without: Sequence[str]) -> DataFrame:
        """The sends and delivers, and receives where wanted, of all runs but those, dealt out by run."""

    def found(self, worst: int) -> DataFrame | None:
        """The findings in all runs, without detail but with so many of the worst violations, where they are known."""

    def by_message(self, count: int, runs: Sequence[str], receiving: Sequence[str]) -> DataFrame:
        """The sends and delivers of these runs, dealt out by message; in those that are receiving, receives for
        delivers."""


@dataclass(frozen=True, slots=True)
class RowFeed:
    """The rows of a DataFrame with the columns of `TRACE`. It is read two to four times, for few columns each."""

    events: DataFrame

    def counts(self) -> DataFrame:
        kind, untimed = fn.col("kind"), fn.col("time").isNull()
        with_message = kind.isin(*WITH_MESSAGE)
        return self.events.groupBy("run", "process").agg(
            fn.count("*").alias("events"),
            fn.count_if(with_message).alias("with_message"),
            *(fn.count_if(kind == name).alias(f"{name}s") for name in (*WITH_MESSAGE, "internal")),
            fn.count_if((kind.isin("send", "deliver")) & untimed).alias("untimed"),
            fn.count_if(with_message & untimed).alias("untimed_receives"),
            fn.min(fn.when(with_message, fn.col("time"))).alias("start"),
            fn.max(fn.when(with_message, fn.col("time"))).alias("end"),
        )

    def sizes(self) -> Sequence[Row] | None:
        return None

    def sampled(self, runs: Sequence[str], share: float) -> DataFrame:
        kept = self._coded().filter(fn.col("run").isin(list(runs)) & fn.col("time").isNotNull())
        some = kept if share >= 1 else kept.sample(share, seed=1)
        return some.select("run", "process", "time", fn.lit(1).alias("events"))

    def by_run(self, count: int, *, receives: bool, without: Sequence[str]) -> DataFrame:
        kept = self._coded()
        kept = kept if receives else kept.filter(fn.col("kind") != RECEIVE)
        kept = kept.filter(~fn.col("run").isin(list(without))) if without else kept
        return _dealt(kept, count, "run")

    def found(self, worst: int) -> DataFrame | None:  # noqa: ARG002 - rows are not looked at before
        return None

    def by_message(self, count: int, runs: Sequence[str], receiving: Sequence[str]) -> DataFrame:
        kind = fn.col("kind")
        if receiving:
            counts = (kind == RECEIVE) & fn.col("run").isin(list(receiving))
            kind = fn.when(counts, fn.lit(DELIVER).cast("byte")).otherwise(kind)
        kept = self._coded().filter(fn.col("run").isin(list(runs))).withColumn("kind", kind)
        return _dealt(kept.filter(fn.col("kind") != RECEIVE), count, "run", "message")

    def _coded(self) -> DataFrame:
        events = self.events.select(*TRACE).filter(fn.col("kind").isin(*WITH_MESSAGE))
        return events.withColumn("kind", _code())


def _code() -> Column:
    kind = fn.col("kind")
    return fn.when(kind == "send", SEND).when(kind == "deliver", DELIVER).otherwise(RECEIVE).cast("byte")


def _dealt(events: DataFrame, count: int, *keys: str) -> DataFrame:
    """The rows as streams, all rows of a key in the same of so many partitions. The hash only spreads them."""
    task = fn.pmod(fn.hash(*keys), fn.lit(count)).alias("task")
    return (
        events.select("*", task)
        .mapInArrow(tasks.deal(count), from_arrow_schema(tasks.DEALT))
        .repartitionById(count, fn.col("task"))
    )
