"""Logs of JSON Lines by a mapping: which rows are events, and which mappings are refused."""

import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from antecede.pipeline.errors import BadPattern
from antecede.pipeline.read.blocks import cut_lines, number_lines
from antecede.pipeline.read.content import count_lines
from antecede.pipeline.read.files import list_files
from antecede.pipeline.read.formats import mapped
from antecede.pipeline.read.rows import Wanted

Write = Callable[[str, Sequence[object]], str]
Row = dict[str, object]
SIMPLE = {"process": "p", "kind": "k", "index": "i", "message": "m", "dests": "to", "time": "t"}


def read(path: str, mapping: Mapping[str, object], block_bytes: int = 1 << 20) -> tuple[dict[int, Row], dict[int, str]]:
    """The events and the reasons of refused rows, by line."""
    (file,) = list_files([path])
    wanted = Wanted(all_columns=True)
    blocks = cut_lines(file, block_bytes)
    counts = [0 if block.is_whole else count_lines(path, block.start, block.end) for block in blocks]
    parts = [part for block in number_lines(blocks, counts) for part in mapped.read(block, wanted, mapping)]
    assert all(part.events.schema == wanted.events for part in parts)
    events = pa.concat_tables([part.events for part in parts]).to_pylist()
    refused = pa.concat_tables([part.refused for part in parts]).to_pylist()
    return {row["line"]: row for row in events}, {row["line"]: row["reason"] for row in refused}


def test_a_mapping_reads_any_json_lines(write_lines: Write, tmp_path: Path) -> None:
    mapping = {
        "run": "meta.run",
        "process": "meta.node",
        "index": "seq",
        "kind": {"field": "op", "send": ["PUT"], "deliver": ["GOT", "READ"]},
        "message": "id",
        "dests": "to",
        "time": "at",
        "attributes": ["op", "meta"],
    }
    (tmp_path / "mapping.json").write_text(json.dumps(mapping))
    meta = {"run": "r1", "node": "a"}
    path = write_lines(
        "in/any.log",
        [
            {"meta": meta, "seq": 1, "op": "PUT", "id": "m1", "to": ["b"], "at": 1.25},
            {"meta": {"node": "b"}, "seq": "7", "op": "READ", "id": "m1"},
            {"meta": meta, "seq": 2, "op": "THINK", "id": "not a message"},
            {"meta": meta, "seq": -3, "op": "THINK"},
            {"meta": meta, "seq": "x", "op": "THINK"},
            {"meta": {}, "seq": 3, "op": "THINK"},
            {"meta": meta, "seq": 4, "op": "PUT", "to": ["b"]},
            {"meta": meta, "seq": 5, "op": "PUT", "id": "m5"},
            {"meta": meta, "seq": 6, "op": "THINK", "at": "noon"},
            '{"meta"',
            b'{"meta": "\xff"}',
            "[" * 3000,
        ],
    )
    events, reasons = read(path, mapped.load_mapping(str(tmp_path / "mapping.json")))
    assert sorted(events) == [1, 2, 3]
    assert [events[1][name] for name in ("run", "process", "index", "time")] == ["r1", "a", 1, 1.25]
    assert [events[1][name] for name in ("kind", "message", "dests")] == ["send", "m1", ["b"]]
    assert [events[2][name] for name in ("run", "index", "kind")] == ["", 7, "deliver"]
    assert [events[3][name] for name in ("kind", "message")] == ["internal", None]
    assert events[3]["attributes"] == [("op", "THINK"), ("meta", '{"run":"r1","node":"a"}')]
    expected = {
        4: "index is -3",
        5: "index is x",
        6: "process is missing",
        7: "message is missing",
        8: "dests is missing on send",
        9: "time is not a number",
        10: "the line is not one JSON",
        11: "the line is not UTF-8",
        12: "the line is not a JSON object",
    }
    assert {n: reason[: len(expected.get(n, reason))] for n, reason in reasons.items()} == expected


@pytest.mark.parametrize(
    ("value", "index"),
    [(7, 7), ("7", 7), (7.0, 7), ("7.000", 7), ("1e3", 1000), (" 7 ", 7), (0, 0), (str(2**63 - 1), 2**63 - 1)],
)
def test_an_index_may_be_spelled_in_many_ways(write_lines: Write, value: object, index: int) -> None:
    events, _ = read(write_lines("a", [{"p": "a", "k": "internal", "i": value}]), SIMPLE)
    assert events[1]["index"] == index


@pytest.mark.parametrize(
    "value", [7.5, "7.5", "x", "", True, [7], {"n": 7}, 2**63, "1e400", "9" * 100_000, "1_000", "٣", "nan"]
)
def test_what_is_not_an_index_is_refused(write_lines: Write, value: object) -> None:
    _, reasons = read(write_lines("a", [{"p": "a", "k": "internal", "i": value}]), SIMPLE)
    assert reasons[1].startswith("index is ")
    assert reasons[1].endswith("; it must be an integer")
    assert len(reasons[1]) < 120


@pytest.mark.parametrize(
    "value",
    [1.7e9, "1700000000", 1_700_000_000_000, "1.7e12", 1_700_000_000_000_000_000, "2023-11-14T22:13:20Z", " 1.7e9 "],
)
def test_a_time_may_be_spelled_in_many_ways(write_lines: Write, value: object) -> None:
    events, _ = read(write_lines("a", [{"p": "a", "k": "internal", "i": 1, "t": value}]), SIMPLE)
    assert events[1]["time"] == 1.7e9


@pytest.mark.parametrize("value", ["noon", "", True, [], {}, "nan", "inf", 10**400])
def test_what_is_not_a_time_is_refused(write_lines: Write, value: object) -> None:
    _, reasons = read(write_lines("a", [{"p": "a", "k": "internal", "i": 1, "t": value}]), SIMPLE)
    assert reasons[1].startswith("time is not a number, and not text of ISO 8601: ")


@pytest.mark.parametrize(
    ("value", "dests"),
    [
        (["b", "c"], ["b", "c"]),
        (["b", 5], ["b", "5"]),
        ([], []),
        ("b", ["b"]),
        ("order service, b;c ", ["order service", "b", "c"]),
        ('["b", "c"]', ["b", "c"]),
        (5, ["5"]),
    ],
)
def test_destinations_are_a_list_or_names_in_a_text(write_lines: Write, value: object, dests: list[str]) -> None:
    events, _ = read(write_lines("a", [{"p": "a", "k": "send", "i": 1, "m": "m", "to": value}]), SIMPLE)
    assert events[1]["dests"] == dests


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "dests is missing on send"),
        (["b", None], "a destination in dests is missing"),
        (["b", ""], "a destination in dests is empty"),
        ({"b": 1}, "dests is an object"),
    ],
)
def test_what_is_not_a_destination_is_refused(write_lines: Write, value: object, reason: str) -> None:
    _, reasons = read(write_lines("a", [{"p": "a", "k": "send", "i": 1, "m": "m", "to": value}]), SIMPLE)
    assert reasons[1].startswith(reason)


def test_without_index_and_dests_these_are_null_for_others_to_fill(write_lines: Write) -> None:
    path = write_lines("a", [{"p": "a", "k": "send", "m": "m"}, {"p": "b", "k": "deliver", "m": "m"}, {"p": "b"}])
    events, reasons = read(path, {"process": "p", "kind": "k", "message": "m"})
    assert [(row["index"], row["dests"], row["kind"]) for row in events.values()] == [
        (None, None, "send"),
        (None, None, "deliver"),
        (None, None, "internal"),
    ]
    assert not reasons


def test_an_index_that_is_mapped_must_be_there(write_lines: Write) -> None:
    _, reasons = read(write_lines("a", [{"p": "a", "k": "internal"}]), SIMPLE)
    assert reasons == {1: "index is missing; it must be an integer of 0 or more"}


def test_values_that_are_not_text_become_text(write_lines: Write) -> None:
    kinds = {"field": "k", "send": [1], "deliver": [True]}
    mapping = {**SIMPLE, "kind": kinds, "group": "g", "attributes": ["g", "x", "none"]}
    row = {"p": 7, "i": 1, "k": 1, "m": 10**30, "to": [8], "g": {"a": [None, "ü"]}, "x": 1.5, "none": None}
    events, _ = read(write_lines("a", [row, {"p": False, "i": 1, "k": True, "m": [1]}]), mapping)
    assert [events[1][name] for name in ("process", "kind", "message", "group")] == [
        "7",
        "send",
        str(10**30),
        '{"a":[null,"ü"]}',
    ]
    assert events[1]["attributes"] == [("g", '{"a":[null,"ü"]}'), ("x", "1.5")]
    assert [events[2][name] for name in ("process", "kind", "message")] == ["false", "deliver", "[1]"]


def test_a_value_of_kind_that_is_not_listed_is_internal_and_one_that_is_not_a_kind_is_refused(
    write_lines: Write,
) -> None:
    path = write_lines("a", [{"p": "a", "k": "noise", "i": 1}])
    assert read(path, {**SIMPLE, "kind": {"field": "k", "send": ["x"]}})[0][1]["kind"] == "internal"
    for kind in ("k", {"field": "k"}):
        assert read(path, {**SIMPLE, "kind": kind})[1][1].startswith('kind is "noise"; it must be one of send')


def test_a_field_may_be_nested_or_have_a_dot_or_be_that_of_the_own_process(write_lines: Write) -> None:
    mapping = {"process": "who.name", "index": "clock[process]", "run": "a.b"}
    rows: list[object] = [
        {"who": {"name": "x"}, "clock": {"x": 3, "y": 9}, "a.b": "dot", "a": {"b": "nested"}},
        {"who": {"name": "x"}, "clock": '{"x": 4}', "a": {"b": "nested"}},
        {"who": {"name": "z"}, "clock": {"x": 3}},
        {"who": {"name": "z"}, "clock": 3},
        {"who": "x", "clock": {"x": 1}},
    ]
    events, reasons = read(write_lines("a", rows), mapping)
    assert [(row["index"], row["run"]) for row in events.values()] == [(3, "dot"), (4, "nested")]
    assert [reasons[line].split(";")[0] for line in (3, 4, 5)] == [
        "index is missing",
        "index is missing",
        "process is missing",
    ]


def test_the_built_in_mapping_reads_a_tracechecker_log(write_lines: Write) -> None:
    row = {"TracerIdentity": "a", "Tag": "GenerateTokenTrace", "Body": {"Token": "t"}, "VectorClock": {"a": 2, "b": 1}}
    events, _ = read(write_lines("a", [row]), mapped.load_mapping("tracechecker"))
    assert [events[1][name] for name in ("process", "index", "kind", "message", "dests")] == ["a", 2, "send", "t", None]


def test_odd_lines_and_blocks_of_any_size_give_the_same(tmp_path: Path) -> None:
    good = [json.dumps({"p": "ä", "k": "internal", "i": n}, ensure_ascii=False).encode() for n in range(40)]
    odd = [
        b"",
        b"  ",
        b"\r",
        b"null",
        b"{}",
        b'{"p":"a"} {"p":"b"}',
        b'{"p":NaN}',
        b"\x00",
        b'{"a":' * 9_000,
        b"\xef\xbb\xbf{}",
    ]
    lines = [line for pair in zip(good, odd * 4, strict=True) for line in pair]
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbf" + b"\r\n".join(lines))
    (tmp_path / "b.gz").write_bytes(gzip.compress((tmp_path / "a").read_bytes()))
    whole = read(str(tmp_path / "a"), SIMPLE)
    assert sorted(whole[0]) == list(range(1, 80, 2))
    assert sorted(whole[1]) == sorted(2 * at + 2 for at in range(40) if at % 10 > 2)
    for size in (17, 1_000):
        assert read(str(tmp_path / "a"), SIMPLE, size) == whole
    zipped = read(str(tmp_path / "b.gz"), SIMPLE)
    assert zipped[1] == whole[1]
    assert sorted(zipped[0]) == sorted(whole[0])


def test_random_bytes_are_read_without_an_error(tmp_path: Path) -> None:
    random = Random(3)
    parts = [
        b'{"p":',
        b'"a"',
        b"}",
        b"\n",
        b",",
        b'"i":',
        b"1",
        b"[",
        b"\xff",
        b"\\ud800",
        '"ü"'.encode(),
        b":",
        b'"k":"send"',
    ]
    (tmp_path / "a").write_bytes(b"".join(random.choice([*parts, random.randbytes(2)]) for _ in range(20_000)))
    read(str(tmp_path / "a"), SIMPLE)


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        ("{", "the mapping is not JSON: "),
        ("{}", "the mapping has no process; it may have process, index"),
        (
            '{"proces": "a"}',
            "the mapping has the unknown 'proces' (did you mean 'process'?); it may have process, index",
        ),
        ({"index": "i"}, "no process"),
        ({"process": "p", "colour": "c"}, "unknown 'colour'"),
        ({"process": "p", "index": "i['x']"}, "write a name"),
        ({"process": 5}, "names the field 5"),
        ({"process": "p", "attributes": [5]}, "names the field 5"),
        ({"process": "p", "kind": {"send": ["x"]}}, "names the field None"),
        ({"process": "p", "kind": {"field": "k", "fly": ["x"]}}, "kind in the mapping"),
        ({"process": "p", "kind": {"field": "k", "send": "x"}}, "kind in the mapping"),
    ],
)
def test_a_wrong_mapping_says_what_is_wrong(mapping: str | dict[str, object], words: str) -> None:
    with pytest.raises(BadPattern) as refusal:
        mapped.load_mapping(mapping)
    assert words in str(refusal.value)


def test_a_mapping_needs_a_process_alone() -> None:
    assert mapped.load_mapping('{"process": "p"}') == {"process": "p"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "no such file; give a file, JSON, or one of tracechecker"),
        (b"{", "the mapping is not JSON"),
        (b"[]", "a mapping must be a JSON object"),
        (b"\xff", "it cannot be read"),
        (b"[" * 100_000, "the mapping is not JSON"),
    ],
)
def test_a_wrong_mapping_file_is_named(tmp_path: Path, content: bytes | None, words: str) -> None:
    path = tmp_path / "m.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadPattern) as refusal:
        mapped.load_mapping(str(path))
    assert words in str(refusal.value)
    assert str(refusal.value).startswith(f"mapping file {path}: ") or content == b"[]"


def test_a_folder_is_not_a_mapping_file(tmp_path: Path) -> None:
    with pytest.raises(BadPattern, match="mapping file"):
        mapped.load_mapping(str(tmp_path))
