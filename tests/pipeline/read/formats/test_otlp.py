"""OTLP: what spans do with messages, which rows are refused, and that reading with Arrow changes nothing."""

import gzip
import json
import random
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from antecede.pipeline.read import blocks, files
from antecede.pipeline.read.formats import json_texts, otlp, otlp_arrow
from antecede.pipeline.read.formats.json_texts import ALL_COLUMNS, parse_exactly
from antecede.pipeline.read.formats.spans import SPANS
from antecede.pipeline.read.rows import Wanted
from tests.pipeline.read.formats.span_files import (
    TRACE,
    attributes,
    events_of,
    link,
    random_request,
    read_all,
    reasons,
    request,
    sequences,
    span,
    whole,
)

Write = Callable[[str, Sequence[object]], str]
REFUSED = "not an OTLP/JSON export request"
KAFKA: Any = {"messaging_destination_name": "t", "messaging_kafka_offset": 7}
exactly = partial(parse_exactly, read_text=otlp.read_request, reason=otlp.NOT_OTLP)


def test_every_way_to_name_a_message(write_lines: Write) -> None:
    path = write_lines(
        "spans.json",
        [
            request(
                "a",
                span(1, 4),
                span(2, 4, messaging_message_id="m2"),
                span(3, 4, messaging_operation_type="publish", messaging_destination_partition_id="0", **KAFKA),
                span(4, 4),
                span(5, 3),  # a call that a server takes up
                span(6, 3),  # and one that none does
                span(7, 1, messaging_operation="send", messaging_message_id="m7", antecede_dests=["b", "z"]),
            ),
            request(
                "b",
                span(0x11, 5, [link(1)]),
                span(0x12, 5, messaging_operation_type="receive", messaging_message_id="m2"),
                span(0x13, 5, messaging_operation="process", messaging_message_id="m2"),
                span(0x14, 5, messaging_destination_partition_id=0, **KAFKA),
                span(0x15, 5, parent=4),
                span(0x16, 2, parent=5),
                span(0x17, 2, parent=99),
                span(0x18, 5),
                span(0x19, 5, messaging_message_id="never sent"),
                scope="instrumentationLibrarySpans",
            ),
            request("c", span(0x21, 5, [link(1), link(98, messaging_message_id="m2"), link(97)])),
        ],
    )
    found = read_all(otlp.read, path)
    assert reasons(found) == {}
    assert sequences(found) == {
        "a": [
            ("send", "1"),
            ("send", "m2"),
            ("send", "t/0/7"),
            ("send", "4"),
            ("send", "5"),
            ("internal", None),
            ("send", "m7"),
        ],
        "b": [
            ("deliver", "1"),
            ("receive", "m2"),
            ("deliver", "m2"),
            ("deliver", "t/0/7"),
            ("deliver", "4"),
            ("deliver", "5"),
            ("internal", None),
            ("internal", None),
            ("deliver", "never sent"),
        ],
        "c": [
            ("deliver", "1"),
            ("deliver", "m2"),
            ("deliver", f"{TRACE.lower()}/{97:016x}".split("/000000000000000")[-1]),
        ],
    }
    dests = {row["message"]: row["dests"] for row in events_of(found) if row["kind"] == "send"}
    assert dests["m2"] is None  # another stage infers them
    assert dests["m7"] == ["b", "z"]


def test_hostile_requests_are_refused(write_lines: Write) -> None:
    deep = "[" * 5000 + "]" * 5000
    path = write_lines(
        "otlp/spans.jsonl",
        [
            request("a", span(1, 4, messaging_message_id="m")),
            '{"resourceSpans": [',
            {"resourceSpans": "text"},
            request("a", {**span(2), "traceId": "xyz"}),
            request("a", {**span(3), "startTimeUnixNano": -1}),
            request("a", span(4, 4, messaging_message_id="m")),  # 6: the same id, which is for a later stage
            {"resourceSpans": [{"scopeSpans": [{"spans": [span(5)]}]}]},  # 7: no service, the same
            request("x" * 70_000, span(6)),
            '{"resourceSpans": ' + deep + "}",
            json.dumps(request("a", span(7))) + json.dumps(request("a", span(8))),
            b'{"resourceSpans": [\xff]}',
            {"resourceSpans": []},
            request("a", {**span(9), "attributes": attributes({"k": "1"}) * 2, "kind": {"odd": []}}),
            "null",
            "[]",
            "{}",
            request("a", None),
            request("a", span(10), 5),
            "",
            " \t\r",
            json.dumps(request("a", span(11))) + "\r",
            request("a", {**span(12), "spanId": None, "name": "x" * 2_000}),
            json.dumps(request("a", span(13))).replace('"name": "span 13"', '"name": "a\tb"'),
        ],
    )
    found = read_all(otlp.read, path)
    expected = {
        **dict.fromkeys((2, 3, 9, 10, 11, 14, 15, 16, 18, 23), REFUSED),
        4: "traceId is not 32 hexadecimal digits: xyz",
        5: "startTimeUnixNano is not a time: -1",
        17: "traceId is not 32 hexadecimal digits: missing",
        22: "spanId is not 16 hexadecimal digits: missing",
    }
    assert {n: reason[: len(expected.get(n, reason))] for n, reason in reasons(found).items()} == expected
    assert found.events["line"].to_pylist() == [1, 6, 7, 8, 13, 21]
    assert found.events["process"].to_pylist()[2:4] == [None, "x" * 70_000]
    assert max(len(row) for row in found.refused["row"].to_pylist()) == 1_000
    assert found.events.schema == SPANS


@pytest.mark.parametrize(
    ("name", "read"),
    [
        (b"NaN", "NaN"),
        (b"5", "5"),
        (b"true", "true"),
        (b'"\\ud800x"', "?x"),
        (b'"\\\\ud800"', "\\ud800"),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b'"\xff"', "\ufffd"),
        (b'"first", "name": "last"', "last"),
        (b'{"a": [1]}', '{"a": [1]}'),
    ],
)
def test_odd_values_in_place_of_text_are_read(tmp_path: Path, name: bytes, read: str) -> None:
    path = tmp_path / "spans.json"
    path.write_bytes(json.dumps(request("a", span(1))).encode().replace(b'"span 1"', name))
    (row,) = events_of(read_all(otlp.read, str(path)))
    assert dict(row["attributes"])["name"] == read


def test_the_first_attribute_of_a_name_and_the_first_kind_of_a_value_count(write_lines: Write) -> None:
    given = [
        {"key": "messaging.message.id", "value": {"stringValue": None, "intValue": 3, "boolValue": True}},
        {"key": "messaging.message.id", "value": {"stringValue": "second"}},
        {"key": "flag", "value": {"boolValue": False}},
        {"key": "number", "value": {"doubleValue": 2}},
        {"key": "list", "value": {"arrayValue": {"values": [{"stringValue": "ü"}, {"intValue": 1}, None]}}},
        {"key": "map", "value": {"kvlistValue": {"values": [{"key": "a", "value": {"boolValue": True}}]}}},
        {"key": "trace", "value": {"stringValue": "not ours"}},
        {"key": "nothing", "value": {}},
        {"key": None, "value": {"stringValue": "no name"}},
    ]
    path = write_lines("spans.json", [request("a", {**span(1, 4), "attributes": given})])
    (row,) = events_of(read_all(otlp.read, path))
    assert row["message"] == "3"
    assert dict(row["attributes"]) == {
        "messaging.message.id": "3",
        "flag": "false",
        "number": "2.0",
        "list": '["\\u00fc", 1, null]',
        "map": '{"a": true}',
        "trace": TRACE.lower(),
        "span": f"{1:016x}",
        "name": "span 1",
        "service": "a",
    }


@pytest.mark.parametrize(
    ("stated", "dests"),
    [
        ({"arrayValue": {"values": [{"stringValue": "b"}]}}, ["b"]),
        ({"arrayValue": {"values": []}}, []),
        ({"arrayValue": {}}, []),
        ({"arrayValue": {"values": [{"intValue": "5"}]}}, None),
        ({"arrayValue": {"values": [None, {"stringValue": "b"}]}}, ["b"]),
        ({"arrayValue": "text"}, None),
        ({"stringValue": "b"}, None),
        (None, None),
    ],
)
def test_stated_destinations(write_lines: Write, stated: object, dests: list[str] | None) -> None:
    given = [{"key": "antecede.dests", "value": stated}]
    path = write_lines("spans.json", [request("a", {**span(1, 4), "attributes": given})])
    (row,) = events_of(read_all(otlp.read, path))
    assert row["dests"] == dests


def test_an_instance_is_a_process_and_older_names_count(write_lines: Write) -> None:
    one = request("a", span(1, 4, messaging_message__id="x"))
    one["resourceSpans"][0]["resource"]["attributes"] += attributes({"service.instance.id": "a-7"})
    one["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["attributes"] = attributes(
        {"messaging.message_id": "old", "messaging.message.id": "", "messaging.message_payload_size_bytes": 12}
    )
    (row,) = events_of(read_all(otlp.read, write_lines("spans.json", [one])))
    assert (row["process"], row["message"], row["payload_bytes"]) == ("a-7", "old", 12)


# Files: one request in each line, or one in the whole file.


def test_a_document_over_many_lines_numbers_its_spans(tmp_path: Path) -> None:
    one = request("a", span(1, 4), {**span(2), "spanId": "short"}, span(3, 4))
    path = tmp_path / "spans.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(one, indent=2).encode())
    found = read_all(otlp.read, str(path))
    assert found.events["line"].to_pylist() == [1, 3]
    assert reasons(found) == {2: "spanId is not 16 hexadecimal digits: short"}
    path.write_bytes(json.dumps(one, indent=2).encode() + b"}")
    assert reasons(read_all(otlp.read, str(path))) == {1: otlp.NOT_OTLP}


def test_a_document_that_is_too_large_or_damaged_is_one_refused_row(tmp_path: Path) -> None:
    path = tmp_path / "spans.json"
    path.write_text(json.dumps(request("a", span(1)), indent=2))
    read = partial(otlp.parse, wanted=ALL_COLUMNS)
    (rows,) = json_texts.read_spans(whole(str(path)), read, document_bytes_max=100)
    assert reasons(rows)[1].startswith(
        "the file is one JSON document of more than 100 bytes, which is the limit; write"
    )
    assert rows.events.num_rows == 0
    packed = tmp_path / "spans.json.gz"
    noise = random.Random(1).randbytes(100_000).hex()
    text = json.dumps(request("a", {**span(1), "name": noise}), indent=2)
    packed.write_bytes(gzip.compress(text.encode())[:-50_000])
    assert reasons(read_all(otlp.read, str(packed)))[1].startswith("the file is damaged or ends early")


@pytest.mark.parametrize(
    ("text", "in_lines"),
    [
        ("{}", True),
        ('{"resourceSpans": []}\n', True),
        ("\ufeff\n\n {} \n{}\n", True),
        ("{broken\n{}\n", True),
        ("{\n}", False),
        ('[\n{"traceId": "1"},\n{"traceId": "2"}\n]\n', False),
        ('[{"traceId": "1"},\n{"traceId": "2"}]\n', False),
        ('{"resourceSpans": [\n]}', False),
        (json.dumps({"long": "x" * 100_000}) + "\n{}\n", True),
        (json.dumps({"long": "x" * 100_000}), True),
        (json.dumps({"long": "x" * (17 << 20)}), False),
    ],
)
def test_the_first_lines_show_whether_each_is_a_text(tmp_path: Path, text: str, in_lines: bool) -> None:
    path = tmp_path / "spans.json"
    path.write_text(text)
    assert json_texts.has_texts_in_lines(str(path)) == in_lines


def test_blocks_of_a_file_give_the_lines_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "spans.jsonl"
    path.write_text("".join(json.dumps(request("a", span(n + 1, 4))) + "\n" for n in range(40)))
    (file,) = files.list_files([str(path)])
    cut = blocks.cut_lines(file, 2_000)
    lines = [block.end - block.start and _count(path, block) for block in cut]
    found = [rows for block in blocks.number_lines(cut, lines) for rows in otlp.read(block)]
    assert len(cut) > 5
    assert [line for rows in found for line in rows.events["line"].to_pylist()] == list(range(1, 41))


def _count(path: Path, block: blocks.Block) -> int:
    data = path.read_bytes()
    return sum(1 for at in range(block.start, block.end) if at == 0 or data[at - 1 : at] == b"\n")


# Reading with Arrow gives what reading exactly gives.


def _mutate(rng: random.Random, text: str) -> bytes:
    """Return a line that is sometimes not quite JSON, or JSON that is written in an odd way."""
    changed = rng.choice(
        [
            text + " x",
            text + text,
            text + "}",
            text[:-3],
            "  " + text + "\t\r",
            "null",
            "5",
            "",
            " ",
            text.replace('"name"', '"n\\u0061me"', 1),
            text.replace('"kind"', '"kind": 2, "kind"', 1),
            text.replace('"value"', '"ignored": [null, {"deep": [[]]}], "value"', 1),
            text.replace(": 1", ": 01", 1),
            text.replace('"stringValue": "', '"stringValue": "\\n\\/\\u00e9', 1),
            text.replace('"stringValue": "', '"stringValue": "\\udead', 1),
            text + "\0",
            text.replace("a", "\x01", 1),
            text + "null",
            text + " null " + text,
            '{"a": ' + text,
        ]
    )
    return changed.encode().replace(b"\xc3", b"\xff") if rng.random() < 0.1 else changed.encode()


@pytest.mark.parametrize("wanted", [ALL_COLUMNS, Wanted()], ids=["all", "needed"])
def test_arrow_reads_what_the_exact_parser_reads(wanted: Wanted) -> None:
    by_arrow = 0
    for seed in range(400):
        rng = random.Random(seed)
        odd = rng.choice([0, 0, 0.005, 0.02])
        texts = [
            json.dumps(random_request(rng, odd), ensure_ascii=rng.random() < 0.5) for _ in range(rng.randint(1, 4))
        ]
        lines = [
            _mutate(rng, text) if rng.random() < odd * 5 else text.encode(errors="surrogatepass") for text in texts
        ]
        data, first = (lines[0], None) if seed % 5 == 0 else (b"\n".join(lines) + b"\n", rng.randint(1, 9))
        expected, refused = exactly(data, first, wanted=wanted)
        found = otlp_arrow.parse_requests(data, first, with_attributes=wanted.all_columns)
        assert found is not None or odd, f"seed {seed}"
        if found is not None:
            by_arrow += 1
            assert refused == [], f"seed {seed}"
            assert found.schema == expected.schema, f"seed {seed}"
            assert found.to_pylist() == expected.to_pylist(), f"seed {seed}"
            found.validate(full=True)
        both, told = otlp.parse(data, first, wanted=wanted)
        assert (both.to_pylist(), told) == (expected.to_pylist(), refused), f"seed {seed}"
    assert by_arrow > 250


def test_a_text_over_two_lines_is_not_read_as_one() -> None:
    good = json.dumps(request("a", span(1, 4)))
    broken = '{"resourceSpans": [], "more":\n{}}\n' + good + good + "\n"
    assert otlp_arrow.parse_requests(broken.encode(), 1, with_attributes=True) is None
    spans, refused = otlp.parse(broken.encode(), 1, wanted=ALL_COLUMNS)
    assert (spans.num_rows, [row.line for row in refused]) == (0, [1, 2, 3])


def test_odd_lines_send_only_their_neighbours_to_the_exact_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    good = json.dumps(request("a", *(span(n, 4) for n in range(1, 400)))).encode() + b"\n"
    data = good * 3 + b"broken\n" + good * 3
    taken: list[int | None] = []

    def noted(data: bytes, first_line: int | None, **options: Any) -> json_texts.ParsedSpans:
        taken.append(first_line)
        return parse_exactly(data, first_line, **options)

    monkeypatch.setattr(otlp, "parse_exactly", noted)
    spans, refused = otlp.parse(data, 5, wanted=ALL_COLUMNS)
    assert (spans.num_rows, [row.line for row in refused]) == (6 * 399, [8])
    assert sorted(set(spans["line"].to_pylist())) == [5, 6, 7, 9, 10, 11]
    assert len(taken) == 1


@pytest.mark.logs
def test_real_requests(logs: Path) -> None:
    found = read_all(otlp.read, *sorted(map(str, (logs / "otlp").iterdir())))
    assert reasons(found) == {}
    rows = {row["process"]: row for row in events_of(found)}
    assert set(rows) == {"query25-service", "otlp-link-test-service", "my.service"}
    assert dict(rows["my.service"]["attributes"])["my.span.attr"] == "some value"
    assert rows["my.service"]["time"] == 1544712660.0
