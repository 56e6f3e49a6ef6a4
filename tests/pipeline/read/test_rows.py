"""The rows that readers give, with their types, and what they show of refused rows."""

from __future__ import annotations

import pyarrow as pa

from antecede.judge.events import Event, RefusedRow
from antecede.pipeline import schema
from antecede.pipeline.read.rows import (
    NEEDED,
    ReadRows,
    Wanted,
    encode_lists,
    encode_names,
    refused_table,
    to_events,
    with_file,
)

WANTED = Wanted(all_columns=True)


def test_which_columns_are_read_is_the_callers_choice() -> None:
    assert Wanted().trace.names == list(NEEDED)
    assert WANTED.trace.names == schema.TRACE.names
    assert Wanted().events.names == [*NEEDED, "file", "line"]
    assert set(WANTED.events.names) == set(schema.EVENTS.names)


def test_rows_are_events_of_the_judge_and_back() -> None:
    rows = [
        {
            "run": "r",
            "process": "a",
            "index": 1,
            "kind": "send",
            "message": "m",
            "dests": ["b"],
            "attributes": [("k", "v")],
        },
        {"run": "r", "process": "b", "index": 2, "kind": "move"},
    ]
    whole = pa.Table.from_pylist(rows, schema.TRACE)
    events = [
        Event("r", "a", 1, "send", message="m", dests=("b",), attributes={"k": "v"}),
        Event("r", "b", 2, "move"),
    ]
    assert list(to_events(whole, Event)) == events
    assert list(to_events(encode_names(whole), Event)) == events
    assert list(to_events(whole.select(NEEDED), Event)) == [
        Event("r", "a", 1, "send", message="m", dests=("b",)),
        Event("r", "b", 2, "move"),
    ]


def test_names_become_numbers_and_stay_the_same() -> None:
    rows = [{"run": "r", "process": "a", "kind": "send", "index": 1, "dests": ["b", "c", "b"]}, {"dests": []}, {}]
    whole = pa.Table.from_pylist(rows, schema.TRACE)
    encoded = encode_names(whole)
    assert [encoded.schema.field(name).type for name in WANTED.trace.names] == [
        WANTED.events.field(name).type for name in WANTED.trace.names
    ]
    assert encoded.to_pylist() == whole.to_pylist()
    assert encode_names(encoded) == encoded
    assert encode_names(whole.slice(1)).to_pylist() == whole.slice(1).to_pylist()


def test_lists_are_encoded_wherever_they_begin() -> None:
    lists = pa.array([["x"], None, [], ["a", None, "b"], ["a"]], pa.list_(pa.string()))
    for start in range(6):
        assert encode_lists(lists.slice(start)).to_pylist() == lists.slice(start).to_pylist()


def test_the_file_is_the_last_column_but_the_line() -> None:
    events = with_file(pa.table({"index": [1, 2], "line": [3, 4]}), "a file")
    assert events.column_names == ["index", "file", "line"]
    assert events["file"].to_pylist() == ["a file", "a file"]
    assert with_file(pa.table({"line": pa.array([], pa.int64())}), "none").num_rows == 0


def test_refused_rows_are_counted_with_the_events() -> None:
    refused = refused_table("f", [RefusedRow("why", "text", 3), RefusedRow("why not", "", None)])
    assert refused.schema == schema.QUARANTINE
    assert refused.to_pylist() == [
        {"file": "f", "line": 3, "reason": "why", "row": "text"},
        {"file": "f", "line": None, "reason": "why not", "row": ""},
    ]
    assert ReadRows(pa.table({"line": [1]}), refused).count == 3
    assert refused_table("f", []).num_rows == 0
