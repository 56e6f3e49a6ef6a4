"""The Spark side of one huge run: join it by message, deal it out to windows, summarise, compose, verify.

Where to cut is chosen by a count of events over time. Whether those cuts are consistent, the tasks find out as they
summarise the windows: no deliver may precede its send on the clocks used, and no process's clock may go back from one
window to an earlier one. Where a run proves skewed, the least slack of each of its links, collected, gives the
shifts to try again with. Where a time is missing or the second try fails, the run is not cut, and the reason is kept.

Between tasks, rows travel as streams of many: once joined, they need not be taken apart and put together again one by
one. A window's rows are kept so too, beside its summary, until the state it is entered in is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil, isfinite
from operator import itemgetter

import numpy as np
import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, Row, Window
from pyspark.sql import functions as fn
from pyspark.sql.pandas.types import from_arrow_schema

from antecede.pipeline.arrow import Longs
from antecede.pipeline.kernel.encode import TICKS_PER_RUN
from antecede.pipeline.kernel.findings import FINDINGS
from antecede.pipeline.limits import LIMITS, Limits
from antecede.pipeline.spark.local_dataframe import given
from antecede.pipeline.verify import tasks
from antecede.pipeline.verify.feed import Feed
from antecede.pipeline.windows.compose import shifts, thresholds
from antecede.pipeline.windows.parts import Numbered, Parts
from antecede.pipeline.windows.summaries import CYCLIC, END, LINK, ROWS, SPAN, WINDOWS

BUCKETS_PER_WINDOW, BUCKETS_MIN, CELLS_MAX = 32, 256, 1_000_000
COUNTED_PER_WINDOW = 10_000  # of its events: enough to cut evenly
NO_TIME = "some of its events have no time"
NO_SHIFT = "its clocks are skewed in a way that no shift per process can repair"
GOES_BACK = "the clock of a process goes back"

SPANS = pa.schema([("run", pa.string()), ("start", pa.float64()), ("scale", pa.float64())])


@dataclass(frozen=True, slots=True)
class Cells:
    """Events of one run, counted: by process and by the tick at which a bucket of time begins."""

    process: Longs
    tick: Longs
    events: Longs


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows that have been summarised, by so many tasks, and the runs, by number, whose cuts proved consistent."""

    parts: Parts
    tasks: int
    frame: DataFrame
    good: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Cutting:
    """The windows of the runs that are cut, and the reasons for those that are not, by name."""

    rounds: tuple[Windows, ...] = ()
    uncut: dict[str, str] = field(default_factory=dict)

    @property
    def windows(self) -> dict[str, int]:
        """By name of a run that is cut, the number of its windows."""
        runs = (one.parts.runs[run] for one in self.rounds for run in one.good)
        return {run.run: len(run.cuts) + 1 for run in runs}

    @property
    def held(self) -> tuple[DataFrame, ...]:
        return tuple(one.frame for one in self.rounds)


def cut(
    feed: Feed,
    counts: DataFrame,
    names: Sequence[str],
    windows: int | None,
    *,
    named: bool,
    limits: Limits = LIMITS,
) -> Cutting:
    """Cut these runs; `counts` has a row per process of each run. First by their own clocks, which mostly do; then,
    where those proved skewed, with the clocks shifted."""
    by_run: dict[str, list[Row]] = {name: [] for name in names}
    for row in counts.filter(fn.col("run").isin(list(names)) & (fn.col("with_message") > 0)).collect():
        by_run[row["run"]].append(row)
    uncut = {name: reason for name, rows in by_run.items() if (reason := _unfit(rows, limits.window_processes_max))}
    fit = {name: sorted(rows, key=itemgetter("process")) for name, rows in by_run.items() if name not in uncut}
    if not fit:
        return Cutting(uncut=uncut)
    receiving = [name for name, rows in fit.items() if not _delivers(rows)]
    sizes = {name: sum(row["with_message"] for row in rows) for name, rows in fit.items()}
    wanted = {name: windows or ceil(size / limits.window_events) for name, size in sizes.items()}
    runs = [_numbered(name, rows) for name, rows in fit.items()]
    share = COUNTED_PER_WINDOW * sum(wanted.values()) / sum(sizes.values())
    cells = _cells(feed.sampled(list(fit), share), runs, wanted)
    tried = partial(_tried, feed, sizes=sizes, receiving=receiving, named=named, window_events=limits.window_events)
    first, slacks, back = tried([_cut(run, cells, wanted) for run in runs])
    shifted = {run.run: _shifted(run, slacks[run.run]) for run in runs if run.run in slacks}
    uncut |= {name: NO_SHIFT for name, run in shifted.items() if run is None}
    uncut |= dict.fromkeys(back, GOES_BACK)
    again = [_cut(run, cells, wanted) for run in shifted.values() if run is not None]
    if not again:
        return Cutting((first,), uncut)
    second, _, back = tried(again)
    return Cutting((first, second), uncut | dict.fromkeys(back, GOES_BACK))


def windows_of(windows: Windows, *, detail: bool, worst: int = 0) -> DataFrame:
    """The findings of the runs that are cut: compose what the windows are entered with, then verify each."""
    good = list(windows.good)
    ends = windows.frame.filter(fn.col("what").isin(END, CYCLIC) & fn.col("run").isin(good))
    states = (
        ends.select("what", "run", "part", "process", "low", "reached", "sends", "entries")
        .repartition(min(len(good), windows.tasks), "run")
        .sortWithinPartitions("part")
        .mapInArrow(tasks.compose(windows.parts), from_arrow_schema(tasks.STATES))
    )
    return (
        windows.frame.filter(fn.col("what") == ROWS)
        .select("part", "rows")
        .unionByName(states, allowMissingColumns=True)
        .repartitionById(windows.tasks, fn.col("part"))
        .mapInArrow(
            tasks.verify_windows(windows.parts, windows.good, detail=detail, worst=worst), from_arrow_schema(FINDINGS)
        )
    )


def _unfit(rows: Sequence[Row], processes_max: int) -> str | None:
    kind = "untimed" if _delivers(rows) else "untimed_receives"
    if any(row[kind] for row in rows):
        return NO_TIME
    if len(rows) > processes_max:
        return f"it has {len(rows)} processes, more than {processes_max}"
    return None


def _delivers(rows: Sequence[Row]) -> bool:
    return any(row["delivers"] for row in rows)


def _numbered(name: str, rows: Sequence[Row]) -> Numbered:
    start, end = min(row["start"] for row in rows), max(row["end"] for row in rows)
    return Numbered(name, tuple(row["process"] for row in rows), start, end, (0,) * len(rows))


def _cells(events: DataFrame, runs: Sequence[Numbered], wanted: Mapping[str, int]) -> dict[str, Cells]:
    """By run: how many events each process has in each bucket of time, to spread windows evenly."""
    processes = sum(len(run.processes) for run in runs)
    buckets = max(BUCKETS_PER_WINDOW * max(wanted.values()), BUCKETS_MIN)
    buckets = max(1, min(buckets, CELLS_MAX // processes))
    spans = [(run.run, run.start, _scale(buckets, run.end - run.start)) for run in runs]
    plan = given(events.sparkSession, spans, SPANS)
    bucket = fn.expr("cast(floor((time - start) * scale) as int)").alias("bucket")
    counted = events.join(fn.broadcast(plan), "run").groupBy("run", "process", bucket)
    rows = counted.agg(fn.sum("events").alias("count")).collect()
    numbers = {run.run: {name: number for number, name in enumerate(run.processes)} for run in runs}
    found: dict[str, list[tuple[int, int, int]]] = {run.run: [] for run in runs}
    for row in rows:
        share = round(row["bucket"] / buckets * TICKS_PER_RUN)
        found[row["run"]].append((numbers[row["run"]][row["process"]], share, ceil(row["count"])))
    return {name: Cells(*np.array(cells, np.int64).reshape(-1, 3).T) for name, cells in found.items()}


def _scale(buckets: int, span_s: float) -> float:
    """Buckets a second; none where the times are too close together to be told apart so."""
    scale = buckets / span_s if span_s > 0 else 0.0
    return scale if isfinite(scale) else 0.0


def _cut(run: Numbered, cells: Mapping[str, Cells], wanted: Mapping[str, int]) -> Numbered:
    own = cells[run.run]
    tick = own.tick + np.array(run.shifts, np.int64)[own.process]
    return replace(run, cuts=tuple(thresholds(tick, own.events, wanted[run.run]).tolist()))


def _tried(
    feed: Feed,
    runs: Sequence[Numbered],
    *,
    sizes: Mapping[str, int],
    receiving: Sequence[str],
    named: bool,
    window_events: int,
) -> tuple[Windows, dict[str, list[Row]], list[str]]:
    """Summarise the windows of these runs. Those whose cuts are consistent are good; for the skewed ones, the least
    slack of each link; and those in which a clock goes back."""
    parts, total = Parts(tuple(runs)), sum(sizes[run.run] for run in runs)
    count = min(int(parts.starts[-1]), ceil(2 * total / window_events))
    frame = (
        feed.by_message(ceil(total / window_events), [run.run for run in runs], receiving)
        .mapInArrow(tasks.join_messages(parts, count, named=named), from_arrow_schema(tasks.DEALT))
        .repartitionById(count, fn.col("task"))
        .mapInArrow(tasks.summarise_windows(parts), from_arrow_schema(WINDOWS))
        .persist(StorageLevel.MEMORY_AND_DISK)
    )
    links = frame.filter(fn.col("what") == LINK).groupBy("run", "sender", "process").agg(fn.min("low").alias("slack"))
    skewed = Window.partitionBy("run")
    slacks: dict[str, list[Row]] = {}
    for row in links.withColumn("least", fn.min("slack").over(skewed)).filter("least < 0").collect():
        slacks.setdefault(runs[row["run"]].run, []).append(row)
    earlier = Window.partitionBy("run", "process").orderBy("part").rowsBetween(Window.unboundedPreceding, -1)
    spans = frame.filter(fn.col("what") == SPAN).withColumn("before", fn.max("high").over(earlier))
    back = [runs[row["run"]].run for row in spans.filter("before > low").select("run").distinct().collect()]
    good = tuple(number for number, run in enumerate(runs) if run.run not in slacks and run.run not in back)
    return Windows(parts, count, frame, good), slacks, [name for name in back if name not in slacks]


def _shifted(run: Numbered, links: Sequence[Row]) -> Numbered | None:
    """The run with its clocks moved until no deliver precedes its send, or None where that cannot be."""
    sender, receiver, slack = (
        np.array([row[name] for row in links], np.int64) for name in ("sender", "process", "slack")
    )
    shift = shifts(len(run.processes), sender, receiver, slack)
    return None if shift is None else replace(run, shifts=tuple(shift.tolist()))
