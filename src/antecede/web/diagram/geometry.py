"""Where the places of a layout lie in a drawing, in pixels, and which lines of the chain run along a process."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from antecede.web.diagram.labels import Point
from antecede.web.diagram.layout import Key, Placed, key
from antecede.web.model import EventPoint

COLUMN, ROW = 112, 42
LEFT, RIGHT, TOP, BOTTOM = 54, 72, 46, 22
RADIUS = 5.0


def column_x(placed: Placed, process: str) -> int:
    return LEFT + COLUMN * placed.column[process]


def row_y(placed: Placed, row: int) -> int:
    """The part of a chain that is left out takes two rows of its own."""
    gap = placed.gap_after
    return TOP + ROW * (row + (2 if gap is not None and row > placed.row[gap] else 0))


def point(placed: Placed, event: Key) -> Point:
    return (column_x(placed, event[0]), row_y(placed, placed.row[event]))


def on_lifelines(placed: Placed) -> Iterator[tuple[EventPoint, EventPoint]]:
    """The parts of the witness chain that run along a process."""
    for one, two in pairwise(placed.violation.chain):
        if one.process == two.process and key(one) != placed.gap_after:
            yield one, two
