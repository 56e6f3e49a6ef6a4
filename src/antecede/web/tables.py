"""Build all tables of a page: caption, header cells with a scope, numbers to the right, rows bounded and counted.

A cell arrives as safe HTML. A table stands in a box that scrolls sideways on a narrow screen, so the page itself never
does. The box can be reached and scrolled by keyboard.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from antecede.web.text import number, plural

Row = Sequence[str]


def table(caption: str, columns: Sequence[str], rows: Iterable[Row], numeric: str = "") -> str:
    """Return a table as HTML.

    `numeric` has one letter per column: `n` for a number, `t` for text. The first column is the header of its row.
    """
    kinds = numeric or "t" * len(columns)
    head = "".join(f'<th scope="col"{_css(kind)}>{column}</th>' for column, kind in zip(columns, kinds, strict=True))
    body = "".join(_row(row, kinds) for row in rows)
    return scroll_box(
        f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>", caption
    )


def scroll_box(content: str, label: str) -> str:
    """Return a box that scrolls sideways. `label` is its accessible name."""
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">{content}</div>'


def _row(row: Row, kinds: str) -> str:
    first, *rest = row
    cells = "".join(f"<td{_css(kind)}>{cell}</td>" for cell, kind in zip(rest, kinds[1:], strict=True))
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
