"""Rows of large runs whose index is taken: found by process, and left out of everything that follows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from antecede.pipeline.kernel.counts import add_up_counts, count_large_runs
from antecede.pipeline.limits import Limits
from antecede.pipeline.read.rows import ReadRows
from antecede.pipeline.results import put_together
from antecede.pipeline.verify.repeats import Repeats, find_repeats
from tests.pipeline.table_source import TableSource, source_of
from tests.pipeline.traces import Row, overtaking

ROWS = [
    *overtaking("clean"),
    *overtaking("r"),
    Row("r", "a", 2, "internal", 9.0),  # the index is taken
    Row("r", "b", 9, "internal", 9.0),
    Row("r", "b", 1, "internal", 9.0),  # the index is taken
    Row("r", "b", 1, "internal", 9.0),  # again
]


def repeats_in(source: TableSource, folder: str | None = None, events_max: int = 3) -> Repeats:
    large = add_up_counts([count_large_runs(table) for table in source.tables])
    return find_repeats(source, large, Limits(run_events_max=events_max), folder)


@pytest.mark.parametrize("parts", [1, 2, 5])
@pytest.mark.parametrize("events_max", [1, 100])
def test_every_row_whose_index_is_taken_is_left_out_once(parts: int, events_max: int) -> None:
    source = source_of(ROWS, parts)
    found = repeats_in(source, events_max=events_max)
    left_out = sum(len(lines) for lines in found.left_out.values())
    assert left_out == 3
    told = put_together(found.results)
    assert sum(told["files"]["refused"].to_pylist()) == 3
    assert all(reason.startswith("duplicate index") for reason in told["reasons"]["reason"].to_pylist())
    counts = {(row["run"], row["process"]): row["events"] for row in found.large.to_pylist()}
    assert counts == {("clean", "a"): 2, ("clean", "b"): 2, ("r", "a"): 2, ("r", "b"): 3}
    assert not any(row["has_repeats"] for row in found.large.to_pylist() if row["run"] == "r")


def test_the_first_in_input_order_stays() -> None:
    assert repeats_in(source_of(ROWS)).left_out == {"file 0": [9, 11, 12]}


def test_if_no_index_can_come_twice_nothing_is_read() -> None:
    def refuse_to_read(_: object) -> Iterator[ReadRows]:
        raise AssertionError("nothing is to be read")

    found = repeats_in(replace(source_of(overtaking("r")), read=refuse_to_read))
    assert (found.left_out, found.results.num_rows) == ({}, 0)
    assert found.large.num_rows == 2


def test_spans_that_overlap_in_two_tables_are_looked_at_and_may_be_sound() -> None:
    rows = [Row("r", "a", number, "internal", 1.0) for number in range(10)]
    found = repeats_in(source_of(rows, 2))
    assert found.left_out == {}
    assert found.large["events"].to_pylist() == [10]


def test_what_is_left_out_is_written_to_the_quarantine(tmp_path: Path) -> None:
    found = repeats_in(source_of(ROWS), str(tmp_path))
    written = put_together(found.results)["written"].to_pylist()
    rows = [row for one in written for row in pq.read_table(one["path"]).to_pylist()]
    assert sorted(row["line"] for row in rows) == [9, 11, 12]
