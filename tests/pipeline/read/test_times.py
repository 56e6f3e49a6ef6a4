"""What a `time` may be in each format: the table of the guide, row by row, and columns of any type."""

import csv as csv_writer
import json
import re
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.judge.events import Event, parse, read_jsonl
from antecede.judge.times import SIZE_MAX, to_seconds
from antecede.pipeline.read.blocks import whole_file
from antecede.pipeline.read.columns import accept_rows
from antecede.pipeline.read.files import list_files
from antecede.pipeline.read.formats import csv, jsonl, mapped, parquet
from antecede.pipeline.read.rows import Reader, Wanted
from antecede.pipeline.read.times import column_to_seconds
from tests.paths import ROOT

GUIDE = ROOT / "docs" / "guide" / "05-checking.md"
STAMP = datetime(2023, 11, 14, 22, 13, 20, 500_000, tzinfo=UTC)
SECONDS = 1_700_000_000.5
MAPPING = {name: name for name in ("run", "process", "index", "time")}
READERS: dict[str, Reader] = {
    "`antecede`, JSON Lines": partial(jsonl.read, wanted=Wanted()),
    "`antecede`, Parquet": partial(parquet.read, wanted=Wanted()),
    "`mapped`, JSON Lines": partial(mapped.read, wanted=Wanted(), mapping=MAPPING),
    "`mapped`, CSV": partial(csv.read, wanted=Wanted(), mapping=MAPPING),
}


def promised(format: str) -> list[tuple[object, bool]]:
    """For each row of the table in the guide that is about `format`: the time, and whether it is read."""
    (table,) = re.findall(r"\| `time` \|.*?\n\n", GUIDE.read_text(), re.DOTALL)
    head, _, *rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.strip().splitlines()]
    assert head[1:] == list(READERS)
    said = [(row[0], row[head.index(format)]) for row in rows if row[head.index(format)]]
    assert {words for _, words in said} == {"read", "refused"}
    return [(_example(kind), words == "read") for kind, words in said]


def _example(kind: str) -> object:
    """The value that the guide shows; a timestamp if it only names the type."""
    shown = re.match("`(.*)`", kind)
    return json.loads(shown[1]) if shown else STAMP


def row(index: int, time: object) -> dict[str, object]:
    return {"run": "r", "process": "a", "index": index, "kind": "internal", "time": time}


def write(folder: Path, format: str, times: list[object]) -> None:
    """One line for each time, or, because a column of Parquet has one type, one file."""
    rows = [row(index, time) for index, time in enumerate(times)]
    if "Parquet" in format:
        for one in rows:
            pq.write_table(pa.Table.from_pylist([one]), folder / f"{one['index']}.parquet")
    elif "CSV" in format:
        with (folder / "t.csv").open("w", newline="") as file:
            writer = csv_writer.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    else:
        (folder / "t.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))


@pytest.mark.parametrize("format", READERS)
def test_a_time_is_read_or_refused_as_the_guide_says(tmp_path: Path, format: str) -> None:
    cases = promised(format)
    write(tmp_path, format, [time for time, _ in cases])
    parts = [rows for file in list_files([str(tmp_path)]) for rows in READERS[format](whole_file(file))]
    events = [event for part in parts for event in part.events.to_pylist()]
    refused = [one for part in parts for one in part.refused.to_pylist()]
    assert {event["index"]: event["time"] for event in events} == {
        index: SECONDS for index, (_, is_read) in enumerate(cases) if is_read
    }
    assert len(events) + len(refused) == len(cases)
    assert all(re.match('time is (not|")', one["reason"]) for one in refused)


def test_the_judge_reads_the_same_times() -> None:
    cases = promised("`antecede`, JSON Lines")
    events, quarantine = read_jsonl([json.dumps(row(index, time)) for index, (time, _) in enumerate(cases)])
    assert {event.index: event.time for event in events} == {
        index: SECONDS for index, (_, is_read) in enumerate(cases) if is_read
    }
    assert len(events) + len(quarantine) == len(cases)


numbers = st.none() | st.floats() | st.integers(-(2**63), 2**63 - 1).map(float)


@given(st.lists(numbers))
def test_a_column_of_numbers_is_read_as_each_of_them_is(values: list[float | None]) -> None:
    found = column_to_seconds(pa.chunked_array([pa.array(values, pa.float64())]))
    assert found is not None
    for value, seconds in zip(values, found.to_pylist(), strict=True):
        if value is None or abs(value) <= SIZE_MAX:
            assert seconds == (None if value is None else to_seconds(value))
        else:  # it is refused later
            assert not abs(seconds) <= SIZE_MAX


@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1)))
def test_a_column_of_integers_is_read_as_each_of_them_is(values: list[int | None]) -> None:
    found = column_to_seconds(pa.chunked_array([pa.array(values, pa.int64())]))
    assert found is not None
    assert found.to_pylist() == [None if value is None else to_seconds(value) for value in values]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([SECONDS], pa.float64()),
        ([1_700_000_000_500], pa.int64()),
        ([1_700_000_000_500], pa.uint64()),
        ([Decimal("1700000000.5")], pa.decimal128(20, 3)),
        ([STAMP], pa.timestamp("ms", "UTC")),
        ([STAMP.replace(tzinfo=None)], pa.timestamp("us")),
        ([STAMP], pa.timestamp("ns", "America/New_York")),
        ([1_700_000_000_500], pa.duration("ms")),
        (["2023-11-14T22:13:20.5Z"], pa.string()),
        (["2023-11-14T22:13:20.5Z"], pa.large_string()),
        (["2023-11-14T22:13:20.5Z"], pa.string_view()),
    ],
)
def test_columns_of_any_type_that_can_hold_times(values: list[Any], kind: pa.DataType) -> None:
    column = pa.chunked_array([pa.array(values, kind), pa.nulls(1, kind)])
    found = column_to_seconds(column)
    assert found is not None
    assert found.type == pa.float64()
    assert found.to_pylist() == [SECONDS, None]
    assert column_to_seconds(column.slice(0, 0)) is not None


@pytest.mark.parametrize("kind", [pa.bool_(), pa.binary(), pa.time32("ms"), pa.list_(pa.float64()), pa.date32()])
def test_columns_of_other_types_cannot(kind: pa.DataType) -> None:
    assert column_to_seconds(pa.chunked_array([pa.nulls(1, kind)])) is None


@pytest.mark.parametrize("make", [pa.string(), pa.dictionary(pa.int8(), pa.string()), pa.large_string()])
def test_a_text_that_is_not_a_time_is_refused_and_the_others_are_read(make: pa.DataType) -> None:
    times = ["2023-11-14T22:13:20.5Z", None, "noon", "1970-01-01", "1700000000.5"]
    source = pa.table(
        {
            **{name: [one[name] for one in (row(n, None) for n in range(5))] for name in ("process", "index", "kind")},
            "time": pa.array(times, make),
        }
    )
    events, refused = accept_rows(source, pa.array(range(1, 6)))
    assert events["time"].to_pylist() == [SECONDS, None, 0.0]
    words = "it must be a finite number, or a date and time as text of ISO 8601"
    assert [(one.line, one.reason.split(", such")[0]) for one in refused] == [
        (3, f'time is "noon"; {words}'),
        (5, f'time is "1700000000.5"; {words}'),
    ]


def test_a_text_that_is_not_utf8_is_not_a_time() -> None:
    broken = pa.array([b"2023-11-14", b"\xff\xfe"]).view(pa.string())
    source = pa.table({"process": ["a", "a"], "index": [1, 2], "kind": ["internal"] * 2, "time": broken})
    events, refused = accept_rows(source, pa.array([1, 2]))
    assert events["line"].to_pylist() == [1]
    assert refused[0].reason.startswith("time is ")


def test_a_line_of_a_trace_has_the_time_that_the_judge_reads(tmp_path: Path) -> None:
    times = [3, -1e300, 1e11, 1e14 + 0.5, 99_999_999_999, 1_700_000_000_123_456_789, "2023-11-14", None, 0.1, 1e20]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row(n, time)) + "\n" for n, time in enumerate(times)))
    (file,) = list_files([str(tmp_path)])
    (rows,) = jsonl.read(whole_file(file), Wanted())
    judged = [parse(row(n, time)) for n, time in enumerate(times)]
    assert rows.events["time"].to_pylist() == [event.time for event in judged if isinstance(event, Event)]
    numbers_only = [time for time in times if not isinstance(time, str)]  # which Arrow reads at once
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row(n, time)) + "\n" for n, time in enumerate(numbers_only)))
    (file,) = list_files([str(tmp_path)])
    (rows,) = jsonl.read(whole_file(file), Wanted())
    assert rows.events["time"].to_pylist() == [None if time is None else to_seconds(time) for time in numbers_only]
