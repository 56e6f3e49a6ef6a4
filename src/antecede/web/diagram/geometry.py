"""Compute the pixels of the rows and columns of a layout, and the parts of the chain that run along a process."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from antecede.web.diagram.labels import Point
from antecede.web.diagram.layout import DiagramLayout, Key, key
from antecede.web.model import EventPoint

COLUMN, ROW = 112, 42
LEFT, RIGHT, TOP, BOTTOM = 54, 72, 46, 22
RADIUS = 5.0


def column_x(placed: DiagramLayout, process: str) -> int:
    """Return the x coordinate of a process."""
    return LEFT + COLUMN * placed.column[process]


def row_y(placed: DiagramLayout, row: int) -> int:
    """Return the y coordinate of a row. The part of a chain that is left out takes two rows of its own."""
    gap = placed.gap_after
    return TOP + ROW * (row + (2 if gap is not None and row > placed.row[gap] else 0))


def point(placed: DiagramLayout, event: Key) -> Point:
    """Return the coordinates of an event."""
    return (column_x(placed, event[0]), row_y(placed, placed.row[event]))


def lifeline_segments(placed: DiagramLayout) -> Iterator[tuple[EventPoint, EventPoint]]:
    """Yield the parts of the witness chain that run along a process."""
    for one, two in pairwise(placed.violation.chain):
        if one.process == two.process and key(one) != placed.gap_after:
            yield one, two
