"""Tables whose columns have any types: what is converted, and what is a fault of its rows."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from antecede.judge.events import RefusedRow
from antecede.pipeline import schema
from antecede.pipeline.read.columns import accept_rows, convert, fits, missing_columns
from antecede.pipeline.read.rows import Wanted
from tests.pipeline.parquet_files import TRACES
from tests.pipeline.traces import COLUMNS, table

ROW = {"process": "a", "index": 1, "kind": "internal"}
INTEGERS = (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())
TEXTS = (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string()))


def accept(source: pa.Table) -> tuple[list[dict[str, Any]], list[RefusedRow]]:
    events, refused = accept_rows(source, pa.array(np.arange(source.num_rows) + 1))
    assert events.schema.names == [*schema.TRACE.names, "line"]
    wanted = {field.name: field.type for field in Wanted(all_columns=True).events}
    assert {field.name: field.type for field in events.schema} == {name: wanted[name] for name in events.column_names}
    events.validate(full=True)
    return events.to_pylist(), refused


def with_column(name: str, values: pa.Array | Sequence[Any]) -> pa.Table:
    """Return good rows with another column in the place of one of theirs."""
    rows = pa.Table.from_pylist([{**ROW, "index": number} for number in range(len(values))])
    if name in rows.column_names:
        rows = rows.drop_columns(name)
    return rows.append_column(name, values)


@pytest.mark.parametrize("kind", INTEGERS, ids=str)
def test_an_index_of_any_integer_type_is_read(kind: pa.DataType) -> None:
    most = 2 ** (kind.bit_width - (0 if str(kind).startswith("u") else 1)) - 1
    for name in ("index", "payload_bytes"):
        rows, refused = accept(with_column(name, pa.array([0, 1, min(most, 2**63 - 1)], kind)))
        assert [row[name] for row in rows] == [0, 1, min(most, 2**63 - 1)]
        assert refused == []
        rows, refused = accept(with_column(name, pa.array([0, 1], kind).dictionary_encode()))
        assert [row[name] for row in rows] == [0, 1]


@pytest.mark.parametrize("name", ["index", "payload_bytes", "control_bytes", "control_entries"])
def test_an_integer_that_no_long_can_hold_is_refused(name: str) -> None:
    rows, (refused,) = accept(with_column(name, pa.array([1, 2**63, 3], pa.uint64())))
    assert [row["line"] for row in rows] == [1, 3]
    reason = f"{name} is an integer of more than 64 bits; it must be an integer of at most 64 bits"
    assert (refused.line, refused.reason) == (2, reason)


@pytest.mark.parametrize("kind", [kind for kind in INTEGERS if not str(kind).startswith("u")], ids=str)
def test_a_negative_index_is_refused(kind: pa.DataType) -> None:
    _, (refused,) = accept(with_column("index", pa.array([0, -1], kind)))
    assert (refused.line, refused.reason) == (2, "index is -1; it must be an integer of 0 or more")


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin", "+05:30"])
def test_timestamps_of_every_unit_and_zone_are_read(unit: str, zone: str | None) -> None:
    values = pa.array([1_700_000_000, None, -1], pa.timestamp("s")).cast(pa.timestamp(unit, zone))
    rows, refused = accept(with_column("time", values))
    assert [row["time"] for row in rows] == [1.7e9, None, -1.0]
    assert refused == []


@pytest.mark.parametrize(
    ("values", "seconds"),
    [
        (pa.array([1, None], pa.int32()), [1.0, None]),
        (pa.array([1.5, None], pa.float32()), [1.5, None]),
        (pa.array([0.5, None]).cast(pa.float16()), [0.5, None]),
        (pa.array([Decimal("1.25"), None], pa.decimal128(10, 2)), [1.25, None]),
        (pa.array([1_700_000_000_500, None]), [1_700_000_000.5, None]),
        (pa.array(["2023-11-14T22:13:20Z", None]), [1.7e9, None]),
        (pa.array(["2023-11-14T22:13:20Z", None]).dictionary_encode(), [1.7e9, None]),
        (pa.array([2_500, None], pa.duration("ms")), [2.5, None]),
        (pa.nulls(2), [None, None]),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)
def test_times_of_other_types_are_read(values: pa.Array, seconds: list[float | None]) -> None:
    rows, refused = accept(with_column("time", values))
    assert [row["time"] for row in rows] == seconds
    assert refused == []


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (pa.array(["yesterday"]), 'time is "yesterday"; it must be a finite number, or a date and time'),
        (pa.array([float("nan")]), "time is NaN; it must be a finite number"),
        (pa.array([float("inf")], pa.float32()), "time is Infinity; it must be a finite number"),
        (pa.array([1], pa.time32("ms")), "time is of the type time32[ms]; it must be a number, a timestamp or text"),
        (pa.array([dt.date(2023, 1, 1)]), "time is of the type date32[day]; it must be a number, a timestamp or text"),
        (pa.array([True]), "time is of the type bool; it must be a number, a timestamp or text of ISO 8601"),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)
def test_what_is_not_a_time_is_a_fault_of_its_row(values: pa.Array, reason: str) -> None:
    rows, (refused,) = accept(with_column("time", pa.concat_arrays([values, pa.nulls(1, values.type)])))
    assert [row["line"] for row in rows] == [2]
    assert refused.line == 1
    assert refused.reason.startswith(reason)


@pytest.mark.parametrize("kind", TEXTS, ids=str)
def test_texts_are_read_however_they_are_kept(kind: pa.DataType) -> None:
    whole = table(TRACES[:50])
    types = [(field.name, kind if field.type == pa.string() else field.type) for field in COLUMNS]
    for lists in (pa.large_list(pa.large_string()), pa.list_(pa.string_view())):
        rows, refused = accept(whole.cast(pa.schema([*types[:-1], ("dests", lists)])))
        assert [{name: row[name] for name in COLUMNS.names} for row in rows] == whole.to_pylist()
        assert refused == []


def test_destinations_of_a_fixed_number_or_none_are_read() -> None:
    for values in (
        pa.array([["b", "c"]], pa.list_(pa.string(), 2)),
        pa.array([["b", "c"]], pa.list_(pa.dictionary(pa.int8(), pa.string()))),
    ):
        rows, _ = accept(with_column("dests", values))
        assert rows[0]["dests"] == ["b", "c"]
    rows, _ = accept(with_column("dests", pa.array([[]])))
    assert rows[0]["dests"] == []


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (pa.array([[("k", "v")], None], schema.TEXT_BY_TEXT), [("k", "v")]),
        (pa.array([[("k", "v")], None], pa.map_(pa.large_string(), pa.large_string())), [("k", "v")]),
        (pa.array([{"k": "v", "none": None}, None]), [("k", "v")]),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)
def test_attributes_may_be_a_map_or_a_struct(values: pa.Array, found: list[tuple[str, str]]) -> None:
    rows, refused = accept(with_column("attributes", values))
    assert [row["attributes"] for row in rows] == [found, None]
    assert refused == []


@pytest.mark.parametrize(
    ("name", "values", "reason"),
    [
        ("index", pa.array(["1"]), "index is of the type string; it must be an integer"),
        ("index", pa.array([1.0]), "index is of the type double; it must be an integer"),
        ("index", pa.array([True]), "index is of the type bool; it must be an integer"),
        ("process", pa.array([b"a"]), "process is of the type binary; it must be text"),
        ("process", pa.array([5]), "process is of the type int64; it must be text"),
        ("run", pa.array([5]), "run is of the type int64; it must be text"),
        ("run", pa.array([{"a": 1}]), "run is of the type struct<a: int64>; it must be text"),
        ("kind", pa.array([5]).dictionary_encode(), "kind is of the type dictionary<values=int64"),
        ("dests", pa.array(["b"]), "dests is of the type string; it must be a list of texts"),
        ("dests", pa.array([[5]]), "dests is of the type list<item: int64>; it must be a list of texts"),
        ("attributes", pa.array(["b"]), "attributes is of the type string; it must be a map from text to text"),
        ("attributes", pa.array([{"a": 1}]), "attributes is of the type struct<a: int64>; it must be a map"),
        ("group", pa.array([5]), "group is of the type int64; it must be text"),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)
def test_a_column_of_another_type_is_a_fault_of_each_row_that_has_a_value(
    name: str, values: pa.Array, reason: str
) -> None:
    source = with_column(name, pa.chunked_array([values, pa.nulls(1, values.type)]))
    rows, refused = accept(source)
    assert refused[0].line == 1
    assert refused[0].reason.startswith(reason)
    optional = name in ("run", "dests", "attributes", "group")
    assert [row["line"] for row in rows] == ([2] if optional else [])
    assert not fits(source.schema.field(name))


def test_a_row_is_refused_for_its_values_with_the_judges_reason() -> None:
    sent = {**ROW, "kind": "send"}
    source = pa.Table.from_pylist(
        [{**ROW, "message": None}, {**sent, "message": "m"}, {**ROW, "process": ""}, {**sent, "index": 3}]
    )
    rows, refused = accept(source)
    assert [row["line"] for row in rows] == [1]
    assert [(row.line, row.reason) for row in refused] == [
        (2, "dests is missing on send"),
        (3, "process is empty"),
        (4, "message is missing on send"),
    ]
    assert refused[0].row == "{'process': 'a', 'index': 1, 'kind': 'send', 'message': 'm'}"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("group", pa.array(["g" * 70_000, None])),
        ("attributes", pa.array([[("k" * 70_000, "v")], None], schema.TEXT_BY_TEXT)),
        ("attributes", pa.array([[("k", "v" * 70_000)], None], schema.TEXT_BY_TEXT)),
    ],
    ids=["group", "name", "value"],
)
def test_a_long_group_or_attribute_is_refused(name: str, values: pa.Array) -> None:
    rows, (refused,) = accept(with_column(name, values))
    assert [row["line"] for row in rows] == [2]
    assert "has 70000 characters; the limit is 65536" in refused.reason
    assert len(refused.row) == 1_000


def test_a_column_that_is_absent_is_null_and_others_are_ignored() -> None:
    source = pa.table(
        {
            "process": pa.array(["a", "b"]).dictionary_encode(),
            "index": pa.array([1, 2], pa.int16()),
            "kind": ["internal", "move"],
            "unknown": [0, 0],
            "Run": ["x", "y"],
        }
    )
    rows, refused = accept(source)
    assert refused == []
    none = dict.fromkeys(schema.TRACE.names)
    assert rows == [
        {**none, "run": "", "process": "a", "index": 1, "kind": "internal", "line": 1},
        {**none, "run": "", "process": "b", "index": 2, "kind": "move", "line": 2},
    ]
    assert missing_columns(source.column_names) == []
    assert missing_columns(["Process", "index"]) == ["process", "kind"]


def test_a_table_without_rows_or_without_columns_of_a_trace_is_read() -> None:
    assert accept(COLUMNS.empty_table()) == ([], [])
    _, refused = accept(pa.table({"x": [1, 2]}))
    assert [row.reason.split(";")[0] for row in refused] == ["kind is missing"] * 2


def test_values_of_an_extension_type_are_those_of_its_storage() -> None:
    storage = pa.array(['{"a": 1}'])
    rows, refused = accept(with_column("group", pa.ExtensionArray.from_storage(pa.json_(), storage)))
    assert (rows[0]["group"], refused) == ('{"a": 1}', [])


def test_a_table_in_many_chunks_is_converted_as_one() -> None:
    whole = table(TRACES)
    pieces = pa.concat_tables([whole.slice(start, 7) for start in range(0, whole.num_rows, 7)])
    assert convert(pieces).table.to_pylist() == convert(whole).table.to_pylist()
    assert accept(pieces) == accept(whole)
