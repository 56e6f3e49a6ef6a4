"""What a mapping names and the first rows do not have is told by name."""

import json
from typing import Any

import pytest

from antecede.pipeline.read.detection.mapping_notes import note_what_is_missing

ROWS: list[dict[str, Any]] = [
    {"ts": 1, "service": "a", "event": "published", "msg_id": "m", "meta": {"deep": {"x": 1}}},
    {"ts": 2, "service": "b", "event": "consumed", "msg_id": "m"},
]
HEAD = "".join(f"{json.dumps(row)}\n" for row in ROWS).encode()
RIGHT: dict[str, Any] = {
    "process": "service",
    "message": "msg_id",
    "kind": {"field": "event", "send": ["published"], "deliver": ["consumed"]},
}
THERE = "there are ts, service, event, msg_id, meta.deep.x"


def notes(mapping: dict[str, Any], head_bytes: int = 1_000) -> tuple[str, ...]:
    return note_what_is_missing({"f": HEAD}, mapping, head_bytes)


@pytest.mark.parametrize("more", [{}, {"group": "meta.deep.x"}, {"index": "meta[process]"}, {"run": "meta.deep"}])
def test_nothing_is_said_of_what_is_there(more: dict[str, Any]) -> None:
    assert notes({**RIGHT, **more}) == ()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            {"message": "msgid"},
            f"the field 'msgid' that the mapping names for message; {THERE} (did you mean 'msg_id'?)",
        ),
        ({"group": "meta.other"}, f"the field 'meta.other' that the mapping names for group; {THERE}"),
        (
            {"dests": "to"},
            f"the field 'to' that the mapping names for dests; {THERE}; if the log does not name destinations, leave "
            "dests out of the mapping",
        ),
        (
            {"kind": {"field": "evnt"}},
            f"the field 'evnt' that the mapping names for kind; {THERE} (did you mean 'event'?)",
        ),
        (
            {"kind": {"field": "event", "send": ["publishd"], "deliver": ["consumed"]}},
            "the event 'publishd' that the mapping names; there are published, consumed (did you mean 'published'?)",
        ),
    ],
)
def test_what_is_not_there_is_named(more: dict[str, Any], words: str) -> None:
    assert notes({**RIGHT, **more}) == (f"no row has {words}",)
    assert notes({**RIGHT, **more}, head_bytes=len(HEAD)) == (f"none of the first 2 rows has {words}",)


def test_a_value_of_a_kind_may_come_after_the_rows_that_were_looked_at() -> None:
    mapping = {**RIGHT, "kind": {"field": "event", "send": ["published", "republished"], "deliver": ["consumed"]}}
    assert len(notes(mapping)) == 1
    assert notes(mapping, head_bytes=len(HEAD)) == ()
