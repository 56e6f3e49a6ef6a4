"""Draw the worst violations, each explained in a sentence, as a diagram, and as numbered steps.

The steps in the list have the numbers that stand beside the events in the diagram. The first few violations are open,
some are listed, and the others are listed on demand. In print all of them are shown.
"""

from __future__ import annotations

from collections.abc import Iterator

from antecede.judge.events import Event
from antecede.pipeline.report.model import ExplainedViolation, TracePicture
from antecede.web.diagram import layout
from antecede.web.diagram.layout import DiagramLayout
from antecede.web.diagram.space_time import svg, verdict_labels
from antecede.web.tables import count_phrase
from antecede.web.text import TEXT_CHARS_MAX, action_words, duration, name, number, plural, safe, time_of_day

OPEN_AT_FIRST = 3
LISTED_AT_FIRST = 10
"""What follows the violations should not be a hundred lines away."""
LEGEND = (
    ("overtaken", "overtaken message: delivered too late"),
    ("witness", "witness chain: why the overtaken message had to come first"),
    ("overtaking", "overtaking message: delivered first"),
    ("context", "other messages"),
)
READING = (
    "Each process is a vertical line, and time goes down. The height shows which event came first, not how much time "
    "passed: clocks of different processes are not compared. If a line is broken, some events are not drawn."
)


def section(violations: tuple[ExplainedViolation, ...], total: int, limit: int, none: str) -> str:
    """Return the body of the section. `violations` come worst first; `none` is the sentence if there are none."""
    if not violations:
        return f"<p>{none}</p>" if total == 0 else f"<p>{plural(total, 'violation')}, not explained here.</p>"
    shown = violations[:limit]
    title = count_phrase(len(shown), total, "violation")
    articles = [_article(rank, violation) for rank, violation in enumerate(shown, 1)]
    listed, more = "".join(articles[:LISTED_AT_FIRST]), articles[LISTED_AT_FIRST:]
    if more:
        listed += f'<details class="more"><summary>{len(more)} more</summary>{"".join(more)}</details>'
    return f'<p class="shown">{title[0].upper()}{title[1:]}, the worst first.</p>{_legend()}{listed}'


def picture(some: TracePicture) -> str:
    """Return a part of the trace without a violation, drawn by the same rules."""
    somewhere = some.events[0].process if some.events else ""
    drawn = ExplainedViolation(some.run, somewhere, 0, "", "", 0, "", (), some.events, some.messages)
    placed = layout.place(drawn)
    label = f"Space-time diagram of the first events of run {name(some.run)}"
    return (
        f'<p class="note">{safe(some.words, TEXT_CHARS_MAX)} {READING}</p>'
        f'<div class="explained">{_diagram_figure(svg(placed, label), "of the trace", placed.events_left_out)}</div>'
    )


def _legend() -> str:
    items = "".join(
        f'<li><svg class="key" width="40" height="12" aria-hidden="true"><g class="arrow {role}">'
        f'<path class="line" d="M1 6H31"/><polygon points="39,6 30,2 30,10"/></g></svg>{words}</li>'
        for role, words in LEGEND
    )
    marks = (
        ('<circle class="mark" cx="6" cy="6" r="5"/>', "send", "send"),
        ('<circle class="mark" cx="6" cy="6" r="5"/>', "deliver", "deliver"),
        ('<path class="mark" d="M6 1l5 5l-5 5l-5 -5z"/>', "receive", "receive"),
        ('<rect class="mark" x="2.5" y="2.5" width="7" height="7"/>', "other", "other event"),
    )
    items += "".join(
        '<li><svg class="key" width="12" height="12" aria-hidden="true">'
        f'<g class="event {css}">{mark}</g></svg>{word}</li>'
        for mark, css, word in marks
    )
    return f'<ul class="legend">{items}</ul><p class="note">{READING}</p>'


def _article(rank: int, violation: ExplainedViolation) -> str:
    placed = layout.place(violation)
    known = violation.late_seconds is not None
    late = f'<span class="late">{duration(violation.late_seconds)} late</span>' if known else ""
    opened = " open" if rank <= OPEN_AT_FIRST else ""
    return (
        f'<article class="violation" id="violation-{rank}"><details{opened}>'
        f"<summary><h3>{rank}. {name(violation.overtaking)} overtook {name(violation.overtaken)} "
        f"at {name(violation.process)}</h3>{late}</summary>"
        f'<p class="words">{safe(f"{violation.words}.", TEXT_CHARS_MAX)}</p>'
        f'<div class="explained">{_figure(rank, placed)}'
        f'<div class="steps">{_steps(placed)}{_facts(violation)}</div></div>'
        "</details></article>"
    )


def _figure(rank: int, placed: DiagramLayout) -> str:
    violation = placed.violation
    label = (
        f"Space-time diagram of violation {rank}: {name(violation.overtaking)} overtakes {name(violation.overtaken)}"
    )
    return _diagram_figure(svg(placed, label), str(rank), placed.events_left_out)


def _diagram_figure(drawing: str, which: str, events_left_out: int) -> str:
    """Return a diagram with the controls to move about in it."""
    left_out = (
        f'<p class="note">{plural(events_left_out, "event")} farther away left out.</p>' if events_left_out else ""
    )
    return (
        '<figure class="diagram"><div class="tools" hidden role="group" aria-label="Zoom">'
        '<button type="button" data-zoom="out" aria-label="Zoom out">−</button>'
        '<button type="button" data-zoom="in" aria-label="Zoom in">+</button>'
        '<button type="button" data-zoom="fit">Fit</button></div>'
        f'<div class="view" tabindex="0" role="region" aria-label="Diagram {which}: arrow keys move, plus and minus '
        f'zoom, 0 fits">{drawing}</div>'
        '<figcaption class="readout" aria-live="polite">Point at an event or a message, tap it, or move '
        "to it with the Tab key to see its details."
        f"</figcaption>{left_out}</figure>"
    )


def _steps(placed: DiagramLayout) -> str:
    items = "".join(_step_items(placed))
    return f"<h4>Why the order was wrong</h4><ol>{items}</ol>{_delivers(placed)}"


def _step_items(placed: DiagramLayout) -> Iterator[str]:
    chain = placed.violation.chain
    half = len(chain) // 2
    for step, event in enumerate(chain, 1):
        if placed.chain_left_out and step == half + 1:
            yield f'<li class="left-out">{plural(placed.chain_left_out, "step")} not shown</li>'
        number_here = step + placed.chain_left_out if placed.chain_left_out and step > half else step
        yield f'<li value="{number_here}">{_action_html(event)}</li>'


def _action_html(event: Event) -> str:
    clock = f", {time_of_day(event.time)}" if event.time is not None else ""
    return f'{action_words(event)} <span class="when">event {event.index}{clock}</span>'


def _delivers(placed: DiagramLayout) -> str:
    labels = verdict_labels(placed)
    events = {layout.key(event): event for event in placed.violation.events}
    items = "".join(
        f"<li><strong>{word}:</strong> {_action_html(events[where])}</li>" for where, word in labels.items()
    )
    return f"<p>But at the process that delivered both:</p><ul>{items}</ul>" if items else ""


def _facts(violation: ExplainedViolation) -> str:
    facts = [("Run", name(violation.run)), ("Messages overtaken by this deliver", number(violation.overtaken_count))]
    if violation.late_seconds is not None:
        facts.append(("Late by", duration(violation.late_seconds)))
    return (
        '<dl class="facts">' + "".join(f"<div><dt>{term}</dt><dd>{fact}</dd></div>" for term, fact in facts) + "</dl>"
    )
