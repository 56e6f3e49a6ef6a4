"""Render a report as one HTML file that needs no network, fonts or server.

The frame, style and script of the page are files beside this one and are put inline. The Content-Security-Policy of the
page forbids loading anything, and allows only the style and the script with the right SHA-256. If hostile text ever
passed the escaping of `text`, it still could not execute. For the same reason no element has a `style` attribute: what
varies is drawn with SVG attributes and classes.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import PurePath
from string import Template

from antecede.pipeline.report.model import Figures, Report
from antecede.web import measures, sections
from antecede.web.matrix import matrix, worst_links
from antecede.web.names import PageNames, page_names
from antecede.web.step_links import LinkTemplate
from antecede.web.text import LINE_CHARS_MAX, TEXT_CHARS_MAX, name, plural, safe
from antecede.web.violations import ViolationWriter, link_counts, picture


@dataclass(frozen=True, slots=True)
class PageLimits:
    """The number of entries of each list that a page shows. The page counts the entries that it leaves out."""

    violations: int = 100
    runs: int = 50
    processes: int = 50
    quarantine: int = 50


LIMITS = PageLimits()


def render(report: Report, limits: PageLimits = LIMITS, *, written: str = "", link: LinkTemplate | None = None) -> str:
    """Return the page as HTML. The same report gives the same bytes.

    `written` is the date to show. `link` makes the steps of a chain links to another tool.
    """
    style, script = asset("page.css"), asset("page.js")
    parts = list(_sections(report, report.figures or Figures(), limits, link))
    title = ", ".join(PurePath(path).name or path for path in report.paths)
    return Template(asset("page.html")).substitute(
        policy=f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'",
        style=style,
        script=script,
        page_title=f"{sections.verdict_title(report.answer)}: {safe(title, 80)}",
        title=safe(title, LINE_CHARS_MAX),
        source=safe(", ".join(report.paths), LINE_CHARS_MAX),
        format=name(report.format),
        written=f"<div><dt>Written</dt><dd>{safe(written, 80)}</dd></div>" if written else "",
        verdict=sections.verdict(report.answer),
        first=parts[0][0],
        contents="".join(f'<li><a href="#{anchor}">{heading}</a></li>' for anchor, heading, _ in parts),
        sections="".join(_section(*part) for part in parts),
    )


def _sections(
    report: Report, figures: Figures, limits: PageLimits, link: LinkTemplate | None
) -> Iterator[tuple[str, str, str]]:
    """Yield (anchor, heading, body) of every section, in the order in which a reader needs them."""
    answer, explained = report.answer, report.explained[: limits.violations]
    names = page_names(explained, figures)
    total = answer.sums["violations"]
    writer = ViolationWriter(explained, total, names, link_counts(figures.violated_links), link)
    is_required = answer.required == "causal"
    if explained and is_required:
        yield "worst", "The worst violation" if total > 1 else "The violation", writer.worst()
    yield "counts", "Counts", sections.counts(report.as_dict())
    if answer.orders:
        yield "orders", "Orders of delivery", sections.orders(answer)
    if explained and not is_required:
        yield "worst", f"The {'worst ' if total > 1 else ''}violation of causal order", writer.worst()
    if len(explained) > 1:
        yield "violations", "Violations", writer.section()
    elif not explained or total > 1:
        yield "violations", "Violations", f"<p>{_say_no_violations(report, len(explained))}</p>"
    if figures.picture is not None:
        yield "picture", "Start of the trace", picture(figures.picture, names)
    has_messages = answer.sums["messages"] > 0
    yield from _measured(figures, names, has_messages=has_messages)
    if figures.processes:
        body = sections.processes(figures.processes, figures.process_count, limits.processes, names, answer.basis)
        yield "processes", "Processes", body
    if answer.runs:
        yield "runs", "Runs", sections.runs(answer.runs, answer.run_count, limits.runs, answer.basis)
    yield "quarantine", "Quarantine", sections.quarantine(figures, report.quarantined, limits.quarantine)
    in_step = (
        "By the clocks of the source, no deliver came before its send."
        if "delay_s" in figures.histograms
        else "There are no clock readings to compare."
    )
    yield "skew", "Clocks", sections.sentences(figures.skew, in_step)
    yield "method", "How this was computed", sections.computation(report, figures)
    if figures.locality and has_messages:
        yield "locality", "Savings with smaller clocks", f"<p>{safe(figures.locality, TEXT_CHARS_MAX)}</p>"


def _measured(figures: Figures, names: PageNames, *, has_messages: bool) -> Iterator[tuple[str, str, str]]:
    """Yield the sections on what was measured."""
    yield "timeline", "Over time", measures.timeline(figures.timeline)
    yield "delay", "Delivery delay", measures.delay(figures.histograms.get("delay_s"))
    yield "hold-back", "Hold-back and stamps", measures.hold_back(figures) + measures.stamp(figures.stamps)
    worst = worst_links(figures.violated_links, figures.violated_link_count, names)
    links = matrix(figures.links, figures.process_count, names) if figures.links else ""
    none = "<p>No message has both a send and a deliver in the trace.</p>"
    yield "links", "Links", (worst + links if has_messages else "") or none


def _say_no_violations(report: Report, explained: int) -> str:
    """Return a sentence on the violations that are not explained, or that there are none."""
    total = report.answer.sums["violations"]
    if total:
        return f"{plural(total - explained, 'other violation' if explained else 'violation')}, not explained here."
    if report.answer.verdict == "holds" and report.answer.complete:
        return "There are no violations."
    return "No violation was found in the part of the input that could be read and judged."


def _section(anchor: str, heading: str, body: str) -> str:
    title = f'<h2 id="{anchor}-heading">{heading}</h2>'
    return f'<section id="{anchor}" aria-labelledby="{anchor}-heading">{title}{body}</section>'


@cache
def asset(file_name: str) -> str:
    """Return a file of the page from the package."""
    return files("antecede.web").joinpath(file_name).read_text(encoding="utf-8")


def _digest(inline: str) -> str:
    return "sha256-" + b64encode(sha256(inline.encode()).digest()).decode()
