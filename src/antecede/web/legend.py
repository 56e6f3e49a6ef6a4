"""Explain how to read a space-time diagram."""

from __future__ import annotations

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


def legend() -> str:
    """Return what the lines and marks of a diagram mean, as HTML."""
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
