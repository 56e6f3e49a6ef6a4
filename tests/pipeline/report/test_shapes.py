"""Violations with the same cause have the same shape, whatever their messages, times and runs are."""

from __future__ import annotations

from dataclasses import replace

from antecede.pipeline.report.model import ExplainedViolation, LoggedEvent
from antecede.pipeline.report.shapes import Shape, group_by_shape, shape_of


def violation(number: int, *, topic: str = "orders", via: str = "c") -> ExplainedViolation:
    """Return a violation: a sends to b and to `via`, which then sends to b, and b delivers that first."""
    first, second = f"m{number}", f"n{number}"
    chain = (
        LoggedEvent("r", "a", number, "send", message=first),
        LoggedEvent("r", via, number, "deliver", message=first),
        LoggedEvent("r", via, number + 1, "send", message=second),
    )
    return ExplainedViolation(
        "r", "b", number, second, first, 1, "words", chain, sender=via, titles={first: topic, second: "payments"}
    )


def test_a_shape_is_the_link_and_the_code_path() -> None:
    path = (("a", "send", "orders"), ("c", "deliver", "orders"), ("c", "send", "payments"))
    assert shape_of(violation(1)) == Shape("c", "b", path)


def test_violations_are_grouped_by_shape_and_the_worst_shape_is_first() -> None:
    found = [violation(1), violation(2, topic="stock"), violation(3), violation(4, via="d"), violation(5)]
    assert list(group_by_shape(found).values()) == [[1, 3, 5], [2], [4]]


def test_without_a_chain_the_link_decides() -> None:
    found = [replace(violation(number), chain=(), sender=sender) for number, sender in enumerate("ccd")]
    assert list(group_by_shape(found).values()) == [[1, 2], [3]]
