"""Why the worst violations are violations: for each the witness chain, in words and as events.

A chain lies between the send of the message that was overtaken and the send of the one that overtook it, so only a
neighbourhood of the trace is fetched. A run that is small is fetched whole, up to `EVENTS_MAX` events for all
violations together, the worst first. Of a larger run the events are fetched whose times lie between the two sends,
which is right where no deliver of the run precedes its send by the source's clocks; again up to `EVENTS_MAX` together.
Where neither will do, the explanation says so, and names the two messages.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from antecede.check.events import Event
from antecede.check.explain import explain_in
from antecede.check.judge import Violation
from antecede.check.trace import Run, arrange
from antecede.core.errors import Misuse

WORST = 100
EVENTS_MAX = 200_000
AROUND = 3  # events shown before and after each that matters, in its process
SHOWN_MAX = 200
COLUMNS = ("run", "process", "index", "kind", "time", "message", "dests")


@dataclass(frozen=True, slots=True)
class Explained:
    """One violating deliver. `chain` is empty where it could not be fetched, and `words` then say why; `events`
    are those around it, the chain and the two delivers among them."""

    run: str
    process: str
    index: int
    overtaking: str
    overtaken: str
    overtaken_count: int
    words: str
    chain: tuple[Event, ...] = ()
    events: tuple[Event, ...] = ()
    late_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class RunSize:
    """What decides how a run's neighbourhoods are fetched."""

    events: int
    early: int


def worst(deliveries: DataFrame, limit: int = WORST) -> DataFrame:
    """The violating delivers that overtook the most, then the earliest."""
    return (
        deliveries.where("violation")
        .select("run", "process", "index", "message", "sent_time", "overtaken", "witness", "time")
        .orderBy(fn.desc("overtaken"), fn.asc_nulls_last("time"), "run", "process", "index")
        .limit(limit)
    )


def explain(
    events: DataFrame, deliveries: DataFrame, messages: DataFrame, sizes: DataFrame, limit: int = WORST
) -> tuple[Explained, ...]:
    """Explain the worst violations. `sizes` has `run`, `events` and `early` of every run."""
    found = [_Found(row) for row in worst(deliveries, limit).collect()] if limit else []
    if not found:
        return ()
    runs = sorted({one.violation.run for one in found})
    size = {row["run"]: RunSize(row["events"], row["early"]) for row in _of_runs(sizes, runs).collect()}
    whole = _fitting(runs, found, size)
    arranged = {run.name: run for run in arrange(_events(_of_runs(events, whole)))} if whole else {}
    rest = [one for one in found if one.violation.run not in arranged and not size[one.violation.run].early]
    near = dict(_windows(events, messages, rest)) if rest else {}
    return tuple(
        _explained(one, arranged.get(one.violation.run) or near.get(one.place), size[one.violation.run])
        for one in found
    )


class _Found:
    """A row of `worst`, as the judge would have it."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.violation = Violation(
            row["run"], row["process"], row["index"], row["message"], (row["witness"],), row["overtaken"]
        )
        self.sent_time: float | None = row["sent_time"]

    @property
    def place(self) -> tuple[str, str, int]:
        return self.violation.run, self.violation.process, self.violation.index


def _of_runs(table: DataFrame, runs: Sequence[str]) -> DataFrame:
    return table.where(fn.col("run").isin(list(runs)))


def _fitting(runs: Sequence[str], found: Sequence[_Found], size: Mapping[str, RunSize]) -> list[str]:
    """The runs to fetch whole, in the order of their worst violations, as long as there is room."""
    fitting: list[str] = []
    room = EVENTS_MAX
    for run in dict.fromkeys(one.violation.run for one in found):
        if run in runs and size[run].events <= room:
            room -= size[run].events
            fitting.append(run)
    return fitting


def _events(table: DataFrame) -> Iterator[Event]:
    rows = table.select(*COLUMNS).toArrow()
    for batch in rows.to_batches():
        for row in batch.to_pylist():
            yield Event(**{**row, "dests": None if row["dests"] is None else tuple(row["dests"])})


def _windows(
    events: DataFrame, messages: DataFrame, found: Sequence[_Found]
) -> Iterator[tuple[tuple[str, str, int], Run]]:
    """By place of a violation, the events between the two sends and those of the two messages; where they fit."""
    spans = _spans(messages, found)
    by_span = (fn.col("time") >= fn.col("from_time")) & (fn.col("time") <= fn.col("to_time"))
    of_pair = (fn.col("message") == fn.col("m1")) | (fn.col("message") == fn.col("m2"))
    near = events.select(*COLUMNS).join(
        fn.broadcast(spans.withColumnRenamed("run", "in_run")),
        (fn.col("run") == fn.col("in_run")) & (fn.coalesce(by_span, fn.lit(False)) | of_pair),
    )
    room, fitting = EVENTS_MAX, []
    counts = {row["number"]: row["count"] for row in near.groupBy("number").count().collect()}
    for number in range(len(found)):
        if 0 < counts.get(number, 0) <= room:
            room -= counts[number]
            fitting.append(number)
    for number in fitting:
        for run in arrange(_events(near.where(fn.col("number") == number))):
            yield found[number].place, run


def _spans(messages: DataFrame, found: Sequence[_Found]) -> DataFrame:
    """number, run, m1, m2, and the times of their sends, of violations whose sends both have one."""
    asked = messages.sparkSession.createDataFrame(
        [
            (n, one.violation.run, one.violation.overtaken[0], one.violation.message, one.sent_time)
            for n, one in enumerate(found)
        ],
        "number int, run string, m1 string, m2 string, to_time double",
    )
    sent = messages.select("run", fn.col("message").alias("m1"), fn.col("time").alias("from_time"))
    return sent.join(fn.broadcast(asked), ["run", "m1"]).where("from_time is not null and to_time is not null")


def _explained(found: _Found, run: Run | None, size: RunSize) -> Explained:
    violation = found.violation
    overtaken = violation.overtaken[0]
    if run is None:
        return _untold(violation, _why_not(size))
    try:
        told = explain_in(run, violation)
    except Misuse:  # a clock that went back inside a process, so that the chain is not where its times say
        return _untold(violation, "the chain between them is not to be found by the source's clocks")
    overtaken = told.chain[0].message or overtaken
    first, late = (run.firsts.get((message, violation.process)) for message in (violation.message, overtaken))
    late_seconds = late.time - first.time if first and late and None not in (first.time, late.time) else None  # type: ignore[operator]
    around = tuple(_around(run, [*told.chain, *(event for event in (first, late) if event)]))
    return Explained(
        *found.place,
        violation.message,
        overtaken,
        violation.overtaken_count,
        told.words,
        told.chain,
        around,
        late_seconds,
    )


def _untold(violation: Violation, why: str) -> Explained:
    overtaken = violation.overtaken[0]
    words = (
        f"{violation.process} delivered {violation.message} before {overtaken}, which was sent to it too, and before "
        f"{violation.message} was; {why}"
    )
    return Explained(
        violation.run,
        violation.process,
        violation.index,
        violation.message,
        overtaken,
        violation.overtaken_count,
        words,
    )


def _why_not(size: RunSize) -> str:
    if size.early:
        return f"the run has {size.events:,} events, and clocks too skewed to find the chain between them by time"
    return f"the run has {size.events:,} events, and too many of them lie between the two to fetch the chain"


def _around(run: Run, anchors: Sequence[Event]) -> Iterator[Event]:
    """The anchors, and the events next to each in its process, up to `SHOWN_MAX`."""
    shown: dict[tuple[str, int], Event] = {(event.process, event.index): event for event in anchors}
    for event in anchors:
        own = run.processes[event.process]
        at = bisect_left(own, event.index, key=lambda other: other.index)
        for near in own[max(0, at - AROUND) : at + AROUND + 1]:
            if len(shown) < SHOWN_MAX:
                shown.setdefault((near.process, near.index), near)
    yield from (shown[place] for place in sorted(shown))
