"""Draw the messages of a space-time diagram: arrows whose width and dash show their role, and their names.

An arrow has a role, not a message: a multicast can be overtaken at one destination and carry the chain to another.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape
from itertools import pairwise
from math import hypot

from antecede.pipeline.report.model import ExplainedViolation, MessageArrow, Role
from antecede.web.diagram.labels import LETTER, MARK_WIDTH, Line, Point, label_place
from antecede.web.diagram.layout import RADIUS, DiagramLayout, key, lifeline_segments, point
from antecede.web.names import DiagramNames
from antecede.web.words import message_words


def messages(placed: DiagramLayout, names: DiagramNames) -> Iterator[str]:
    """Yield the messages as SVG, context first, so that what matters lies on top.

    Labels are placed in the opposite order, so that what matters gets the best position.
    """
    order = ("overtaken", "overtaking", "witness", "context")
    arrows = sorted(placed.violation.messages, key=lambda arrow: (order.index(arrow.role), arrow.id))
    lines = {arrow: [(_start(placed, arrow), point(placed, end)) for end in arrow.delivers] for arrow in arrows}
    taken = [(*point(placed, event), MARK_WIDTH) for event in placed.row]
    along = [(point(placed, key(one)), point(placed, key(two))) for one, two in lifeline_segments(placed)]
    drawn = []
    for arrow in arrows:
        roles = edge_roles(placed.violation, arrow)
        others = along + [line for other in arrows if other is not arrow for line in lines[other]]
        main = min(range(len(roles)), key=lambda place: order.index(roles[place]))
        width = len(unescape(names.short_messages[arrow.id])) * LETTER
        label = label_place(lines[arrow][main], width, taken, others)
        taken.append((*label, width))
        drawn.append(_message(arrow, list(zip(lines[arrow], roles, strict=True)), label, names))
    yield from reversed(drawn)


def edge_roles(violation: ExplainedViolation, arrow: MessageArrow) -> list[Role]:
    """Return the role of each arrow of one message.

    A multicast can be the overtaken message at one of its destinations, a link of the chain at another, and context
    elsewhere.
    """
    start = (arrow.sender, arrow.send_index)
    chain = {(key(one), key(two)) for one, two in pairwise(violation.chain)}
    linked = any((start, end) in chain for end in arrow.delivers)
    roles: list[Role] = []
    for end in arrow.delivers:
        if (start, end) in chain or (arrow.role == "witness" and not linked):
            roles.append("witness")
        elif arrow.role in ("overtaken", "overtaking") and end[0] == violation.process:
            roles.append(arrow.role)
        else:
            roles.append("context")
    return roles


def _start(placed: DiagramLayout, arrow: MessageArrow) -> Point:
    return point(placed, (arrow.sender, arrow.send_index))


def _message(arrow: MessageArrow, lines: list[tuple[Line, Role]], label: Point, names: DiagramNames) -> str:
    words, shown = message_words(arrow, names), names.short_messages[arrow.id]
    return (
        f'<g class="message {arrow.role}" data-message="{names.numbers[arrow.id]}"><title>{words}</title>'
        + "".join(_arrow(*line, role) for line, role in lines)
        + f'<text x="{label[0]:.0f}" y="{label[1] + 4:.0f}" text-anchor="middle">{shown}</text></g>'
    )


def _arrow(start: Point, end: Point, role: Role) -> str:
    """Return a straight arrow, or a bow to the side if a process sends to itself, with a wide line for the pointer."""
    (x1, y1), (x2, y2) = start, end
    if x1 == x2:
        path = f"M{x1} {y1}C{x1 + 30} {y1} {x1 + 30} {y2} {x2 + RADIUS + 2} {y2}"
        dx, dy, tip = -1.0, 0.0, (x2 + RADIUS + 1, y2)
    else:
        length = hypot(x2 - x1, y2 - y1)
        dx, dy = (x2 - x1) / length, (y2 - y1) / length
        tip = (x2 - dx * (RADIUS + 1), y2 - dy * (RADIUS + 1))
        path = f"M{x1} {y1}L{tip[0] - 6 * dx:.1f} {tip[1] - 6 * dy:.1f}"
    bx, by = tip[0] - 9 * dx, tip[1] - 9 * dy
    head = f"{tip[0]:.1f},{tip[1]:.1f} {bx - 4 * dy:.1f},{by + 4 * dx:.1f} {bx + 4 * dy:.1f},{by - 4 * dx:.1f}"
    return (
        f'<g class="arrow {role}"><path class="hit" d="{path}"/><path class="line" d="{path}"/>'
        f'<polygon points="{head}"/></g>'
    )
