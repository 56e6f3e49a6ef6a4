"""The command `antecede groups`, called as the command line calls it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from antecede.cli import groups, main

CYCLE = {"g1": ["P1", "P2"], "g2": ["P2", "P3"], "g3": ["P1", "P3"]}
REASON = "the graph of groups has a cycle: g1 and g2 share P2, g2 and g3 share P3, g3 and g1 share P1"


def call(monkeypatch: pytest.MonkeyPatch, text: str, *options: str) -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    return main(["groups", "-", *options])


def test_a_cycle_is_shown_with_the_processes_that_close_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "groups.json"
    path.write_text(json.dumps(CYCLE))
    assert main(["groups", str(path)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "edge      shared processes",
        "g1 -- g2  P2",
        "g1 -- g3  P1",
        "g2 -- g3  P3",
        "",
        "algorithm          entries in a stamp, at most",
        "isis               6",
        f"isis acyclic=True  refused: {REASON}",
        "mr                 3",
        f"mr acyclic=True    refused: {REASON}",
        "",
        "The graph of groups has a cycle: g1 -- g2 -- g3 -- g1.",
    ]


def test_the_example_in_the_help_is_true(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    command, result = groups.EXAMPLE.split("...")
    assert call(monkeypatch, command.split("'")[1]) == 0
    assert result.strip() == capsys.readouterr().out.splitlines()[-1]


def test_json_is_one_object(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert call(monkeypatch, '{"g1": ["a", "b", "c"], "g2": ["c", "d"], "g3": ["e"]}', "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "groups": ["g1", "g2", "g3"],
        "edges": [{"groups": ["g1", "g2"], "shared": ["c"]}],
        "is_acyclic": True,
        "cycle": [],
        "cycle_count": 0,
        "cycles": [],
        "forms": [
            {"algorithm": "isis", "acyclic": False, "stamp_entries_max": 6, "refused": ""},
            {"algorithm": "isis", "acyclic": True, "stamp_entries_max": 5, "refused": ""},
            {"algorithm": "mr", "acyclic": False, "stamp_entries_max": 3, "refused": ""},
            {"algorithm": "mr", "acyclic": True, "stamp_entries_max": 2, "refused": ""},
        ],
    }


def test_json_names_the_cycle(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert call(monkeypatch, json.dumps(CYCLE), "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["is_acyclic"], found["cycle"]) == (False, ["g1", "g2", "g3"])
    assert [form["stamp_entries_max"] for form in found["forms"]] == [6, None, 3, None]


def test_only_mr_is_refused_where_two_groups_share_two_processes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call(monkeypatch, '{"g1": ["a", "b"], "g2": ["a", "b"]}', "--json") == 0
    refused = [form["refused"] for form in json.loads(capsys.readouterr().out)["forms"]]
    assert refused == ["", "", "", "two groups share more than one process: g1 and g2 share a and b"]


def test_groups_without_members_cost_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call(monkeypatch, '{"g1": []}', "--json") == 0
    assert [form["stamp_entries_max"] for form in json.loads(capsys.readouterr().out)["forms"]] == [0, 0, 1, 0]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[", "the groups are not JSON"),
        ('["g1"]', "the groups must be an object"),
        ('{"g1": "ab"}', "group 'g1' must be a collection of names"),
        ("{}", "at least one group"),
    ],
)
def test_bad_input_is_explained(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str, complaint: str
) -> None:
    assert call(monkeypatch, text) == 2
    assert complaint in capsys.readouterr().err


def test_a_missing_file_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["groups", str(tmp_path / "absent")]) == 2
    assert "cannot read the groups from" in capsys.readouterr().err


def test_names_that_a_terminal_would_obey_are_shown_plain(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    call(monkeypatch, json.dumps({"g\x1b[2J": ["a\x1b", "b"], "h": ["a\x1b", "b"]}))
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[" * 100_000, "the groups are not JSON"),
        ('{"g": ["a", "b"], "h": ["b"], "g": ["b", "c"]}', "group 'g' is given twice: give all its members at once"),
    ],
    ids=["nested", "repeated"],
)
def test_groups_that_are_nested_too_deeply_or_named_twice_are_refused(
    text: str, complaint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, text) == 2
    shown = capsys.readouterr().err
    assert complaint in shown
    assert "bug" not in shown


def test_all_independent_cycles_are_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Six groups that share one process: fifteen edges, five of them in a tree."""
    groups = {f"g{number}": ["a", f"p{number}"] for number in range(6)}
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(groups)))
    assert main(["groups", "-"]) == 0
    shown = capsys.readouterr().out
    assert (
        "It has 10 independent cycles; every other cycle is a combination of these:\n  g1 -- g2 -- g0 -- g1\n" in shown
    )
    assert shown.endswith("  and 5 more\n")
