"""The project's own trace, read from files good and bad; and what is wrong with input as a whole."""

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from antecede.pipeline import schema
from antecede.pipeline.errors import BadPattern, UnknownFormat, UnreadableInput
from antecede.pipeline.read import ingest
from tests.pipeline.hostile import GOOD, LINES, SEND, line, send
from tests.pipeline.ingested import event_lines, refusal_reasons

Write = Callable[[str, Sequence[object]], str]


def test_every_line_is_an_event_or_has_a_reason(spark: SparkSession, write_lines: Write) -> None:
    # Each line in a run of its own, so that none is the duplicate of another: the rules of one row alone.
    path = write_lines("trace.jsonl", [text for text, _ in LINES])
    found = ingest.read(spark, [path], "antecede")
    reasons = refusal_reasons(found)
    alone = {n: r for n, r in reasons.items() if "duplicate" not in r}
    wrong = [
        (number, expected, alone.get(number), text[:100])
        for number, (text, expected) in enumerate(LINES, start=1)
        if (expected is None) != (number not in alone) or (expected or "") not in alone.get(number, "")
    ]
    assert not wrong
    assert sorted([*event_lines(found), *reasons]) == list(range(1, len(LINES) + 1))
    rows = found.quarantine.collect()
    assert {row.file for row in rows} == {path}
    assert max(len(row.row) for row in rows) == 1_000


def test_the_tables_have_the_declared_columns(spark: SparkSession, write_lines: Write) -> None:
    path = write_lines(
        "sub/a b%20[1].jsonl", [send(time=1.5, payload_bytes=7, attributes={"n": 1, "o": None}), "", line(index=2)]
    )
    found = ingest.read(spark, [path])
    for table, declared in ((found.events, schema.EVENTS), (found.quarantine, schema.QUARANTINE)):
        assert [(f.name, f.dataType) for f in table.schema] == [(f.name, f.dataType) for f in declared]
    first, second = found.events.orderBy("line").collect()
    assert (first.run, first.process, first["index"], first.kind, first.time) == ("r", "a", 1, "send", 1.5)
    assert (first.message, first.dests, first.group, first.payload_bytes) == ("m", ["b"], None, 7)
    assert (first.attributes, first.file, first.line) == ({"n": "1"}, path, 1)
    assert (second.line, second["index"]) == (3, 2)
    assert found.quarantine.count() == 0
    assert found.format == "antecede"
    assert "recognised as antecede" in found.notes[0]


def test_the_first_in_input_order_stays(spark: SparkSession, write_lines: Write, tmp_path: Path) -> None:
    write_lines(
        "a.jsonl",
        [
            send(index=1, message="m1"),
            line(index=1),  # 2: duplicate index
            send(index=1, message="m2"),  # 3: duplicate index; so m2 is free for line 4
            send(index=2, message="m2"),
            send(index=3, message="m2"),  # 5: duplicate message id
            send(index=1, message="m1", run="other"),
            line(index=9, kind="deliver", message="m1"),
            line(index=10, kind="deliver", message="m1"),
        ],
    )
    write_lines("b.jsonl", [send(index=7, message="m1"), send(index=8, message="m3"), line(index=2)])
    found = ingest.read(spark, [str(tmp_path)])
    taken = {(Path(row.file).name, row.line): row.reason.split(":")[0] for row in found.quarantine.collect()}
    assert taken == {
        ("a.jsonl", 2): "duplicate index",
        ("a.jsonl", 3): "duplicate index",
        ("a.jsonl", 5): "duplicate message id",
        ("b.jsonl", 1): "duplicate message id",
        ("b.jsonl", 3): "duplicate index",
    }
    assert found.events.count() == 6


def test_a_file_named_twice_is_read_once(spark: SparkSession, write_lines: Write, tmp_path: Path) -> None:
    path = write_lines("a.jsonl", [line(), line(index=2)])
    found = ingest.read(spark, [path, str(tmp_path), f"{tmp_path}/*.jsonl"])
    assert found.events.count() == 2
    assert found.quarantine.count() == 0


def test_lines_are_numbered_across_the_blocks_of_a_large_file(spark: SparkSession, write_lines: Write) -> None:
    lines = 3000
    path = write_lines("large.jsonl", [line(index=n, attributes={"pad": "x" * (n % 97)}) for n in range(1, lines + 1)])
    before = spark.conf.get("spark.sql.files.maxPartitionBytes")
    spark.conf.set("spark.sql.files.maxPartitionBytes", "10000")
    try:
        found = ingest.read(spark, [path])
        assert found.events.where("index = line").count() == lines
    finally:
        spark.conf.set("spark.sql.files.maxPartitionBytes", before)


def test_gzip_is_read_and_a_truncated_one_keeps_what_can_be_read(spark: SparkSession, tmp_path: Path) -> None:
    rows = [line(index=n, attributes={"x": str(n * n * 7919)}) for n in range(20_000)]
    packed = gzip.compress("\n".join(rows).encode())
    (tmp_path / "cut.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    (tmp_path / "whole.jsonl.gz").write_bytes(
        gzip.compress("\n".join(line(index=n, run="w") for n in range(9)).encode())
    )
    (tmp_path / "empty.jsonl").write_bytes(b"")
    found = ingest.read(spark, [str(tmp_path)])
    per_run = {row.run: row["count"] for row in found.events.groupBy("run").count().collect()}
    assert per_run["w"] == 9
    (damage,) = found.quarantine.collect()
    assert 1000 < per_run["r"] < 20_000
    assert (Path(damage.file).name, damage.line) == ("cut.jsonl.gz", per_run["r"] + 1)
    assert "damaged or ends early" in damage.reason


def test_an_empty_file_is_a_trace_without_events(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "empty.log").write_bytes(b"\n \n")
    found = ingest.read(spark, [str(tmp_path)])
    assert (found.events.count(), found.quarantine.count()) == (0, 0)
    assert "the input is empty" in found.notes


def parquet(path: Path, rows: Sequence[dict[str, object]], types: dict[str, pa.DataType] | None = None) -> str:
    table = pa.Table.from_pylist(list(rows))
    for name, kind in (types or {}).items():
        table = table.set_column(table.column_names.index(name), name, table[name].cast(kind))
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)
    return str(path)


def test_parquet_follows_the_same_rules(spark: SparkSession, tmp_path: Path) -> None:
    nan = float("nan")
    parquet(
        tmp_path / "one.parquet",
        [
            {**SEND, "time": 1.0},
            {**SEND, "index": -1, "time": 1.0},
            {**SEND, "index": 2, "time": nan},
            {**SEND, "index": 3, "time": None, "dests": None},
            {**SEND, "index": 4, "time": None, "kind": "boom"},
            {**SEND, "index": 5, "message": "x" * 65_537},
            {**SEND, "index": 6, "dests": ["b", None]},
            {**SEND, "index": 1, "time": 2.0},
            {**SEND, "index": 7, "message": "m"},
        ],
        {"index": pa.int32()},
    )
    parquet(tmp_path / "two.parquet", [{"process": "b", "index": 0, "kind": "internal", "extra": 1}])
    found = ingest.read(spark, [str(tmp_path)])
    reasons = {row.line: row.reason for row in found.quarantine.where("file like '%one%'").collect()}
    expected = {
        2: "index is -1",
        3: "time is NaN",
        4: "dests is missing on send",
        5: "kind is boom",
        6: "message has 65537",
        7: "a destination in dests",
        8: "duplicate index",
        9: "duplicate message id",
    }
    assert {n: reasons[n][: len(words)] for n, words in expected.items()} == expected
    assert set(reasons) == set(expected)
    events = {(row.run, row.process, row["index"], row.line) for row in found.events.collect()}
    assert events == {("r", "a", 1, 1), ("", "b", 0, 1)}
    assert json.loads(found.quarantine.where("line = 2").collect()[0].row)["index"] == -1


def test_a_parquet_column_of_another_type_is_a_fault_of_its_rows(spark: SparkSession, tmp_path: Path) -> None:
    path = parquet(tmp_path / "t.parquet", [{**GOOD, "index": "1"}, {**GOOD, "index": "2"}])
    reasons = refusal_reasons(ingest.read(spark, [path]))
    assert set(reasons) == {1, 2}
    assert all("index is of the type string; it must be bigint" in reason for reason in reasons.values())


def test_parquet_by_folders_of_runs_and_a_file_cut_off(spark: SparkSession, tmp_path: Path) -> None:
    row = {"process": "a", "index": 1, "kind": "internal"}
    parquet(tmp_path / "t" / "run=x" / "p.parquet", [row])
    parquet(tmp_path / "t" / "run=y" / "p.parquet", [row])
    found = ingest.read(spark, [str(tmp_path / "t")])
    assert sorted(row.run for row in found.events.collect()) == ["x", "y"]
    whole = Path(parquet(tmp_path / "c" / "whole.parquet", [row]))
    (tmp_path / "c" / "cut.parquet").write_bytes(whole.read_bytes()[:-20])
    found = ingest.read(spark, [str(tmp_path / "c")])
    assert found.events.count() == 1
    (damage,) = found.quarantine.collect()
    assert (Path(damage.file).name, "damaged" in damage.reason) == ("cut.parquet", True)


@pytest.mark.parametrize(
    ("rows", "options", "error", "words"),
    [
        ([line()], {"format": "csv"}, UnknownFormat, "no format 'csv'; there are auto, antecede"),
        (["hello", "world"], {}, UnknownFormat, "give --format"),
        ([line()], {"format": "mapped"}, UnknownFormat, "--mapping"),
        ([line()], {"regex": "(?<host>"}, BadPattern, "at character"),
        ([line()], {"regex": "x"}, BadPattern, "(?<host>...)"),
        ([line()], {"mapping": "{"}, BadPattern, "not JSON"),
        ([line()], {"mapping": {"process": "p"}}, BadPattern, "no index"),
        ([line()], {"mapping": {"process": "p", "index": "i", "colour": "c"}}, BadPattern, "unknown colour"),
        ([line()], {"mapping": {"process": "p", "index": "i['x']"}}, BadPattern, "write a name"),
    ],
)
def test_input_that_can_not_be_read_at_all_says_what_to_do(  # noqa: PLR0917 - fixtures and cases
    spark: SparkSession,
    write_lines: Write,
    rows: list[str],
    options: dict[str, object],
    error: type[UnreadableInput],
    words: str,
) -> None:
    path = write_lines("input.log", rows)
    with pytest.raises(error) as refusal:
        ingest.read(spark, [path], **options)  # type: ignore[arg-type]  # settings in a dict have no types of their own
    assert words in str(refusal.value)


def test_paths_that_lead_nowhere_say_so(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path, words in (
        (f"{tmp_path}/nothing.log", "no such file or folder"),
        (f"{tmp_path}/*.log", "no such file or folder"),
        (f"{tmp_path}/empty", "the folder has no files"),
        ("nowhere://bucket/trace", "no file system for that scheme"),
    ):
        with pytest.raises(UnreadableInput) as refusal:
            ingest.read(spark, [path])
        assert words in str(refusal.value)
        assert path in str(refusal.value)
    with pytest.raises(UnreadableInput, match="no input is given"):
        ingest.read(spark, [])


def test_a_folder_of_two_formats_names_one_of_each(spark: SparkSession, write_lines: Write, tmp_path: Path) -> None:
    write_lines("a.jsonl", [line()])
    write_lines("b.log", ['a {"a":1}', "event"])
    with pytest.raises(UnreadableInput) as refusal:
        ingest.read(spark, [str(tmp_path)])
    assert "a.jsonl looks like antecede" in str(refusal.value)
    assert "b.log looks like shiviz" in str(refusal.value)


def test_a_file_that_shows_nothing_is_read_like_the_others(
    spark: SparkSession, write_lines: Write, tmp_path: Path
) -> None:
    write_lines("a.jsonl", [line()])
    write_lines("readme.md", ["# Traces"])
    found = ingest.read(spark, [str(tmp_path)])
    assert any("readme.md: the format of this file was not recognised" in note for note in found.notes)
    assert refusal_reasons(found) == {1: "the line is not a JSON object"}
