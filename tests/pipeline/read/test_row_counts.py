"""What is counted of rows while they are read, and how much of it is told."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from antecede.judge.events import RefusedRow
from antecede.pipeline.dealing import DEALT
from antecede.pipeline.read.content import DAMAGED
from antecede.pipeline.read.row_counts import REFUSED_TOLD_MAX, RowCounts
from antecede.pipeline.read.rows import ReadRows, refused_table
from antecede.pipeline.results import put_together
from tests.pipeline.traces import Row, events

NONE = refused_table("", [])


def told(counts: RowCounts) -> dict[str, list[dict[str, Any]]]:
    tables = put_together(pa.Table.from_batches(counts.tell(), DEALT))
    return {name: table.to_pylist() for name, table in tables.items() if table.num_rows}


def rows_of(count: int, file: str) -> pa.Table:
    return events([Row("r", "a", number, "internal") for number in range(count)], file)


def test_rows_are_counted_by_file_and_reason() -> None:
    counts = RowCounts()
    both = pa.concat_tables([rows_of(2, "a"), rows_of(3, "b")])
    read = [
        ReadRows(both, refused_table("a", [RefusedRow("odd", "x", 7)]), ("a note",)),
        ReadRows(rows_of(1, "a"), refused_table("c", [RefusedRow("odd", "y", 8), RefusedRow(f"{DAMAGED}: x", "", 9)])),
        ReadRows(rows_of(0, "a"), NONE, ("another",)),
    ]
    assert [table.num_rows for table in counts.watch(read)] == [5, 1, 0]
    assert [table.num_rows for table in counts.rows] == [1, 2]
    found = told(counts)
    assert found["files"] == [
        {"file": "a", "events": 3, "refused": 1, "is_damaged": False},
        {"file": "b", "events": 3, "refused": 0, "is_damaged": False},
        {"file": "c", "events": 0, "refused": 2, "is_damaged": True},
    ]
    assert {row["reason"]: row["rows"] for row in found["reasons"]} == {"odd": 2, f"{DAMAGED}: x": 1}
    assert [(row["file"], row["line"]) for row in found["refused"]] == [("a", 7), ("c", 8), ("c", 9)]
    assert [row["note"] for row in found["notes"]] == ["a note", "another"]


def test_nothing_is_told_of_nothing() -> None:
    counts = RowCounts()
    assert list(counts.watch([])) == []
    counts.take(ReadRows(rows_of(0, "a"), NONE))
    assert told(counts) == {}


def test_however_many_rows_are_refused_few_are_told_and_all_are_counted() -> None:
    counts, all_kept = RowCounts(), RowCounts(keeps_all=True)
    for batch in range(50):
        rows = [RefusedRow(f"reason {batch} {number}", "x", number) for number in range(7)]
        for one in (counts, all_kept):
            one.refuse(refused_table("f", [*rows, RefusedRow("often", "x", 9)]))
    found = told(counts)
    assert told(all_kept) == found
    assert [sum(table.num_rows for table in one.rows) for one in (counts, all_kept)] == [REFUSED_TOLD_MAX, 400]
    assert [row["refused"] for row in found["files"]] == [400]
    assert len(found["refused"]) == len(found["reasons"]) == REFUSED_TOLD_MAX
    assert found["reasons"][0] == {"reason": "often", "rows": 50}
