"""The command `antecede locality`, called as the command line calls it."""

import argparse
import io
import json
from pathlib import Path

import pytest

from antecede.cli import locality
from antecede.core.errors import AntecedeError

HUB = "hub <-> s1\nhub <-> s2\nhub <-> s3\n"


def call(*arguments: str) -> int:
    top = argparse.ArgumentParser(prog="antecede")
    locality.add(top.add_subparsers(dest="command"))
    return locality.run(top.parse_args(["locality", *arguments]))


@pytest.fixture
def hub(tmp_path: Path) -> str:
    path = tmp_path / "hub.txt"
    path.write_text(HUB)
    return str(path)


def test_the_table_marks_what_was_chosen(hub: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(hub) == 0
    out = capsys.readouterr().out
    assert out.startswith("4 processes, 6 links, all both ways; simple paths: exact.")
    assert [line for line in out.splitlines() if line.startswith("*")] == [
        "*  4: arrival times at gateways, wherever they are true  1.0 (max 1)          1.0 (max 1)"
    ]
    assert "That is 75 % less space and 75 % less on the wire." in out
    assert "to be compared: 1." in out


def test_the_example_in_the_help_is_true(
    hub: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(HUB))
    call("-")
    said = " ".join(capsys.readouterr().out.split())
    shown = locality.EXAMPLE.split("...")[1]
    assert " ".join(shown.split()) in said


def test_json_is_one_object(hub: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(hub, "--json", "--sets") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["allocation"] == "4"
    assert found["method"] == "exact"
    assert found["cost"] == {
        "clock_entries": 4,
        "clock_entries_max": 1,
        "message_entries": 6,
        "message_entries_max": 1,
        "kept_entries": 0,
        "kept_entries_max": 0,
        "link_entries": 16,
        "link_entries_max": 7,
    }
    assert (found["kept"], found["partners"]) == (0, {})
    assert found["vectors"]["clock_entries"] == 16
    assert found["clock_sets"]["s1"] == found["observation_sets"]["s1"] == ["hub"]


def test_options_change_the_plan(hub: str, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = {}
    for options in ((), ("--not-fifo",), ("--not-fifo", "--no-memory")):
        call(hub, "--json", *options)
        chosen[options] = json.loads(capsys.readouterr().out)["allocation"]
    assert chosen == {(): "4", ("--not-fifo",): "6", ("--not-fifo", "--no-memory"): "1"}


LINE = "a b\nb c\nc:d a\nd c\n"


@pytest.fixture
def line(tmp_path: Path) -> str:
    path = tmp_path / "line.txt"
    path.write_text(LINE)
    return str(path)


def test_pairs_of_processes_can_be_named(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(line, "--json", "--sets") == 0
    assert json.loads(capsys.readouterr().out)["cost"]["clock_entries"] == 0
    assert call(line, "--pairs", "a:c", "c:d:b", "--json", "--sets") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["partners"] == {"a": ["c"], "b": ["c:d"], "c": ["a"], "c:d": ["b"]}
    assert found["clock_sets"] == {"a": ["a", "c:d"], "b": ["a", "b", "c:d"], "c": ["a", "c"], "c:d": ["c:d"], "d": []}
    assert list(found["candidates"]) == ["1", "2", "3"]
    assert call(line, "--pairs", "a:c", "--pairs", "c:d:b", "--json", "--sets") == 0
    assert json.loads(capsys.readouterr().out) == found
    assert call(line, "--pairs", "a:c") == 0
    assert "Events of pairs of processes can be compared: 1." in capsys.readouterr().out


@pytest.mark.parametrize("pair", ["a", "a:x", "a-c", ":a"])
def test_what_does_not_name_a_pair_is_explained(line: str, pair: str) -> None:
    with pytest.raises(AntecedeError, match=f"'{pair}' does not name a pair of processes of the graph: write P:Q"):
        call(line, "--pairs", pair)


def test_a_text_that_names_two_pairs_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "colons.txt"
    path.write_text("a b:c\na:b c\n")
    with pytest.raises(AntecedeError, match="'a:b:c' names several pairs of processes of the graph"):
        call(str(path), "--pairs", "a:b:c")


def test_kept_timestamps_are_counted(hub: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(hub, "--kept", "10") == 0
    out = capsys.readouterr().out
    assert "entries per message  numbers per process in all\n" in out
    assert [line.split()[-1] for line in out.splitlines() if line.startswith(("*", "   vector"))] == ["44.0", "27.5"]
    assert call(hub, "--kept", "1") == 0
    assert "With 1 timestamp that each process keeps" in capsys.readouterr().out
    assert call(hub, "--kept", "10", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["kept"], found["cost"]["kept_entries"], found["vectors"]["kept_entries"]) == (10, 90, 160)
    with pytest.raises(AntecedeError, match="keeps -1 timestamps: give a whole number from 0"):
        call(hub, "--kept", "-1")


def test_one_way_links_can_be_read_as_both_ways(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "links.csv"
    path.write_text("from,to\nhub,s1\nhub,s2\nhub,s1\n")
    call(str(path), "--both-ways", "--sets")
    out = capsys.readouterr().out
    assert "3 processes, 4 links, all both ways" in out
    assert "Links that were given more than once, and count once: 1." in out
    assert "process  keeps the clocks of  observes" in out


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("loop.txt", b"a a\n", "'a' has a link to itself"),
        ("empty.txt", b"", "the graph has no links"),
        ("broken.json", b"[", "not JSON"),
        ("image.png", b"\x89PNG\xff\xfe", "cannot read the graph"),
        ("stranger.json", b'{"processes": ["a"], "links": [["a", "b"]]}', "names 'b', which is not among"),
    ],
)
def test_bad_input_is_explained(tmp_path: Path, name: str, content: bytes, complaint: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(AntecedeError, match=complaint):
        call(str(path))


def standard_input(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    """As a process has it: text over bytes, forgiving as Python makes it where the locale is POSIX."""
    text = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", errors="surrogateescape")
    monkeypatch.setattr("sys.stdin", text)


@pytest.mark.parametrize("content", [b"\xef\xbb\xbfa b\nb c\n", b"\xef\xbb\xbf" + b'[["a","b"],["b","c"]]'])
def test_a_byte_order_mark_is_no_part_of_a_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    (tmp_path / "graph").write_bytes(content)
    standard_input(monkeypatch, content)
    for name in (str(tmp_path / "graph"), "-"):
        call(name, "--json", "--sets")
        assert list(json.loads(capsys.readouterr().out)["clock_sets"]) == ["a", "b", "c"]


def test_bytes_that_are_not_text_are_refused_on_standard_input_too(monkeypatch: pytest.MonkeyPatch) -> None:
    standard_input(monkeypatch, b"a \xff\n")
    with pytest.raises(AntecedeError, match="cannot read the graph from -"):
        call("-")


def test_a_graph_from_standard_input_may_be_csv_of_windows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    standard_input(monkeypatch, b"from,to\r\na,b\r\n")
    call("-")
    assert capsys.readouterr().out.startswith("2 processes, 1 link, one way;")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a b\nb c\n", "3 processes, 2 links, all one way;"),
        ("a <-> b\nb c\n", "3 processes, 3 links, some one way;"),
        ("a <-> b\n", "2 processes, 2 links, all both ways;"),
    ],
)
def test_links_are_counted_in_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str, words: str
) -> None:
    standard_input(monkeypatch, text.encode())
    call("-")
    assert capsys.readouterr().out.startswith(words)


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("name", ["a\ud800", "a\x1b[2J", "a\nb", "a\u202e"], ids=ascii)
def test_names_that_a_terminal_would_obey_are_shown_plain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str, terminal: bool
) -> None:
    path = tmp_path / "graph.json"
    path.write_text(json.dumps([[name, "c"], ["c", name]]))
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    call(str(path), "--sets")
    out = capsys.readouterr().out
    assert "a\ufffd" in out
    assert name not in out
    call(str(path), "--sets", "--json")
    assert name in json.loads(capsys.readouterr().out)["clock_sets"]


def test_a_missing_file_is_explained(tmp_path: Path) -> None:
    with pytest.raises(AntecedeError, match="cannot read the graph"):
        call(str(tmp_path / "absent"))


def test_on_a_terminal_the_table_is_drawn(
    hub: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    call(hub)
    assert "┃" in capsys.readouterr().out
