"""Explain the worst violations: give the witness chain of each, in words and as events.

A chain lies between the send of the message that was overtaken and the send of the one that overtook it, so only a
neighbourhood of the trace is fetched. A run that is small is fetched whole, up to `events_max` events for all
violations together, the worst first. Of a larger run, the events are fetched whose times lie between the two sends,
again up to `events_max` together. This is right if no deliver of the run precedes its send by the source's clocks. If
neither is possible, the explanation says so, and names the two messages.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any, TypeVar

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from antecede.core.errors import Misuse
from antecede.judge.events import Event
from antecede.judge.explain import explain_in
from antecede.judge.judge import Violation
from antecede.judge.trace import Run, arrange
from antecede.pipeline.limits import LIMITS
from antecede.pipeline.report.arrows import violation_arrows
from antecede.pipeline.report.model import ExplainedViolation
from antecede.pipeline.spark.local_dataframe import given

WORST = 100
AROUND = 3  # events shown before and after each that matters, in its process
SHOWN_MAX = 200
ASKED = pa.schema(
    [
        *(("number", pa.int32()), ("in_run", pa.string()), ("m1", pa.string()), ("m2", pa.string())),
        *(("from_time", pa.float64()), ("to_time", pa.float64())),
    ]
)
K = TypeVar("K")
COLUMNS = ("run", "process", "index", "kind", "time", "message", "dests")


@dataclass(frozen=True, slots=True)
class RunSize:
    """The size of a run and its early delivers, which decide how its neighbourhoods are fetched."""

    events: int
    early: int


def worst(violations: DataFrame, limit: int = WORST) -> DataFrame:
    """Return the violating delivers that overtook the most, then the earliest."""
    order = (fn.desc("overtaken"), fn.asc_nulls_last("time"), "run", "process", "index")
    return violations.orderBy(*order).limit(limit)


def explain(
    events: DataFrame,
    violations: DataFrame,
    sizes: DataFrame,
    limit: int = WORST,
    near: Near | None = None,
    *,
    events_max: int = LIMITS.explained_events_max,
) -> tuple[ExplainedViolation, ...]:
    """Return the worst violations with their explanations.

    `sizes` has `run`, `events` and `early` of every run. `near` returns the events that some `Span`s ask for, and maybe
    others, so that not all events need to be searched. At most `events_max` events are fetched for small runs, and as
    many for parts of larger ones.
    """
    found = [_Found(row) for row in worst(violations, limit).collect()] if limit else []
    if not found:
        return ()
    runs = list(dict.fromkeys(one.violation.run for one in found))
    size = {row["run"]: RunSize(row["events"], row["early"]) for row in _of_runs(sizes, runs).collect()}
    whole = _choose_fitting({run: size[run].events for run in runs}, events_max)
    arranged = {run.name: run for run in arrange(_events(_of_runs(events, whole)))} if whole else {}
    rest = [one for one in found if one.violation.run not in arranged and not size[one.violation.run].early]
    spans = [span for one in rest if (span := one.span)]
    around: dict[Span | None, Run] = dict(_windows(near(spans) if near else events, spans, events_max)) if spans else {}
    return tuple(
        _explain_one(one, arranged.get(one.violation.run) or around.get(one.span), size[one.violation.run])
        for one in found
    )


@dataclass(frozen=True, slots=True)
class Span:
    """The neighbourhood of a violation: the events of a run from the send of one message to that of another, and all
    events of these two messages.
    """

    run: str
    overtaken: str
    overtaking: str
    from_time: float
    to_time: float


Near = Callable[[Sequence[Span]], DataFrame]


class _Found:
    """A row of `worst`, in the types of the judge."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.violation = Violation(
            row["run"], row["process"], row["index"], row["message"], (row["witness"],), row["overtaken"]
        )
        self.sent_time: float | None = row["sent_time"]
        self.witness_time: float | None = row["witness_time"]

    @property
    def span(self) -> Span | None:
        """Return where to look for the chain, or None if one of the sends has no time."""
        one = self.violation
        if self.witness_time is None or self.sent_time is None:
            return None
        return Span(one.run, one.overtaken[0], one.message, self.witness_time, self.sent_time)


def _of_runs(table: DataFrame, runs: Sequence[str]) -> DataFrame:
    return table.where(fn.col("run").isin(list(runs)))


def _choose_fitting(sizes: Mapping[K, int], events_max: int) -> list[K]:
    """Return the keys of what to fetch, in order, as long as their sizes add up to at most `events_max`."""
    fitting: list[K] = []
    room = events_max
    for key, size in sizes.items():
        if 0 < size <= room:
            room -= size
            fitting.append(key)
    return fitting


def _events(table: DataFrame) -> Iterator[Event]:
    return (event for _, event in _numbered_events(table.withColumn("number", fn.lit(0))))


def _numbered_events(table: DataFrame) -> Iterator[tuple[int, Event]]:
    rows = table.select("number", *COLUMNS).toArrow()
    for batch in rows.to_batches():
        for row in batch.to_pylist():
            number, dests = row.pop("number"), row["dests"]
            yield number, Event(**{**row, "dests": None if dests is None else tuple(dests)})


def _windows(events: DataFrame, spans: Sequence[Span], events_max: int) -> Iterator[tuple[Span, Run]]:
    """Yield each span that can be fetched with its events.

    This takes two jobs, however many spans there are. One of them reads the trace.
    """
    numbered = [(number, *astuple(span)) for number, span in enumerate(spans)]
    asked = given(events.sparkSession, numbered, ASKED)
    by_time = (fn.col("time") >= fn.col("from_time")) & (fn.col("time") <= fn.col("to_time"))
    of_pair = (fn.col("message") == fn.col("m1")) | (fn.col("message") == fn.col("m2"))
    near = events.select(*COLUMNS).join(
        fn.broadcast(asked), (fn.col("run") == fn.col("in_run")) & (fn.coalesce(by_time, fn.lit(False)) | of_pair)
    )
    near.persist(StorageLevel.MEMORY_AND_DISK)
    counts = {row["number"]: row["count"] for row in near.groupBy("number").count().collect()}
    fitting = _choose_fitting(dict(sorted(counts.items())), events_max)
    found: dict[int, list[Event]] = {number: [] for number in fitting}
    for number, event in _numbered_events(near.where(fn.col("number").isin(fitting))) if fitting else ():
        found[number].append(event)
    near.unpersist()
    for number, those in found.items():
        for run in arrange(those):
            yield spans[number], run


def _explain_one(found: _Found, run: Run | None, size: RunSize) -> ExplainedViolation:
    violation = found.violation
    if run is None:
        return _name_messages(violation, _why_not(size))
    try:
        told = explain_in(run, violation)
    except Misuse:  # a clock that went back inside a process, so that the chain is not where its times say
        return _name_messages(violation, "the chain between them cannot be found by the clocks of the source")
    overtaken = told.chain[0].message or violation.overtaken[0]
    first, late = (run.firsts.get((message, violation.process)) for message in (violation.message, overtaken))
    times = [event.time for event in (first, late) if event is not None and event.time is not None]
    around = tuple(_around(run, [*told.chain, *(event for event in (first, late) if event)]))
    arrows = violation_arrows(around, told.chain, overtaken=overtaken, overtaking=violation.message)
    return replace(
        _name_messages(violation, ""),
        overtaken=overtaken,
        words=told.words,
        chain=told.chain,
        events=around,
        messages=tuple(arrows),
        late_seconds=times[1] - times[0] if len(times) == 2 else None,
    )


def _name_messages(violation: Violation, why: str) -> ExplainedViolation:
    """Return the explanation of a violation whose chain is not known. `why` says why it is not."""
    overtaken = violation.overtaken[0]
    words = (
        f"{violation.process} delivered {violation.message} before {overtaken}, which was sent to it too, and before "
        f"{violation.message} was; {why}"
    )
    return ExplainedViolation(
        run=violation.run,
        process=violation.process,
        index=violation.index,
        overtaking=violation.message,
        overtaken=overtaken,
        overtaken_count=violation.overtaken_count,
        words=words,
    )


def _why_not(size: RunSize) -> str:
    if size.early:
        return (
            f"the run has {size.events:,} events, and its clocks are too skewed to find the chain between them by time"
        )
    return f"the run has {size.events:,} events, and too many of them lie between the two to fetch the chain"


def _around(run: Run, anchors: Sequence[Event]) -> Iterator[Event]:
    """Yield the anchors, and the events next to each in its process, up to `SHOWN_MAX`."""
    shown: dict[tuple[str, int], Event] = {(event.process, event.index): event for event in anchors}
    for event in anchors:
        own = run.processes[event.process]
        at = bisect_left(own, event.index, key=lambda other: other.index)
        for near in own[max(0, at - AROUND) : at + AROUND + 1]:
            if len(shown) < SHOWN_MAX:
                shown.setdefault((near.process, near.index), near)
    yield from (shown[place] for place in sorted(shown))
