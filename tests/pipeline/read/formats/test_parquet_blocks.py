"""Blocks of Parquet files: row groups, some runs of them, damage, and columns that are read for the rules alone."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from antecede.pipeline.check import check
from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.read.blocks import whole_file
from antecede.pipeline.read.files import InputFile, list_files
from antecede.pipeline.read.formats import parquet
from antecede.pipeline.read.rows import ReadRows, Wanted
from antecede.pipeline.runner import InProcess
from tests.pipeline.parquet_files import TRACES, write_parquet
from tests.pipeline.traces import COLUMNS, table

ALL_COLUMNS = Wanted(all_columns=True)
ROW = {"process": "a", "index": 1, "kind": "internal"}


def read_rows(file: InputFile, wanted: Wanted = ALL_COLUMNS, **block: Any) -> list[ReadRows]:
    """Return the rows of a block of a file as they come."""
    found = list(parquet.read(replace(whole_file(file), **block), wanted))
    assert all(rows.events.schema == wanted.events for rows in found)
    return found


def test_rows_come_back_as_they_were_written_whatever_the_row_groups(tmp_path: Path) -> None:
    for group in (1, 7, 10_000):
        file = write_parquet(tmp_path / f"{group}.parquet", table(TRACES), group)
        for wanted in (ALL_COLUMNS, Wanted()):
            events = pa.concat_tables(rows.events for rows in read_rows(file, wanted))
            assert events.select(COLUMNS.names).to_pylist() == table(TRACES).to_pylist()
            assert events["line"].to_pylist() == list(range(1, len(TRACES) + 1))
            assert set(events["file"].to_pylist()) == {file.name}


def test_a_block_is_some_row_groups_and_perhaps_some_runs(tmp_path: Path) -> None:
    file = write_parquet(tmp_path / "t.parquet", table(TRACES), 7)

    def lines(*runs: str) -> list[int]:
        found = read_rows(file, start=2, end=4, before=14, runs=runs or None)
        return [line for rows in found for line in rows.events["line"].to_pylist()]

    assert lines() == list(range(15, 29))
    own = {TRACES[number].run for number in (14, 27)}
    assert lines(*own) == [number + 1 for number in range(14, 28) if TRACES[number].run in own]
    assert lines("unknown") == []


def test_of_several_tasks_that_read_a_block_one_tells_of_refused_rows(tmp_path: Path) -> None:
    file = write_parquet(tmp_path / "t.parquet", [{**ROW, "run": "a"}, {**ROW, "run": "b", "index": -1}])
    for tells in (True, False):
        (rows,) = read_rows(file, runs=("a",), tells_refused=tells)
        assert (rows.events.num_rows, rows.refused.num_rows) == (1, int(tells))


def test_a_large_row_group_is_read_some_rows_at_a_time(tmp_path: Path) -> None:
    count = 2 * parquet.BATCH_ROWS + 1
    whole = pa.table({"process": ["a"] * count, "index": range(count), "kind": ["internal"] * count})
    found = read_rows(write_parquet(tmp_path / "t.parquet", whole, count), Wanted())
    assert [rows.count for rows in found] == [parquet.BATCH_ROWS, parquet.BATCH_ROWS, 1]
    assert found[-1].events["line"].to_pylist() == [count]


def test_columns_that_nobody_wants_are_read_only_for_the_rules(tmp_path: Path) -> None:
    """A verdict must not depend on whether tables are written too."""
    rows = [{**ROW, "group": "g" * 70_000}, {**ROW, "index": 2, "group": None}]
    for name, values in (
        ("group", pa.array(["g" * 70_000, None])),
        ("payload_bytes", pa.array([2**63, None], pa.uint64())),
        ("control_bytes", pa.array(["many", None])),
        ("attributes", pa.array([[("k", "v" * 70_000)], None], pa.map_(pa.string(), pa.string()))),
    ):
        whole = pa.Table.from_pylist(rows).drop_columns("group").append_column(name, values)
        file = write_parquet(tmp_path / f"{name}.parquet", whole)
        for wanted in (Wanted(), ALL_COLUMNS):
            (found,) = read_rows(file, wanted)
            assert (found.events["line"].to_pylist(), found.refused["line"].to_pylist()) == ([2], [1]), name


@pytest.mark.parametrize("keep", [4, 100, -20, -4])
def test_a_file_that_is_cut_off_is_one_refused_row(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "t.parquet"
    content = Path(write_parquet(path, table(TRACES)).path).read_bytes()
    path.write_bytes(content[:keep])
    (rows,) = read_rows(list_files([str(path)])[0])
    (refused,) = rows.refused.to_pylist()
    assert (rows.events.num_rows, refused["line"]) == (0, 1)
    assert refused["reason"].startswith("the file is damaged or ends early, and nothing from here on could be read")


@pytest.mark.parametrize("seed", [*range(20), 181])  # 181 once damaged a dictionary, and ended the check
def test_bytes_that_changed_inside_a_file_never_end_a_check(tmp_path: Path, seed: int) -> None:
    """Whatever is read, each row is an event, a refused row, or in the rest that could not be read."""
    rng = random.Random(seed)
    path = tmp_path / "t.parquet"
    content = bytearray(Path(write_parquet(path, table(TRACES), 50).path).read_bytes())
    first = len(content) - 6_000 if rng.random() < 0.5 else 0
    for _ in range(rng.choice((1, 1, 3, 10, 100))):
        content[rng.randrange(max(first, 0), len(content))] = rng.randrange(256)
    path.write_bytes(content)
    for rows in read_rows(list_files([str(path)])[0]):
        rows.events.validate(full=True)
        assert all(row["reason"] for row in rows.refused.to_pylist())
    with suppress(UnreadableInput):
        check(InProcess(), [str(path)])
