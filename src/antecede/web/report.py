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
from string import Template

from antecede.web import measures, sections, violations
from antecede.web.matrix import matrix
from antecede.web.model import ReportData
from antecede.web.text import LINE_CHARS_MAX, TEXT_CHARS_MAX, name, safe


@dataclass(frozen=True, slots=True)
class PageLimits:
    """The number of entries of each list that a page shows. The page counts the entries that it leaves out."""

    violations: int = 100
    runs: int = 50
    processes: int = 50
    quarantine: int = 50


LIMITS = PageLimits()


def render(data: ReportData, limits: PageLimits = LIMITS) -> str:
    """Return the page as HTML. The same data gives the same bytes."""
    style, script = asset("page.css"), asset("page.js")
    parts = list(_sections(data, limits))
    return Template(asset("page.html")).substitute(
        policy=f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'",
        style=style,
        script=script,
        page_title=f"{sections.verdict_title(data)}: {safe(data.title, 80)}",
        title=safe(data.title, LINE_CHARS_MAX),
        source=safe(data.source, LINE_CHARS_MAX),
        format=name(data.format),
        written=f"<div><dt>Written</dt><dd>{safe(data.written, 80)}</dd></div>" if data.written else "",
        verdict=sections.verdict(data),
        contents="".join(f'<li><a href="#{anchor}">{heading}</a></li>' for anchor, heading, _ in parts),
        sections="".join(_section(*part) for part in parts),
    )


def _sections(data: ReportData, limits: PageLimits) -> Iterator[tuple[str, str, str]]:
    """Yield (anchor, heading, body) of every section, in the order in which a reader needs them."""
    total = data.counts
    yield "counts", "Counts", sections.counts(total)
    is_whole = data.verdict == "holds" and data.complete
    none = (
        "There are no violations."
        if is_whole
        else "No violation was found in the part of the input that could be read and judged."
    )
    yield "violations", "Violations", violations.section(data.violations, total.violations, limits.violations, none)
    if data.picture is not None:
        yield "picture", "Start of the trace", violations.picture(data.picture)
    yield "timeline", "Over time", measures.timeline(data.timeline)
    yield "delay", "Delivery delay", measures.delay(data.delay)
    yield "hold-back", "Hold-back and stamps", measures.hold_back(data.hold_back) + measures.stamp(data.stamp)
    yield (
        "links",
        "Links",
        matrix(data.links) if data.links else "<p>No message has both a send and a deliver in the trace.</p>",
    )
    if data.locality:
        yield "locality", "Savings with smaller clocks", f"<p>{safe(data.locality, TEXT_CHARS_MAX)}</p>"
    if data.processes:
        names = data.links.processes_total if data.links else len(data.processes)  # a name counts once, in any run
        yield "processes", "Processes", sections.processes(data.processes, names, limits.processes)
    if data.runs:
        yield "runs", "Runs", sections.runs(data.runs, total.runs, limits.runs)
    yield "quarantine", "Quarantine", sections.quarantine(data.quarantine, total.quarantined, limits.quarantine)
    in_step = (
        "By the clocks of the source, no deliver came before its send."
        if data.delay
        else "There are no clock readings to compare."
    )
    yield "skew", "Clocks", sections.sentences(data.skew, in_step)
    yield "method", "Method", sections.computation(data.computation)


def _section(anchor: str, heading: str, body: str) -> str:
    title = f'<h2 id="{anchor}-heading">{heading}</h2>'
    return f'<section id="{anchor}" aria-labelledby="{anchor}-heading">{title}{body}</section>'


@cache
def asset(file_name: str) -> str:
    """Return a file of the page from the package."""
    return files("antecede.web").joinpath(file_name).read_text(encoding="utf-8")


def _digest(inline: str) -> str:
    return "sha256-" + b64encode(sha256(inline.encode()).digest()).decode()
