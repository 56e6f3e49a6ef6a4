"""Choose the position of the name of a message: on or beside its arrow, where it covers the least.

A few positions along the arrow, on it and to either side, are compared with everything near them that is already there
(events, earlier labels, other arrows). Horizontal distances are weighted by the width of the label, because letters are
wider than high.
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
    """Return the middle of a label that is `width` wide, for the arrow `line`."""
    (x1, y1), (x2, y2) = line
    if x1 == x2:
        return (x1 + 26 + width / 2, (y1 + y2) / 2)

    reach = width / 2 + MARGIN
    near = [box for box in taken if _is_near(line, (box[:2], box[:2]), reach + box[2] / 2)]
    crossing = [other for other in others if _is_near(line, other, reach)]

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


def _is_near(one: Line, two: Line, reach: float) -> bool:
    """Return whether the bounding boxes of two lines come within `reach` of each other. Other lines can be ignored."""
    return all(
        min(one[0][axis], one[1][axis]) - reach <= max(two[0][axis], two[1][axis])
        and min(two[0][axis], two[1][axis]) - reach <= max(one[0][axis], one[1][axis])
        for axis in (0, 1)
    )


def _overlap(here: Point, width: float, box: Box) -> float:
    """Return how much a label overlaps a box: 0 if they are apart, 1 if they coincide."""
    across = abs(here[0] - box[0]) / ((width + box[2]) / 2 + 12)
    down = abs(here[1] - box[1]) / (HEIGHT + 8)
    return max(0.0, 1 - max(across, down))


def _cover(here: Point, width: float, line: Line) -> float:
    """Return how much of a line a label hides: 0 for none of it, 1 if the line runs through its middle."""
    (x1, y1), (x2, y2) = line
    flat = width / HEIGHT
    squeezed = ((here[0] - x1) / flat, here[1] - y1)
    dx, dy = (x2 - x1) / flat, y2 - y1
    length = dx * dx + dy * dy
    along = min(1.0, max(0.0, (squeezed[0] * dx + squeezed[1] * dy) / length)) if length else 0.0
    return max(0.0, 1 - hypot(squeezed[0] - along * dx, squeezed[1] - along * dy) / HEIGHT)
