"""Gather the figures that a report shows besides the answer, from the results and the tables of the tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline.read.files import PATHS
from antecede.pipeline.report.arrows import message_arrows
from antecede.pipeline.report.locality_saving import saving
from antecede.pipeline.report.model import (
    Answer,
    Figures,
    LinkTotals,
    LoggedEvent,
    ProcessTotals,
    QuarantinedRow,
    TracePicture,
)
from antecede.pipeline.runner import Runner
from antecede.pipeline.tables import totals
from antecede.pipeline.tables.figures import draw_figures
from antecede.pipeline.tables.hold_back import NEEDLESS_EVENTS_MAX
from antecede.pipeline.verify.answer import plural

LISTED_MAX = 100
SKEW_LISTED_MAX = 50
PICTURE_EVENTS_MAX = 90


def gather_figures(runner: Runner, told: Mapping[str, pa.Table], found: Answer, *, is_explained: bool) -> Figures:
    """Return the figures of a check whose tables were written.

    `told` are the results of the tasks, by name. `is_explained` is true if the report has explained violations.
    """
    histograms, timeline, stamps = draw_figures(told["figures"])
    links, link_count, violated_count = _gather_links(runner, told)
    processes = runner.call(totals.add_up_processes, _paths(told, "processes"), totals.PROCESS_TOTALS).to_pylist()
    counts = {name: processes[0][name] if processes else 0 for name in ("process_count", "held")}
    names = [name for name in totals.PROCESS_TOTALS.names if name not in counts]
    busiest = links[: totals.LINKS_MAX]
    return Figures(
        histograms=histograms,
        timeline=timeline,
        stamps=stamps,
        links=busiest,
        violated_links=tuple(sorted((link for link in links if link.violations), key=lambda link: -link.violations)),
        violated_link_count=violated_count,
        processes=tuple(ProcessTotals(**{name: row[name] for name in names}) for row in processes),
        process_count=counts["process_count"],
        held=counts["held"] if "hold_s" in histograms else 0,
        locality=saving([(link.sender, link.process) for link in busiest], complete=len(busiest) == link_count),
        notes=_notes(found, has_hold_backs="hold_s" in histograms),
        skew=tuple(_describe_skew(told["skew"])),
        quarantined=_quarantined(told["refused"]),
        reasons=_reasons(told["reasons"]),
        picture=None if is_explained else _draw_picture(runner, told, found),
    )


def _gather_links(runner: Runner, told: Mapping[str, pa.Table]) -> tuple[tuple[LinkTotals, ...], int, int]:
    """Return some links, the number of all links, and how many of these have violations."""
    rows = runner.call(totals.add_up_links(), _paths(told, "links"), totals.LINK_TOTALS).to_pylist()
    counts = (rows[0]["link_count"], rows[0]["violated_count"]) if rows else (0, 0)
    names = LinkTotals.__dataclass_fields__
    return tuple(LinkTotals(**{name: row[name] for name in names}) for row in rows), *counts


def _paths(told: Mapping[str, pa.Table], name: str) -> pa.Table:
    written = told["written"]
    return written.filter(pc.equal(written["table"], name)).select(["path"]).cast(PATHS)


def _notes(found: Answer, *, has_hold_backs: bool) -> tuple[str, ...]:
    notes = []
    if has_hold_backs and any(run.events > NEEDLESS_EVENTS_MAX for run in found.runs):
        notes.append(
            f"Needless hold-back is told for runs of up to {NEEDLESS_EVENTS_MAX:,} events; this trace has larger ones."
        )
    return tuple(notes)


def _describe_skew(skew: pa.Table) -> Iterator[str]:
    """Yield a sentence for each link on which delivers came before their sends, the worst first."""
    links = skew.group_by(["run", "sender", "process"]).aggregate([("early", "sum"), ("worst_s", "max")])
    order = [("worst_s_max", "descending"), *((name, "ascending") for name in ("run", "sender", "process"))]
    for row in links.sort_by(order).slice(0, SKEW_LISTED_MAX).to_pylist():
        where = f" in run {row['run']}" if row["run"] else ""
        early = plural(row["early_sum"], "deliver came before its send", "delivers came before their sends")
        yield f"From {row['sender']} to {row['process']}{where}: {early}, by up to {row['worst_s_max']:.6g} s."


def _quarantined(refused: pa.Table) -> tuple[QuarantinedRow, ...]:
    first = refused.sort_by([("file", "ascending"), ("line", "ascending")]).slice(0, LISTED_MAX)
    return tuple(QuarantinedRow(**row) for row in first.to_pylist())


def _reasons(reasons: pa.Table) -> tuple[tuple[str, int], ...]:
    sums = reasons.group_by("reason").aggregate([("rows", "sum")])
    order = [("rows_sum", "descending"), ("reason", "ascending")]
    return tuple((row["reason"], row["rows_sum"]) for row in sums.sort_by(order).slice(0, LISTED_MAX).to_pylist())


def _draw_picture(runner: Runner, told: Mapping[str, pa.Table], found: Answer) -> TracePicture | None:
    """Return an example of the trace: the first events of its first run, with the messages among them."""
    if not found.runs or not found.sums["events"]:
        return None
    run = found.runs[0].run
    task = totals.take_first_events(run, PICTURE_EVENTS_MAX)
    rows: Sequence[dict[str, object]] = runner.call(task, _paths(told, "events"), totals.EXCERPT).to_pylist()
    points = tuple(
        LoggedEvent(**{**row, "dests": None if row["dests"] is None else tuple(row["dests"])})  # type: ignore[arg-type]  # the columns of a trace are the fields of an event
        for row in rows
    )
    return TracePicture(run, f"The first {plural(len(points), 'event')}.", points, tuple(message_arrows(points, {})))
