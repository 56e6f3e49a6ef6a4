"""Draw the plain sections of the page: verdict, counts, runs, processes, quarantine, notes, method.

Each function takes its part of the data and returns safe HTML, or a sentence that the source does not give it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from antecede.judge.orders import ORDER_MEANINGS, ORDER_NAMES
from antecede.pipeline.report.model import Answer, Figures, ProcessTotals, Report, RunAnswer
from antecede.web.names import PageNames
from antecede.web.tables import count_phrase, table
from antecede.web.text import TEXT_CHARS_MAX, duration, name, number, plural, safe

VERDICT_WORDS = {"holds": "holds", "violated": "is violated", "undecidable": "is undecidable"}
INCOMPLETE = "incomplete"
# Shape first, colour second: a circle with a tick, an octagon with a cross, a diamond with a question mark, a triangle
# with an exclamation mark.
VERDICT_ICONS = {
    INCOMPLETE: '<path d="M24 4l22 40h-44z"/><path d="M24 18v13M24 37v1"/>',
    "holds": '<circle cx="24" cy="24" r="21"/><path d="M14 25l7 7l13 -15"/>',
    "violated": '<path d="M15 3h18l12 12v18l-12 12h-18l-12 -12v-18z"/><path d="M16 16l16 16M32 16l-16 16"/>',
    "undecidable": '<path d="M24 2l22 22l-22 22l-22 -22z"/><path d="M19 19a5 5 0 1 1 7 5q-2 1 -2 4M24 33v1"/>',
}
SIZE = (
    ("runs", "run", "executions in the trace", "execution in the trace"),
    ("processes", "process", "processes with events", "process with events"),
    ("events", "event", "rows that are valid events", "row that is a valid event"),
    ("messages", "message", "messages that were sent", "message that was sent"),
    ("deliveries", "delivery", "messages handed to an application", "message handed to an application"),
)
FOUND = (
    (
        *("violations", "violation", "deliveries that came before one of their causes"),
        "delivery that came before one of its causes",
    ),
    (
        *("overtaken", "overtaken", "pairs of a message and a message that it should have followed"),
        "pair of a message and a message that it should have followed",
    ),
    (
        *("lost", "lost", "messages not delivered at one of their destinations"),
        "message not delivered at one of its destinations",
    ),
    (
        *("duplicates", "duplicate", "messages delivered again at the same process"),
        "message delivered again at the same process",
    ),
    (
        *("spurious", "spurious", "messages delivered but not sent to that process"),
        "message delivered but not sent to that process",
    ),
    ("quarantined", "quarantined", "rows that are not valid events", "row that is not a valid event"),
)
"""Of each count: its name, the name of one, and the meaning of several and of one."""
BY_CLOCKS = {
    "deliveries": ("receives", "receive", "events that are marked as receives", "event that is marked as a receive"),
    "violations": (
        *("late receives", "late receive", "receives of messages that the process knew of already"),
        "receive of a message that the process knew of already",
    ),
}
"""What counts mean if vector clocks are judged: the names of several and of one, and the meanings of both."""
NOT_BY_CLOCKS = ("messages", "overtaken", "lost", "duplicates", "spurious")
"""Counts that vector clocks do not tell."""


def verdict(answer: Answer) -> str:
    """Return the verdict with its icon and its reason as HTML."""
    word = INCOMPLETE if answer.verdict == "holds" and not answer.complete else answer.verdict
    return (
        f'<div class="verdict {word}"><svg viewBox="0 0 48 48" width="48" height="48" aria-hidden="true">'
        f'{VERDICT_ICONS[word]}</svg><div><p class="verdict-title" id="verdict">{verdict_title(answer)}</p>'
        f'<p class="reason">{safe(answer.reason, TEXT_CHARS_MAX)}</p></div></div>'
    )


def verdict_title(answer: Answer) -> str:
    """Return the verdict in a few words. They say so if the verdict is not about the whole input."""
    name = ORDER_NAMES[answer.required]
    part = "" if answer.complete else ", as far as the input could be read"
    return f"{name[0].upper()}{name[1:]} {VERDICT_WORDS[answer.verdict]}{part}"


def orders(answer: Answer) -> str:
    """Return the table of the orders of delivery, with a witness of each that is violated."""
    return table(
        "Each order by itself. What is synchronous is causal, and what is causal is FIFO.",
        ("Order", "What it means", "Verdict", "Runs that violate it", "A witness, or the reason"),
        (
            (
                safe(one.order),
                safe(ORDER_MEANINGS[one.order]),
                safe(one.verdict),
                number(one.violated_runs),
                safe(one.words or "", TEXT_CHARS_MAX),
            )
            for one in answer.orders
        ),
        "tttnt",
    )


def counts(values: Mapping[str, Any]) -> str:
    """Return the counts as HTML. They are those of `antecede check --json`, with its `basis`."""
    if values.get("basis") == "clocks":
        values = {name: value for name, value in values.items() if name not in NOT_BY_CLOCKS}
    return (
        f'<h3>What was read</h3><dl class="counts">{_count_items(values, SIZE)}</dl>'
        f'<h3>What was found</h3><dl class="counts">{_count_items(values, FOUND)}</dl>'
    )


def _count_items(values: Mapping[str, Any], fields: Iterable[tuple[str, str, str, str]]) -> str:
    items = []
    for field, *own in fields:
        if field not in values:
            continue
        several, one, meaning, meaning_of_one = (
            BY_CLOCKS[field] if values.get("basis") == "clocks" and field in BY_CLOCKS else (field, *own)
        )
        is_one = values[field] == 1
        items.append(
            f'<div><dt>{one if is_one else several}</dt><dd><span class="value">{number(values[field])}</span>'
            f'<span class="meaning">{meaning_of_one if is_one else meaning}</span></dd></div>'
        )
    return "".join(items)


def arrival_titles(basis: str) -> tuple[str, str]:
    """Return how tables call deliveries and violations, which are receives if vector clocks are judged."""
    return ("Receives", "Late receives") if basis == "clocks" else ("Deliveries", "Violations")


def runs(rows: tuple[RunAnswer, ...], total: int, limit: int, basis: str = "messages") -> str:
    """Return the table of runs, with at most `limit` of `total` rows."""
    shown = rows[:limit]
    return table(
        f"Runs: {count_phrase(len(shown), total, 'run')}",
        ("Run", "Verdict", "Processes", "Events", "Messages", *arrival_titles(basis), "Overtaken", "Lost", "Note"),
        ((name(row.run), safe(row.verdict), *map(number, _run_numbers(row)), safe(_run_note(row))) for row in shown),
        "ttnnnnnnnt",
    )


def _run_note(row: RunAnswer) -> str:
    return " ".join(filter(None, [row.reason, f"verified {row.one_task}" if row.one_task else None]))


def _run_numbers(row: RunAnswer) -> tuple[int, ...]:
    return (row.processes, row.events, row.messages, row.deliveries, row.violations, row.overtaken, row.lost)


def processes(
    rows: tuple[ProcessTotals, ...], total: int, limit: int, names: PageNames, basis: str = "messages"
) -> str:
    """Return the table of processes, with at most `limit` of `total` rows."""
    shown = rows[:limit]
    return table(
        f"Processes: {count_phrase(len(shown), total, 'process', 'processes')}",
        ("Process", "Events", "Sends", *arrival_titles(basis), "Lost", "Mean delay", "Mean hold-back"),
        (
            (
                names.process(row.process),
                *map(number, (row.events, row.sends, row.deliveries, row.violations, row.lost)),
                duration(row.delay_s_mean),
                duration(row.hold_s_mean),
            )
            for row in shown
        ),
        "tnnnnnnn",
    )


def quarantine(figures: Figures, total: int, limit: int) -> str:
    """Return the tables of quarantined rows, with at most `limit` of `total` rows."""
    if total == 0:
        return "<p>Every row of the input was a valid event.</p>"
    shown = figures.quarantined[:limit]
    reasons = ((safe(reason), number(count)) for reason, count in figures.reasons[:limit])
    rows = (
        (safe(row.file or "", 120), number(row.line or 0), safe(row.reason), f"<code>{safe(row.row or '', 160)}</code>")
        for row in shown
    )
    return (
        "<p>These rows are not part of the answer. Every refused row is counted here.</p>"
        + table("Reasons", ("Reason", "Rows"), reasons, "tn")
        + table(f"Rows: {count_phrase(len(shown), total, 'row')}", ("File", "Line", "Reason", "Text"), rows, "tntt")
    )


def sentences(lines: tuple[str, ...], otherwise: str, limit: int = 50) -> str:
    """Return notes as a list, or `otherwise` if there are none."""
    if not lines:
        return f"<p>{otherwise}</p>"
    items = "".join(f"<li>{safe(line, TEXT_CHARS_MAX)}</li>" for line in lines[:limit])
    more = f'<p class="note">{count_phrase(limit, len(lines), "note")}</p>' if len(lines) > limit else ""
    return f"<ul>{items}</ul>{more}"


def computation(report: Report, figures: Figures) -> str:
    """Return the section on how the answer was computed as HTML: the plan, what was noted, and the time it took."""
    runs = (_run_plan(run) for run in report.answer.runs if run.one_task or run.windows > 1)
    notes = (*runs, *report.notes, *figures.notes)
    total = sum(seconds for _, seconds in report.stages)
    rows = [(safe(stage), duration(seconds)) for stage, seconds in report.stages[:50]]
    stages = table(f"Stages: {duration(total)} in total", ("Stage", "Time"), rows, "tn") if rows else ""
    plan = f"<p>The plan: {safe(report.plan, TEXT_CHARS_MAX)}.</p>" if report.plan else ""
    return (
        f"{plan}<p>Verified in {plural(report.answer.sums['windows'], 'window')} between consistent cuts. Times were "
        f"not used for the order between processes.</p>{sentences(notes, '') if notes else ''}{stages}"
    )


def _run_plan(run: RunAnswer) -> str:
    """Return how a run was judged that is too large for one task, or that is judged in windows for another reason."""
    called = f"Run {run.run or '(unnamed)'}"
    if run.one_task:
        return f"{called} was verified {run.one_task}."
    return f"{called} was cut into {plural(run.windows, 'window')}."
