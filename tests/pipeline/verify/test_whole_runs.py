"""Runs that one task can read whole are judged in the pass that surveys them: the same answers, and the same doubts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from antecede.pipeline.limits import LIMITS, Limits
from antecede.pipeline.read import ingest, row_groups
from antecede.pipeline.verify import whole_runs
from antecede.pipeline.verify.verify import verify
from tests.pipeline.chain import run
from tests.pipeline.oracle import assert_found, expected
from tests.pipeline.parquet_files import TRACES, write_parquet
from tests.pipeline.traces import table, trace

NAMES = whole_runs.SPLITS.names


def held(path: Path, rows: pa.Table, group: int) -> whole_runs.SurveyedFile:
    file = write_parquet(path, rows, group)
    counts = row_groups.fitness(file.path)
    assert counts is not None
    return whole_runs.SurveyedFile(file.path, row_groups.version(file.path), counts, row_groups.runs(file.path))


def tasks_of(splits: Sequence[whole_runs.Split]) -> list[pa.Table]:
    rows = [dict(zip(NAMES, split, strict=True)) for split in splits]
    numbers = sorted({split[0] for split in splits})
    assert numbers == list(range(len(numbers)))
    return [pa.Table.from_pylist([row for row in rows if row["task"] == number]) for number in numbers]


def file_of(*groups: dict[str, int]) -> whole_runs.SurveyedFile:
    return whole_runs.SurveyedFile("a", None, [sum(group.values()) for group in groups], groups)


def test_random_runs_judged_as_they_are_read_count_what_the_definition_counts(tmp_path: Path) -> None:
    traces = [rows for seed in range(20_000, 20_300) if (rows := trace(seed))]
    halves = [[row for rows in traces for row in rows][part::2] for part in range(2)]
    files = [held(tmp_path / f"{part}.parquet", table(rows), 37) for part, rows in enumerate(halves)]
    splits = whole_runs.plan(files, Limits(task_rows_max=500))
    assert splits is not None
    each = tasks_of(splits)
    assert len(each) > 3
    found: dict[str, list[dict[str, Any]]] = {}
    for one in each:
        for row in run(whole_runs.judge({}, trusted=False, worst=10**6), one).to_pylist():
            assert not row["doubtful"]
            if row["found"] is not None:
                found.setdefault(row["found"]["run"], []).append(row["found"])
    for rows in traces:
        if any(row.kind in ("send", "receive", "deliver") for row in rows):
            assert_found(found[rows[0].run], expected(rows))


def test_what_comes_twice_is_doubted_wherever_in_the_run_it_is(tmp_path: Path) -> None:
    rows = [row for row in table(TRACES).to_pylist() if row["run"] == TRACES[0].run]
    sent = next(row for row in rows if row["kind"] == "send")
    for number, again in enumerate(({**rows[0], "kind": "internal"}, {**sent, "index": 10**6})):
        file = held(tmp_path / f"{number}.parquet", pa.Table.from_pylist([*rows, again], table(TRACES).schema), 5)
        splits = whole_runs.plan([file])
        assert splits is not None
        found = run(whole_runs.judge({}, trusted=False, worst=0), tasks_of(splits)[0])
        assert any(row["doubtful"] for row in found.to_pylist())
        assert found["found"].null_count == found.num_rows


def test_runs_side_by_side_share_a_task_up_to_its_size() -> None:
    splits = whole_runs.plan([file_of({"a": 4, "b": 2}, {"b": 4, "c": 7}, {"c": 2})], Limits(task_rows_max=10))
    assert splits is not None
    assert [(split[0], split[2], split[4], split[6], split[7]) for split in splits] == [
        (0, 0, 0, ["a", "b"], 6),
        (0, 1, 6, ["b"], 4),
        (1, 1, 6, ["c"], 7),
        (1, 2, 17, ["c"], 2),
    ]


def test_rows_that_few_tasks_could_hold_are_given_to_more_of_them() -> None:
    for rows, wanted in ((100, whole_runs.TASKS_MIN), (3, 6)):  # three runs of 3 make a task of at most 10
        file = file_of(*({f"run {number}": rows} for number in range(16)))
        splits = whole_runs.plan([file], Limits(task_rows_min=10))
        assert splits is not None
        assert len(tasks_of(splits)) == wanted


def test_tasks_are_larger_where_smaller_ones_would_share_a_row_group() -> None:
    splits = whole_runs.plan([file_of({f"run {number}": 10 for number in range(10)})], Limits(task_rows_min=10))
    assert splits is not None
    assert len(tasks_of(splits)) == 1


def test_there_is_no_plan_where_it_would_not_pay() -> None:
    limits = Limits(task_rows_max=10)
    mixed = {f"run {number}": 5 for number in range(20)}
    assert whole_runs.plan([file_of(mixed, mixed)], limits) is None
    assert whole_runs.plan([file_of({"large": limits.run_events_max + 1})], limits) is None
    assert whole_runs.plan([whole_runs.SurveyedFile("a", None, [1], None)], limits) is None
    assert whole_runs.plan([], limits) is None


def test_rows_of_a_run_are_counted_by_row_group(tmp_path: Path) -> None:
    rows = [
        {"run": name, "process": "p", "index": at, "kind": "internal"} for at, name in enumerate(["a", "b", "b", None])
    ]
    assert row_groups.runs(write_parquet(tmp_path / "a.parquet", rows, 2).path) == [{"a": 1, "b": 1}, {"b": 1, "": 1}]
    without = pa.Table.from_pylist(rows).drop_columns("run")
    assert row_groups.runs(write_parquet(tmp_path / "b.parquet", without, 3).path) == [{"": 3}, {"": 1}]
    assert row_groups.runs(write_parquet(tmp_path / "c.parquet", rows, 2).path, runs_max=1) is None


@pytest.mark.parametrize("planned", [True, False])
def test_the_verdict_is_that_on_rows_with_a_plan_and_without(
    spark: SparkSession, tmp_path: Path, planned: bool
) -> None:
    for number in range(3):
        write_parquet(tmp_path / f"part {number}.parquet", table(TRACES[number::3]), 11)
    read = ingest.read(spark, [str(tmp_path)], limits=LIMITS if planned else Limits(run_events_max=0))
    assert read.feed is not None
    assert (read.feed.found(100) is not None) is planned
    by_columns, by_rows = (verify(source, detail=False, worst=100) for source in (read.feed, read.events))
    for name in ("runs", "violations", "skew"):
        one, other = (sorted(map(tuple, getattr(answer, name).collect()), key=repr) for answer in (by_columns, by_rows))
        assert one == other
    read.feed.release()
