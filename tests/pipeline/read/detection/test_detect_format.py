"""What the first bytes of files show, and what is said of files that show nothing."""

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from antecede.pipeline.errors import UnknownFormat, UnreadableInput
from antecede.pipeline.read.detection.detect_format import DetectedFormat, detect_format, format_of, read_heads
from antecede.pipeline.read.files import InputFile, list_files
from antecede.pipeline.read.formats.mapped import BUILT_IN

Write = Callable[[str, Sequence[object]], str]
EVENT = '{"run":"r","process":"a","index":0,"kind":"internal"}'
MAPPING = {"process": "p"}


@pytest.mark.parametrize(
    ("head", "found"),
    [
        ("PAR1\x15\x04", "antecede"),
        (EVENT, "antecede"),
        ("\ufeff\n" + EVENT, "antecede"),
        ("broken\n" + EVENT, "antecede"),
        ('{"process":"a","kind":"internal"}', "antecede"),
        ('{"process":"a","kind":"of magic"}', None),
        (EVENT[:-1] + ',"attributes":{"traceId":"1","id":"2"}}', "antecede"),
        (EVENT[:-1] + ',"attributes":{"data":"1","traceID":"2","spanID":"3"}}', "antecede"),
        (EVENT + "\n" + EVENT[:-1] + ',"group":"resourceSpans"}', "antecede"),
        ('{"resourceSpans":[]}', "otlp"),
        ('{\n  "resourceSpans": [', "otlp"),
        ('[{"traceId":"1","id":"2"}]', "zipkin"),
        ('[\n {\n "traceId": "1",\n "id": "2"', "zipkin"),
        ('{"data":[{"traceID":"1","spans":[{"traceID":"1","spanID":"2"', "jaeger"),
        ('{\n "data": [\n {\n "traceID": "1",\n "spans": [\n {"spanID": "2"', "jaeger"),
        ('{"TracerIdentity":"a","VectorClock":{"a":1}}', "tracechecker"),
        ('a {"a":1}\nevent\n', "shiviz"),
        ("(?<host>\\w+) (?<clock>{.*}) (?<event>.*)\n\n" + 'a {"a":1} x\n', "shiviz"),
        ("time,host,event\n1,a,b\n", "csv"),
        ("time;host;event\r\n1;a;b\r\n", "csv"),
        ("", None),
        ("hello\nworld\n", None),
        ("hello, world\nhow, are you\n", None),
        ('{"some":"json"}', None),
        ("[" * 100_000, None),
        ("{" * 100_000, None),
        ("\x00\xff\x1b" * 100, None),
        ("(?<host>(a+)+)(?<clock>{.*})(?<event>.*)$\n\n" + "a" * 60_000, None),
        ("x," * 30_000, None),
    ],
)
def test_a_format_is_known_by_its_first_characters(head: str, found: str | None) -> None:
    assert format_of(head.encode()) == found


def test_parquet_is_known_by_its_name_too() -> None:
    assert format_of(b"", "/x/a.parquet") == "antecede"


def detect(path: str, wanted: str = "auto", **options: object) -> DetectedFormat:
    files = list_files([path])
    return detect_format(files, read_heads(files), wanted, **options)  # type: ignore[arg-type]  # options in a dict


def test_the_reader_and_the_note(write_lines: Write, tmp_path: Path) -> None:
    write_lines("a.jsonl", [EVENT])
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(EVENT.encode()))
    note = "recognised as antecede by the names or first characters of 2 of 2 files"
    assert detect(str(tmp_path)) == DetectedFormat("antecede", "jsonl", (note,))
    row = {"TracerIdentity": "a", "VectorClock": {"a": 1}}
    found = detect(write_lines("other/t.log", [row]))
    assert (found.name, found.reader, found.mapping) == ("mapped", "mapped", BUILT_IN["tracechecker"])


@pytest.mark.parametrize("wanted", ["shiviz", "otlp", "zipkin", "jaeger"])
def test_what_the_caller_says_is_taken(write_lines: Write, wanted: str) -> None:
    assert detect(write_lines("a", [EVENT]), wanted) == DetectedFormat(wanted, wanted)


def test_an_expression_means_a_shiviz_log(write_lines: Write) -> None:
    assert detect(write_lines("a", ["any"]), regex="x") == DetectedFormat("shiviz", "shiviz")


@pytest.mark.parametrize(
    ("first", "wanted", "reader"),
    [
        ({"p": 1}, "auto", "mapped"),
        ("\ufeff" + '{"p": 1}', "auto", "mapped"),
        (json.loads(EVENT), "mapped", "mapped"),
        ("p,q,r", "auto", "csv"),
        ("p", "mapped", "csv"),
        ('{"p": 1}', "csv", "csv"),
    ],
)
def test_a_mapping_reads_json_lines_or_csv(write_lines: Write, first: object, wanted: str, reader: str) -> None:
    found = detect(write_lines("a", [first, "x"]), wanted, mapping=MAPPING)
    note = f"read as {'CSV' if reader == 'csv' else 'JSON Lines'} with the given mapping"
    assert found == DetectedFormat("mapped", reader, (note,), MAPPING)


@pytest.mark.parametrize(("row", "words"), [("at=9 service=a, sent", "it is text; "), ("\x00" * 99, "a binary file")])
def test_a_mapping_does_not_read_what_is_neither_json_nor_csv(write_lines: Write, row: str, words: str) -> None:
    with pytest.raises(UnknownFormat, match=words):
        detect(write_lines("a.log", [row, row]), mapping={"process": "service"})


def test_a_mapping_cannot_read_both_at_once(write_lines: Write, tmp_path: Path) -> None:
    write_lines("a.jsonl", [{"p": 1}])
    write_lines("b.csv", ["p,q"])
    with pytest.raises(UnreadableInput, match=r"a.jsonl looks like JSON Lines; .*b.csv does not"):
        detect(str(tmp_path), mapping=MAPPING)


def test_a_folder_of_two_formats_names_one_of_each(write_lines: Write, tmp_path: Path) -> None:
    write_lines("a.jsonl", [EVENT])
    write_lines("b.log", ['a {"a":1}', "event"])
    with pytest.raises(UnreadableInput) as refusal:
        detect(str(tmp_path))
    assert "a.jsonl looks like antecede" in str(refusal.value)
    assert "b.log looks like shiviz" in str(refusal.value)


def test_parquet_and_text_together_are_refused(write_lines: Write, tmp_path: Path) -> None:
    write_lines("a.jsonl", [EVENT])
    (tmp_path / "b").write_bytes(b"PAR1")
    with pytest.raises(UnreadableInput, match=r"Parquet and text together: .*/b and .*/a.jsonl"):
        detect(str(tmp_path))
    assert detect(str(tmp_path / "b")).reader == "parquet"


def test_a_file_that_shows_nothing_is_read_like_the_others(write_lines: Write, tmp_path: Path) -> None:
    write_lines("a.jsonl", [EVENT])
    write_lines("readme.md", ["# Traces"])
    (tmp_path / "blank.jsonl").write_text("\n\n")
    found = detect(str(tmp_path))
    assert found.notes[1:] == (
        f"{tmp_path}/readme.md: the format of this file was not recognised; it is read like the others",
    )


def test_blank_lines_and_damage_alone_are_an_empty_trace(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("\n \n")
    (tmp_path / "b.jsonl.gz").write_bytes(b"\x1f\x8b\x08nonsense")
    assert detect(str(tmp_path)) == DetectedFormat("antecede", "jsonl", ("the input is empty",))


def test_at_most_fifty_files_are_looked_into(tmp_path: Path) -> None:
    for number in range(120):
        (tmp_path / f"{number:03}.jsonl").write_text(EVENT)
    files = list_files([str(tmp_path)])
    heads = read_heads(files)
    assert len(heads) == 40
    assert detect_format(files, heads).notes == (
        "recognised as antecede by the names or first characters of 40 of 120 files",
    )
    assert len(read_heads(files[:50])) == 50


def test_only_the_beginning_of_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"x" * 50_000_000))
    (head,) = read_heads(list_files([str(tmp_path)])).values()
    assert head == b"x" * 65_536


LOG = {"ts": "2023-11-14T22:13:20Z", "service": "a", "event": "sent", "msg_id": "m", "to": "b"}


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (
            [LOG],
            "it is JSON Lines with the fields ts, service, event, msg_id, to; say which field is what with --mapping",
        ),
        ([{"a": {"b": 1, "c": {"d": 2}}}], "it is JSON Lines with the fields a.b, a.c.d; "),
        (["time,host,event", "1,a,b"], "it is CSV with the columns time, host, event; say which field is what with"),
        (
            ["hello", "world"],
            "it is text; text without vector clocks cannot be read: turn it into JSON Lines or CSV with one event per",
        ),
        (["[{"], "it is one JSON document; turn it into JSON Lines, with one event per line"),
        (
            ['{"text": "' + "x" * 70_000 + '"}'],
            "it is text with a first line of more than 64 kB; a format is recognised",
        ),
        (["[" + "1, " * 30_000 + "1]"], "it is one JSON document; "),
        (["\x00\x01\x02" * 50], "it is a binary file; give a log of text, or Parquet"),
        ([b"\xff\xfeh\x00i\x00"], "it is text in UTF-16, which is not read; convert it to UTF-8"),
    ],
)
def test_what_is_not_recognised_is_described(write_lines: Write, rows: list[object], words: str) -> None:
    path = write_lines("input.log", rows)
    with pytest.raises(UnknownFormat) as refusal:
        detect(path)
    assert str(refusal.value).startswith(f"{path}: not recognised as any of antecede, shiviz, otlp, zipkin, jaeger; ")
    assert words in str(refusal.value)


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("xml", "no format 'xml'; there are auto, antecede"),
        ("mapped", "the format 'mapped' needs a mapping; give --mapping"),
        ("csv", "the format 'csv' needs a mapping; give --mapping"),
    ],
)
def test_a_format_that_cannot_be_is_refused(wanted: str, words: str) -> None:
    with pytest.raises(UnknownFormat, match=words):
        detect_format([InputFile("/a", "/a", 1)], {"/a": b"x"}, wanted)
