"""`check`: a trace in, the answer out; in stages that have names, so that whoever waits can be told what is going on.

Reading makes events of the input, verifying gives the verdict, explaining the chains behind the worst violations;
where an output folder is given, measuring and writing fill its tables. What comes back is small and bounded however
large the trace is: everything that grows with the data stays in Spark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from antecede.judge.rule import QUARANTINE_MAX, check_quarantine_max
from antecede.pipeline.limits import LIMITS, Limits
from antecede.pipeline.read import ingest
from antecede.pipeline.report import explanations
from antecede.pipeline.report.model import Answer, ExplainedViolation, Report
from antecede.pipeline.spark.progress import Progress, Stages, silent
from antecede.pipeline.tables import folder
from antecede.pipeline.tables.write import write_results
from antecede.pipeline.verify.answer import answer
from antecede.pipeline.verify.verify import verify


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked(Report):
    """The report of a check, with the events that were read and the folder that its tables were written to."""

    events: DataFrame
    out: str | None = None


def _left_out(quarantine: DataFrame, count: int) -> tuple[str, ...]:
    """Return a note that names one of the refused rows, if there are any."""
    if not count:
        return ()
    row = quarantine.select("file", "line", "reason").limit(1).collect()[0]
    return (
        f"{count:,} {'row is' if count == 1 else 'rows are'} not part of the verdict; "
        f"line {row['line']} of {row['file']}: {row['reason']}",
    )


def _not_judged(found: Answer) -> tuple[str, ...]:
    """Return a note on the deliveries whose order was not judged, if there are any."""
    spurious, deliveries = found.sums["spurious"], found.sums["deliveries"]
    if not spurious:
        return ()
    return (
        f"{spurious:,} of {deliveries:,} deliveries are spurious, and their order was not judged: the message was "
        "never sent, or its send does not name the process among its destinations",
    )


def check(
    spark: SparkSession,
    paths: Sequence[str],
    *,
    format: str = "auto",
    regex: str | None = None,
    delimiter: str | None = None,
    mapping: str | Mapping[str, object] | None = None,
    out: str | None = None,
    windows: int | None = None,
    worst: int = explanations.WORST,
    quarantine_max: float = QUARANTINE_MAX,
    limits: Limits = LIMITS,
    progress: Progress = silent,
) -> Checked:
    """Check the trace in `paths`; with `out`, write its tables there.

    If more than the share `quarantine_max` of the input could not be read, a trace without violations is undecidable.
    `limits` are how much one task takes, and how much is fetched.
    """
    check_quarantine_max(quarantine_max)
    if out is not None:
        folder.refuse_bad_folder(out, paths)
    stages = Stages(progress)
    with ExitStack() as held:
        with stages.stage("reading"):
            read = ingest.read(spark, paths, format, regex=regex, delimiter=delimiter, mapping=mapping, limits=limits)
            if read.feed is not None:
                held.callback(read.feed.release)
            quarantined = read.quarantine.count()
            unread_share = read.unread_share() if quarantined else 0.0
            notes = (*_left_out(read.quarantine, quarantined), *read.notes)
        with stages.stage("verifying"):
            trace, detail = read.feed or read.events, out is not None
            verified = verify(trace, windows=windows, detail=detail, worst=worst, limits=limits).keep()
            held.callback(verified.release)
            found = answer(verified.runs, quarantined, quarantine_max=quarantine_max, unread_share=unread_share)
        told: tuple[ExplainedViolation, ...] = ()
        if found.verdict == "violated" and worst:
            with stages.stage("explaining"):
                near = read.feed.near if read.feed is not None else None
                events_max = limits.explained_events_max
                told = explanations.explain(
                    read.events, verified.violations, verified.runs, worst, near, events_max=events_max
                )
        figures = write_results(read, verified, found, told, out=out, stages=stages) if out is not None else None
    return Checked(
        paths=tuple(paths),
        format=read.format,
        notes=(*notes, *_not_judged(found)),
        answer=found,
        quarantined=quarantined,
        explained=told,
        events=read.events,
        stages=tuple(stages.took),
        out=out,
        figures=figures,
    )
