"""Build the content of a report from the result of a check.

This module computes nothing: the figures are those of the pipeline, with the names of the model. If the pipeline has
listed only the first of many, the counts beside them are of all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from pathlib import PurePath
from typing import cast

from antecede.judge.events import Event
from antecede.pipeline.check import Checked
from antecede.pipeline.report.explanations import Explained
from antecede.pipeline.tables.figures import Figures, Spread
from antecede.pipeline.tables.write import Details
from antecede.pipeline.verify.answer import Answer, RunAnswer
from antecede.web import model
from antecede.web.model import EventPoint, MessageArrow
from antecede.web.text import plural

MATRIX_PROCESSES_MAX = 20


def report_data(checked: Checked, *, written: str = "") -> model.ReportData:
    """Return the report on a check that had an output folder. `written` is the date to show."""
    found, details = checked.answer, checked.details
    assert details is not None, "a report is drawn from what an output folder gets"
    drawn = details.figures
    paths = ", ".join(checked.paths)
    return model.ReportData(
        title=", ".join(PurePath(path).name or path for path in checked.paths),
        source=paths,
        format=checked.format,
        verdict=cast(model.Verdict, found.verdict),
        reason=found.reason,
        complete=found.complete,
        counts=_counts(checked),
        runs=tuple(_run(run) for run in found.runs),
        violations=tuple(_violation(one) for one in checked.explained),
        delay=_distribution(drawn.spreads.get("delay_s")),
        hold_back=_hold_back(drawn),
        stamp=_stamp(drawn),
        timeline=tuple(model.TimeBucket(*astuple(moment)) for moment in drawn.moments),
        links=_matrix(drawn),
        processes=tuple(_process(row.asDict()) for row in drawn.processes),
        quarantine=_quarantine(details),
        skew=tuple(_skew(details)),
        locality=drawn.locality,
        computation=model.Computation(found.sums["windows"], checked.stages, tuple(_notes(checked, found, drawn))),
        written=written,
        picture=_picture(details),
    )


def _counts(checked: Checked) -> model.CheckCounts:
    sums = checked.answer.sums
    names = [name for name in model.CheckCounts.__slots__ if name not in ("runs", "quarantined")]
    return model.CheckCounts(
        runs=checked.answer.run_count, quarantined=checked.quarantined, **{name: sums[name] for name in names}
    )


def _run(run: RunAnswer) -> model.RunRow:
    note = " ".join(filter(None, [run.reason, f"verified {run.one_task}" if run.one_task else None]))
    names = ("processes", "events", "messages", "deliveries", "violations", "overtaken", "lost")
    counts = {name: getattr(run, name) for name in names}
    return model.RunRow(run.run, cast(model.Verdict, run.verdict), **counts, note=note)


def _violation(one: Explained) -> model.ExplainedViolation:
    return model.ExplainedViolation(
        run=one.run,
        process=one.process,
        overtaken=one.overtaken,
        overtaking=one.overtaking,
        words=f"{one.words}.",
        chain=tuple(map(_point, one.chain)),
        events=tuple(map(_point, one.events)),
        messages=tuple(_arrows(one)),
        overtaken_count=one.overtaken_count,
        late_seconds=one.late_seconds,
    )


def _point(event: Event) -> EventPoint:
    return EventPoint(event.process, event.index, event.kind, event.message, event.time)


def _arrows(one: Explained) -> Iterator[MessageArrow]:
    """Yield the messages that have both ends among the events shown, each with its role in the violation."""
    chained = {event.message for event in one.chain}
    for arrow in _messages(map(_point, one.events)):
        role: model.Role = "witness" if arrow.id in chained else "context"
        if arrow.id in (one.overtaken, one.overtaking):
            role = "overtaken" if arrow.id == one.overtaken else "overtaking"
        yield MessageArrow(arrow.id, arrow.sender, arrow.send_index, arrow.delivers, role)


def _messages(events: Iterable[EventPoint]) -> Iterator[MessageArrow]:
    """Yield the messages that have both ends among `events`."""
    points = sorted(events, key=lambda point: (point.process, point.index))
    ends = "deliver" if any(point.kind == "deliver" for point in points) else "receive"
    sends = {point.message: point for point in points if point.kind == "send"}
    delivers: dict[str | None, list[tuple[str, int]]] = {}
    for point in points:
        if point.kind == ends:
            delivers.setdefault(point.message, []).append((point.process, point.index))
    for message, send in sends.items():
        if message in delivers and message is not None:
            yield MessageArrow(message, send.process, send.index, tuple(delivers[message]))


def _distribution(spread: Spread | None) -> model.Histogram | None:
    if spread is None:
        return None
    buckets = tuple(model.HistogramBucket(*bucket) for bucket in spread.buckets)
    return model.Histogram(spread.count, spread.mean_s, spread.max_s, spread.percentiles, buckets)


def _hold_back(drawn: Figures) -> model.HoldBackSummary | None:
    wait = _distribution(drawn.spreads.get("hold_s"))
    if wait is None:
        return None
    needless = _distribution(drawn.spreads.get("needless_s"))
    return model.HoldBackSummary(drawn.held, needless.count if needless else 0, wait, needless)


def _stamp(drawn: Figures) -> model.StampSize | None:
    size = drawn.stamps
    if size is None:
        return None
    entries = None if size.entries is None else size.entries / size.messages
    return model.StampSize(size.messages, size.bytes / size.messages, size.bytes_max, size.bytes, entries)


def _matrix(drawn: Figures) -> model.LinkMatrix | None:
    """Return the links among the busiest processes, or None if there are no links."""
    busy: dict[str, int] = {}
    for row in drawn.links:
        for name in (row["sender"], row["process"]):
            busy[name] = busy.get(name, 0) + row["messages"]
    if not busy:
        return None
    chosen = sorted(sorted(busy, key=lambda name: (-busy[name], name))[:MATRIX_PROCESSES_MAX])
    links = tuple(
        model.LinkTotals(row["sender"], row["process"], row["messages"], row["delay_s_mean"], row["violations"])
        for row in drawn.links
        if row["sender"] in chosen and row["process"] in chosen
    )
    return model.LinkMatrix(tuple(chosen), max(drawn.process_count, len(chosen)), links)


def _process(row: Mapping[str, object]) -> model.ProcessRow:
    seconds = {"mean_delay_seconds": row["delay_s_mean"], "mean_hold_seconds": row["hold_s_mean"]}
    names = ("process", "events", "sends", "deliveries", "violations", "lost")
    return model.ProcessRow(**{name: row[name] for name in names}, **seconds)  # type: ignore[arg-type]  # by name


def _quarantine(details: Details) -> model.Quarantine:
    rows = tuple(
        model.QuarantineRow(row["file"] or "", row["line"] or 0, row["reason"], row["row"] or "")
        for row in details.refused
    )
    return model.Quarantine(rows, details.reasons)


def _skew(details: Details) -> Iterator[str]:
    for row in details.skew:
        where = f" in run {row['run']}" if row["run"] else ""
        early = plural(row["early"], "deliver came before its send", "delivers came before their sends")
        yield (f"From {row['sender']} to {row['process']}{where}: {early}, by up to {row['worst_s']:.6g} s.")


def _notes(checked: Checked, found: Answer, drawn: Figures) -> Iterator[str]:
    yield from checked.notes
    yield from drawn.notes
    yield from (f"Run {run.run or '(unnamed)'} was verified {run.one_task}." for run in found.runs if run.one_task)


def _picture(details: Details) -> model.TracePicture | None:
    """Return an example of the trace, with its messages if they have names, else with the edges of vector clocks."""
    picture = details.picture
    if picture is None:
        return None
    points = tuple(
        EventPoint(row["process"], row["index"], row["kind"], row["message"], row["time"]) for row in picture.events
    )
    arrows = tuple(_messages(points)) or tuple(_edges(points, [row.asDict() for row in picture.edges]))
    words = f"The first {plural(len(points), 'event')}" + (
        ", with arrows for what the vector clocks show to have reached another process." if picture.edges else "."
    )
    return model.TracePicture(picture.run, words, points, arrows)


def _edges(points: Sequence[EventPoint], edges: Sequence[Mapping[str, object]]) -> Iterator[MessageArrow]:
    """Yield the edges of vector clocks that have both ends among the events shown, as arrows."""
    shown = {(point.process, point.index) for point in points}
    ends: dict[tuple[str, int], list[tuple[str, int]]] = {}
    for row in edges:
        start, end = (
            (cast(str, row["sender"]), cast(int, row["sent_index"])),
            (cast(str, row["process"]), cast(int, row["index"])),
        )
        if start in shown and end in shown:
            ends.setdefault(start, []).append(end)
    for (process, index), reached in sorted(ends.items()):
        yield MessageArrow(f"{process} {index}", process, index, tuple(sorted(reached)))
