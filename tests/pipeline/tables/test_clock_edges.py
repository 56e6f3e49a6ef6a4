"""Edges that vector clocks show, and clocks that are none."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from antecede.pipeline import schema
from antecede.pipeline.tables.clock_edges import EDGES, find_edges


def event(process: str, index: int, clock: object, time: float | None = None, run: str = "r") -> dict[str, Any]:
    text = clock if isinstance(clock, str) else json.dumps(clock)
    return {
        "run": run,
        "process": process,
        "index": index,
        "kind": "internal",
        "time": time,
        "attributes": [("clock", text), ("other", "x")],
    }


def edges(*events: dict[str, Any]) -> list[tuple[str, int, str, int]]:
    found = find_edges(pa.Table.from_pylist(list(events), schema.TRACE))
    assert found.schema == EDGES
    return [(row["sender"], row["sent_index"], row["process"], row["index"]) for row in found.to_pylist()]


def test_an_entry_that_grows_is_an_edge_from_that_event() -> None:
    found = edges(
        event("a", 1, {"a": 1}),
        event("a", 2, {"a": 2}),
        event("b", 1, {"a": 2, "b": 1}),
        event("b", 2, {"a": 2, "b": 2}),  # nothing new
        event("a", 3, {"a": 3, "b": 2}),
    )
    assert found == [("b", 2, "a", 3), ("a", 2, "b", 1)]


def test_what_was_heard_by_way_of_another_is_not_an_edge() -> None:
    found = edges(
        event("a", 1, {"a": 1}),
        event("b", 1, {"a": 1, "b": 1}),
        event("c", 1, {"a": 1, "b": 1, "c": 1}),
    )
    assert found == [("a", 1, "b", 1), ("b", 1, "c", 1)]


def test_an_entry_of_an_event_that_is_not_in_the_log_is_not_an_edge() -> None:
    assert edges(event("b", 1, {"a": 7, "b": 1}), event("a", 1, {"a": 1})) == []


def test_runs_are_apart_and_times_are_those_of_both_events() -> None:
    rows = [
        event("a", 1, {"a": 1}, 1.0),
        event("b", 1, {"a": 1, "b": 1}, 3.0),
        event("b", 1, {"a": 1, "b": 1}, run="s"),
    ]
    (edge,) = find_edges(pa.Table.from_pylist(rows, schema.TRACE)).to_pylist()
    assert (edge["run"], edge["sent_time"], edge["time"]) == ("r", 1.0, 3.0)


@pytest.mark.parametrize(
    "clock",
    ["not JSON", "", "[1, 2]", "7", '"text"', "null", '{"a": "1"}', '{"a": null}', '{"a": [1]}', "{" * 9, "[" * 5_000],
)
def test_an_attribute_of_that_name_that_is_no_clock_shows_nothing(clock: str) -> None:
    """Any trace may have an attribute that is called so."""
    assert edges(event("a", 1, {"a": 1}), event("b", 1, clock), event("b", 2, {"a": 1, "b": 2})) == [("a", 1, "b", 2)]


def test_events_without_attributes_show_nothing() -> None:
    assert edges({"run": "r", "process": "a", "index": 1, "kind": "internal"}) == []
    assert find_edges(pa.table({"run": ["r"]})) == EDGES.empty_table()
