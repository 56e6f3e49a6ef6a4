"""What the footers of Parquet files say: rows and runs of each row group, damage, and files that are not traces."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.read.files import InputFile, list_files
from antecede.pipeline.read.row_groups import FILES_AT_ONCE_MAX, describe_files
from antecede.pipeline.runner import InProcess
from tests.pipeline.parquet_files import write_parquet

ROW = {"process": "p", "index": 1, "kind": "internal"}


def rows(*runs: str | None) -> list[dict[str, object]]:
    return [{**ROW, "run": run, "index": number} for number, run in enumerate(runs)]


def damaged(path: Path) -> InputFile:
    content = Path(write_parquet(path, rows("a")).path).read_bytes()
    path.write_bytes(content[:-20])
    return list_files([str(path)])[0]


def test_rows_and_runs_are_counted_by_row_group(tmp_path: Path) -> None:
    a = write_parquet(tmp_path / "a.parquet", rows("a", "b", "b", None), 2)
    b = write_parquet(tmp_path / "b.parquet", pa.Table.from_pylist([ROW] * 4), 3)
    first, second = describe_files(InProcess(), [a, b])
    assert (first.file.path, first.rows, first.runs) == (a.path, [2, 2], [{"a": 1, "b": 1}, {"b": 1, "": 1}])
    assert (second.rows, second.runs) == ([3, 1], [{"": 3}, {"": 1}])


def test_a_file_with_many_runs_does_not_list_them(tmp_path: Path) -> None:
    file = write_parquet(tmp_path / "a.parquet", rows(*(f"run {number}" for number in range(300))))
    (found,) = describe_files(InProcess(), [file])
    assert (found.rows, found.runs) == ([300], None)


def test_a_damaged_file_beside_others_has_no_rows(tmp_path: Path) -> None:
    sound = write_parquet(tmp_path / "b.parquet", rows("a"))
    (tmp_path / "c.parquet").write_bytes(b"not Parquet at all")
    odd = list_files([str(tmp_path / "c.parquet")])[0]
    found = describe_files(InProcess(), [damaged(tmp_path / "a.parquet"), sound, odd])
    assert [(one.rows, one.runs) for one in found] == [([], None), ([1], [{"a": 1}]), ([], None)]


def test_if_all_files_are_damaged_or_none_is_a_trace_the_input_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"a\.parquet: not readable as Parquet: .*; write the file again"):
        describe_files(InProcess(), [damaged(tmp_path / "a.parquet")])
    other = write_parquet(tmp_path / "b.parquet", pa.table({"process": ["a"], "colour": ["red"]}))
    with pytest.raises(UnreadableInput, match="not a trace: no column kind among colour, process; rename"):
        describe_files(InProcess(), [other])


def test_folders_may_give_the_columns_that_files_lack(tmp_path: Path) -> None:
    table = pa.Table.from_pylist([ROW]).drop_columns("process")
    file = write_parquet(tmp_path / "run=x" / "process=p" / "a.parquet", table)
    (found,) = describe_files(InProcess(), [file])
    assert found.runs == [{"x": 1}]


def test_many_files_are_described_by_several_tasks(tmp_path: Path) -> None:
    files = [write_parquet(tmp_path / f"{number}.parquet", rows("a")) for number in range(FILES_AT_ONCE_MAX + 1)]
    assert [one.file.path for one in describe_files(InProcess(), files)] == [file.path for file in files]
