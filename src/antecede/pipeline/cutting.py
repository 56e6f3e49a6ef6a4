"""The Spark side of one huge run: join it by message, plan its windows, summarise, compose, verify.

The plan needs three small facts, each collected: the processes with the span of their times, the least slack of each
link, and how many events lie in each bucket of shifted time. Cuts lie between buckets. They are consistent if
no deliver precedes its send on the shifted clocks, and if no process's clock goes back from one bucket to
an earlier one. Where a time is missing or a condition fails, the run is not cut, and the reason is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil

import numpy as np
from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as fn

from antecede.pipeline import tasks
from antecede.pipeline.findings import FINDINGS_DDL
from antecede.pipeline.lanes import CROSSING
from antecede.pipeline.normalise import DELIVER, RECEIVE, SEND, ticks
from antecede.pipeline.paired import Numbered
from antecede.pipeline.stamp import PROCESSES_MAX
from antecede.pipeline.tasks import Parts
from antecede.pipeline.windows import shifts, spread

WINDOW_EVENTS = 250_000
BUCKETS_PER_WINDOW, BUCKETS_MIN, BUCKETS_MAX = 64, 1_024, 65_536
NO_TIME = "some of its events have no time"
NO_SHIFT = "its clocks are skewed in a way that no shift per process can repair"
GOES_BACK = "the clock of a process goes back"

PAIRS_DDL = (
    "run int, process int, index long, role byte, tick long, sender int, sent_index long, sent_tick long,"
    " first boolean, addressed boolean, dests int, delivered int, time double, sent_time double"
)
MESSAGE_DDL = ", message string"
ENDS_DDL = (
    "run int, part int, process int, sent_index long, reached array<int>, sends binary, entries binary, cyclic boolean"
)
STATES_DDL = "part int, role byte, process int, sent_index long, known binary"
PLAN_DDL = "run int, shifts array<long>, low long, step long, parts array<int>"
LINKED = ("part", "role", "process", "index", "tick", "sender", "sent_index")
VERIFIED = (*LINKED, "first", "addressed", "dests", "delivered", "time", "sent_time")


@dataclass(frozen=True, slots=True)
class Cut:
    """Where one run is cut: what to add to each clock, and the window of each bucket of the shifted time."""

    shifts: tuple[int, ...]
    low: int
    step: int
    windows: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        return max(self.windows) + 1


@dataclass(frozen=True, slots=True)
class Cutting:
    """The plan for the runs that are cut, by their numbers, and the reasons for those that are not, by name."""

    runs: tuple[Numbered, ...] = ()
    cuts: dict[int, Cut] = field(default_factory=dict)
    uncut: dict[str, str] = field(default_factory=dict)
    pairs: DataFrame | None = None
    events: int = 0

    @property
    def parts(self) -> Parts:
        counts = [self.cuts[run].count if run in self.cuts else 0 for run in range(len(self.runs))]
        return Parts(self.runs, tuple(np.cumsum([0, *counts]).tolist()))

    @property
    def windows(self) -> dict[str, int]:
        return {self.runs[run].run: cut.count for run, cut in self.cuts.items()}

    @property
    def held(self) -> tuple[DataFrame, ...]:
        return () if self.pairs is None else (self.pairs,)


def cut(events: DataFrame, counts: DataFrame, names: Sequence[str], windows: int | None, *, detail: bool) -> Cutting:
    """Plan windows for these runs; `counts` has a row per process of each run."""
    by_run: dict[str, list[Row]] = {name: [] for name in names}
    for row in counts.filter(fn.col("run").isin(list(names)) & (fn.col("with_message") > 0)).collect():
        by_run[row["run"]].append(row)
    uncut = {name: reason for name, rows in by_run.items() if (reason := _unfit(rows))}
    fit = {name: sorted(rows, key=lambda row: row["process"]) for name, rows in by_run.items() if name not in uncut}
    if not fit:
        return Cutting(uncut=uncut)
    runs = tuple(_numbered(name, rows) for name, rows in fit.items())
    total = sum(row["with_message"] for rows in fit.values() for row in rows)
    pairs = _joined(events, runs, [name for name, rows in fit.items() if not _delivers(rows)], total, detail=detail)
    shifted = _shifts(pairs, runs)
    wanted = [windows or ceil(sum(row["with_message"] for row in rows) / WINDOW_EVENTS) for rows in fit.values()]
    cuts = {
        run: _span(list(fit.values())[run], runs[run], shift, wanted[run])
        for run, shift in shifted.items()
        if shift is not None
    }
    uncut |= {runs[run].run: NO_SHIFT for run, shift in shifted.items() if shift is None}
    found = _buckets(pairs, cuts)
    uncut |= {runs[run].run: GOES_BACK for run in cuts if found[run] is None}
    cuts = {
        run: Cut(cut.shifts, cut.low, cut.step, tuple(spread(buckets, wanted[run]).tolist()))
        for run, cut in cuts.items()
        if (buckets := found[run]) is not None
    }
    return Cutting(runs, cuts, uncut, pairs, total)


def windows_of(cutting: Cutting, *, detail: bool) -> DataFrame:
    """The findings of the runs that are cut."""
    parts, placed = cutting.parts, _placed(cutting)
    tasks_wanted = min(parts.starts[-1], ceil(2 * cutting.events / WINDOW_EVENTS))
    linked = placed.filter(f"role = {SEND} OR (first AND sender >= 0)").select(*LINKED)
    crossing = placed.filter(f"role = {DELIVER} AND first AND sent_part < part").withColumn("role", _role(CROSSING))
    leaving = crossing.withColumns({"tick": fn.col("part").cast("long"), "part": fn.col("sent_part")})
    states = (
        linked.unionByName(leaving.select(*LINKED))
        .repartitionById(tasks_wanted, fn.col("part"))
        .mapInArrow(tasks.summarise_windows(parts), ENDS_DDL)
        .repartition(min(len(cutting.cuts), tasks_wanted), "run")
        .sortWithinPartitions("part")
        .mapInArrow(tasks.compose(parts), STATES_DDL)
    )
    columns = (*VERIFIED, *(("message",) if detail else ()))
    passing = crossing.filter("addressed").withColumn("part", fn.expr("explode(sequence(sent_part, part - 1))"))
    return (
        placed.select(*columns)
        .unionByName(passing.select(*columns))
        .unionByName(states, allowMissingColumns=True)
        .repartitionById(tasks_wanted, fn.col("part"))
        .mapInArrow(tasks.verify_windows(parts, detail=detail), FINDINGS_DDL)
    )


def _unfit(rows: Sequence[Row]) -> str | None:
    kind = "untimed" if _delivers(rows) else "untimed_receives"
    if any(row[kind] for row in rows):
        return NO_TIME
    if len(rows) > PROCESSES_MAX:
        return f"it has {len(rows)} processes, more than {PROCESSES_MAX}"
    return None


def _delivers(rows: Sequence[Row]) -> bool:
    return any(row["delivers"] for row in rows)


def _numbered(name: str, rows: Sequence[Row]) -> Numbered:
    return Numbered(
        name, tuple(row["process"] for row in rows), min(row["start"] for row in rows), max(row["end"] for row in rows)
    )


def _joined(
    events: DataFrame, runs: Sequence[Numbered], receiving: Sequence[str], total: int, *, detail: bool
) -> DataFrame:
    """Every deliver with its send, in numbers; kept, for four passes will read it."""
    kind = fn.col("kind")
    if receiving:
        delivered = (kind == RECEIVE) & fn.col("run").isin(list(receiving))
        kind = fn.when(delivered, _role(DELIVER)).otherwise(kind)
    return (
        events.filter(fn.col("run").isin([one.run for one in runs]))
        .withColumn("kind", kind)
        .filter(fn.col("kind") != RECEIVE)
        .repartition(ceil(total / WINDOW_EVENTS), "run", "message")
        .mapInArrow(tasks.join_messages(runs, detail=detail), PAIRS_DDL + MESSAGE_DDL * detail)
        .persist(StorageLevel.MEMORY_AND_DISK)
    )


def _shifts(pairs: DataFrame, runs: Sequence[Numbered]) -> dict[int, tuple[int, ...] | None]:
    """By run: what to add to the clocks, or None where nothing helps."""
    slack = fn.min(fn.col("tick") - fn.col("sent_tick")).alias("slack")
    links = pairs.filter(f"role = {DELIVER} AND first AND sender >= 0").groupBy("run", "sender", "process").agg(slack)
    by_run: dict[int, list[Row]] = {}
    for row in links.collect():
        by_run.setdefault(row["run"], []).append(row)
    result: dict[int, tuple[int, ...] | None] = {}
    for number, one in enumerate(runs):
        rows = by_run.get(number, [])
        columns = (np.array([row[name] for row in rows], np.int64) for name in ("sender", "process", "slack"))
        shift = shifts(len(one.processes), *columns)
        result[number] = None if shift is None else tuple(shift.tolist())
    return result


def _span(rows: Sequence[Row], run: Numbered, shift: tuple[int, ...], windows: int) -> Cut:
    """The span of the shifted times, in buckets that are not yet windows."""
    bounds = [np.array([row[name] for row in rows], np.float64) for name in ("start", "end")]
    whole = (np.full(len(rows), run.start), np.full(len(rows), run.end))
    first, last = (ticks(bound, *whole) + np.array(shift, np.int64) for bound in bounds)
    low, high = int(first.min()), int(last.max())
    buckets = min(max(BUCKETS_MIN, BUCKETS_PER_WINDOW * windows), BUCKETS_MAX)
    return Cut(shift, low, (high - low) // buckets + 1)


def _buckets(pairs: DataFrame, cuts: dict[int, Cut]) -> dict[int, np.ndarray[tuple[int], np.dtype[np.int64]] | None]:
    """By run: the events in each bucket, up to the last that has any; None where a process's clock goes back."""
    plan = _plan(pairs, cuts, [0] * (max(cuts, default=0) + 1))
    earlier = Window.partitionBy("run", "process").orderBy("bucket").rowsBetween(Window.unboundedPreceding, -1)
    cells = (
        pairs.join(fn.broadcast(plan), "run")
        .withColumn("bucket", _bucket("tick", "process"))
        .groupBy("run", "process", "bucket")
        .agg(fn.count("*").alias("events"), fn.min("index").alias("first"), fn.max("index").alias("last"))
        .withColumn("back", fn.max("last").over(earlier) > fn.col("first"))
        .groupBy("run", "bucket")
        .agg(fn.sum("events").alias("events"), fn.max("back").alias("back"))
    )
    counts: dict[int, dict[int, int] | None] = {run: {} for run in cuts}
    for row in cells.collect():
        own = counts[row["run"]]
        if row["back"] or own is None:
            counts[row["run"]] = None
        else:
            own[row["bucket"]] = row["events"]
    return {run: None if own is None else _dense(own) for run, own in counts.items()}


def _dense(counts: dict[int, int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    dense = np.zeros(max(counts) + 1, np.int64)
    dense[list(counts)] = list(counts.values())
    return dense


def _placed(cutting: Cutting) -> DataFrame:
    """Every row with its part and that of its send."""
    assert cutting.pairs is not None
    placed = cutting.pairs.join(fn.broadcast(_plan(cutting.pairs, cutting.cuts, cutting.parts.starts)), "run")
    part = fn.get("parts", _bucket("tick", "process"))
    sent_part = fn.get("parts", _bucket("sent_tick", "sender"))
    return placed.withColumns(
        {
            "part": part,
            "sent_part": fn.when(fn.col("sender") >= 0, sent_part).otherwise(part),
            "tick": fn.expr(_shifted("tick", "process")),
        }
    )


def _plan(frame: DataFrame, cuts: dict[int, Cut], starts: Sequence[int]) -> DataFrame:
    rows = [
        (run, list(cut.shifts), cut.low, cut.step, [starts[run] + window for window in cut.windows])
        for run, cut in cuts.items()
    ]
    return frame.sparkSession.createDataFrame(rows, PLAN_DDL)


def _shifted(tick: str, process: str) -> str:
    return f"{tick} + get(shifts, {process})"


def _bucket(tick: str, process: str) -> Column:
    return fn.expr(f"cast(({_shifted(tick, process)} - low) div step as int)")


def _role(role: int) -> Column:
    return fn.lit(role).cast("byte")
