"""Files opened as one input: what they are read as, how they are cut, and input that cannot be read at all."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from antecede.pipeline.check import check
from antecede.pipeline.errors import BadPattern, UnknownFormat, UnreadableInput
from antecede.pipeline.limits import LIMITS, Limits
from antecede.pipeline.read.open_input import Expressions, OpenInput, cut_into_blocks, open_input
from antecede.pipeline.read.rows import Wanted
from antecede.pipeline.runner import Dataset, InProcess
from tests.pipeline.hostile import GOOD, LINES, SEND, line, send
from tests.pipeline.parquet_files import write_parquet
from tests.pipeline.read.formats.span_files import request, span
from tests.pipeline.written_tables import CheckFiles

Write = Callable[[str, Sequence[object]], str]


def open_paths(*paths: str | Path, format: str = "auto", **given: Any) -> OpenInput:
    return open_input(InProcess(), [str(path) for path in paths], format, Expressions(**given))


# What files are read as


def test_every_line_is_an_event_or_has_a_reason(write_lines: Write, check_files: CheckFiles) -> None:
    path = write_lines("trace.jsonl", [text for text, _ in LINES])
    found = check_files(path, format="antecede")
    reasons = found.reasons
    alone = {number: reason for number, reason in reasons.items() if "duplicate" not in reason}
    wrong = [number for number, (_, reason) in enumerate(LINES, start=1) if (reason is None) != (number not in alone)]
    assert not wrong
    assert sorted([*found.event_lines, *reasons]) == list(range(1, len(LINES) + 1))
    rows = found.rows("quarantine")
    assert {row["file"] for row in rows} == {path}
    assert max(len(row["row"]) for row in rows) == 1_000


def test_a_file_named_twice_is_read_once(write_lines: Write, check_files: CheckFiles, tmp_path: Path) -> None:
    path = write_lines("a.jsonl", [line(), line(index=2)])
    found = check_files(path, tmp_path, f"{tmp_path}/*.jsonl", f"file:{path}")
    assert (len(found.rows("events")), found.rows("quarantine")) == (2, [])


def test_the_files_are_told_with_their_format(write_lines: Write, tmp_path: Path) -> None:
    write_lines("a.jsonl", [line()])
    opened = open_paths(tmp_path)
    assert (opened.format.name, opened.format.reader, opened.is_parquet) == ("antecede", "jsonl", False)
    assert opened.notes == ("recognised as antecede by the names or first characters of 1 of 1 files",)
    write_lines("b.jsonl", [line()])
    (tmp_path / "c.jsonl").touch()
    opened = open_paths(tmp_path)
    assert [Path(file.name).name for file in opened.files] == ["a.jsonl", "b.jsonl"]
    assert opened.notes[-1] == f"{tmp_path}/c.jsonl: empty, so nothing was read of it"
    (tmp_path / "d.jsonl").touch()
    assert f"{tmp_path}/c.jsonl and 1 others: empty" in open_paths(tmp_path).notes[-1]


def test_gzip_is_read_and_a_truncated_one_keeps_what_can_be_read(tmp_path: Path, check_files: CheckFiles) -> None:
    rows = [line(index=number, attributes={"x": str(number * number * 7919)}) for number in range(20_000)]
    packed = gzip.compress("\n".join(rows).encode())
    (tmp_path / "cut.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    whole = "\n".join(line(index=number, run="w") for number in range(9)).encode()
    (tmp_path / "whole.jsonl.gz").write_bytes(gzip.compress(whole))
    (tmp_path / "empty.jsonl").touch()
    found = check_files(tmp_path)
    runs = [row["run"] for row in found.rows("events")]
    assert runs.count("w") == 9
    assert 1_000 < runs.count("r") < 20_000
    (damage,) = found.rows("quarantine")
    assert (Path(damage["file"]).name, damage["line"]) == ("cut.jsonl.gz", runs.count("r") + 1)
    assert "damaged or ends early" in damage["reason"]


def test_a_file_of_blank_lines_is_a_trace_without_events(tmp_path: Path, check_files: CheckFiles) -> None:
    (tmp_path / "empty.log").write_bytes(b"\n \n")
    found = check_files(tmp_path)
    assert (found.rows("events"), found.rows("quarantine")) == ([], [])
    assert "the input is empty" in found.checked.notes


def test_parquet_follows_the_same_rules(tmp_path: Path, check_files: CheckFiles) -> None:
    rows = [
        {**SEND, "time": 1.0},
        {**SEND, "index": -1, "time": 1.0},
        {**SEND, "index": 2, "time": float("nan")},
        {**SEND, "index": 3, "dests": None},
        {**SEND, "index": 4, "kind": "boom"},
        {**SEND, "index": 5, "message": "x" * 65_537},
        {**SEND, "index": 6, "dests": ["b", None]},
        {**SEND, "index": 1, "time": 2.0},
        {**SEND, "index": 7, "message": "m"},
    ]
    table = pa.Table.from_pylist(rows)
    table = table.set_column(table.column_names.index("index"), "index", table["index"].cast(pa.int32()))
    write_parquet(tmp_path / "one.parquet", table)
    others = pa.Table.from_pylist([{"process": "b", "index": 0, "kind": "internal", "extra": 1}])
    write_parquet(tmp_path / "two.parquet", others)
    found = check_files(tmp_path)
    expected = {
        2: "index is -1",
        3: "time is NaN",
        4: "dests is missing on send",
        5: 'kind is "boom"',
        6: "message has 65537",
        7: "a destination in dests",
        8: "duplicate index",
        9: "duplicate message id",
    }
    assert {number: reason[: len(expected[number])] for number, reason in found.reasons.items()} == expected
    events = {(row["run"], row["process"], row["index"], row["line"]) for row in found.rows("events")}
    assert events == {("r", "a", 1, 1), ("", "b", 0, 1)}
    shown = {row["line"]: row["row"] for row in found.rows("quarantine")}
    assert "'index': -1" in shown[2]


def test_a_column_may_have_another_type_in_every_file(tmp_path: Path, check_files: CheckFiles) -> None:
    kinds = [pa.int8(), pa.uint16(), pa.int32(), pa.uint64(), pa.int64(), pa.string(), pa.float64(), pa.bool_()]
    texts = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
    times = [
        pa.float64(),
        pa.timestamp("ms"),
        pa.timestamp("ns", "UTC"),
        pa.int64(),
        pa.float32(),
        pa.decimal128(21, 2),
    ]
    for number, kind in enumerate(kinds):
        index, time = pa.array([1], pa.int64()).cast(kind), pa.array([1]).cast(times[number % len(times)])
        process = pa.array([f"p{number}"]).cast(texts[number % len(texts)])
        table = pa.table({"process": process, "index": index, "kind": ["internal"], "time": time})
        write_parquet(tmp_path / f"{number}.parquet", table)
    found = check_files(tmp_path)
    assert sorted(row["process"] for row in found.rows("events")) == ["p0", "p1", "p2", "p3", "p4"]
    assert {row["index"] for row in found.rows("events")} == {1}
    reasons = sorted(row["reason"] for row in found.rows("quarantine"))
    assert reasons == [
        "index is of the type bool; it must be an integer",
        "index is of the type double; it must be an integer",
        "index is of the type string; it must be an integer",
    ]


@pytest.mark.parametrize(
    "values",
    [
        pa.array([5, 6]),
        pa.array([b"\xff", b"y"]),
        pa.array([{"a": 1}, None]),
        pa.array([[1], [2]]),
        pa.array([1, None], pa.timestamp("ns")),
        pa.array([True, None]),
        pa.array([5, 6]).dictionary_encode(),
    ],
    ids=lambda values: str(values.type),
)
def test_a_run_of_another_type_is_a_fault_of_its_rows(
    tmp_path: Path, check_files: CheckFiles, values: pa.Array
) -> None:
    rows = [{**GOOD, "index": 1}, {**GOOD, "index": 2}]
    table = pa.Table.from_pylist(rows).drop_columns("run").append_column("run", values)
    write_parquet(tmp_path / "a.parquet", table)
    write_parquet(tmp_path / "b.parquet", pa.Table.from_pylist([{**GOOD, "index": 3}]))
    found = check_files(tmp_path)
    assert len(found.rows("quarantine")) == 2 - values.null_count
    assert all(row["reason"].startswith("run is of the type") for row in found.rows("quarantine"))
    assert len(found.rows("events")) == 1 + values.null_count


# Input that cannot be read at all


@pytest.mark.parametrize(
    ("rows", "options", "error", "words"),
    [
        ([line()], {"format": "xml"}, UnknownFormat, "there is no such format; there are auto, antecede"),
        (["hello", "world"], {}, UnknownFormat, "turn it into JSON Lines or CSV"),
        ([line()], {"format": "mapped"}, UnknownFormat, "--mapping"),
        ([line()], {"format": "csv"}, UnknownFormat, "--mapping"),
        ([line()], {"regex": "(?<host>"}, BadPattern, "regular expression"),
        ([line()], {"regex": "x"}, BadPattern, "(?<host>...)"),
        ([line()], {"mapping": "{"}, BadPattern, "not JSON"),
        ([line()], {"mapping": {"index": "i"}}, BadPattern, "no process"),
        ([line()], {"mapping": {"process": "p", "index": "i", "colour": "c"}}, BadPattern, "unknown 'colour'"),
        ([line()], {"mapping": {"process": "p", "index": "i['x']"}}, BadPattern, "write a name"),
    ],
)
def test_input_that_can_not_be_read_at_all_says_what_to_do(
    write_lines: Write, rows: list[str], options: dict[str, Any], error: type[UnreadableInput], words: str
) -> None:
    path = write_lines("input.log", rows)
    with pytest.raises(error) as refusal:
        check(InProcess(), [path], **options)
    assert words in str(refusal.value)


def test_paths_that_lead_nowhere_say_so(tmp_path: Path) -> None:
    for path, words in (
        (f"{tmp_path}/nothing.log", "no such file or folder"),
        ("nowhere://bucket/trace", "Arrow cannot open this path; Spark may"),
        (os.fsdecode(b"/tmp/\xff"), "is not UTF-8"),
    ):
        with pytest.raises(UnreadableInput, match=words):
            open_paths(path)
    with pytest.raises(UnreadableInput, match="no input is given"):
        open_paths()


def test_a_folder_of_two_formats_names_one_of_each(write_lines: Write, tmp_path: Path) -> None:
    write_lines("a.jsonl", [line()])
    write_lines("b.log", ['a {"a":1}', "event"])
    with pytest.raises(UnreadableInput, match=r"a\.jsonl looks like antecede; .*b\.log looks like shiviz"):
        open_paths(tmp_path)


def test_a_file_that_shows_nothing_is_read_like_the_others(
    write_lines: Write, check_files: CheckFiles, tmp_path: Path
) -> None:
    write_lines("a.jsonl", [line()])
    write_lines("readme.md", ["# Traces"])
    found = check_files(tmp_path)
    assert any("readme.md: the format of this file was not recognised" in note for note in found.checked.notes)
    assert found.reasons == {1: "the line is not JSON: Expecting value: line 1 column 1 (char 0)"}


# How files are cut


class Counting(InProcess):
    """A runner that counts what it is asked."""

    def __init__(self) -> None:
        self.calls = self.handed_out = 0

    def call(self, *given: Any) -> pa.Table:
        self.calls += 1
        return super().call(*given)

    def hand_out(self, rows: pa.Table) -> Dataset:
        self.handed_out += 1
        return super().hand_out(rows)


def test_files_of_lines_are_cut_and_numbered_and_others_are_whole(write_lines: Write, tmp_path: Path) -> None:
    path = write_lines("a/t.jsonl", [line(index=number) for number in range(10)])
    (tmp_path / "a" / "u.jsonl.gz").write_bytes(gzip.compress(Path(path).read_bytes()))
    opened = open_paths(tmp_path / "a")
    runner = Counting()
    blocks, sizes = cut_into_blocks(runner, opened, Limits(block_bytes=200))
    size = Path(path).stat().st_size
    assert [(block.start, block.end) for block in blocks[:-1]] == [
        (start, min(start + 200, size)) for start in range(0, size, 200)
    ]
    assert [block.before for block in blocks[:-1]] == [-(-block.start // (size // 10)) for block in blocks[:-1]]
    assert blocks[-1].is_whole
    assert sum(sizes[:-1]) == size
    assert sizes[-1] == (tmp_path / "a" / "u.jsonl.gz").stat().st_size
    assert (runner.calls, runner.handed_out) == (2, 0)  # to cut, and to count
    whole, _ = cut_into_blocks(runner, opened, LIMITS)
    assert [block.is_whole for block in whole] == [True, True]
    assert runner.calls == 2


def test_a_document_or_a_log_that_cannot_be_cut_is_one_block(tmp_path: Path) -> None:
    (tmp_path / "document.json").write_text(json.dumps(request("a", span(1)), indent=2))
    (tmp_path / "lines.json").write_text(f"{json.dumps(request('a', span(2)))}\n" * 3)
    (tmp_path / "node.log").write_text('a {"a":1}\nevent\n' * 20)
    for name, blocks in (("document.json", 1), ("lines.json", 5), ("node.log", 1)):
        found, _ = cut_into_blocks(InProcess(), open_paths(tmp_path / name), Limits(block_bytes=300))
        assert (len(found) > 1) == (blocks > 1), name


def test_each_format_has_its_reader(write_lines: Write, tmp_path: Path) -> None:
    inputs: list[tuple[str, list[object], dict[str, Any]]] = [
        ("jsonl", [send()], {}),
        ("mapped", ['{"p": "a", "kind": "move"}'], {"mapping": {"process": "p"}}),
        ("csv", ["p,kind,x", "a,move,1"], {"mapping": {"process": "p"}}),
        ("shiviz", ['a {"a":1}', "event"], {}),
        ("otlp", [json.dumps(request("a", span(1)))], {}),
        (
            "zipkin",
            [
                json.dumps(
                    [{"traceId": "1" * 16, "id": "2" * 16, "timestamp": 1, "localEndpoint": {"serviceName": "a"}}]
                )
            ],
            {},
        ),
    ]
    for reader, rows, given in inputs:
        opened = open_paths(write_lines(f"{reader}.log", rows), **given)
        assert opened.format.reader == reader
        blocks, _ = cut_into_blocks(InProcess(), opened, LIMITS)
        (found,) = [rows for rows in opened.reader(Wanted())(blocks[0]) if rows.count]
        assert (found.events.num_rows, found.refused.num_rows) == (1, 0)
        prepare = opened.prepare(Wanted())
        assert (prepare is None) == (reader in ("jsonl", "mapped", "csv"))
        if prepare is not None:
            prepared = prepare(found.events)
            assert (prepared.events.schema.names, prepared.refused.num_rows) == (Wanted().events.names, 0)
    write_parquet(tmp_path / "t.parquet", [GOOD])
    assert open_paths(tmp_path / "t.parquet").is_parquet


@pytest.mark.parametrize("change", [{"kind": "Deliver"}, {"kind": 5}, {"kind": None}, {"process": 5}, {"time": "3"}])
def test_a_trace_without_an_index_is_read_by_the_same_rules(
    write_lines: Write, check_files: CheckFiles, change: dict[str, object]
) -> None:
    row = {"process": "a", "kind": "deliver", "message": "m"}
    found = check_files(write_lines("a.jsonl", [row, {**row, **change}]))
    (name,) = change
    assert found.event_lines == [1]
    assert found.reasons[2].startswith(f"{name} is ")


def test_an_index_that_comes_late_in_a_trace_is_not_ignored(write_lines: Write, check_files: CheckFiles) -> None:
    without = [{"process": "x", "kind": "internal"} for _ in range(60)]
    found = check_files(write_lines("a.jsonl", [*without, line(index=2), line(index=1)]))
    assert len(found.event_lines) == 60
    assert {line: reason[:15] for line, reason in found.reasons.items()} == {
        61: "it has an index",
        62: "it has an index",
    }


ID = "0123456789abcdef"


@pytest.mark.parametrize(
    "document",
    [
        {"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": ID * 2, "spanId": ID, "startTimeUnixNano": "5"}]}]}]},
        [{"traceId": ID, "id": ID, "timestamp": 5}],
        {"data": [{"spans": [{"traceID": ID, "spanID": ID, "startTime": 5}]}]},
    ],
)
def test_a_span_without_a_process_is_refused(write_lines: Write, check_files: CheckFiles, document: object) -> None:
    found = check_files(write_lines("a.json", [document]))
    assert (found.event_lines, found.reasons) == ([], {1: "process is missing"})


def test_spans_that_break_a_rule_of_the_trace_are_refused_in_every_part(write_lines: Write) -> None:
    names = ("a", "", "x" * 70_000)
    spans = [
        {"traceId": ID, "id": f"{at:016x}", "timestamp": 5, "localEndpoint": {"serviceName": name}}
        for at, name in enumerate(names)
    ]
    path = write_lines("a.json", list(spans))
    for limits in (LIMITS, Limits(gathered_spans=1, in_place_bytes=1, block_bytes=100)):
        found = check(InProcess(), [path], limits=limits)
        assert (found.as_dict()["events"], found.quarantined) == (1, 2)
