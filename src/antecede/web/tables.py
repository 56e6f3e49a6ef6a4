"""Tables, all made in one place: caption, header cells with a scope, numbers to the right, rows bounded and counted.

A cell arrives as safe HTML. A table stands in a box of its own that scrolls sideways where the screen is narrow, so
the page itself never does; the box can be reached and scrolled by keyboard.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from antecede.web.text import number, plural

Row = Sequence[str]


def table(caption: str, columns: Sequence[str], rows: Iterable[Row], numeric: str = "") -> str:
    """`numeric` has one letter per column: `n` for a number, `t` for text; the first column heads its row."""
    kinds = numeric or "t" * len(columns)
    head = "".join(f'<th scope="col"{_css(kind)}>{column}</th>' for column, kind in zip(columns, kinds, strict=True))
    body = "".join(_row(row, kinds) for row in rows)
    return scrolling(
        f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>", caption
    )


def scrolling(content: str, label: str) -> str:
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">{content}</div>'


def _row(row: Row, kinds: str) -> str:
    first, *rest = row
    cells = "".join(f"<td{_css(kind)}>{cell}</td>" for cell, kind in zip(rest, kinds[1:], strict=True))
    return f'<tr><th scope="row">{first}</th>{cells}</tr>'


def _css(kind: str) -> str:
    return ' class="number"' if kind == "n" else ""


def first(rows: Sequence[Row], limit: int) -> list[Row]:
    return list(islice(rows, limit))


def showing(shown: int, total: int, singular: str, several: str = "") -> str:
    """`showing 100 of 12,345 violations`, or only how many where all are shown."""
    if shown >= total:
        return plural(total, singular, several)
    return f"showing {number(shown)} of {plural(total, singular, several)}"
