"""What the tasks of a check do with rows: deal them out by run, and judge whole runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antecede.judge.events import RefusedRow
from antecede.pipeline.dealing import DEALT, ROWS, ChosenRows, gather, values_in
from antecede.pipeline.limits import Limits
from antecede.pipeline.read.row_counts import RowCounts
from antecede.pipeline.read.rows import ReadRows, Wanted, refused_table
from antecede.pipeline.results import EXPLAINED, put_together
from antecede.pipeline.verify.judge import JudgedRuns
from antecede.pipeline.verify.tasks import (
    DEALT_COUNTS,
    JudgeOptions,
    deal_chosen,
    deal_runs,
    judge_dealt,
    judge_here,
    tell_counts,
)
from tests.pipeline.oracle import expected
from tests.pipeline.traces import ALL_COLUMNS, Row, events, overtaking, trace

TRACES = [rows for seed in range(2_000, 2_060) if (rows := trace(seed))]
EVERYTHING = [row for rows in TRACES for row in rows]
Told = dict[str, list[dict[str, Any]]]


def read(rows: Sequence[Row], pieces: int = 3, wanted: Wanted = ALL_COLUMNS) -> Iterator[ReadRows]:
    """Yield rows as a reader gives them, in pieces, with a refused row and a note each."""
    for piece in range(pieces):
        own = events(rows[piece::pieces], f"file {piece}", wanted=wanted)
        yield ReadRows(own, refused_table("bad", [RefusedRow("odd", "x", piece)]), (f"note {piece}",))


def told_by(batches: Iterator[pa.RecordBatch]) -> Told:
    tables = put_together(pa.Table.from_batches(batches, DEALT))
    return {name: table.to_pylist() for name, table in tables.items() if table.num_rows}


def dealt_by(batches: Iterator[pa.RecordBatch]) -> dict[int, list[pa.RecordBatch]]:
    found: dict[int, list[pa.RecordBatch]] = {}
    for batch in batches:
        assert batch.schema == DEALT
        found.setdefault(batch.column("part")[0].as_py(), []).append(batch)
    return found


def assert_counts(told: Told, traces: Sequence[Sequence[Row]]) -> None:
    runs = {row["run"]: row for row in told["runs"]}
    assert set(runs) == {rows[0].run for rows in traces}
    for rows in traces:
        wanted = expected(rows)
        assert {name: runs[rows[0].run][name] for name in wanted.counts} == wanted.counts


def test_a_part_with_whole_runs_is_judged_on_the_spot() -> None:
    told = told_by(judge_here(JudgeOptions(worst=5))(read(EVERYTHING)))
    assert_counts(told, TRACES)
    assert len(told["worst"]) == 5
    assert [row["note"] for row in told["notes"]] == ["note 0", "note 1", "note 2"]
    assert {row["file"]: row["refused"] for row in told["files"]} == {
        "file 0": 0,
        "file 1": 0,
        "file 2": 0,
        "bad": 3,
    }
    assert sum(row["events"] for row in told["files"]) == len(EVERYTHING)


@pytest.mark.parametrize("parts", [1, 4])
def test_rows_are_dealt_so_that_each_run_is_whole_in_one_part(parts: int) -> None:
    dealt = dealt_by(deal_runs(parts)(read(EVERYTHING)))
    homes: dict[str, set[int]] = {}
    told: Told = {}
    for part, batches in dealt.items():
        rows = gather(batches)
        for run in [] if rows is None else rows["run"].to_pylist():
            homes.setdefault(run, set()).add(part)
        for name, values in told_by(judge_dealt(JudgeOptions(worst=5))(batches)).items():
            told.setdefault(name, []).extend(values)
    assert all(len(own) == 1 for own in homes.values())
    assert_counts(told, TRACES)
    assert len(told["notes"]) == 3
    assert sum(row["events"] for row in told["files"]) == len(EVERYTHING)


def test_of_large_runs_only_counts_are_dealt() -> None:
    large = TRACES[0][0].run
    batches = list(deal_runs(3, frozenset({large}))(read(EVERYTHING)))
    rows = gather(batches)
    assert rows is not None
    assert large not in rows["run"].to_pylist()
    assert {name for name, _ in values_in(batches)} == {ROWS, DEALT_COUNTS, "files", "notes", "reasons", "refused"}
    told: Told = {}
    for own in dealt_by(iter(batches)).values():
        for name, values in told_by(judge_dealt(JudgeOptions())(own)).items():
            told.setdefault(name, []).extend(values)
    assert_counts(told, TRACES[1:])
    assert {row["run"] for row in told["large"]} == {large}
    assert sum(row["events"] for row in told["large"]) == len(TRACES[0])


@pytest.mark.parametrize("pieces", [1, 5])
def test_a_run_that_grows_too_large_is_counted_and_the_others_are_judged(pieces: int) -> None:
    rows = [*overtaking("small"), *(Row("large", "a", number, "internal", 1.0) for number in range(30))]
    told = told_by(judge_here(JudgeOptions(run_events_max=20, worst=9))(read(rows, pieces)))
    assert [(row["run"], row["violations"]) for row in told["runs"]] == [("small", 1)]
    (large,) = told["large"]
    assert (large["run"], large["events"], large["low"], large["high"]) == ("large", 30, 0, 29)
    none = told_by(judge_here(JudgeOptions(run_events_max=0))(read(rows, pieces)))
    assert {row["run"] for row in none["large"]} == {"small", "large"}
    assert "runs" not in none


def test_some_runs_are_dealt_alone_without_some_lines() -> None:
    rows = [*overtaking("a"), *overtaking("b"), *overtaking("c")]
    chosen = ChosenRows(frozenset("ac"), {"file 0": [1, 9]})
    by_run = {"c": 0, "a": 1}
    deal = deal_chosen(chosen, 2, lambda events: np.array([by_run[run] for run in events["run"].to_pylist()]))
    batches = list(deal(read(rows, 1)))
    assert {name for name, _ in values_in(batches)} == {ROWS}
    found = {part: gather(own) for part, own in dealt_by(iter(batches)).items()}
    assert {part: table["line"].to_pylist() for part, table in found.items() if table is not None} == {
        0: [10, 11, 12],
        1: [2, 3, 4],
    }


def test_violations_are_explained_by_who_has_the_run() -> None:
    def explain(judged: JudgedRuns) -> pa.Table:
        rows = [{"run": row["run"], "process": row["process"], "index": 1} for row in judged.worst.to_pylist()]
        return pa.Table.from_pylist(rows, EXPLAINED)

    told = told_by(judge_here(JudgeOptions(worst=1, explain=explain))(read(overtaking("r"), 1)))
    assert [(row["run"], row["process"]) for row in told["explained"]] == [("r", "b")]
    quiet = told_by(judge_here(JudgeOptions(worst=0, explain=explain))(read(overtaking("r"), 1)))
    assert "explained" not in quiet


def test_the_tables_are_written_by_who_has_the_run(tmp_path: Path) -> None:
    again = Row("r", "a", 1, "internal")
    options = JudgeOptions(parts_folder=str(tmp_path), worst=1)
    told = told_by(judge_here(options)(read([*overtaking("r"), again], 1)))
    rows: dict[str, int] = {}
    for written in told["written"]:
        table = pq.read_table(written["path"])
        assert table.num_rows == written["rows"]
        rows[written["table"]] = rows.get(written["table"], 0) + written["rows"]
    assert rows == {
        "events": 4,
        "messages": 2,
        "deliveries": 2,
        "violations": 1,
        "links": 1,
        "processes": 2,
        "summary": 1,
        "quarantine": 2,
    }
    assert told["figures"]
    assert {row["reason"].split(":")[0] for row in told["reasons"]} == {"odd", "duplicate index"}


def test_refused_rows_are_written_only_if_there_is_a_folder(tmp_path: Path) -> None:
    refused = refused_table("f", [RefusedRow("odd", "x", line) for line in range(150)])
    counts = RowCounts(keeps_all=True)
    assert list(tell_counts(counts, str(tmp_path))) == []
    counts.refuse(refused)
    assert "written" not in told_by(tell_counts(counts, None))
    (written,) = told_by(tell_counts(counts, str(tmp_path)))["written"]
    assert pq.read_table(written["path"]).to_pylist() == refused.to_pylist()


def test_who_was_dealt_nothing_tells_nothing() -> None:
    assert list(judge_dealt(JudgeOptions(limits=Limits()))([])) == []
    assert list(judge_here(JudgeOptions())(iter([]))) == []
