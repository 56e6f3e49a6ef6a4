"""What only all rows of ShiViz runs show: gaps in clocks, files that are runs of their own, and late receives."""

from pathlib import Path

import pyarrow as pa
import pytest

from antecede.pipeline.errors import BadPattern
from antecede.pipeline.kernel.clock_receives import judge_receives
from antecede.pipeline.read.blocks import whole_file
from antecede.pipeline.read.files import list_files
from antecede.pipeline.read.formats import shiviz
from antecede.pipeline.read.formats.shiviz_runs import (
    clock_events,
    find_clock_gaps,
    name_runs_after_files,
    shares_events,
)
from antecede.pipeline.read.rows import Wanted


def read(folder: Path, regex: str | None = None) -> tuple[pa.Table, pa.Table]:
    """The events and the refused rows of all logs in a folder."""
    blocks = [whole_file(file) for file in list_files([str(folder)])]
    parts = [rows for block in blocks for rows in shiviz.read(block, Wanted(all_columns=True), regex)]
    return pa.concat_tables([one.events for one in parts]), pa.concat_tables([one.refused for one in parts])


def write(folder: Path, logs: dict[str, str]) -> Path:
    for name, text in logs.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(text)
    return folder


def test_a_log_with_everything_wrong_in_it(tmp_path: Path) -> None:
    log = [
        *('a {"a":1}', "fine"),
        *('a {"a":2, "b":"x"}', "clock"),  # 3
        *('b {"b":1}', "fine"),
        *('a {"a":5}', "gap"),  # 7: 1 -> 5
        *('b {"b":1}', "again"),  # 9: a duplicate, which is no gap
        *('b {"b":2}', "y" * 1_000_000),  # 11: a field without end
        *('c {"a":1}', "own"),  # 13
        *('a {"a":6}', "fine"),
    ]
    events, refused = read(write(tmp_path, {"bad.log": "\n".join(log) + "\n"}))
    events, gaps = find_clock_gaps(events)
    rows = pa.concat_tables([refused, gaps]).to_pylist()
    expected = {
        3: "the clock of a has x for b",
        7: "the clock of a steps from 1 to 5",
        11: 'attributes["event"] has 1000000 characters',
        13: "the clock of c has no entry for c",
    }
    assert {row["line"]: row["reason"][: len(expected[row["line"]])] for row in rows} == expected
    assert events["line"].to_pylist() == [1, 5, 9, 15]
    assert {row["file"] for row in rows} == {str(tmp_path / "bad.log")}
    assert gaps["row"].to_pylist() == ['{"run": "", "process": "a", "index": 5}']


def test_a_clock_that_steps_is_refused_in_its_own_run_and_host_alone(tmp_path: Path) -> None:
    log = '=== 1 ===\na {"a":1}\nx\na {"a":2}\nx\n=== 2 ===\na {"a":2}\nx\nb {"b":1}\nx\na {"a":4}\nx\na {"a":3}\nx\n'
    events, _ = read(write(tmp_path, {"a.log": log}))
    kept, gaps = find_clock_gaps(events)
    assert gaps.select(["line", "reason"]).to_pylist() == [{"line": 7, "reason": "the clock of a steps from 0 to 2"}]
    assert kept.num_rows == 5
    assert find_clock_gaps(events.slice(0, 0))[1].num_rows == 0


def test_files_are_one_execution_unless_they_share_an_event(tmp_path: Path) -> None:
    one = {"p.log": 'a {"a":1}\nx\na {"a":2}\ny\n', "q.log": 'a {"a":3}\nx\nb {"b":1}\ny\n'}
    two = {"p.log": 'a {"a":1}\nx\n', "q.log": 'a {"a":1}\nz\nb {"b":1}\ny\n'}
    together, _ = read(write(tmp_path / "one", one))
    assert not shares_events(together)
    assert find_clock_gaps(together)[1].num_rows == 0
    apart, _ = read(write(tmp_path / "two", two))
    assert shares_events(apart)
    assert not shares_events(apart.slice(0, 0))
    named = name_runs_after_files(apart, [str(tmp_path / "two" / name) for name in two])
    assert named.schema == apart.schema
    assert named["run"].to_pylist() == ["p.log", "q.log", "q.log"]
    assert len({(row["run"], row["process"], row["index"]) for row in named.to_pylist()}) == 3


def test_an_event_that_stands_twice_in_one_file_is_not_shared(tmp_path: Path) -> None:
    events, _ = read(write(tmp_path, {"p.log": 'a {"a":1}\nx\na {"a":1}\nx\n', "q.log": 'b {"b":1}\nx\n'}))
    assert not shares_events(events)


def test_the_names_of_runs_follow_those_of_files_and_differ_if_the_files_do(tmp_path: Path) -> None:
    log = '=== first ===\na {"a":1}\nx\n'
    paths = ["x/a/p.log", "x/b/p.log", "y/b/q.log"]
    events, _ = read(write(tmp_path, dict.fromkeys(paths, log)))
    named = name_runs_after_files(events, [str(tmp_path / path) for path in paths])
    assert named["run"].to_pylist() == ["a/p.log first", "b/p.log first", "b/q.log first"]


OVERTAKEN = """\
a {"a":1} send to b
a {"a":2} send to c
c {"a":2, "c":1} receive
c {"a":2, "c":2} send to b
b {"a":2, "c":2, "b":1} receive
b {"a":2, "c":2, "b":2} receive
"""
BY_KIND = r"^(?<host>\w) (?<clock>{.*}) (?<event>(?<kind>\w+).*)$"
BY_TEXT = r"^(?<host>\w) (?<clock>{.*}) (?<event>.*)$"


@pytest.mark.parametrize(("regex", "receives"), [(BY_KIND, None), (BY_TEXT, "^rec"), (BY_KIND, "(?i)RECEIVE$")])
def test_receives_are_marked_by_a_group_or_by_their_text(tmp_path: Path, regex: str, receives: str | None) -> None:
    events, _ = read(write(tmp_path, {"a.log": OVERTAKEN}), regex)
    judged = judge_receives(clock_events(events, receives))
    assert [(one.verdict, one.receives, one.late) for one in judged.runs] == [("violated", 3, 1)]
    assert judged.late.select(["process", "index"]).to_pylist() == [{"process": "b", "index": 2}]


def test_delivers_count_in_place_of_receives_if_a_run_has_any(tmp_path: Path) -> None:
    log = OVERTAKEN.replace("receive", "deliver") + 'd {"d":1} receive\n'
    events, _ = read(write(tmp_path, {"a.log": log, "b.log": '=== only ===\nd {"d":1} receive\n'}), BY_KIND)
    marked = clock_events(events).to_pylist()
    kinds = [(row["run"], row["process"], row["kind"]) for row in marked]
    assert kinds.count(("", "d", "internal")) == 1
    assert ("only", "d", "receive") in kinds
    assert [one.late for one in judge_receives(clock_events(events)).runs] == [1, 0]


def test_events_without_a_clock_or_a_text_are_left_out(tmp_path: Path) -> None:
    events, _ = read(write(tmp_path, {"a.log": OVERTAKEN}), BY_TEXT)
    bare = events.set_column(
        events.column_names.index("attributes"), "attributes", pa.nulls(events.num_rows, events["attributes"].type)
    )
    assert clock_events(bare, "x").num_rows == 0
    with pytest.raises(BadPattern, match="at character 1"):
        clock_events(events, "*")
