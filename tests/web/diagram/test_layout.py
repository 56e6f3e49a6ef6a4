"""The layout: causes above effects, one place per event, and a bound on everything."""

from __future__ import annotations

from dataclasses import replace

import pytest

from antecede.pipeline.report.model import LoggedEvent, MessageArrow
from antecede.web.diagram import layout
from antecede.web.diagram.layout import DiagramLayout, key, place
from tests.web.samples import KNOWN, Execution, event, long_chain

FOUND = Execution(seed=3, processes=8, sends=150).violations()


def assert_causes_are_above(placed: DiagramLayout) -> None:
    for arrow in placed.violation.messages:
        for end in arrow.delivers:
            assert placed.row[arrow.sender, arrow.send_index] < placed.row[end]
    for process, index in placed.row:
        later = [placed.row[other] for other in placed.row if other[0] == process and other[1] > index]
        assert all(row > placed.row[process, index] for row in later)


def test_the_known_violation_reads_from_the_top() -> None:
    placed = place(KNOWN)
    assert placed.column == {"a": 0, "c": 1, "b": 2}
    assert [placed.row[key(event)] for event in KNOWN.events] == [0, 1, 2, 3, 4, 5]
    assert (placed.chain_left_out, placed.events_left_out) == (0, 0)


def test_causes_are_above_effects_in_every_violation_of_a_random_execution() -> None:
    assert len(FOUND) > 10
    for violation in FOUND:
        placed = place(violation)
        assert_causes_are_above(placed)
        assert set(placed.row) == {key(event) for event in placed.violation.events}
        assert {process for process, _ in placed.row} <= set(placed.column)


def test_of_a_long_chain_both_ends_stay_and_the_gap_is_counted() -> None:
    violation = long_chain(500)
    placed = place(violation)
    assert len(placed.violation.chain) == layout.CHAIN_MAX
    assert placed.chain_left_out == len(violation.chain) - layout.CHAIN_MAX
    assert placed.violation.chain[0] == violation.chain[0]
    assert placed.violation.chain[-1] == violation.chain[-1]
    assert placed.row["p500", 0] < placed.row["p500", 1]
    gap = placed.gap_after
    assert gap is not None
    assert placed.row[gap] < placed.row[key(placed.violation.chain[layout.CHAIN_MAX // 2])]


def test_context_is_bounded_and_the_nearest_stays() -> None:
    far = tuple(event("b", index, "internal") for index in range(2, 2000))
    crowd = tuple(event(f"other-{number:03}", 0, "internal") for number in range(200))
    placed = place(replace(KNOWN, events=KNOWN.events + far + crowd))
    assert len(placed.row) == layout.EVENTS_MAX
    assert placed.events_left_out == len(KNOWN.events + far + crowd) - layout.EVENTS_MAX
    assert ("b", 2) in placed.row
    assert ("b", 1999) not in placed.row
    assert {key(event) for event in KNOWN.events} <= set(placed.row)


def test_processes_are_bounded() -> None:
    crowd = tuple(event(f"other-{number:03}", 0, "internal") for number in range(60))
    assert len(place(replace(KNOWN, events=KNOWN.events + crowd)).column) == layout.PROCESSES_MAX


def test_a_cycle_is_drawn_too() -> None:
    events = (
        event("a", 0, "deliver", "y"),
        event("a", 1, "send", "x"),
        event("b", 0, "deliver", "x"),
        event("b", 1, "send", "y"),
    )
    arrows = (MessageArrow("x", "a", 1, (("b", 0),)), MessageArrow("y", "b", 1, (("a", 0),)))
    placed = place(replace(KNOWN, chain=(), events=events, messages=arrows))
    assert placed.row["a", 0] < placed.row["a", 1]
    assert placed.row["b", 0] < placed.row["b", 1]


@pytest.mark.parametrize("events", [(), KNOWN.events[:1]])
def test_a_violation_without_its_events_still_has_a_picture(events: tuple[LoggedEvent, ...]) -> None:
    placed = place(replace(KNOWN, chain=(), events=events))
    assert placed.violation.messages == ()
    assert "b" in placed.column
