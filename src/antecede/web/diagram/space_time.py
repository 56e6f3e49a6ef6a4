"""Draw a violation as a space-time diagram: SVG that can be read in black and white, and without any script.

Processes are vertical lines, messages are arrows, time goes down (`layout` explains the order, which is not to scale).
What matters differs in more than colour. The overtaken message is a thick dashed line, the witness chain a thick solid
line along processes and messages alike, and the rest is thin. The steps of the chain have the same numbers as in the
list beside the diagram. The two delivers in the wrong order have labels in words. Each mark carries a `<title>`, which
browsers show on hover, screen readers read, and the page's script copies to the line under the diagram.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from antecede.judge.events import Event
from antecede.web.diagram.arrows import messages
from antecede.web.diagram.labels import Point
from antecede.web.diagram.layout import (
    BOTTOM,
    COLUMN,
    LEFT,
    RADIUS,
    RIGHT,
    ROW,
    TOP,
    DiagramLayout,
    Key,
    column_x,
    key,
    lifeline_segments,
    point,
    row_y,
)
from antecede.web.names import DiagramNames
from antecede.web.text import plural
from antecede.web.words import event_words

TALL = 600


def svg(placed: DiagramLayout, label: str, names: DiagramNames) -> str:
    """Return the diagram as SVG. `label` is its accessible name, already escaped."""
    width = LEFT + COLUMN * (len(placed.column) - 1) + RIGHT
    height = row_y(placed, max(placed.row.values(), default=0)) + BOTTOM
    css = "space-time tall" if height > TALL else "space-time"
    lines = [*_lifelines(placed, height, names), *_chain(placed)]
    parts = [*lines, *messages(placed, names), *_events(placed, names), *_gap(placed, width)]
    return (
        f'<svg class="{css}" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="group" aria-label="{label}">' + "".join(parts) + "</svg>"
    )


def _lifelines(placed: DiagramLayout, height: int, names: DiagramNames) -> Iterator[str]:
    drawn: dict[str, list[int]] = {process: [] for process in placed.column}
    for process, index in sorted(placed.row):
        drawn[process].append(index)
    for process, indexes in drawn.items():
        x = column_x(placed, process)
        yield (
            f'<g class="process"><title>process {names.process(process)}</title>'
            f'<line x1="{x}" y1="{TOP - 20}" x2="{x}" y2="{height - 4}"/>'
            f'<text x="{x}" y="{TOP - 28}" text-anchor="middle">{names.short_processes[process]}</text>'
            + "".join(_break_mark(placed, process, one, two) for one, two in pairwise(indexes) if two > one + 1)
            + "</g>"
        )


def _break_mark(placed: DiagramLayout, process: str, one: int, two: int) -> str:
    """Return a break in the line of a process, which shows that events between two others are not drawn."""
    (x, y1), (_, y2) = point(placed, (process, one)), point(placed, (process, two))
    middle = (y1 + y2) / 2
    return (
        f'<g class="elided"><rect x="{x - 6}" y="{middle - 5:g}" width="12" height="10"/>'
        f'<path d="M{x - 6} {middle - 2:g}l12 -4M{x - 6} {middle + 6:g}l12 -4"/></g>'
    )


def _chain(placed: DiagramLayout) -> Iterator[str]:
    for one, two in lifeline_segments(placed):
        (x1, y1), (x2, y2) = point(placed, key(one)), point(placed, key(two))
        yield f'<line class="chain" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'


def _events(placed: DiagramLayout, names: DiagramNames) -> Iterator[str]:
    steps = {key(event): step for step, event in enumerate(placed.violation.chain, 1)}
    before = len(placed.violation.chain) // 2 if placed.chain_left_out else len(steps)
    verdicts = verdict_labels(placed)
    busy = _busy_sides(placed)
    for event in sorted(placed.violation.events, key=lambda event: (placed.row[key(event)], event.process)):
        here = key(event)
        step = steps.get(here)
        number = step if step is None or step <= before else step + placed.chain_left_out
        side = -1 if -1 not in busy[here] or 1 in busy[here] else 1
        verdict = verdicts.get(here, "")
        yield _event(event, point(placed, here), names, step=number, side=side, verdict=verdict)


def _busy_sides(placed: DiagramLayout) -> dict[Key, set[int]]:
    """Return the sides of each event, -1 left and 1 right, at which an arrow begins or ends."""
    sides: dict[Key, set[int]] = {event: set() for event in placed.row}
    for arrow in placed.violation.messages:
        start = (arrow.sender, arrow.send_index)
        for end in arrow.delivers:
            to_right = placed.column[end[0]] >= placed.column[arrow.sender]
            sides[start].add(1 if to_right else -1)
            sides[end].add(-1 if to_right and end[0] != arrow.sender else 1)
    return sides


def verdict_labels(placed: DiagramLayout) -> dict[Key, str]:
    """Return labels for the first deliver of the overtaking and of the overtaken message at the process of the
    violation.
    """
    violation = placed.violation
    labels: dict[Key, str] = {}
    for message, word in ((violation.overtaking, "first"), (violation.overtaken, "too late")):
        for event in sorted(violation.events, key=key):
            delivers = event.kind in ("deliver", "receive") and event.process == violation.process
            if delivers and event.message == message and _is_arrow_end(placed, event):
                labels[key(event)] = word
                break
    return labels


def _is_arrow_end(placed: DiagramLayout, event: Event) -> bool:
    """Return whether an arrow of the diagram ends at this event."""
    return any(key(event) in arrow.delivers for arrow in placed.violation.messages if arrow.id == event.message)


def _event(event: Event, at: Point, names: DiagramNames, *, step: int | None, side: int, verdict: str) -> str:
    x, y = at
    marked = " judged" if verdict else " chained" if step else ""
    anchor = "end" if side < 0 else "start"
    badge = f'<text class="step" x="{x + side * 11}" y="{y + 4}" text-anchor="{anchor}">{step}</text>' if step else ""
    word = f'<text class="verdict-word" x="{x + 11}" y="{y + 4}">{verdict}</text>' if verdict else ""
    return (
        f'<g class="event {_kind(event)}{marked}" tabindex="0" role="img" '
        f'data-message="{names.numbers[event.message] if event.message else ""}">'
        f"<title>{event_words(event, names)}{f': {verdict}' if verdict else ''}</title>"
        f'<circle class="hit" cx="{x}" cy="{y}" r="14"/>{_mark(event, x, y)}{badge}{word}</g>'
    )


def _kind(event: Event) -> str:
    return event.kind if event.kind in ("send", "receive", "deliver") else "other"


def _mark(event: Event, x: float, y: float) -> str:
    if event.kind in ("send", "deliver"):
        return f'<circle class="mark" cx="{x}" cy="{y}" r="{RADIUS:g}"/>'
    if event.kind == "receive":
        return f'<path class="mark" d="M{x} {y - 5}l5 5l-5 5l-5 -5z"/>'
    return f'<rect class="mark" x="{x - 3.5}" y="{y - 3.5}" width="7" height="7"/>'


def _gap(placed: DiagramLayout, width: int) -> Iterator[str]:
    gap = placed.gap_after
    if gap is not None:
        y = row_y(placed, placed.row[gap]) + ROW * 3 // 2
        words = f"{plural(placed.chain_left_out, 'step')} of the chain not drawn"
        yield (
            f'<g class="gap"><rect x="0" y="{y - 16}" width="{width}" height="32"/>'
            f'<text x="{width / 2:g}" y="{y + 4}" text-anchor="middle">{words}</text></g>'
        )
