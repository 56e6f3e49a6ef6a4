"""Check a trace: a trace goes in, and a report comes out.

A check has stages with names, so that a caller who waits can be told what is going on:

    open       find the files, recognise their format, cut them into blocks
    plan       decide which task reads what, and whether rows are dealt out
    verify     judge every run; with an output folder, the tasks also write its tables
    explain    put the worst violations into words
    commit     make the tables visible

The report is small and bounded, however large the trace is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any
from uuid import uuid4

import pyarrow as pa

from antecede.judge.rule import QUARANTINE_MAX, VIOLATED, Coverage
from antecede.pipeline.arguments import check_values, refuse_needless_receives
from antecede.pipeline.kernel.clock_receives import ASSUMPTIONS
from antecede.pipeline.limits import LIMITS, Limits
from antecede.pipeline.open_trace import OpenTrace, open_trace
from antecede.pipeline.progress import Progress, Stages, no_progress
from antecede.pipeline.read.destinations import NOTE as INFERRED_NOTE
from antecede.pipeline.read.formats.spans import UNNAMED_NOTE
from antecede.pipeline.read.open_input import Expressions
from antecede.pipeline.read.rows import Wanted
from antecede.pipeline.read.source import Source
from antecede.pipeline.report import explanations
from antecede.pipeline.report.figures import gather_figures
from antecede.pipeline.report.model import Answer, ExplainedViolation, Figures, Report
from antecede.pipeline.report.neighbourhoods import explain_from_source
from antecede.pipeline.results import WRITTEN
from antecede.pipeline.runner import Frame, Runner
from antecede.pipeline.tables import folder
from antecede.pipeline.tables.part_files import PLACE, commit_parts, parts_folder, remove_parts_after_failure
from antecede.pipeline.verify.answer import CAUSAL, add_causal_witness, answer, plural
from antecede.pipeline.verify.clock_verdicts import explain_late
from antecede.pipeline.verify.tasks import JudgeOptions
from antecede.pipeline.verify.verify import Verified, verify

WORST = 100
REPEATED_SHARE_MIN = 1 / 3
"""The share of repeated deliveries from which on a note asks whether they are steps of one delivery."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked(Report):
    """The report of a check, the folder that its tables were written to, and the input, to read it again."""

    out: str | None = None
    open_events: Callable[[], Source]


def check(
    runner: Runner,
    given: Sequence[str] | pa.Table | Frame,
    *,
    format: str = "auto",
    regex: str | None = None,
    delimiter: str | None = None,
    receives: str | None = None,
    mapping: str | Mapping[str, object] | None = None,
    out: str | None = None,
    windows: int | None = None,
    worst: int = WORST,
    quarantine_max: float = QUARANTINE_MAX,
    require: str = CAUSAL,
    limits: Limits = LIMITS,
    progress: Progress = no_progress,
) -> Checked:
    """Check a trace, given as paths or as rows, and return the report. If `out` is given, write the tables there.

    `receives` is an expression that marks the receives of a log that has vector clocks and names no messages. If more
    than the share `quarantine_max` of the input could not be read, a trace without violations is undecidable. The
    verdict is about the order `require`. The worst violations of causal order are explained, whatever is required.
    """
    reading: Any = {"format": format, "regex": regex, "delimiter": delimiter, "receives": receives, "mapping": mapping}
    verifying: Any = {"windows": windows, "worst": worst, "quarantine_max": quarantine_max, "require": require}
    loaded = check_values(given if isinstance(given, Sequence) else (), out=out, **reading, **verifying)
    stages = Stages(progress)
    with stages.stage("reading"):
        how = Expressions(regex, delimiter, loaded)
        trace = open_trace(runner, given, format, how, windows=windows, limits=limits)
    refuse_needless_receives(receives, trace.format, has_clocks=trace.has_clocks)
    check_id = uuid4().hex
    options = JudgeOptions(
        worst=worst if out is not None else min(worst, 1),
        parts_folder=None if out is None else parts_folder(out, check_id),
        has_clocks=trace.has_clocks,
        has_index=trace.has_index,
        receives=receives,
        explain=partial(explanations.explain_judged, events_max=limits.explained_events_max),
        limits=limits,
    )
    with folder.claim_folder(out), remove_parts_after_failure(out, check_id):
        judged = _judge(trace, options, stages, windows=windows, quarantine_max=quarantine_max, required=require)
        figures = None if out is None else _write(trace, judged, stages, out=out, check_id=check_id)
    return Checked(
        paths=trace.names,
        format=trace.format,
        notes=(*_notes(judged), *trace.notes, *_note_deliveries(judged.answer, is_mapped=mapping is not None)),
        answer=judged.answer,
        quarantined=judged.quarantined,
        explained=judged.explained,
        stages=tuple(stages.took),
        plan=trace.plan.why,
        out=out,
        figures=figures,
        open_events=partial(trace.open, Wanted(all_columns=True)),
    )


@dataclass(frozen=True, slots=True)
class _Judged:
    """The result of the stages "verifying" and "explaining": the tables of the tasks, and the answer from them."""

    verified: Verified
    answer: Answer
    quarantined: int
    explained: tuple[ExplainedViolation, ...]


def _judge(
    trace: OpenTrace,
    options: JudgeOptions,
    stages: Stages,
    *,
    windows: int | None,
    quarantine_max: float,
    required: str,
) -> _Judged:
    try:
        with stages.stage("verifying"):
            source = trace.open(Wanted(all_columns=options.has_clocks or options.parts_folder is not None))
            plan = trace.plan
            verified = verify(source, dealt_to=plan.dealt_to, large=plan.large, windows=windows, options=options)
        found, quarantined = _answer(trace, verified, quarantine_max, required)
        explained: tuple[ExplainedViolation, ...] = ()
        if found.verdict_on(CAUSAL) == VIOLATED and options.worst:
            with stages.stage("explaining"):
                explained = _explain_worst(source, verified, options)
            found = add_causal_witness(found, explained)
    finally:
        trace.release()
    return _Judged(verified, found, quarantined, explained)


def _write(trace: OpenTrace, judged: _Judged, stages: Stages, *, out: str, check_id: str) -> Figures:
    told = judged.verified.told
    with stages.stage("summarising"):
        figures = gather_figures(trace.runner, told, judged.answer, is_explained=bool(judged.explained))
    with stages.stage("writing"):
        words = explanations.words_table(judged.explained)
        trace.runner.call(partial(commit_parts, out=out, check=check_id, words=words), told["written"], WRITTEN)
    return figures


def _answer(trace: OpenTrace, verified: Verified, quarantine_max: float, required: str) -> tuple[Answer, int]:
    files = verified.told["files"].to_pylist()
    quarantined = sum(row["refused"] for row in files)
    with_events = {row["file"] for row in files if row["events"]}
    unread = {row["file"] for row in files if row["is_damaged"] or (row["refused"] and row["file"] not in with_events)}
    sizes = trace.bytes_by_file
    total = sum(sizes.values())
    share = sum(size for name, size in sizes.items() if name in unread) / total if total else 0.0
    read = sum(verified.told["runs"]["events"].to_pylist())
    found = answer(
        verified.told["runs"],
        Coverage(read, quarantined, share),
        windows=verified.windows,
        one_task=verified.one_task,
        quarantine_max=quarantine_max,
        required=required,
    )
    return found, quarantined


def _explain_worst(source: Source, verified: Verified, options: JudgeOptions) -> tuple[ExplainedViolation, ...]:
    """Return explanations of the worst violations of all tasks.

    The task that had a whole run has explained its violations. The others are explained here, from the source.
    """
    order = [("overtaken", "descending"), ("time", "ascending")]
    order += [(name, "ascending") for name in PLACE]
    told = verified.told
    worst = told["worst"].sort_by(order).slice(0, options.worst).to_pylist()
    place_of = itemgetter(*PLACE)
    known = set(map(place_of, told["explained"].to_pylist()))
    missing = [row for row in worst if place_of(row) not in known]
    sizes = explanations.sizes_of(told["runs"])
    more = explain_from_source(source, missing, sizes, events_max=options.limits.explained_events_max)
    words = {place_of(row): row["explanation"] for table in (told["explained"], more) for row in table.to_pylist()}
    late = map(explain_late, told["late"].sort_by([(name, "ascending") for name in PLACE]).to_pylist())
    found = (explanations.unpack_explanation(words[place_of(row)]) for row in worst)
    return (*found, *late)[: options.worst]


def _notes(judged: _Judged) -> tuple[str, ...]:
    verified, quarantined = judged.verified, judged.quarantined
    notes: list[str] = []
    if quarantined:
        row = verified.told["refused"].sort_by([("file", "ascending"), ("line", "ascending")]).to_pylist()[0]
        notes.append(
            f"{quarantined:,} {'row is' if quarantined == 1 else 'rows are'} not part of the verdict; "
            f"line {row['line']} of {row['file']}: {row['reason']}"
        )
    inferred = sum(verified.told["inferred"]["sends"].to_pylist())
    notes += dict.fromkeys(verified.told["notes"]["note"].to_pylist())
    unnamed = sum(verified.told["unnamed"]["arrivals"].to_pylist())
    notes += [UNNAMED_NOTE.format(unnamed=unnamed)] if unnamed else []
    if "clocks" in judged.answer.basis:
        notes.append(f"judged by the vector clocks, for which is assumed that {ASSUMPTIONS}")
    return (*notes, INFERRED_NOTE.format(sends=inferred)) if inferred else tuple(notes)


def _note_deliveries(found: Answer, *, is_mapped: bool) -> tuple[str, ...]:
    return (*_note_unjudged(found), *_note_repeated(found, is_mapped=is_mapped))


def _note_unjudged(found: Answer) -> tuple[str, ...]:
    """Return a note on the deliveries whose order was not judged, if there are any."""
    spurious, deliveries = found.sums["spurious"], found.sums["deliveries"]
    if not spurious:
        return ()
    are, their = ("is", "its") if spurious == 1 else ("are", "their")
    return (
        f"{spurious:,} of {plural(deliveries, 'delivery', 'deliveries')} {are} spurious, and {their} order was not "
        "judged: the message was never sent, or its send does not name the process among its destinations",
    )


def _note_repeated(found: Answer, *, is_mapped: bool) -> tuple[str, ...]:
    """Return a note if so many deliveries are repeated that they may be steps of one delivery."""
    repeated, deliveries = found.sums["duplicates"], found.sums["deliveries"]
    if not deliveries or repeated / deliveries < REPEATED_SHARE_MIN:
        return ()
    advice = "; are two of your kinds steps of one delivery? map the earlier one to receive" if is_mapped else ""
    return (
        f"{repeated:,} of {plural(deliveries, 'delivery', 'deliveries')} {'is' if repeated == 1 else 'are'} repeated: "
        f"the process had delivered the message before, and only the first delivery was judged{advice}",
    )
