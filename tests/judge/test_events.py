"""From rows to events: what is taken, what is refused, and the reason that goes with it."""

import json
import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.judge.events import KINDS, Event, RefusedRow, parse, read_jsonl, to_json

SEND = {"run": "r", "process": "a", "index": 3, "kind": "send", "message": "m1", "dests": ["b", "c"]}


def with_(**changes: object) -> dict[str, object]:
    return {**SEND, **changes}


def without(*columns: str) -> dict[str, object]:
    return {column: value for column, value in SEND.items() if column not in columns}


def test_a_row_with_all_columns() -> None:
    sizes = {"payload_bytes": 5, "control_bytes": 7, "control_entries": 2}
    row = with_(time=1.5, group="g", attributes={"topic": "t"}, **sizes)
    assert parse(row) == Event("r", "a", 3, "send", 1.5, "m1", ("b", "c"), "g", 5, 7, 2, {"topic": "t"})


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_taken(kind: str) -> None:
    event = parse(with_(kind=kind))
    assert isinstance(event, Event)
    assert event.kind == kind


def test_a_missing_run_is_the_run_without_a_name() -> None:
    assert parse(without("run")) == parse(with_(run=None)) == parse(with_(run=""))


def test_null_and_absent_are_the_same_and_unknown_columns_are_ignored() -> None:
    assert parse(with_(time=None, group=None, colour="blue")) == parse(SEND)


def test_kinds_without_a_message_need_none() -> None:
    assert parse({"process": "a", "index": 0, "kind": "internal"}) == Event("", "a", 0, "internal")


def test_whole_seconds_are_seconds() -> None:
    event = parse(with_(time=7))
    assert isinstance(event, Event)
    assert isinstance(event.time, float)


def test_a_message_to_nobody_is_a_message() -> None:
    assert isinstance(parse(with_(dests=[])), Event)


def test_attributes_that_are_not_text_are_kept_as_json() -> None:
    event = parse(with_(attributes={"n": 5, "list": [1, "x"], "none": None, "text": "t"}))
    assert isinstance(event, Event)
    assert event.attributes == {"n": "5", "list": '[1, "x"]', "text": "t"}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (with_(kind="sned"), 'kind is "sned"; it must be one of send, receive, deliver'),
        (with_(kind=["send"]), "kind is a list; it must be one of"),
        (without("kind"), "kind is missing"),
        (with_(index=-1), "index is -1; it must be an integer of 0 or more"),
        (with_(index=True), "index is true; it must be an integer"),
        (with_(index=3.0), "index is 3.0; it must be an integer"),
        (with_(index="3"), 'index is "3"; it must be an integer'),
        (with_(index=2**63), "index is an integer of more than 64 bits"),
        (with_(index=10**5000), "index is an integer of more than 64 bits"),
        (without("index"), "index is missing"),
        (without("process"), "process is missing"),
        (with_(process=""), "process is empty"),
        (with_(process=5), "process is 5; it must be text"),
        (with_(run=5), "run is 5; it must be text"),
        (without("message"), "message is missing on send"),
        (with_(message=""), "message is empty on send"),
        (with_(kind="receive", message=None), "message is missing on receive"),
        (with_(kind="deliver", message=""), "message is empty on deliver"),
        (with_(kind="internal", message=5), "message is 5; it must be text"),
        (without("dests"), "dests is missing on send"),
        ({**without("dests"), "group": "g"}, "dests is missing on send; a group alone names no destinations"),
        (with_(dests="b"), 'dests is "b"; it must be a list of process names'),
        (with_(dests={"b": 1}), "dests is an object; it must be a list"),
        (with_(dests=["b", ""]), "a destination in dests is empty"),
        (with_(dests=["b", None]), "a destination in dests is missing; it must be text"),
        (with_(dests=["b", 5]), "a destination in dests is 5; it must be text"),
        (with_(time=math.nan), "time is NaN; it must be a finite number"),
        (with_(time=math.inf), "time is Infinity; it must be a finite number"),
        (with_(time=10**400), "time is an integer of more than 64 bits; it must be a finite number"),
        (with_(time="12:00"), 'time is "12:00"; it must be a finite number, or a date and time as text of ISO 8601'),
        (with_(time=False), "time is false; it must be a finite number"),
        (with_(payload_bytes=1.5), "payload_bytes is 1.5; it must be an integer"),
        (with_(control_bytes="9"), 'control_bytes is "9"; it must be an integer'),
        (with_(control_entries=2**64), "control_entries is an integer of more than 64 bits"),
        (with_(attributes=[]), "attributes is a list; it must be an object"),
        (with_(attributes={"x": {1, 2}}), 'attributes["x"] is a set, which cannot be written as JSON'),
        (with_(attributes={5: "x"}), "an attribute's name is 5; it must be text"),
        (with_(process="a\ud800"), 'process is "a\\ud800", which has half of a surrogate pair'),
        ([1, 2], "the row is a list; it must be an object"),
        (None, "the row is missing; it must be an object"),
    ],
)
def test_what_is_refused_and_why(row: object, reason: str) -> None:
    refused = parse(row)
    assert isinstance(refused, str)
    assert refused.startswith(reason)


@pytest.mark.parametrize("column", ["run", "process", "message", "group"])
def test_text_over_the_limit_is_refused_with_both_numbers(column: str) -> None:
    assert isinstance(parse(with_(**{column: "x" * 65_536})), Event)
    assert parse(with_(**{column: "x" * 65_537})) == f"{column} has 65537 characters; the limit is 65536"


def test_the_limit_holds_in_destinations_and_attributes_and_can_be_set() -> None:
    long = "x" * 11
    for row in (with_(dests=[long]), with_(attributes={"k": long}), with_(attributes={long: "v"})):
        refused = parse(row, field_chars_max=10)
        assert isinstance(refused, str)
        assert "has 11 characters; the limit is 10" in refused
        assert isinstance(parse(row, field_chars_max=11), Event)


def test_lines_become_events_or_are_quarantined_with_their_number() -> None:
    good = json.dumps(SEND)
    events, quarantine = read_jsonl([good + "\n", "\n", "  \r\n", "{broken\n", "[]", '{"kind": "send"}', good.encode()])
    assert events == [parse(SEND)] * 2
    assert [(row.line, row.row) for row in quarantine] == [(4, "{broken"), (5, "[]"), (6, '{"kind": "send"}')]
    assert quarantine[0].reason.startswith("the line is not JSON: ")
    assert quarantine[2].reason == "process is missing"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"process": "\xff"}', "the line is not UTF-8: byte 13"),
        ("[" * 100_000, "the line is not JSON that can be read: it is nested too deeply"),
        ('{"index": ' + "9" * 5000 + "}", "the line is not JSON: "),
        ("\ufeff{}", "the line is not JSON: "),
        ('{"process": "a", "index": 0, "kind": "internal", "time": NaN}', "time is NaN"),
    ],
)
def test_hostile_lines_are_quarantined(line: str | bytes, reason: str) -> None:
    events, (quarantined,) = read_jsonl([line])
    assert events == []
    assert quarantined.reason.startswith(reason)


def test_a_quarantined_row_is_kept_up_to_a_thousand_characters() -> None:
    _, quarantine = read_jsonl(["é" * 1_000_000, "é".encode() * 1_000_000])
    assert [len(row.row) for row in quarantine] == [1_000, 1_000]
    assert read_jsonl(["x"])[1] == [
        RefusedRow("the line is not JSON: Expecting value: line 1 column 1 (char 0)", "x", 1)
    ]


names = st.text(min_size=1, max_size=8)
longs = st.none() | st.integers(-(2**63), 2**63 - 1)
valid_events = st.builds(
    Event,
    run=st.text(max_size=8),
    process=names,
    index=st.integers(0, 2**63 - 1),
    kind=st.sampled_from(KINDS),
    time=st.none() | st.floats(-1e11, 1e11, exclude_min=True, exclude_max=True),
    message=names,
    dests=st.lists(names, max_size=3).map(tuple),
    group=st.none() | st.text(max_size=8),
    payload_bytes=longs,
    control_bytes=longs,
    control_entries=longs,
    attributes=st.none() | st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3),
)


@given(valid_events)
def test_what_is_written_is_read_again(event: Event) -> None:
    line = to_json(event)
    assert line.isascii()
    assert "\n" not in line
    assert read_jsonl([line]) == ([event], [])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from([*SEND, "time", "group", "payload_bytes", "attributes"]), json_values))
def test_any_row_is_an_event_or_a_reason(changes: dict[str, object]) -> None:
    result = parse(with_(**changes))
    assert result
    assert isinstance(result, Event | str)
    if isinstance(result, Event):
        assert read_jsonl([to_json(result)])[0] == [result]


@given(st.binary(max_size=60) | st.text(max_size=60))
def test_any_line_is_read_without_an_error(line: bytes | str) -> None:
    events, quarantine = read_jsonl([line])
    assert len(events) + len(quarantine) == (1 if line.strip() else 0)


def test_events_can_be_hashed_pickled_and_not_changed() -> None:
    event = parse(with_(attributes={"k": "v"}))
    assert isinstance(event, Event)
    assert len({event, pickle.loads(pickle.dumps(event))}) == 1
    with pytest.raises(AttributeError):
        event.index = 4  # type: ignore[misc]  # what must not be
