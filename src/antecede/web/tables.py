"""Build all tables of a page: caption, header cells with a scope, numbers to the right, rows bounded and counted.

A cell arrives as safe HTML. On a narrow screen, a table of many columns shows each row as a list of names and values:
every cell carries the name of its column for that. Other tables stand in a box that scrolls sideways if need be, so the
page itself never does. The box can be reached and scrolled by keyboard.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from antecede.web.text import number, plural

Row = Sequence[str]
NARROW_COLUMNS_MAX = 3
"""Columns of a table that fits on a phone as it is."""


def table(caption: str, columns: Sequence[str], rows: Iterable[Row], numeric: str = "") -> str:
    """Return a table as HTML.

    `numeric` has one letter per column: `n` for a number, `t` for text. The first column is the header of its row.
    """
    kinds = numeric or "t" * len(columns)
    head = "".join(f'<th scope="col"{_css(kind)}>{column}</th>' for column, kind in zip(columns, kinds, strict=True))
    body = "".join(_row(row, columns, kinds) for row in rows)
    css = "scroll stack" if len(columns) > NARROW_COLUMNS_MAX else "scroll"
    return scroll_box(
        f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>", caption, css
    )


def scroll_box(content: str, label: str, css: str = "scroll") -> str:
    """Return a box that scrolls sideways. `label` is its accessible name."""
    return f'<div class="{css}" tabindex="0" role="region" aria-label="{label}">{content}</div>'


def _row(row: Row, columns: Sequence[str], kinds: str) -> str:
    first, *rest = row
    cells = "".join(
        f'<td{_css(kind)} data-column="{column}">{cell}</td>'
        for cell, column, kind in zip(rest, columns[1:], kinds[1:], strict=True)
    )
    return f'<tr><th scope="row">{first}</th>{cells}</tr>'


def _css(kind: str) -> str:
    return ' class="number"' if kind == "n" else ""


def count_phrase(shown: int, total: int, singular: str, several: str = "") -> str:
    """Return how many entries are shown, such as `showing 100 of 12,345 violations`, or only the number if all are
    shown.
    """
    if shown >= total:
        return plural(total, singular, several)
    return f"showing {number(shown)} of {plural(total, singular, several)}"
