"""Explanations say where each of their events is: file, line, attributes; and what messages are about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from antecede.pipeline.check import check
from antecede.pipeline.limits import Limits
from antecede.pipeline.report import explanations
from antecede.pipeline.report.model import ExplainedViolation
from antecede.pipeline.runner import InProcess
from tests.pipeline.written_tables import CheckFiles

WriteLines = Callable[[str, Sequence[object]], str]
ROWS: list[dict[str, Any]] = [
    *({"process": "a", "index": index, "kind": "internal", "attributes": {"x": "1"}} for index in range(2)),
    {"process": "a", "index": 2, "kind": "send", "message": "m1", "dests": ["b"], "group": "orders"},
    {"process": "a", "index": 3, "kind": "send", "message": "m2", "dests": ["b"], "attributes": {"topic": "payments"}},
    {"process": "b", "index": 0, "kind": "deliver", "message": "m2", "attributes": {"trace": "t1", "span": "s1"}},
    {"process": "b", "index": 1, "kind": "receive", "message": "m1"},
    {"process": "b", "index": 2, "kind": "deliver", "message": "m1"},
]
WORDS = "b delivered payments (m2) before orders (m1): orders (m1) was sent by a, then a sent payments (m2)"


@pytest.mark.parametrize("options", [{}, {"windows": 2}, {"limits": Limits(run_events_max=1, in_place_bytes=1)}])
def test_every_event_has_its_file_and_line(
    write_lines: WriteLines, check_files: CheckFiles, options: dict[str, Any]
) -> None:
    path = write_lines("t.jsonl", ROWS)
    (one,) = check_files(path, **options).checked.explained
    assert [(event.file or "").rpartition("/")[2] for event in one.chain] == ["t.jsonl"] * 2
    assert [event.line for event in one.chain] == [3, 4]
    assert [(event.line, event.message) for event in one.delivers] == [(5, "m2"), (7, "m1")]
    assert one.sender == "a"
    assert one.titles == {"m1": "orders", "m2": "payments"}
    assert one.words == WORDS


def test_a_bare_verdict_has_files_and_lines_too(write_lines: WriteLines) -> None:
    (one,) = check(InProcess(), [write_lines("t.jsonl", ROWS)]).explained
    assert [event.line for event in (*one.chain, *one.delivers)] == [3, 4, 5, 7]
    assert one.words == "b delivered m2 before m1: m1 was sent by a, then a sent m2"


def test_attributes_stay_where_they_matter(write_lines: WriteLines, check_files: CheckFiles) -> None:
    (one,) = check_files(write_lines("t.jsonl", ROWS)).checked.explained
    kept = {(event.process, event.index): event.attributes for event in one.events if event.attributes}
    assert kept == {("a", 3): {"topic": "payments"}, ("b", 0): {"trace": "t1", "span": "s1"}}


def test_attributes_are_bounded_and_ids_stay(write_lines: WriteLines, check_files: CheckFiles) -> None:
    many = {f"key {number}" + "k" * 1_000: "v" * 10_000 for number in range(200)} | {"trace_id": "t1"}
    rows = [{**row, "attributes": many} for row in ROWS]
    (one,) = check_files(write_lines("t.jsonl", rows), format="antecede").checked.explained
    for event in (*one.chain, *one.delivers):
        assert event.attributes is not None
        assert len(event.attributes) == explanations.SHOWN_ATTRIBUTES_MAX
        assert next(iter(event.attributes.items())) == ("trace_id", "t1")
        assert {len(value) for value in event.attributes.values()} == {2, explanations.ATTRIBUTE_CHARS_MAX}
        assert max(map(len, event.attributes)) <= explanations.ATTRIBUTE_CHARS_MAX


def test_an_explanation_survives_the_way_to_the_driver(write_lines: WriteLines, check_files: CheckFiles) -> None:
    (one,) = check_files(write_lines("t.jsonl", ROWS)).checked.explained
    (text,) = explanations.pack_explanations([one])["explanation"].to_pylist()
    assert explanations.unpack_explanation(text) == one


def test_without_its_events_a_violation_has_no_delivers() -> None:
    assert ExplainedViolation("r", "b", 0, "m2", "m1", 1, "words").delivers == ()
