"""Logs in CSV by a mapping."""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from antecede.pipeline.read import content
from antecede.pipeline.read.blocks import whole_file
from antecede.pipeline.read.files import list_files
from antecede.pipeline.read.formats import csv, mapped
from antecede.pipeline.read.rows import ReadRows, Wanted

WANTED = Wanted(all_columns=True)
MAPPING = {
    "process": "host",
    "kind": {"field": "event", "send": ["sent"], "deliver": ["got"]},
    "message": "id",
    "dests": "to",
    "time": "at",
    "attributes": ["note"],
}
HEADER = "host,event,id,to,at,note\n"
SENT = "a,sent,m1,b;c,1700000000.5,\n"


def read(path: Path, text: str | bytes, mapping: Mapping[str, object] = MAPPING, **limits: int) -> ReadRows:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    (file,) = list_files([str(path)])
    parts = list(csv.read(whole_file(file), WANTED, mapping, **limits))
    assert all(part.events.schema == WANTED.events for part in parts)
    events, refused = (pa.concat_tables([getattr(part, name) for part in parts]) for name in ("events", "refused"))
    return ReadRows(events, refused, tuple(note for part in parts for note in part.notes))


def reasons(found: ReadRows) -> dict[int, str]:
    return {row["line"]: row["reason"] for row in found.refused.to_pylist()}


def test_rows_become_events(tmp_path: Path) -> None:
    text = HEADER + SENT + "b,got,m1,,2023-11-14T22:13:21Z,fine\n\nb,other,m1,,1700000001500,\n"
    found = read(tmp_path / "a.csv", text)
    assert reasons(found) == {}
    rows = found.events.to_pylist()
    assert [(row["process"], row["kind"], row["message"], row["dests"], row["time"]) for row in rows] == [
        ("a", "send", "m1", ["b", "c"], 1700000000.5),
        ("b", "deliver", "m1", None, 1700000001.0),
        ("b", "internal", None, None, 1700000001.5),
    ]
    assert [(row["line"], row["index"], row["attributes"]) for row in rows] == [
        (2, None, []),
        (3, None, [("note", "fine")]),
        (5, None, []),
    ]
    assert found.notes == ()


def test_the_same_rows_as_json_lines_give_the_same_events(tmp_path: Path) -> None:
    names = HEADER.strip().split(",")
    rows = [dict(zip(names, ["a", "sent", f"m{n}", "b", str(n), 'x, "y"\nz'], strict=True)) for n in range(20)]
    cells = [",".join('"' + value.replace('"', '""') + '"' for value in row.values()) for row in rows]
    by_csv = read(tmp_path / "a.csv", HEADER + "\n".join(cells))
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (file,) = list_files([str(tmp_path / "a.jsonl")])
    (by_json,) = mapped.read(whole_file(file), WANTED, MAPPING)
    columns = WANTED.trace.names
    assert by_csv.events.select(columns).to_pylist() == by_json.events.select(columns).to_pylist()
    assert by_csv.events["line"].to_pylist() == list(range(2, 42, 2))


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_header_shows_what_separates_cells(tmp_path: Path, delimiter: str) -> None:
    header, row = (text.replace(",", delimiter) for text in (HEADER, "a,sent,m1,b,,\n"))
    assert read(tmp_path / "a.csv", header + row).events.num_rows == 1


@pytest.mark.parametrize("change", ["crlf", "bom", "gzip", "blank", "quoted"])
def test_what_means_nothing(tmp_path: Path, change: str) -> None:
    text = HEADER + SENT * 3
    changed = {
        "crlf": text.replace("\n", "\r\n").encode(),
        "bom": b"\xef\xbb\xbf" + text.encode(),
        "gzip": gzip.compress(text.encode()),
        "blank": ("\n" + text).replace("\n", "\n  \n").encode(),
        "quoted": text.replace("host", '" host "', 1).encode(),
    }[change]
    found = read(tmp_path / "a.csv", changed)
    assert found.events["process"].to_pylist() == ["a"] * 3
    assert reasons(found) == {}


def test_rows_that_are_not_events_are_refused_with_their_line(tmp_path: Path) -> None:
    text = HEADER.encode() + b"".join(
        [
            b"a,sent,m1,b\n",  # 2
            b"a,sent,m1,b,1,x,y\n",
            b"a,sent,\xff,b,1,x\n",
            b",sent,m1,b,1,x\n",  # 5
            b"a,sent,,b,1,x\n",
            b"a,sent,m1,,1,x\n",
            b"a,sent,m1,b,noon,x\n",  # 8
            b'a,sent,m1,b,1,"x"y\n',
            b"a,sent,m1,b,1," + b"x" * 70_000 + b"\n",
            b"a,sent,m1,b,1,x\n",  # 11
        ]
    )
    found = read(tmp_path / "a.csv", text)
    assert found.events["line"].to_pylist() == [11]
    expected = {
        2: "the row has 4 cells; the header has 6",
        3: "the row has 7 cells; the header has 6",
        4: "the line is not UTF-8",
        5: "process is missing",
        6: "message is missing on send",
        7: "dests is missing on send",
        8: "time is not a number",
        9: "the row is not CSV",
        10: 'attributes["note"] has 70000 characters',
    }
    assert {line: reason[: len(expected[line])] for line, reason in reasons(found).items()} == expected
    assert max(len(row) for row in found.refused["row"].to_pylist()) == 1_000


@pytest.mark.parametrize("rest", [3, 20_000])
def test_a_quote_that_is_not_closed_spoils_its_own_line_alone(tmp_path: Path, rest: int) -> None:
    found = read(tmp_path / "a.csv", HEADER + SENT + 'a,sent,m2,b,1,"open\n' + SENT * rest)
    assert list(reasons(found)) == [3]
    assert reasons(found)[3].startswith("the row is not CSV")
    assert found.events["line"].to_pylist() == [2, *range(4, 4 + rest)]


def test_every_second_quote_closes_the_one_before_and_rows_are_found_again(tmp_path: Path) -> None:
    found = read(tmp_path / "a.csv", HEADER + ('a,sent,m2,b,1,"open\n' + SENT) * 3)
    assert list(reasons(found)) == [2, 4, 6]
    assert found.events["line"].to_pylist() == [3, 5, 7]


def test_cells_in_quotes_may_hold_line_breaks(tmp_path: Path) -> None:
    found = read(tmp_path / "a.csv", HEADER + 'a,sent,m1,b,1,"two\nlines, ""quoted"""\n' + SENT)
    assert [(row["line"], row["attributes"]) for row in found.events.to_pylist()] == [
        (2, [("note", 'two\nlines, "quoted"')]),
        (4, []),
    ]


def test_columns_that_the_header_lacks_are_noted(tmp_path: Path) -> None:
    found = read(tmp_path / "a.csv", "host,id\na,1\n", {"process": "node", "time": "at", "message": "id"})
    assert found.notes == (f"{tmp_path}/a.csv: the header has no column node, at, kind; there are host, id",)
    assert reasons(found) == {2: "process is missing"}


def test_a_clock_in_a_cell_gives_the_index(tmp_path: Path) -> None:
    found = read(tmp_path / "a.csv", 'p,vc.x\na,"{""a"": 7}"\n', {"process": "p", "index": "vc.x[process]"})
    assert found.events["index"].to_pylist() == [7]


@pytest.mark.parametrize("text", ["", "\n\n", HEADER, HEADER.strip(), "\ufeff", '"', "\x00"])
def test_a_file_without_rows_has_no_events(tmp_path: Path, text: str) -> None:
    (tmp_path / "other").write_text("x")
    (tmp_path / "a.csv").write_text(text)
    (file,) = [file for file in list_files([str(tmp_path)]) if file.name.endswith("a.csv")]
    (found,) = csv.read(whole_file(file), WANTED, MAPPING)
    assert found.count == 0


def test_a_damaged_file_and_a_line_that_is_too_long_are_refused_rows(tmp_path: Path) -> None:
    packed = gzip.compress((HEADER + "".join(f"a,sent,m{n},b,{n * 7919},\n" for n in range(50_000))).encode())
    cut = read(tmp_path / "a.csv.gz", packed[: len(packed) // 2])
    assert 1_000 < cut.events.num_rows < 50_000
    (damage,) = reasons(cut).values()
    assert damage.startswith(content.DAMAGED)
    long = read(tmp_path / "b.csv", HEADER + SENT + "y" * (17 << 20) + "\n" + SENT)
    assert long.events["line"].to_pylist() == [2, 4]
    assert "the line was not read" in reasons(long)[3]


def test_many_rows_come_in_several_tables(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(HEADER + SENT * 25_000)
    (file,) = list_files([str(tmp_path)])
    assert [part.events.num_rows for part in csv.read(whole_file(file), WANTED, MAPPING)] == [10_000, 10_000, 5_000]


def test_random_bytes_are_read_without_an_error(tmp_path: Path) -> None:
    random = Random(5)
    parts = [b"a,sent,m1,b,1,x", b'"', b"\n", b"\r\n", b"\r", b",", b'""', b"\xff", b"\x00", "ü".encode()]
    for number in range(200):
        text = b"".join(random.choice([*parts, random.randbytes(2)]) for _ in range(random.randint(0, 300)))
        found = read(tmp_path / str(number), HEADER.encode() + text)
        found.events.validate(full=True)
        found.refused.validate(full=True)


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("host,event,id," + "x" * 200_000, "the header is not CSV: field larger than field limit"),
        ("host,event\rid,to", "the header is not CSV: new-line character"),
    ],
)
def test_a_header_that_is_not_csv_is_refused(tmp_path: Path, header: str, reason: str) -> None:
    found = read(tmp_path / "a.csv", f"\n{header}\n{SENT}")
    assert reasons(found)[2].startswith(reason)
    assert reasons(found)[3] == "the row has 6 cells; the header has 0"


def test_a_header_that_is_not_utf_8_can_be_shown(tmp_path: Path) -> None:
    found = read(tmp_path / "a.csv", b"h\xff,id\na,1\n", {"process": "node", "message": "id"})
    assert found.notes == (f"{tmp_path}/a.csv: the header has no column node, kind; there are h\ufffd, id",)


def test_a_column_that_comes_twice_is_noted(tmp_path: Path) -> None:
    found = read(tmp_path / "a.csv", "p,kind,p,x,x\na,internal,b,,\n", {"process": "p"})
    assert found.events["process"].to_pylist() == ["b"]
    assert found.notes == (f"{tmp_path}/a.csv: the header has several columns p; the last one counts",)


def test_lines_are_not_read_again_and_again(tmp_path: Path) -> None:
    """Each of these lines opens a quote, also if one is open, and closes none for good."""
    odd = 'x","""\n'
    found = read(tmp_path / "a.csv", HEADER + odd * 20_000 + SENT, again_chars_max=1_000)
    assert list(reasons(found)) == list(range(2, 20_002))
    assert found.events["line"].to_pylist() == [20_002]
