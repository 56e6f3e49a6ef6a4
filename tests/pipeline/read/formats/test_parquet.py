"""A trace in Parquet, however its files are named, laid out in folders, typed, or damaged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antecede.cli import main
from antecede.pipeline import arguments
from antecede.pipeline.check import check
from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.runner import Batches, Dataset, InProcess
from tests.pipeline.written_tables import CheckFiles, WrittenTables

ROW = {"process": "a", "index": 1, "kind": "internal"}


def write(path: Path, rows: Sequence[dict[str, Any]], types: dict[str, pa.DataType] | None = None) -> Path:
    """The rows as a file; columns of `types` have those, and not what their values suggest."""
    table = pa.Table.from_pylist(list(rows))
    for name, kind in (types or {}).items():
        values = pa.array([row.get(name) for row in rows], kind)
        table = table.set_column(table.column_names.index(name), name, values)
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)
    return path


def runs_of(found: WrittenTables) -> list[tuple[str, str]]:
    """(run, file) of every event, where no row is refused."""
    assert found.rows("quarantine") == []
    return sorted((row["run"], Path(row["file"]).name) for row in found.rows("events"))


@pytest.mark.parametrize(
    ("folders", "runs"),
    [
        (("run=1", "run=02"), ["02", "1"]),
        (("run=2024-01-01", "run=2024-01-02"), ["2024-01-01", "2024-01-02"]),
        (("run=a/deep", "other"), ["", "a"]),
        (("run=a%2Fb+c", "run=100%", "run=__HIVE_DEFAULT_PARTITION__"), ["", "100%", "a/b+c"]),
    ],
)
def test_a_folder_named_after_a_column_gives_it_to_the_files_below(
    check_files: CheckFiles, tmp_path: Path, folders: Sequence[str], runs: list[str]
) -> None:
    for folder in folders:
        write(tmp_path / folder / "t.parquet", [ROW])
    assert [run for run, _ in runs_of(check_files(tmp_path))] == runs


def test_a_folder_names_a_run_however_it_is_given(check_files: CheckFiles, tmp_path: Path) -> None:
    for run in "ab":
        write(tmp_path / f"run={run}" / f"{run}.parquet", [ROW])
    both = [("a", "a.parquet"), ("b", "b.parquet")]
    assert runs_of(check_files(tmp_path / "run=a", tmp_path / "run=b")) == both
    assert runs_of(check_files(tmp_path / "run=*")) == both
    assert runs_of(check_files(tmp_path / "run=a")) == both[:1]


def test_folders_of_runs_whose_files_differ_in_type_are_read_once_each(check_files: CheckFiles, tmp_path: Path) -> None:
    for run, kind in (("a", pa.int64()), ("b", pa.int32()), ("c", pa.int64())):
        write(tmp_path / f"run={run}" / "t.parquet", [ROW], {"index": kind})
    assert [run for run, _ in runs_of(check_files(tmp_path))] == ["a", "b", "c"]


def test_an_equals_sign_in_a_folder_that_names_no_column_means_nothing(check_files: CheckFiles, tmp_path: Path) -> None:
    folder = tmp_path / "date=today" / "trace"
    write(folder / "a.parquet", [ROW])
    write(folder / "x" / "b.parquet", [{**ROW, "index": 2}])
    write(folder / "y=z" / "c.parquet", [{**ROW, "index": 3}])
    found = check_files(folder)
    assert runs_of(found) == [("", "a.parquet"), ("", "b.parquet"), ("", "c.parquet")]


def test_a_column_of_the_file_stands_against_the_name_of_a_folder(check_files: CheckFiles, tmp_path: Path) -> None:
    write(tmp_path / "run=above" / "t.parquet", [{**ROW, "run": "own"}, {**ROW, "run": None}])
    found = check_files(tmp_path / "run=above" / "t.parquet")
    assert [run for run, _ in runs_of(found)] == ["above", "own"]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("seen", pa.array([1, None], pa.timestamp("ns"))),
        ("seen", pa.array([1.0, 2.0]).cast(pa.float16())),
        ("seen", pa.array([1, 2], pa.time32("ms"))),
        ("seen", pa.array([1, 2], pa.time64("us"))),
        ("_metadata", pa.array([{"row_index": 7, "file_path": "x"}] * 2)),
    ],
    ids=str,
)
def test_a_column_that_is_not_the_trace_s_may_be_of_any_type(
    check_files: CheckFiles, tmp_path: Path, name: str, values: pa.Array
) -> None:
    rows = pa.Table.from_pylist([{**ROW, "process": "b"}, {**ROW, "kind": "boom"}])
    for part in ("a", "b"):  # names that a reader may keep in other ways
        names = pa.array([part, part]).dictionary_encode()
        pq.write_table(rows.append_column("run", names).append_column(name, values), tmp_path / f"{part}.parquet")
    found = check_files(tmp_path)
    assert sorted((row["run"], row["process"], row["line"]) for row in found.rows("events")) == [
        ("a", "b", 1),
        ("b", "b", 1),
    ]
    assert sorted((Path(row["file"]).name, row["line"]) for row in found.rows("quarantine")) == [
        ("a.parquet", 2),
        ("b.parquet", 2),
    ]


def times_of(found: WrittenTables) -> list[float | None]:
    return [row["time"] for row in sorted(found.rows("events"), key=itemgetter("index"))]


def test_a_time_may_be_a_timestamp_of_any_unit_and_without_a_zone_is_utc(
    check_files: CheckFiles, tmp_path: Path
) -> None:
    for unit in ("s", "ms", "us", "ns"):
        for zone in (None, "UTC", "Europe/Berlin"):
            values = pa.array([1_700_000_000, None], pa.timestamp("s")).cast(pa.timestamp(unit, zone))
            table = pa.Table.from_pylist([ROW, {**ROW, "index": 2}]).append_column("time", values)
            pq.write_table(table, tmp_path / f"{unit} {str(zone)[:3]}.parquet")
            pq.write_table(table, tmp_path / "int96.parquet", use_deprecated_int96_timestamps=True)
    write(tmp_path / "whole.parquet", [{**ROW, "time": 1_700_000_000}, {**ROW, "index": 2, "time": None}])
    for path in sorted(tmp_path.iterdir()):
        found = check_files(path)
        assert times_of(found) == [1.7e9, None], path.name
    found = check_files(tmp_path)  # all of them together: an index is taken once
    assert times_of(found) == [1.7e9, None]
    assert all("duplicate index" in row["reason"] for row in found.rows("quarantine"))


def test_a_time_of_a_type_that_holds_no_times_is_a_fault_of_its_rows(check_files: CheckFiles, tmp_path: Path) -> None:
    table = pa.Table.from_pylist([ROW]).append_column("time", pa.array([1], pa.time32("ms")))
    pq.write_table(table, tmp_path / "t.parquet")
    (row,) = check_files(tmp_path).rows("quarantine")
    assert row["reason"] == ("time is of the type time32[ms]; it must be a number, a timestamp or text of ISO 8601")


@pytest.mark.parametrize(("name", "format"), [("part-0000", "auto"), ("T.PARQUET", "auto"), ("t.pq", "antecede")])
def test_parquet_is_known_by_its_content_whatever_its_name(
    check_files: CheckFiles, tmp_path: Path, name: str, format: str
) -> None:
    write(tmp_path / name, [ROW])
    found = check_files(tmp_path, format=format)
    assert runs_of(found) == [("", name)]


def test_a_name_with_brackets_is_that_file_before_it_is_a_glob(check_files: CheckFiles, tmp_path: Path) -> None:
    for name in ("a[1].parquet", "a1.parquet"):
        write(tmp_path / name, [ROW])
    assert runs_of(check_files(tmp_path / "a[1].parquet")) == [("", "a[1].parquet")]
    assert runs_of(check_files(tmp_path / "a[0-9].parquet")) == [("", "a1.parquet")]
    assert runs_of(check_files(tmp_path / "a\\[1\\].parquet")) == [("", "a[1].parquet")]


def test_a_backslash_may_be_in_a_name(check_files: CheckFiles, tmp_path: Path) -> None:
    write(tmp_path / "a\\b.parquet", [ROW])
    write(tmp_path / "a\\[1].parquet", [{**ROW, "index": 2}])
    assert runs_of(check_files(tmp_path)) == [("", "a\\[1].parquet"), ("", "a\\b.parquet")]


def test_an_empty_file_among_others_is_told_of(check_files: CheckFiles, tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", [ROW])
    (tmp_path / "z é%20.parquet").touch()
    found = check_files(tmp_path)
    assert runs_of(found) == [("", "a.parquet")]
    assert f"{tmp_path}/z é%20.parquet: empty, so nothing was read of it" in found.checked.notes


def unchecked(values: Sequence[bytes | None]) -> pa.Array:
    """Bytes as Arrow takes them for text from a file: on trust."""
    raw = pa.array(values, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(raw), raw.buffers(), raw.null_count)


SENDS = {"run": [b"r"] * 3, "process": [b"a", b"b", b"c"], "kind": [b"send"] * 3, "message": [b"m1", b"m2", b"m3"]}


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("process", b"\xff\xfe"),
        ("message", b"\xed\xa0\x80"),
        *[(name, b"\xff\xfe") for name in ("run", "kind", "group", "attributes")],
        ("message", b"\xff"),
        ("dests", b"m\xc3"),
    ],
)
def test_what_is_not_utf8_is_refused_and_the_rest_is_checked(
    check_files: CheckFiles, tmp_path: Path, name: str, bad: bytes
) -> None:
    texts: dict[str, list[bytes]] = {**SENDS, "group": [b"g"] * 3}
    table = pa.table({"index": [0, 0, 0], **{key: unchecked(values) for key, values in texts.items()}})
    dests, attributes = unchecked([b"x", b"y", b"z"]), unchecked([b"1", b"2", b"3"])
    if name == "dests":
        dests = unchecked([b"x", bad, b"z"])
    elif name == "attributes":
        attributes = unchecked([b"1", bad, b"3"])
    else:
        values = [texts[name][0], bad, texts[name][2]]
        table = table.set_column(table.column_names.index(name), name, unchecked(values))
    table = table.append_column("dests", pa.ListArray.from_arrays([0, 1, 2, 3], dests))
    keys = pa.array(["k"] * 3)
    table = table.append_column("attributes", pa.MapArray.from_arrays([0, 1, 2, 3], keys, attributes))
    pq.write_table(table, tmp_path / "t.parquet")
    found = check_files(tmp_path)
    (row,) = found.rows("quarantine")
    assert row["line"] == 2
    assert "is not UTF-8" in row["reason"]
    checked = check(InProcess(), [str(tmp_path)])
    answer = checked.answer
    assert (answer.verdict, answer.complete, answer.sums["events"]) == ("undecidable", False, 2)
    assert checked.quarantined == 1


@pytest.mark.parametrize("folder", [".", "run=a"])
def test_a_file_that_is_damaged_inside_is_refused_and_the_others_are_checked(
    check_files: CheckFiles, tmp_path: Path, folder: str
) -> None:
    write(tmp_path / folder / "sound.parquet", [ROW])
    path = write(tmp_path / folder / "damaged.parquet", [{**ROW, "index": index * index} for index in range(1_000)])
    content = path.read_bytes()
    path.write_bytes(content[:100] + b"damaged!" * 50 + content[500:])
    found = check_files(tmp_path)
    assert [Path(row["file"]).name for row in found.rows("events")] == ["sound.parquet"]
    (row,) = found.rows("quarantine")
    assert (Path(row["file"]).name, "damaged" in row["reason"]) == ("damaged.parquet", True)
    assert check(InProcess(), [str(tmp_path)]).quarantined == 1
    (tmp_path / folder / "sound.parquet").unlink()
    answer = check(InProcess(), [str(tmp_path)]).answer
    assert answer.verdict == "undecidable"
    assert answer.reason.startswith("No row could be read as an event")
    path.write_bytes(content[:-20])
    with pytest.raises(UnreadableInput, match=r"damaged\.parquet: not readable as Parquet"):
        check_files(tmp_path)


@pytest.mark.parametrize("time", [1.5, 2])
def test_of_files_damaged_in_several_ways_none_is_passed_over(
    check_files: CheckFiles, tmp_path: Path, time: float
) -> None:
    rows = [{**ROW, "index": index * index, "time": time} for index in range(1_000)]
    content = write(tmp_path / "sound.parquet", rows).read_bytes()
    (tmp_path / "cut.parquet").write_bytes(content[:-20])
    (tmp_path / "inside.parquet").write_bytes(content[:100] + b"damaged!" * 50 + content[500:])
    pq.write_table(pa.table({"process": ["b"]}), tmp_path / "less.parquet")
    checked = check(InProcess(), [str(tmp_path)])
    assert (checked.answer.sums["events"], checked.quarantined) == (1_000, 3)
    found = sorted((Path(row["file"]).name, row["line"]) for row in check_files(tmp_path).rows("quarantine"))
    assert found == [("cut.parquet", 1), ("inside.parquet", 1), ("less.parquet", 1)]


def test_a_fault_of_the_program_is_no_violation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fault(*_: object, **__: object) -> None:
        raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")

    monkeypatch.setattr(arguments, "check_arguments", fault)
    assert main(["check", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "Traceback" in said
    assert said.endswith("stopped by a bug in antecede (UnicodeDecodeError); please report the text above\n")


def test_refused_rows_alone_are_no_trace_to_judge(check_files: CheckFiles, tmp_path: Path) -> None:
    write(tmp_path / "t.parquet", [{**ROW, "index": -1}, {**ROW, "kind": "boom"}])
    answer = check(InProcess(), [str(tmp_path)]).answer
    assert (answer.verdict, answer.run_count) == ("undecidable", 0)
    assert answer.reason == "No row could be read as an event: all 2 are in quarantine."
    write(tmp_path / "t.parquet", [ROW])
    pq.write_table(pq.read_table(tmp_path / "t.parquet").slice(0, 0), tmp_path / "t.parquet")
    answer = check(InProcess(), [str(tmp_path)]).answer
    assert (answer.verdict, answer.complete, answer.reason) == ("undecidable", True, "The input has no events.")


def test_times_that_are_all_but_the_same_are_cut(check_files: CheckFiles, tmp_path: Path) -> None:
    sent = {**ROW, "kind": "send", "message": "m", "dests": ["b"], "time": 0.0}
    got = {"process": "b", "index": 1, "kind": "deliver", "message": "m", "dests": None, "time": 5e-324}
    write(tmp_path / "t.parquet", [sent, got])
    assert check(InProcess(), [str(tmp_path)], windows=3).answer.verdict == "holds"


class Disturbed(InProcess):
    """A runner that writes a file anew just before a part that was handed out is read for the last of so many times."""

    def __init__(self, path: Path, times: int) -> None:
        self.path, self.left = path, times

    def hand_out(self, rows: pa.Table) -> Dataset:
        return super().hand_out(rows).map(self._disturb, rows.schema)

    def _disturb(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        self.left -= 1
        if not self.left:
            write(self.path, [ROW])
        yield from batches


@pytest.mark.parametrize("times", [1, 2])
def test_a_file_that_changes_while_it_is_read_is_an_error(tmp_path: Path, times: int) -> None:
    path = write(tmp_path / "t.parquet", [{**ROW, "kind": "send", "message": "m", "dests": ["b"], "time": 1.0}])
    with pytest.raises(UnreadableInput, match=r"t\.parquet: the file changed while it was read"):
        check(Disturbed(path, times), [str(tmp_path)], windows=3)


def test_a_file_that_has_a_column_twice_is_damaged(tmp_path: Path) -> None:
    names, values = ["process", "kind", "process"], [["a"], ["internal"], ["b"]]
    pq.write_table(pa.Table.from_arrays([pa.array(one) for one in values], names), tmp_path / "twice.parquet")
    with pytest.raises(UnreadableInput, match="not readable as Parquet: it has several columns process"):
        check(InProcess(), [str(tmp_path)])
    pq.write_table(pa.table({"process": ["a"], "kind": ["internal"]}), tmp_path / "sound.parquet")
    found = check(InProcess(), [str(tmp_path)])
    assert (found.as_dict()["events"], found.quarantined) == (1, 1)


def test_a_file_with_a_name_that_is_not_utf_8_is_damaged(tmp_path: Path) -> None:
    sound = tmp_path / "sound.parquet"
    pq.write_table(pa.table({"process": ["a"], "kind": ["internal"], "number": [1]}), sound, store_schema=False)
    (tmp_path / "odd.parquet").write_bytes(sound.read_bytes().replace(b"number", b"num\xffer"))
    found = check(InProcess(), [str(tmp_path)])
    assert (found.as_dict()["events"], found.quarantined) == (1, 1)
