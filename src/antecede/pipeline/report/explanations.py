"""Explain the worst violations: give the witness chain of each, in words and as events.

A chain lies between the send of the message that was overtaken and the send of the one that overtook it, so only a
neighbourhood of the run is looked at. A small run is taken whole. Of a larger run, the events are taken whose times lie
between the two sends, and all events of the two messages. This is right if no deliver of the run precedes its send by
the source's clocks. If neither is possible, the explanation says so, and names the two messages.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from antecede.core.errors import Misuse
from antecede.judge.events import Event
from antecede.judge.explain import explain_in
from antecede.judge.judge import Violation
from antecede.judge.trace import Run, arrange, sift
from antecede.pipeline.arrow import without_dictionaries
from antecede.pipeline.read.rows import to_events
from antecede.pipeline.report.arrows import violation_arrows
from antecede.pipeline.report.model import ExplainedViolation, MessageArrow
from antecede.pipeline.results import EXPLAINED
from antecede.pipeline.tables.part_files import WORDS

AROUND = 3  # events shown before and after each that matters, in its process
SHOWN_MAX = 200
WHOLE_RUN_EVENTS_MAX = 2_000


@dataclass(frozen=True, slots=True)
class ExplainedRun:
    """What decides how the neighbourhoods of a run are found: its size, and its delivers before their sends."""

    events: int
    early: int


def explain_rows(
    events: pa.Table, worst: pa.Table, runs: Mapping[str, ExplainedRun], *, events_max: int
) -> list[ExplainedViolation]:
    """Return the explanations of violating delivers, rows of `kernel.findings.DELIVERIES`.

    `events` has all events of their runs. At most `events_max` events are looked at for one violation.
    """
    found = []
    whole: dict[str, Run] = {}
    for row in worst.to_pylist():
        name = row["run"]
        if name not in whole and runs[name].events <= min(WHOLE_RUN_EVENTS_MAX, events_max):
            whole.update((run.name, run) for run in arrange(to_events(events.filter(pc.equal(events["run"], name)))))
        near = whole.get(name) or _near_run(events, row, runs[name], events_max)
        found.append(explain_one(row, near, runs[name]))
    return found


def explain_one(row: Mapping[str, Any], run: Run | None, size: ExplainedRun) -> ExplainedViolation:
    """Return the explanation of one violating deliver from the events near it. `run` is None if they are not known."""
    violation = Violation(row["run"], row["process"], row["index"], row["message"], (row["witness"],), row["overtaken"])
    if run is None:
        return _name_messages(violation, _why_not(size))
    try:
        explained = explain_in(run, violation)
    except Misuse:  # a clock that went back inside a process, so that the chain is not where its times say
        return _name_messages(violation, "the chain between them cannot be found by the clocks of the source")
    overtaken = explained.chain[0].message or violation.overtaken[0]
    first, late = (run.firsts.get((message, violation.process)) for message in (violation.message, overtaken))
    times = [event.time for event in (first, late) if event is not None and event.time is not None]
    around = tuple(_around(run, [*explained.chain, *(event for event in (first, late) if event)]))
    arrows = violation_arrows(around, explained.chain, overtaken=overtaken, overtaking=violation.message)
    return replace(
        _name_messages(violation, ""),
        overtaken=overtaken,
        words=explained.words,
        chain=explained.chain,
        events=around,
        messages=tuple(arrows),
        late_seconds=times[1] - times[0] if len(times) == 2 else None,
    )


def select_near(events: pa.Table, row: Mapping[str, Any]) -> pa.Table:
    """Return the events between the two sends of a violation by time, and all events of the two messages."""
    of_run = pc.equal(events["run"].cast(pa.string()), row["run"])
    by_time = pc.and_(
        pc.greater_equal(events["time"], row["witness_time"]), pc.less_equal(events["time"], row["sent_time"])
    )
    of_pair = pc.is_in(events["message"], pa.array([row["message"], row["witness"]]))
    return events.filter(pc.and_(of_run, pc.or_(pc.fill_null(by_time, False), of_pair)))


def can_be_found_by_time(row: Mapping[str, Any], size: ExplainedRun) -> bool:
    """Return whether the chain of a violation lies between the times of its two sends."""
    return row["witness_time"] is not None and row["sent_time"] is not None and not size.early


def arrange_one(events: pa.Table) -> Run | None:
    """Return events of one run as a `Run`, or None if there are none. Ignore rows that contradict an earlier one."""
    in_order = events.cast(without_dictionaries(events.schema)).sort_by([("file", "ascending"), ("line", "ascending")])
    kept, _ = sift(to_events(in_order))
    return next(iter(arrange(kept)), None)


def pack_explanations(found: Sequence[ExplainedViolation]) -> pa.Table:
    """Return explanations as rows of `EXPLAINED`."""
    rows = [
        {"run": one.run, "process": one.process, "index": one.index, "explanation": json.dumps(asdict(one))}
        for one in found
    ]
    return pa.Table.from_pylist(rows, EXPLAINED)


def words_table(explained: Sequence[ExplainedViolation]) -> pa.Table:
    """Return what the table of violations says of those that are explained, as `WORDS`."""
    rows = [
        {"run": one.run, "process": one.process, "index": one.index}
        | {"rank": rank, "words": one.words, "late_s": one.late_seconds}
        for rank, one in enumerate(explained, start=1)
    ]
    return pa.Table.from_pylist(rows, WORDS)


def unpack_explanation(text: str) -> ExplainedViolation:
    """Return the explanation that `pack_explanations` wrote."""
    values = json.loads(text)
    for name in ("chain", "events"):
        values[name] = tuple(
            Event(**{**event, "dests": None if event["dests"] is None else tuple(event["dests"])})
            for event in values[name]
        )
    values["messages"] = tuple(
        MessageArrow(**{**arrow, "delivers": tuple((process, index) for process, index in arrow["delivers"])})
        for arrow in values["messages"]
    )
    return ExplainedViolation(**values)


def _near_run(events: pa.Table, row: Mapping[str, Any], size: ExplainedRun, events_max: int) -> Run | None:
    if can_be_found_by_time(row, size):
        near = select_near(events, row)
    elif size.events <= events_max:
        near = events.filter(pc.equal(events["run"].cast(pa.string()), row["run"]))
    else:
        return None
    return arrange_one(near) if near.num_rows <= events_max else None


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


def _why_not(size: ExplainedRun) -> str:
    if size.early:
        return (
            f"the run has {size.events:,} events, and its clocks are too skewed to find the chain between them by time"
        )
    return f"the run has {size.events:,} events, and too many of them lie between the two to look for the chain"


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
