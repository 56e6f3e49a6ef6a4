"""Where the name of a message goes: on or beside its arrow, where it covers the least.

A few places along the arrow, on it and to either side, are tried against everything already there (events, labels
placed before, other arrows) that lies near. Distances across are weighed by the width of what is there, because
letters are wider than high.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

LETTER = 7.0
MARK_WIDTH = 12.0
HEIGHT = 15.0
MARGIN = 40.0
Point = tuple[float, float]
Line = tuple[Point, Point]
Box = tuple[float, float, float]  # the middle, and the width


def label_place(line: Line, width: float, taken: Sequence[Box], others: Sequence[Line]) -> Point:
    """The middle of a label `width` wide for the arrow `line`."""
    (x1, y1), (x2, y2) = line
    if x1 == x2:
        return (x1 + 26 + width / 2, (y1 + y2) / 2)

    reach = width / 2 + MARGIN
    near = [box for box in taken if _meets(line, (box[:2], box[:2]), reach + box[2] / 2)]
    crossing = [other for other in others if _meets(line, other, reach)]

    def cost(place: tuple[float, float]) -> tuple[float, float]:
        along, aside = place
        here = (x1 + along * (x2 - x1), y1 + along * (y2 - y1) + aside)
        marks = sum(_overlap(here, width, box) for box in near)
        lines = sum(_cover(here, width, other) for other in crossing)
        return (round(2 * marks + lines, 2), abs(along - 0.5) + abs(aside) / 40)

    along, aside = min(
        ((step / 20, aside) for aside in (0.0, -HEIGHT, HEIGHT) for step in range(3, 18)),
        key=cost,
    )
    return (x1 + along * (x2 - x1), y1 + along * (y2 - y1) + aside)


def _meets(one: Line, two: Line, reach: float) -> bool:
    """Whether the frames of two lines come within `reach` of each other: what does not can be left out of sight."""
    return all(
        min(one[0][axis], one[1][axis]) - reach <= max(two[0][axis], two[1][axis])
        and min(two[0][axis], two[1][axis]) - reach <= max(one[0][axis], one[1][axis])
        for axis in (0, 1)
    )


def _overlap(here: Point, width: float, box: Box) -> float:
    """0 for apart, 1 for one upon the other."""
    across = abs(here[0] - box[0]) / ((width + box[2]) / 2 + 12)
    down = abs(here[1] - box[1]) / (HEIGHT + 8)
    return max(0.0, 1 - max(across, down))


def _cover(here: Point, width: float, line: Line) -> float:
    """How much of a line a label hides: 0 for none of it, 1 where the line runs through its middle."""
    (x1, y1), (x2, y2) = line
    flat = width / HEIGHT
    squeezed = ((here[0] - x1) / flat, here[1] - y1)
    dx, dy = (x2 - x1) / flat, y2 - y1
    length = dx * dx + dy * dy
    along = min(1.0, max(0.0, (squeezed[0] * dx + squeezed[1] * dy) / length)) if length else 0.0
    return max(0.0, 1 - hypot(squeezed[0] - along * dx, squeezed[1] - along * dy) / HEIGHT)
