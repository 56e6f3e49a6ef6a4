"""Did every message arrive in causal order? A trace in; messages, deliveries, runs and clock skew out.

Runs are verified in parallel, each as one task, after one shuffle by run. A run too large for that is cut into
windows: its rows are joined by message, windows are laid between consistent cuts (`antecede.pipeline.windows`),
each is summarised from nothing, the summaries are composed, and each window is verified from the state it is entered
in. Where a large run can not be cut, it is one task after all, and its row in `runs` says why.

Everything is found in one pass and kept in one table, `findings`; the tables of the answer are selections of it.
Whoever reads more than one of them should `keep` the answer first, or the pass is made again for each.

`events` is read two to four times before that, for few columns; it should be something that is cheap to read again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from math import ceil

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from antecede.core.errors import Misuse
from antecede.pipeline import selections, tasks
from antecede.pipeline.cutting import Cutting, cut, dealt, windows_of
from antecede.pipeline.findings import FINDINGS_DDL
from antecede.pipeline.normalise import DELIVER, RECEIVE, SEND

RUN_EVENTS_MAX = 1_000_000  # a run of more events is cut into windows
TASK_EVENTS = 250_000
TRACE = ("run", "process", "index", "kind", "time", "message", "dests")
WITH_MESSAGE = ("send", "receive", "deliver")


@dataclass(frozen=True, slots=True)
class Verified:
    """The answer. Nothing is computed before it is read, but for the plan."""

    findings: DataFrame
    messages: DataFrame
    deliveries: DataFrame
    runs: DataFrame
    skew: DataFrame
    held: tuple[DataFrame, ...] = ()

    def keep(self) -> Verified:
        """Hold what is found in memory or on disk once it has been read, for all tables; then `release` it."""
        self.findings.persist(StorageLevel.MEMORY_AND_DISK)
        return replace(self, held=(*self.held, self.findings))

    def release(self) -> None:
        for frame in self.held:
            frame.unpersist()


def verify(events: DataFrame, *, windows: int | None = None, detail: bool = True) -> Verified:
    """Verify a trace of valid events, in which positions and sent messages are unique in their run.

    With `windows` every run that can be is cut into about that many; without, only those of more than
    RUN_EVENTS_MAX events, into windows of about WINDOW_EVENTS. Without `detail` there are no messages and deliveries.
    """
    if windows is not None and windows < 1:
        raise Misuse(f"windows is {windows}: give 1 or more, or None to decide by the size of each run")
    events = events.select(*TRACE)
    counts = _counts(events).persist(StorageLevel.MEMORY_AND_DISK)
    size = _size(counts)
    large = _large(counts, size, windows)
    coded = events.filter(fn.col("kind").isin(*WITH_MESSAGE)).withColumn("kind", _code())
    cutting = cut(coded, counts, large, windows, detail=detail) if large else Cutting()
    whole = _whole_runs(coded, cutting, size, detail=detail)
    cut_up = [windows_of(one, detail=detail) for one in cutting.rounds if one.good]
    frames = [whole, *cut_up] if len(cutting.windows) < size.runs or not cut_up else cut_up
    findings = reduce(DataFrame.unionByName, frames)
    return Verified(
        findings=findings,
        messages=selections.messages(findings),
        deliveries=selections.deliveries(findings),
        runs=selections.runs(findings, _by_run(counts), cutting),
        skew=selections.skew(findings),
        held=(counts, *cutting.held),
    )


def overall(verdicts: list[str]) -> str:
    """The verdict on a trace, from those on its runs."""
    return next((verdict for verdict in ("violated", "undecidable") if verdict in verdicts), "holds")


@dataclass(frozen=True, slots=True)
class _Size:
    runs: int
    events: int  # with a message
    run_events_max: int
    receives_count: bool  # a run has receives and no deliver


def _counts(events: DataFrame) -> DataFrame:
    """By process of each run: what is counted, and what a plan for windows needs."""
    kind, untimed = fn.col("kind"), fn.col("time").isNull()
    with_message = kind.isin(*WITH_MESSAGE)
    return events.groupBy("run", "process").agg(
        fn.count("*").alias("events"),
        fn.count_if(with_message).alias("with_message"),
        *(fn.count_if(kind == name).alias(f"{name}s") for name in (*WITH_MESSAGE, "internal")),
        fn.count_if((kind.isin("send", "deliver")) & untimed).alias("untimed"),
        fn.count_if(with_message & untimed).alias("untimed_receives"),
        fn.min(fn.when(with_message, fn.col("time"))).alias("start"),
        fn.max(fn.when(with_message, fn.col("time"))).alias("end"),
    )


def _code() -> Column:
    kind = fn.col("kind")
    return fn.when(kind == "send", SEND).when(kind == "deliver", DELIVER).otherwise(RECEIVE).cast("byte")


def _by_run(counts: DataFrame) -> DataFrame:
    added = ("events", "with_message", "sends", "receives", "delivers", "internals")
    return counts.groupBy("run").agg(*(fn.sum(name).alias(name) for name in added), fn.count("*").alias("processes"))


def _size(counts: DataFrame) -> _Size:
    row = _by_run(counts).agg(
        fn.count("*").alias("runs"),
        fn.coalesce(fn.sum("with_message"), fn.lit(0)).alias("events"),
        fn.coalesce(fn.max("with_message"), fn.lit(0)).alias("run_events_max"),
        fn.coalesce(fn.max((fn.col("receives") > 0) & (fn.col("delivers") == 0)), fn.lit(False)).alias(
            "receives_count"
        ),
    )
    return _Size(**row.collect()[0].asDict())


def _large(counts: DataFrame, size: _Size, windows: int | None) -> list[str]:
    """The runs to cut: few, or those of a caller who asked for windows."""
    least = RUN_EVENTS_MAX if windows is None else 0
    if size.run_events_max <= least:
        return []
    return sorted(row["run"] for row in _by_run(counts).filter(fn.col("with_message") > least).select("run").collect())


def _whole_runs(events: DataFrame, cutting: Cutting, size: _Size, *, detail: bool) -> DataFrame:
    """The findings of the runs that are not cut. One shuffle; the tasks sort."""
    kept = events if size.receives_count else events.filter(fn.col("kind") != RECEIVE)
    if cutting.windows:
        kept = kept.filter(~fn.col("run").isin(list(cutting.windows)))
    tasks_wanted = max(1, min(4 * size.runs, ceil(size.events / TASK_EVENTS)))
    return dealt(kept, tasks_wanted, "run").mapInArrow(tasks.verify_runs(detail=detail), FINDINGS_DDL)
