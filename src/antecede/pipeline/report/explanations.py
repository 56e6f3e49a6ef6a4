"""Explain the worst violations: give the witness chain of each, in words and as events.

A chain lies between the send of the message that was overtaken and the send of the message that overtook it, so only a
neighbourhood of the run is looked at. A small run is taken whole. From a larger run, the events between the times of
the two sends are taken, and all events of the two messages. This is right if no deliver of the run precedes its send by
the source's clocks. If neither is possible, the explanation says so, and names the two messages.

The attributes of events are bounded here, before they travel. The events of a chain and the two delivers keep some of
their attributes, each cut to a length. The events around them keep none.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from antecede.core.errors import Misuse
from antecede.judge.events import Event
from antecede.judge.explain import describe_chain, explain_in
from antecede.judge.judge import Violation
from antecede.judge.trace import Run, arrange, sift
from antecede.pipeline.arrow import without_dictionaries
from antecede.pipeline.read.rows import to_events
from antecede.pipeline.report.arrows import violation_arrows
from antecede.pipeline.report.message_names import cut_middle, name_messages, title_of
from antecede.pipeline.report.model import ExplainedViolation, LoggedEvent, MessageArrow
from antecede.pipeline.report.span_ids import IDS
from antecede.pipeline.results import EXPLAINED
from antecede.pipeline.tables.part_files import VIOLATION_WORDS
from antecede.pipeline.verify.judge import JudgedRuns

AROUND = 3  # events that are shown before and after each event that matters, in its process
SHOWN_MAX = 200
WHOLE_RUN_EVENTS_MAX = 2_000
DETAILED_MAX = 40  # steps of a chain that keep their attributes, half of them at each end
SHOWN_ATTRIBUTES_MAX = 20
ATTRIBUTE_CHARS_MAX = 300


@dataclass(frozen=True, slots=True)
class ExplainedRun:
    """The counts that decide how the neighbourhoods of a run are found.

    `events` is the number of its events, and `early` is the number of its delivers before their sends.
    """

    events: int
    early: int


def sizes_of(runs: pa.Table) -> dict[str, ExplainedRun]:
    """Return the counts of each run that decide how its neighbourhoods are found.

    `runs` are rows of `kernel.findings.RUN_COUNTS`.
    """
    rows = runs.select(["run", "events", "early"]).to_pylist()
    return {row["run"]: ExplainedRun(row["events"], row["early"]) for row in rows}


def explain_judged(judged: JudgedRuns, *, events_max: int) -> pa.Table:
    """Return the explanations of the worst violations of whole runs, as `EXPLAINED`.

    At most `events_max` events are looked at for one violation.
    """
    found = []
    events, runs = judged.events, sizes_of(judged.runs)
    whole: dict[str, Run] = {}
    for row in judged.worst.to_pylist():
        name = row["run"]
        if name not in whole and runs[name].events <= min(WHOLE_RUN_EVENTS_MAX, events_max):
            of_run = events.filter(pc.equal(events["run"], name))
            whole.update((run.name, run) for run in arrange(to_events(of_run, LoggedEvent)))
        near = whole.get(name) or _near_run(events, row, runs[name], events_max)
        found.append(explain_one(row, near, runs[name]))
    return pack_explanations(found)


def explain_one(row: Mapping[str, Any], run: Run | None, size: ExplainedRun) -> ExplainedViolation:
    """Return the explanation of one violating deliver.

    `row` is a row of `kernel.findings.DELIVERY_FINDINGS`. `run` has the events near it, and is None if they are not
    known. `size` has the counts of the whole run.
    """
    violation = Violation(row["run"], row["process"], row["index"], row["message"], (row["witness"],), row["overtaken"])
    if run is None:
        return _without_chain(violation, row["sender"], _why_not(size))
    try:
        explained = explain_in(run, violation)
    except Misuse:  # a clock that went back inside a process, so that the chain is not where its times say
        why = "the chain between them cannot be found by the clocks of the source"
        return _without_chain(violation, row["sender"], why)
    overtaken = explained.chain[0].message or violation.overtaken[0]
    first, late = (run.firsts.get((message, violation.process)) for message in (violation.message, overtaken))
    times = [event.time for event in (first, late) if event is not None and event.time is not None]
    delivers = [event for event in (first, late) if event]
    anchors = [*explained.chain, *delivers]
    detailed = [*explained.chain[: DETAILED_MAX // 2], *explained.chain[-DETAILED_MAX // 2 :], *delivers]
    places = {(event.process, event.index) for event in detailed}
    around = tuple(_around(run, anchors))
    arrows = violation_arrows(around, explained.chain, overtaken=overtaken, overtaking=violation.message)
    titles = _titles(run, around)
    names = name_messages((event.message for event in anchors if event.message), titles)
    return replace(
        _without_chain(violation, row["sender"], ""),
        overtaken=overtaken,
        words=describe_chain(run, violation, explained.chain, names),
        chain=tuple(_bound_attributes(event, places) for event in explained.chain),
        events=tuple(_bound_attributes(event, places) for event in around),
        messages=tuple(arrows),
        late_seconds=times[1] - times[0] if len(times) == 2 else None,
        titles=titles,
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
    """Return events of one run as a `Run`, or None if there are none. Ignore rows that contradict an earlier row."""
    in_order = events.cast(without_dictionaries(events.schema)).sort_by([("file", "ascending"), ("line", "ascending")])
    kept, _ = sift(to_events(in_order, LoggedEvent))
    return next(iter(arrange(kept)), None)


def pack_explanations(found: Sequence[ExplainedViolation]) -> pa.Table:
    """Return explanations as rows of `EXPLAINED`."""
    rows = [
        {"run": one.run, "process": one.process, "index": one.index, "explanation": json.dumps(asdict(one))}
        for one in found
    ]
    return pa.Table.from_pylist(rows, EXPLAINED)


def words_table(explained: Sequence[ExplainedViolation]) -> pa.Table:
    """Return the words on the violations that are explained, as `VIOLATION_WORDS`, for the table of violations."""
    rows = [
        {"run": one.run, "process": one.process, "index": one.index}
        | {"rank": rank, "words": one.words, "late_s": one.late_seconds}
        for rank, one in enumerate(explained, start=1)
    ]
    return pa.Table.from_pylist(rows, VIOLATION_WORDS)


def unpack_explanation(text: str) -> ExplainedViolation:
    """Return the explanation that `pack_explanations` wrote."""
    values = json.loads(text)
    for name in ("chain", "events"):
        values[name] = tuple(
            LoggedEvent(**{**event, "dests": None if event["dests"] is None else tuple(event["dests"])})
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


def _titles(run: Run, events: Iterable[Event]) -> dict[str, str]:
    """Return the titles of the messages of some events, by id, as far as they are known."""
    sends = (run.sends.get(event.message) for event in events if event.message is not None)
    return {send.message: title for send in sends if send is not None and send.message and (title := title_of(send))}


def _bound_attributes(event: Event, detailed: Set[tuple[str, int]]) -> LoggedEvent:
    """Return an event with at most `SHOWN_ATTRIBUTES_MAX` attributes, each cut to a length.

    Ids are kept before other attributes. An event that is not among the `detailed` ones keeps none.
    """
    assert isinstance(event, LoggedEvent)
    given = event.attributes if event.attributes and (event.process, event.index) in detailed else {}
    order = sorted(given, key=lambda name: name not in IDS)[:SHOWN_ATTRIBUTES_MAX]
    kept = {cut_middle(name, ATTRIBUTE_CHARS_MAX): cut_middle(given[name], ATTRIBUTE_CHARS_MAX) for name in order}
    return replace(event, attributes=kept or None)


def _without_chain(violation: Violation, sender: str | None, why: str) -> ExplainedViolation:
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
        sender=sender or "",
    )


def _why_not(size: ExplainedRun) -> str:
    if size.early:
        return (
            f"the run has {size.events:,} events, and its clocks are too skewed to find the chain between them by time"
        )
    return f"the run has {size.events:,} events, and too many of them lie between the two to look for the chain"


def _around(run: Run, anchors: Sequence[Event]) -> Iterator[Event]:
    """Yield the anchors, and the events next to each anchor in its process. If there are more, stop at `SHOWN_MAX`."""
    shown: dict[tuple[str, int], Event] = {(event.process, event.index): event for event in anchors}
    for event in anchors:
        own = run.processes[event.process]
        at = bisect_left(own, event.index, key=lambda other: other.index)
        for near in own[max(0, at - AROUND) : at + AROUND + 1]:
            if len(shown) < SHOWN_MAX:
                shown.setdefault((near.process, near.index), near)
    yield from (shown[place] for place in sorted(shown))
