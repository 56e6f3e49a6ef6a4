"""Draw who sends to whom: a matrix of senders and receivers with three measures of each link.

The shade follows the chosen measure, but the number is always there, so the matrix can be read without colour. If the
system has more processes than fit, some of the busiest are shown and the rest is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from antecede.pipeline.report.model import LinkTotals
from antecede.web.tables import count_phrase, scroll_box
from antecede.web.text import duration, name, number, plural, short

BUSIEST_MAX = 20
PROCESSES_MAX = 16
READINGS = (("messages", "Messages"), ("delay", "Mean delay"), ("violations", "Violations"))


def matrix(links: Sequence[LinkTotals], process_count: int) -> str:
    """Return a choice of reading and the table as HTML. The choice needs no script."""
    processes = _busiest(links)[:PROCESSES_MAX]
    cells = {(link.sender, link.process): link for link in links if {link.sender, link.process} <= set(processes)}
    levels = _levels(list(cells.values()))
    head = "".join(f'<th scope="col" title="{name(process)}">{short(process)}</th>' for process in processes)
    body = "".join(_row(sender, processes, cells, levels) for sender in processes)
    caption = f"Messages from sender (row) to receiver (column); {_size_phrase(len(processes), process_count)}"
    return (
        f'<div class="matrix">{_choice()}'
        + scroll_box(
            f'<table><caption>{caption}</caption><thead><tr><th scope="col">from \\ to</th>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table>",
            "Link matrix",
        )
        + '<p class="note print-only">Each cell has the number of messages and, in parentheses, the number of '
        "violations, if any.</p>" + "</div>"
    )


def _busiest(links: Sequence[LinkTotals]) -> list[str]:
    """Return the names of the processes with the most messages, in alphabetical order."""
    messages: Counter[str] = Counter()
    for link in links:
        for process in (link.sender, link.process):
            messages[process] += link.messages
    return sorted(sorted(messages, key=lambda process: (-messages[process], process))[:BUSIEST_MAX])


def _size_phrase(shown: int, total: int) -> str:
    busiest = ", the busiest" if shown < total else ""
    return count_phrase(shown, total, "process", "processes") + busiest


def _choice() -> str:
    options = "".join(
        f'<label><input type="radio" name="reading" value="{value}"{" checked" if value == "messages" else ""}> {word}'
        "</label>"
        for value, word in READINGS
    )
    return f"<fieldset><legend>Show for each link</legend>{options}</fieldset>"


def _row(
    sender: str,
    processes: Sequence[str],
    cells: Mapping[tuple[str, str], LinkTotals],
    levels: Mapping[tuple[str, str], tuple[int, int, int]],
) -> str:
    columns = "".join(
        _cell(cells.get((sender, receiver)), levels.get((sender, receiver), (0, 0, 0))) for receiver in processes
    )
    return f'<tr><th scope="row" title="{name(sender)}">{short(sender)}</th>{columns}</tr>'


def _cell(link: LinkTotals | None, levels: tuple[int, int, int]) -> str:
    if link is None:
        return '<td><span class="none">·</span></td>'
    delay = duration(link.delay_s_mean)
    words = f"{plural(link.messages, 'message')}, mean delay {delay}, {plural(link.violations, 'violation')}"
    return (
        f'<td title="{words}">'
        f'<span class="messages level-{levels[0]}">{number(link.messages)}</span>'
        f'<span class="delay level-{levels[1]}">{delay}</span>'
        f'<span class="violations level-{levels[2]}">{number(link.violations)}</span></td>'
    )


def _levels(links: Sequence[LinkTotals]) -> dict[tuple[str, str], tuple[int, int, int]]:
    """Return the shade of each link, from 0 to 4, by its share of the largest value of each reading."""
    values = [(link.messages, link.delay_s_mean or 0.0, link.violations) for link in links]
    tops = [max(column) or 1 for column in zip(*values, strict=True)]
    return {
        (link.sender, link.process): (
            _level(value[0], tops[0]),
            _level(value[1], tops[1]),
            _level(value[2], tops[2]),
        )
        for link, value in zip(links, values, strict=True)
    }


def _level(value: float, top: float) -> int:
    return min(4, 1 + int(4 * value / top)) if value > 0 else 0
