"""Did every message arrive in causal order? A trace in; messages, deliveries, runs and clock skew out.

Runs are verified in parallel, each as one task, after one shuffle by run; where a feed has judged them already, as it
was read, that is taken. A run too large for that is cut into windows: its rows are joined by message, windows are laid
between consistent cuts (`windows.compose`), each is summarised from nothing, the summaries are composed, and
each window is verified from the state it is entered in. Where a large run cannot be cut, it is one task after all, and
its row in `runs` says why.

Everything is found in one pass and kept in one table, `findings`; the tables of the answer are selections of it.
Whoever reads more than one of them should `keep` the answer first, or the pass is made again for each.

A trace comes as a DataFrame or as another `Feed`. It is read two to four times; it should be cheap to read again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import ceil

from pyspark import StorageLevel
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as fn
from pyspark.sql.pandas.types import from_arrow_schema

from antecede.core.errors import Misuse
from antecede.pipeline.kernel.findings import FINDINGS
from antecede.pipeline.limits import LIMITS, Limits
from antecede.pipeline.spark.local_dataframe import given
from antecede.pipeline.spark.session import let_go
from antecede.pipeline.tables import selections
from antecede.pipeline.verify import tasks
from antecede.pipeline.verify.feed import SIZE, SIZED, TRACE, Feed, RowFeed
from antecede.pipeline.windows.cut import Cutting, cut, windows_of

TASK_EVENTS = 250_000
RUNS_LISTED_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Verified:
    """The answer. Nothing is computed before it is read, but for the plan."""

    findings: DataFrame
    runs: DataFrame
    held: tuple[DataFrame, ...] = ()
    is_known: bool = False  # what was found is held by the feed

    @property
    def messages(self) -> DataFrame:
        return selections.messages(self.findings)

    @property
    def deliveries(self) -> DataFrame:
        return selections.deliveries(self.findings)

    @property
    def violations(self) -> DataFrame:
        return selections.violations(self.findings)

    @property
    def skew(self) -> DataFrame:
        return selections.skew(self.findings)

    def keep(self) -> Verified:
        """Hold what is found in memory or on disk once it has been read, for all tables; then `release` it."""
        if self.is_known:
            return self
        self.findings.persist(StorageLevel.MEMORY_AND_DISK)
        return replace(self, held=(*self.held, self.findings))

    def release(self) -> None:
        for frame in self.held:
            let_go(frame)


def verify(
    events: DataFrame | Feed,
    *,
    windows: int | None = None,
    detail: bool = True,
    worst: int = 0,
    limits: Limits = LIMITS,
) -> Verified:
    """Verify a trace of valid events, in which positions and sent messages are unique in their run.

    With `windows` every run that can be is cut into about that many; without, only those of more than
    `limits.run_events_max` events, into windows of about `limits.window_events`. Without `detail` there are no
    messages, and no deliveries but violating ones: at least so many of the `worst`.
    """
    if windows is not None and windows < 1:
        raise Misuse(f"windows is {windows}: give 1 or more, or None to decide by the size of each run")
    feed = RowFeed(events.select(*TRACE)) if isinstance(events, DataFrame) else events
    counts = feed.counts().persist(StorageLevel.MEMORY_AND_DISK)
    size, listed = _size(_by_run(counts), feed.sizes())
    large = _large(listed, size, 0 if windows is not None else limits.run_events_max)
    cutting = cut(feed, counts, large, windows, named=detail or worst > 0, limits=limits) if large else Cutting()
    cut_up = [windows_of(one, detail=detail, worst=worst) for one in cutting.rounds if one.good]
    known = feed.found(worst) if not detail and not cut_up else None
    if known is not None:
        findings = known
    elif not size.events:  # a log of vector clocks alone, say: there is no message to find anything about
        findings = given(counts.sparkSession, [], FINDINGS)
    else:
        if len(cutting.windows) < size.runs or not cut_up:
            cut_up.insert(0, _whole_runs(feed, cutting, size, detail=detail, worst=worst, limits=limits))
        findings = reduce(DataFrame.unionByName, cut_up)
    return Verified(
        findings=findings,
        runs=selections.runs(findings, listed, cutting),
        held=(counts, *cutting.held),
        is_known=known is not None,
    )


@dataclass(frozen=True, slots=True)
class _Size:
    runs: int
    events: int  # with a message
    run_events_max: int
    receives_count: bool  # a run has receives and no deliver


def _by_run(counts: DataFrame) -> DataFrame:
    return counts.groupBy("run").agg(*(fn.sum(name).alias(name) for name in SIZED), fn.count("*").alias("processes"))


def _size(by_run: DataFrame, known: Sequence[Row] | None) -> tuple[_Size, DataFrame]:
    """What there is of runs, and the table of them: where they are not many, fetched once for whoever asks again."""
    rows = by_run.limit(RUNS_LISTED_MAX + 1).collect() if known is None else known
    if len(rows) <= RUNS_LISTED_MAX:
        sizes = [row["with_message"] for row in rows]
        receives_count = any(row["receives"] and not row["delivers"] for row in rows)
        listed = given(by_run.sparkSession, rows, SIZE)
        return _Size(len(rows), sum(sizes), max(sizes, default=0), receives_count), listed
    row = by_run.agg(
        fn.count("*").alias("runs"),
        fn.sum("with_message").alias("events"),
        fn.max("with_message").alias("run_events_max"),
        fn.max((fn.col("receives") > 0) & (fn.col("delivers") == 0)).alias("receives_count"),
    )
    return _Size(**row.collect()[0].asDict()), by_run


def _large(by_run: DataFrame, size: _Size, events_max: int) -> list[str]:
    """Return the runs of more than `events_max` events with a message, which are to be cut."""
    if size.run_events_max <= events_max:
        return []
    return sorted(row["run"] for row in by_run.filter(fn.col("with_message") > events_max).select("run").collect())


def _whole_runs(feed: Feed, cutting: Cutting, size: _Size, *, detail: bool, worst: int, limits: Limits) -> DataFrame:
    """The findings of the runs that are not cut. One shuffle; the tasks sort."""
    tasks_wanted = max(1, min(4 * size.runs, ceil(size.events / TASK_EVENTS)))
    rows = feed.by_run(tasks_wanted, receives=size.receives_count, without=list(cutting.windows))
    return rows.mapInArrow(tasks.verify_runs(detail=detail, worst=worst, limits=limits), from_arrow_schema(FINDINGS))
