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
from antecede.web import measures, sections, violations
from antecede.web.matrix import matrix
from antecede.web.text import LINE_CHARS_MAX, TEXT_CHARS_MAX, name, safe


@dataclass(frozen=True, slots=True)
class PageLimits:
    """The number of entries of each list that a page shows. The page counts the entries that it leaves out."""

    violations: int = 100
    runs: int = 50
    processes: int = 50
    quarantine: int = 50


LIMITS = PageLimits()


def render(report: Report, limits: PageLimits = LIMITS, *, written: str = "") -> str:
    """Return the page as HTML. The same report gives the same bytes. `written` is the date to show."""
    style, script = asset("page.css"), asset("page.js")
    parts = list(_sections(report, report.figures or Figures(), limits))
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
        contents="".join(f'<li><a href="#{anchor}">{heading}</a></li>' for anchor, heading, _ in parts),
        sections="".join(_section(*part) for part in parts),
    )


def _sections(report: Report, figures: Figures, limits: PageLimits) -> Iterator[tuple[str, str, str]]:
    """Yield (anchor, heading, body) of every section, in the order in which a reader needs them."""
    answer, delay = report.answer, figures.histograms.get("delay_s")
    yield "counts", "Counts", sections.counts(report.as_dict())
    is_whole = answer.verdict == "holds" and answer.complete
    none = (
        "There are no violations."
        if is_whole
        else "No violation was found in the part of the input that could be read and judged."
    )
    total = answer.sums["violations"]
    yield "violations", "Violations", violations.section(report.explained, total, limits.violations, none)
    if figures.picture is not None:
        yield "picture", "Start of the trace", violations.picture(figures.picture)
    yield "timeline", "Over time", measures.timeline(figures.timeline)
    yield "delay", "Delivery delay", measures.delay(delay)
    yield "hold-back", "Hold-back and stamps", measures.hold_back(figures) + measures.stamp(figures.stamps)
    yield (
        "links",
        "Links",
        matrix(figures.links, figures.process_count)
        if figures.links
        else "<p>No message has both a send and a deliver in the trace.</p>",
    )
    if figures.locality:
        yield "locality", "Savings with smaller clocks", f"<p>{safe(figures.locality, TEXT_CHARS_MAX)}</p>"
    if figures.processes:
        names = figures.process_count if figures.links else len(figures.processes)  # a name counts once, in any run
        yield "processes", "Processes", sections.processes(figures.processes, names, limits.processes)
    if answer.runs:
        yield "runs", "Runs", sections.runs(answer.runs, answer.run_count, limits.runs)
    yield "quarantine", "Quarantine", sections.quarantine(figures, report.quarantined, limits.quarantine)
    in_step = (
        "By the clocks of the source, no deliver came before its send."
        if delay
        else "There are no clock readings to compare."
    )
    yield "skew", "Clocks", sections.sentences(figures.skew, in_step)
    yield "method", "Method", sections.computation(report, figures)


def _section(anchor: str, heading: str, body: str) -> str:
    title = f'<h2 id="{anchor}-heading">{heading}</h2>'
    return f'<section id="{anchor}" aria-labelledby="{anchor}-heading">{title}{body}</section>'


@cache
def asset(file_name: str) -> str:
    """Return a file of the page from the package."""
    return files("antecede.web").joinpath(file_name).read_text(encoding="utf-8")


def _digest(inline: str) -> str:
    return "sha256-" + b64encode(sha256(inline.encode()).digest()).decode()
