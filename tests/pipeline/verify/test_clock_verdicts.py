"""Logs with vector clocks and without message ids get a verdict if their receives are marked."""

import json
import re
from pathlib import Path

import pytest

from antecede.pipeline.errors import UnreadableInput
from antecede.web.report import render
from tests.pipeline.written_tables import CheckFiles

# m1 from a to b is overtaken by m3, which c sends to b after it received m2 from a
LATE = [
    ("a", {"a": 1}, "send m1 to b"),
    ("a", {"a": 2}, "send m2 to c"),
    ("c", {"a": 2, "c": 1}, "receive m2"),
    ("c", {"a": 2, "c": 2}, "send m3 to b"),
    ("b", {"a": 2, "b": 1, "c": 2}, "receive m3"),
    ("b", {"a": 2, "b": 2, "c": 2}, "receive m1"),
]
IN_TIME = [*LATE[:4], ("b", {"a": 1, "b": 1}, "receive m1"), ("b", {"a": 2, "b": 2, "c": 2}, "receive m3")]


def write(path: Path, events: list[tuple[str, dict[str, int], str]]) -> Path:
    path.write_text("".join(f"{host} {json.dumps(clock)}\n{text}\n" for host, clock, text in events))
    return path


def test_a_late_receive_is_a_violation(tmp_path: Path, check_files: CheckFiles) -> None:
    found = check_files(write(tmp_path / "late.log", LATE), receives="^receive")
    answer = found.checked.answer
    assert (answer.verdict, answer.basis, answer.sums["deliveries"], answer.sums["violations"]) == (
        *("violated", "clocks"),
        *(3, 1),
    )
    assert answer.reason == "By the vector clocks, 1 of 3 receives came late, in 1 of 1 run."
    assert found.checked.as_dict()["basis"] == "clocks"
    (violation,) = found.checked.explained
    assert (violation.process, violation.index) == ("b", 2)
    assert "b knew event 2 of c already, from its receive at 1" in violation.words
    assert any("hosts tick at every event, sends included" in note for note in found.checked.notes)
    places = [(event.kind, event.index, event.file, event.line) for event in violation.chain]
    assert places == [("receive", 1, str(tmp_path / "late.log"), 9), ("receive", 2, str(tmp_path / "late.log"), 11)]
    counted = {row["process"]: (row["deliveries"], row["violations"]) for row in found.rows("processes")}
    assert counted == {"a": (0, 0), "b": (2, 1), "c": (1, 0)}
    (row,) = found.rows("violations")
    assert (row["process"], row["index"], row["rank"], row["words"]) == ("b", 2, 1, violation.words)
    (summary,) = found.rows("summary")
    assert (summary["verdict"], summary["basis"], summary["violations"]) == ("violated", "clocks", 1)
    assert summary["causal_witness"] == violation.words


def test_the_first_late_receive_is_the_witness_whatever_the_order_of_lines(
    tmp_path: Path, check_files: CheckFiles
) -> None:
    later = [("0", {"a": 2, "0": 1, "c": 2}, "receive m4"), ("0", {"a": 2, "0": 2, "c": 2}, "receive m4 again")]
    for events in ([*LATE, *later], [*later, *LATE]):
        checked = check_files(write(tmp_path / "late.log", events), receives="^receive", worst=0).checked
        assert checked.explained == ()
        words = checked.answer.witness_of("causal")
        assert words is not None
        assert words.startswith("the receive at 2 of 0 raises no entry of its clock")


def test_the_report_speaks_of_receives(tmp_path: Path, check_files: CheckFiles) -> None:
    page = render(check_files(write(tmp_path / "late.log", LATE), receives="^receive").checked)
    assert re.findall(r"<dt>([^<]+)</dt><dd><span class=.value.>([^<]+)", page) == [
        *(("run", "1"), ("processes", "3"), ("events", "6"), ("receives", "3")),
        *(("late receive", "1"), ("quarantined", "0")),
    ]
    assert re.findall(r"late\.log[^,]{0,20}, line (\d+)", page) == ["9", "11"]
    assert page.count('<th scope="col" class="number">Late receives</th>') == 2  # of processes and of runs
    assert "Messages overtaken by this deliver" not in page
    assert "Savings with smaller clocks" not in page
    assert "No message has both a send and a deliver" in page


def test_without_a_late_receive_it_holds(tmp_path: Path, check_files: CheckFiles) -> None:
    answer = check_files(write(tmp_path / "good.log", IN_TIME), receives="^receive").checked.answer
    assert (answer.verdict, answer.basis) == ("holds", "clocks")
    assert answer.reason == "By the vector clocks, none of 3 receives came late."


def test_the_kind_in_the_expression_of_the_log_marks_receives_too(tmp_path: Path, check_files: CheckFiles) -> None:
    log = write(tmp_path / "late.log", LATE)
    regex = r"(?<host>\S+) (?<clock>{.*})\n(?<kind>\w+) (?<event>.*)"
    assert check_files(log, regex=regex).checked.answer.basis == "clocks"
    assert check_files(log).checked.answer.verdict == "undecidable"


def test_clocks_that_contradict_the_assumptions_leave_it_undecidable(tmp_path: Path, check_files: CheckFiles) -> None:
    odd = [*LATE[:4], ("b", {"a": 2, "b": 1, "c": 1}, "receive m3")]
    answer = check_files(write(tmp_path / "odd.log", odd), receives="^receive").checked.answer
    assert (answer.verdict, answer.basis) == ("undecidable", "messages")
    assert answer.reason.startswith("Its vector clocks cannot show it: ")


def test_an_expression_that_matches_nothing_is_named(tmp_path: Path, check_files: CheckFiles) -> None:
    answer = check_files(write(tmp_path / "late.log", LATE), receives="^arrival").checked.answer
    assert (answer.verdict, answer.reason) == ("undecidable", "The expression of --receives matches no event.")


def test_a_log_without_marked_receives_is_told_how_to_mark_them(tmp_path: Path, check_files: CheckFiles) -> None:
    answer = check_files(write(tmp_path / "late.log", LATE)).checked.answer
    assert answer.verdict == "undecidable"
    assert answer.reason.startswith("No message identities: ")
    assert "tell which events are receives with --receives REGEX" in answer.reason


def test_receives_of_a_log_without_clocks_are_refused(tmp_path: Path, check_files: CheckFiles) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"process": "a", "index": 1, "kind": "internal"}\n')
    with pytest.raises(UnreadableInput, match="--receives is for logs with vector clocks"):
        check_files(path, receives="^receive")
