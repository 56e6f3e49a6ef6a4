"""Group violations that have the same cause, so that a reader looks at each cause once.

Two violations have the same *shape* if the same process delivered too early, the same process sent what it delivered,
and the chains between the two sends follow the same code path. A code path is the sequence of the events of a chain,
each as its process, its kind, and what its message is about (`report.message_names.title_of`). Ids, times and runs do
not count. If the chain of a violation is not known, only the link counts.

Only explained violations have a shape. The table `links` has the number of all violations on a link, whatever their
shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from antecede.pipeline.report.model import ExplainedViolation

PathStep = tuple[str, str, str]
"""The process and the kind of an event, and what its message is about."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What violations with the same cause share: the link, and the code path of the chain."""

    sender: str
    process: str
    path: tuple[PathStep, ...]


def shape_of(violation: ExplainedViolation) -> Shape:
    """Return the shape of a violation."""
    path = tuple(
        (event.process, event.kind, violation.titles.get(event.message or "", "")) for event in violation.chain
    )
    return Shape(violation.sender, violation.process, path)


def group_by_shape(violations: Sequence[ExplainedViolation]) -> dict[Shape, list[int]]:
    """Return the ranks of the violations of each shape, counted from 1. The shape of the worst violation is first."""
    groups: dict[Shape, list[int]] = {}
    for rank, violation in enumerate(violations, start=1):
        groups.setdefault(shape_of(violation), []).append(rank)
    return groups
