"""JSON Lines, many at once with Arrow: exactly the events and the refusals of the judge's parser, line by line."""

from __future__ import annotations

import gzip
import json
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from antecede.judge.events import Event, RefusedRow, read_jsonl
from antecede.pipeline.read.blocks import cut_lines, number_lines, whole_file
from antecede.pipeline.read.content import count_lines
from antecede.pipeline.read.files import FileChanged, list_files
from antecede.pipeline.read.formats import jsonl
from antecede.pipeline.read.rows import Wanted, to_events
from tests.pipeline.hostile import LINES, line, send

NEEDED, ALL_COLUMNS = Wanted(), Wanted(all_columns=True)
Write = Callable[[str, Sequence[object]], str]
Placed = list[tuple[int, Event]]


def judge(data: bytes, first_line: int = 1) -> tuple[Placed, list[RefusedRow]]:
    """Return the events with their lines, and the refused rows, by the judge's parser."""
    events: Placed = []
    refused: list[RefusedRow] = []
    for number, text in enumerate(data.split(b"\n"), start=first_line):
        kept, left_out = read_jsonl([text])
        events += [(number, event) for event in kept]
        refused += [RefusedRow(row.reason, row.row, number) for row in left_out]
    return events, refused


def placed(table: pa.Table) -> Placed:
    return list(zip(table["line"].to_pylist(), to_events(table, Event), strict=True))


def without_others(events: Placed) -> Placed:
    """Return the events with the columns that decide the verdict alone."""
    names = NEEDED.trace.names
    return [(number, Event(**{name: getattr(event, name) for name in names})) for number, event in events]


def assert_as_judged(data: bytes, first_line: int = 1) -> None:
    wanted, refused = judge(data, first_line)
    for columns in (ALL_COLUMNS, NEEDED):
        table, left_out = jsonl.parse_lines(data, first_line, wanted=columns)
        assert table.schema.names == [*columns.trace.names, "line"]
        assert placed(table) == (wanted if columns.all_columns else without_others(wanted))
        assert sorted(left_out, key=lambda row: row.line or 0) == refused


def test_every_line_is_an_event_or_has_the_judges_reason() -> None:
    texts = [text if isinstance(text, bytes) else text.encode() for text, _ in LINES]
    assert_as_judged(b"\n".join(texts))
    for text, (_, reason) in zip(texts, LINES, strict=True):
        assert_as_judged(text)
        assert len(judge(text)[1]) == (reason is not None)


VALUES: list[Any] = [
    *("send", "deliver", "internal", "move", "a", "b", "", "ü", "\U0001f600", "\u2028", "x" * 70_000, "1", "NaN"),
    *(
        "2023-11-14T22:13:20Z",
        "2023-02-31",
        "2023-11-14 22:13",
        "null",
        "attributes",
        '"attributes": {',
        "}\n{",
        "\x00",
    ),
    *(
        0,
        1,
        -1,
        2**31,
        2**63 - 1,
        2**63,
        -(2**63),
        10**30,
        1.0,
        0.5,
        -0.0,
        1e300,
        1e12,
        1e15,
        1.7e18,
        True,
        False,
        None,
    ),
    *(
        [],
        ["b"],
        ["b", "b"],
        [""],
        [None],
        [1],
        [["b"]],
        {},
        {"a": 1},
        {"a": None},
        {"a": {"b": [1.5, None]}},
        [[]] * 3,
    ),
]
TOKENS = [
    *(b"null", b"true", b"1", b"-", b"1e3", b"1E400", b"01", b"1.", b".5", b"+1", b"0x1", b"NaN", b"-Infinity", b"''"),
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\\u0041", b"\\ud800", b"\\ud83d\\ude00", b"\\udc00", b"\\x"),
    *(b" ", b"\t", b"\r", b"\x0b", b"\x0c", b"\x00", b"\x1f", b"\x7f", b"\xa0", b"\xff", b"\xc3\xa9", b"\xef\xbb\xbf"),
    *(
        b"\xed\xa0\x80",
        b"} null",
        b"}{",
        b"} {",
        b"// x",
        b"/* */",
        b'"index": 5,',
        b'"ind\\u0065x": 5,',
        b'"attributes":',
    ),
    *(b'"attributes": {"a": "b"},', b'"attributes" : null,', b'"attributes":\t[],', b'"time": "2023-11-14T22:13:20Z",'),
]
COLUMNS = [*ALL_COLUMNS.trace.names, "unknown", "", "attributes ", "Index"]


def _row(rng: random.Random) -> bytes:
    """Return a line that is an event, or nearly one."""
    row: dict[str, Any] = {
        "process": "a",
        "index": rng.randint(0, 9),
        "kind": rng.choice(["internal", "send", "deliver"]),
    }
    if row["kind"] != "internal":
        row["message"] = rng.choice(["m1", "m2", "é"])
    if row["kind"] == "send":
        row["dests"] = rng.choice([[], ["b"], ["b", "c"]])
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        row[rng.choice(COLUMNS)] = rng.choice(VALUES)
    names = list(row)
    rng.shuffle(names)
    separators = rng.choice([(",", ":"), (", ", ": "), (" ,", "\t:")])
    text = json.dumps({name: row[name] for name in names}, separators=separators, ensure_ascii=rng.random() < 0.5)
    data = text.encode(errors="surrogatepass")
    if rng.random() < 0.1:  # a key that stands twice
        name = rng.choice(COLUMNS)
        data = data[:-1] + f",{json.dumps(name)}:{json.dumps(rng.choice(VALUES))}}}".encode()
    return data


def _mutate(rng: random.Random, data: bytes) -> bytes:
    """Return the bytes with a few of them cut out, doubled, or with something put in."""
    for _ in range(rng.randint(1, 3)):
        at = rng.randint(0, len(data))
        end = min(len(data), at + rng.randint(0, 4))
        data = rng.choice(
            [
                data[:at] + data[end:],
                data[:at] + rng.choice(TOKENS) + data[at:],
                data[:at] + rng.choice(TOKENS) + data[end:],
                data[:end] + data[at:],
                rng.choice(TOKENS) + data,
                data + rng.choice(TOKENS),
            ]
        )
    return data


def _file(seed: int) -> bytes:
    """Return lines of which most are events, and others are spoiled."""
    rng = random.Random(seed)
    spoiled = rng.choice((0.0, 0.05, 0.3, 1.0))
    lines = []
    for _ in range(rng.randint(1, 40)):
        data = _row(rng)
        lines.append(_mutate(rng, data) if rng.random() < spoiled else data)
        if rng.random() < 0.1:
            lines.append(rng.choice([b"", b"  ", b"\t\r", b"\x0b", b"\x0c", b"\xc2\xa0", b"null", b"{}"]))
    return rng.choice([b"\n", b"\r\n", b" \n"]).join(lines) + rng.choice([b"", b"\n", b"\n\n"])


FAILED_ONCE: tuple[int, ...] = ()
"""Seeds that found a fault. They stay."""


@pytest.mark.parametrize("seeds", [range(60), pytest.param(range(60, 600), marks=pytest.mark.slow)], ids=str)
def test_spoiled_lines_are_kept_and_refused_as_the_judge_does(seeds: range) -> None:
    for seed in (*FAILED_ONCE, *seeds):
        try:
            data = _file(seed)
            assert_as_judged(data, first_line=seed + 1)
            for text in data.split(b"\n"):  # Arrow refuses a piece as a whole, so that each line is a piece here
                assert_as_judged(text)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}") from error


@pytest.mark.parametrize("depth", [300, 5_000, 200_000])
@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("name", ["unknown", "attributes", "dests", "process"])
def test_what_is_nested_deeply_is_kept_or_refused_as_the_judge_does(name: str, opening: str, depth: int) -> None:
    value = opening * depth + "1" + ("]" if opening == "[" else "}") * depth
    row = line()[:-1] + f', "{name}": {value}' + "}"
    assert_as_judged(f"{line()}\n{row}\n{line()}".encode())


def test_null_in_place_of_an_object_does_not_end_the_process() -> None:
    for text in ("null", "{} null", "{}null", "null {}", '{"a": null} null', "[null]", "{}\tnull{}"):
        assert_as_judged(f"{line()}\n{text}\n{line(index=2)}".encode())


def test_a_piece_with_a_broken_line_is_read_in_smaller_ones() -> None:
    lines = [line(index=number) for number in range(3 * jsonl.PIECE_LINES)]
    lines[5_000] = "broken"
    table, refused = jsonl.parse_lines("\n".join(lines).encode(), 11, wanted=NEEDED)
    assert [row.line for row in refused] == [5_011]
    assert table["line"].to_pylist() == [number + 11 for number in range(len(lines)) if number != 5_000]
    assert [index + 11 for index in table["index"].to_pylist()] == table["line"].to_pylist()


def read_file(path: str | Path, wanted: Wanted = ALL_COLUMNS, block_bytes: int = 1 << 30) -> tuple[pa.Table, pa.Table]:
    """Return the events and the refused rows of a file that is read in blocks."""
    (file,) = list_files([str(path)])
    blocks = cut_lines(file, block_bytes)
    if len(blocks) > 1:
        blocks = number_lines(blocks, [count_lines(block.path, block.start, block.end) for block in blocks])
    found = [rows for block in blocks for rows in jsonl.read(block, wanted)]
    assert all(rows.events.schema == wanted.events for rows in found)
    events, refused = ([getattr(rows, name) for rows in found] for name in ("events", "refused"))
    return pa.concat_tables([wanted.events.empty_table(), *events]), pa.concat_tables(refused) if refused else None


def test_the_columns_are_those_of_the_trace_with_file_and_line(write_lines: Write) -> None:
    sent = send(time=1.5, payload_bytes=7, attributes={"n": 1, "o": None})
    path = write_lines("sub/a b%20[1].jsonl", [sent, "", line(index=2)])
    events, refused = read_file(path)
    assert refused.num_rows == 0
    first, second = events.to_pylist()
    known = {name: value for name, value in first.items() if value is not None}
    assert known == {
        "run": "r",
        "process": "a",
        "index": 1,
        "kind": "send",
        "time": 1.5,
        "message": "m",
        "dests": ["b"],
        "payload_bytes": 7,
        "attributes": [("n", "1")],
        "file": path,
        "line": 1,
    }
    assert (second["line"], second["index"], second["attributes"]) == (3, 2, None)


def test_lines_are_numbered_across_the_blocks_of_a_large_file(write_lines: Write) -> None:
    rows = [line(index=number, attributes={"pad": "x" * (number % 97)}) for number in range(1, 3_001)]
    rows[1_499:1_500] = ["", "broken", ""]
    path = write_lines("large.jsonl", rows)
    events, refused = read_file(path, block_bytes=10_000)
    indices, lines = events["index"].to_pylist(), events["line"].to_pylist()
    assert indices == [number for number in range(1, 3_001) if number != 1_500]
    assert all(place == index + 2 * (index > 1_500) for place, index in zip(lines, indices, strict=True))
    assert refused["line"].to_pylist() == [1_501]


def test_a_byte_order_mark_and_carriage_returns_are_not_part_of_a_row(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"\xef\xbb\xbf" + f"{line()}\r\n\r\n{line(index=2)}\r\n".encode())
    events, refused = read_file(tmp_path / "t")
    assert (events["line"].to_pylist(), refused.num_rows) == ([1, 3], 0)


def test_a_file_that_changed_since_it_was_listed_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "t").write_text(line())
    (file,) = list_files([str(tmp_path / "t")])
    (tmp_path / "t").write_text(line(index=20))
    with pytest.raises(FileChanged):
        list(jsonl.read(whole_file(file), NEEDED))


def test_a_line_without_end_is_one_refused_row(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.gz"
    with gzip.open(path, "wb") as file:
        file.write(f"{line()}\n".encode())
        for _ in range(20):
            file.write(b"x" * 1_000_000)
        file.write(f"\n{line(index=2)}".encode())
    events, refused = read_file(path)
    assert events["line"].to_pylist() == [1, 3]
    (row,) = refused.to_pylist()
    assert (row["line"], row["row"]) == (2, "x" * 1_000)
    assert row["reason"].startswith("the line has 20,000,000 bytes; the limit is 16,777,216")


@pytest.mark.parametrize("blank", [b"\n", b"\r\n"])
def test_millions_of_blank_lines_cost_little_more_than_reading_them(tmp_path: Path, blank: bytes) -> None:
    """A hundred million of them would take a minute if each were looked at by itself."""
    text = line().encode()
    (tmp_path / "t").write_bytes(text + b"\n" + blank * 5_000_000 + text)
    begun = time.process_time()
    events, refused = read_file(tmp_path / "t")
    assert time.process_time() - begun < 2
    assert (events["line"].to_pylist(), refused.num_rows) == ([1, 5_000_002], 0)
