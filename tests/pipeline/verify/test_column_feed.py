"""Parquet read as columns by the tasks: the same events, refusals and answers as Spark's rows give."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from antecede.pipeline import arrow
from antecede.pipeline.check import check
from antecede.pipeline.kernel import loops
from antecede.pipeline.limits import Limits
from antecede.pipeline.read import ingest, row_groups, rules
from antecede.pipeline.read.files import File
from antecede.pipeline.spark.session import SparkFailed
from antecede.pipeline.verify import column_feed, parquet_tasks, survey, tasks
from antecede.pipeline.verify.verify import verify
from antecede.pipeline.windows import summaries
from tests.fuzz_check import HOSTILE
from tests.pipeline.chain import run
from tests.pipeline.oracle import assert_found, expected
from tests.pipeline.parquet_files import TRACES, write_parquet
from tests.pipeline.traces import COLUMNS, Row, table, trace

GOOD: dict[str, Any] = {"run": "r", "process": "p0", "index": 1, "kind": "internal"}


def rows_of(file: File, left_out: Sequence[int] | None = None) -> pa.Table:
    groups = row_groups.fitness(file.path)
    assert groups is not None
    lines = None if left_out is None else np.array(left_out, np.int64)
    tables = list(row_groups.read(file.path, range(len(groups)), 0, lines, others=True))
    return pa.concat_tables(tables).unify_dictionaries()


@pytest.mark.parametrize(
    "changes",
    [
        *HOSTILE,
        {"kind": "send", "message": "x", "dests": ["d" * 70_000]},
        {"kind": "send", "message": "m" * 70_000, "dests": []},
        {"process": "p" * 70_000},
        {"time": float("-inf")},
    ],
    ids=",".join,
)
def test_a_row_that_breaks_a_rule_is_doubted(tmp_path: Path, changes: dict[str, Any]) -> None:
    rows = [GOOD, {**GOOD, "index": 2, **changes}, {**GOOD, "index": 3}]
    assert not rules.surely_events(rows_of(write_parquet(tmp_path / "bad.parquet", rows)))


def test_a_long_group_or_attribute_is_doubted(tmp_path: Path) -> None:
    for name, kind, value in (
        ("group", pa.string(), "g" * 70_000),
        ("attributes", pa.map_(pa.string(), pa.string()), [("k" * 70_000, "v")]),
        ("attributes", pa.map_(pa.string(), pa.string()), [("k", "v" * 70_000)]),
    ):
        schema = COLUMNS.append(pa.field(name, kind))
        for content, sure in ((None, True), (value, False)):
            path = tmp_path / f"{name}{sure}.parquet"
            pq.write_table(pa.Table.from_pylist([{**GOOD, name: content}], schema), path)
            assert rules.surely_events(rows_of(File(str(path), 0))) is sure, name


def test_random_events_are_not_doubted(tmp_path: Path) -> None:
    assert rules.surely_events(rows_of(write_parquet(tmp_path / "good.parquet", table(TRACES))))


def test_rows_come_back_as_they_were_written_whatever_the_row_groups(tmp_path: Path) -> None:
    for group in (1, 7, 10_000):
        got = rows_of(write_parquet(tmp_path / f"{group}.parquet", table(TRACES), group))
        assert got.to_pylist() == table(TRACES).to_pylist()


def test_lines_that_are_left_out_are_counted_through_the_file(tmp_path: Path) -> None:
    file, count = write_parquet(tmp_path / "t.parquet", table(TRACES), 7), len(TRACES)
    groups = row_groups.fitness(file.path) or []
    read = row_groups.read(file.path, range(2, len(groups)), 14, np.array([1, 16, count]))
    wanted = [
        row for line, row in enumerate(table(TRACES).to_pylist(), start=1) if line > 14 and line not in (16, count)
    ]
    assert [row for one in read for row in one.to_pylist()] == wanted


def test_a_column_that_is_absent_or_narrower_is_read_as_the_trace_has_it(tmp_path: Path) -> None:
    rows = pa.table(
        {
            "process": pa.array(["a", "b"]).dictionary_encode(),
            "index": pa.array([1, 2], pa.int16()),
            "kind": ["internal", "move"],
            "time": pa.array([1, None], pa.int32()),
            "unknown": [0, 0],
        }
    )
    got = rows_of(write_parquet(tmp_path / "t.parquet", rows))
    assert got.select(COLUMNS.names).cast(COLUMNS).to_pylist() == [
        {**dict.fromkeys(COLUMNS.names), "run": "", "process": "a", "index": 1, "kind": "internal", "time": 1.0},
        {**dict.fromkeys(COLUMNS.names), "run": "", "process": "b", "index": 2, "kind": "move"},
    ]


def test_names_are_read_however_they_are_kept(tmp_path: Path) -> None:
    for name, kind in enumerate((pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string()))):
        lists = pa.large_list(pa.large_string())
        types = [(field.name, kind if field.type == pa.string() else field.type) for field in COLUMNS]
        rows = table(TRACES[:50]).cast(pa.schema([*types[:-1], ("dests", lists)]))
        got = rows_of(write_parquet(tmp_path / f"{name}.parquet", rows, 7))
        assert got.schema == row_groups.COLUMNS
        assert got.to_pylist() == table(TRACES[:50]).to_pylist()


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("index", pa.array(["1"])),
        ("index", pa.array([1], pa.uint64())),
        ("process", pa.array([b"a"])),
        ("time", pa.array([1], pa.timestamp("us"))),
        ("dests", pa.array(["b"])),
        ("Run", pa.array(["r"])),
        ("kind", None),
    ],
)
def test_what_spark_would_take_otherwise_is_left_to_spark(tmp_path: Path, name: str, values: pa.Array | None) -> None:
    known: dict[str, Any] = {"process": ["a"], "index": [1], "kind": ["internal"]}
    found = {key: value for key, value in {**known, name: values}.items() if value is not None}
    file = write_parquet(tmp_path / "t.parquet", pa.table(found))
    assert row_groups.fitness(file.path) is None


def test_a_file_that_arrow_can_not_open_is_left_to_spark(tmp_path: Path) -> None:
    whole = Path(write_parquet(tmp_path / "whole.parquet", [GOOD]).name)
    (tmp_path / "cut.parquet").write_bytes(whole.read_bytes()[:-20])
    assert row_groups.fitness(f"file:{tmp_path}/cut.parquet") is None
    assert row_groups.fitness(f"file:{tmp_path}/absent.parquet") is None
    assert not row_groups.is_in_reach("abfss://box@account/trace.parquet")


def test_splits_hold_every_row_group_once_and_no_task_holds_many_rows() -> None:
    rng = random.Random(1)
    sizes = (1, 5_000, column_feed.SPLIT_ROWS, 3 * column_feed.SPLIT_ROWS)
    groups = [(f"f{n}", [rng.choice(sizes) for _ in range(rng.randint(0, 30))]) for n in range(50)]
    splits = list(column_feed._splits(groups))
    each = [(path, group) for _, path, first, last, _ in splits for group in range(first, last + 1)]
    assert each == [(path, group) for path, rows in groups for group in range(len(rows))]
    rows_in: dict[int, list[int]] = {}
    for task, path, first, last, before in splits:
        rows = dict(groups)[path]
        assert before == sum(rows[:first])
        rows_in.setdefault(task, []).extend(rows[first : last + 1])
    assert all(sum(rows) <= column_feed.SPLIT_ROWS or len(rows) == 1 for rows in rows_in.values())


def test_a_large_row_group_is_read_some_rows_at_a_time(tmp_path: Path) -> None:
    count = 3 * row_groups.BATCH_ROWS + 1
    rows = pa.table({"process": ["a"] * count, "index": np.arange(count), "kind": ["internal"] * count})
    file = write_parquet(tmp_path / "t.parquet", rows, count)
    assert row_groups.fitness(file.path) == [count]
    sizes = [one.num_rows for one in row_groups.read(file.path, [0], 0)]
    assert sum(sizes) == count
    assert max(sizes) <= row_groups.BATCH_ROWS


def test_facts_count_what_is_there_and_doubt_an_index_that_comes_twice(tmp_path: Path) -> None:
    rows = [Row("r", "a", 3, "send", 1.0, "m", ("b",)), Row("r", "b", 1, "deliver", 2.0, "m"), Row("r", "a", 5, "move")]
    for extra, doubtful in ((Row("r", "a", 4, "internal"), False), (Row("r", "a", 3, "internal"), True)):
        read = rows_of(write_parquet(tmp_path / "t.parquet", table([*rows, extra])))
        lanes, numbers = (found.to_pylist() for found in survey.facts(read, 1, trusted=False))
        assert [lane["doubtful"] for lane in lanes] == [doubtful] * 2
        first = {name: lanes[0][name] for name in ("process", "events", "sends", "internals", "low", "high", "start")}
        assert first == {
            "process": "a",
            "events": 3,
            "sends": 1,
            "internals": 1,
            "low": 3,
            "high": 5,
            "start": 1.0,
        }
        assert [len(row["numbers"]) for row in numbers] == [8]


def test_numbers_are_the_same_compiled_and_tell_runs_and_messages_apart() -> None:
    texts = pa.chunked_array([pa.array([f"m{n}" for n in range(3_000)]), pa.array(["", "ü", "x" * 1_000])])
    seeds = np.arange(len(texts)) % 2 * 12_345
    plain = survey.hashes(texts, seeds)
    with loops.interpret_up_to(-1):
        assert np.array_equal(plain, survey.hashes(texts, seeds))
    assert len(np.unique(np.concatenate([plain, survey.hashes(texts, 12_345 - seeds)]))) == 2 * len(texts)
    assert plain.min() >= 0
    assert survey.twice([plain.tobytes()]) is False
    assert survey.twice([plain[:5].tobytes(), plain[4:6].tobytes()]) is True


def test_names_that_are_too_many_for_a_dictionary_are_written_out(tmp_path: Path) -> None:
    rows = table(TRACES)
    streams = []
    for most in (parquet_tasks.NAMES_MAX, 0):
        read = rows_of(write_parquet(tmp_path / "t.parquet", rows)).combine_chunks()
        kind = arrow.kind_codes(read["kind"], survey.CODED)
        streams.append(summaries.stream(parquet_tasks._coded(read, kind, kind >= 0, names_max=most)))
    both = summaries.opened(pa.chunked_array([pa.array(streams, pa.binary())]))
    assert both["process"].type == pa.string()
    half = both.num_rows // 2
    assert both.slice(0, half).to_pylist() == both.slice(half).to_pylist()


def splits_of(files: Sequence[File]) -> pa.Table:
    """All row groups of these files, as a task gets them."""
    groups = [(file.path, row_groups.fitness(file.path) or []) for file in files]
    names = ("task", "path", "first", "last", "before")
    return pa.Table.from_pylist([dict(zip(names, split, strict=True)) for split in column_feed._splits(groups)])


def test_random_runs_dealt_as_columns_count_what_the_definition_counts(tmp_path: Path) -> None:
    traces = [rows for seed in range(10_000, 10_400) if (rows := trace(seed))]
    spread = [row for rows in traces for row in rows]
    files = [write_parquet(tmp_path / f"{part}.parquet", table(spread[part::3]), 37) for part in range(3)]
    streams = run(parquet_tasks.deal_runs(3, {}, receives=True, without=[]), splits_of(files)).to_pylist()
    each = [pa.Table.from_pylist([row for row in streams if row["task"] == task], tasks.DEALT) for task in range(3)]
    found: dict[str, list[dict[str, Any]]] = {}
    for one in each:
        for row in run(tasks.verify_runs(detail=True), one).to_pylist():
            found.setdefault(row["run"], []).append(row)
    for rows in traces:
        if any(row.kind in ("send", "receive", "deliver") for row in rows):
            assert_found(found[rows[0].run], expected(rows))


def answers(spark: SparkSession, paths: Sequence[str], *, windows: int | None) -> tuple[Any, ...]:
    """What is found by columns, then by rows; but for where runs were cut, which is a matter of sampling."""
    read = ingest.read(spark, paths)
    assert read.feed is not None
    found = []
    for source in (read.feed, read.events):
        answer = verify(source, windows=windows).keep()
        runs = answer.runs.drop("windows", "one_task")
        frames = (runs, answer.messages, answer.deliveries, answer.skew)
        found.append([sorted((tuple(row) for row in frame.collect()), key=repr) for frame in frames])
        answer.release()
    return tuple(found)


@pytest.mark.parametrize("windows", [None, 3])
def test_columns_and_rows_give_the_same_tables(spark: SparkSession, tmp_path: Path, windows: int | None) -> None:
    for number in range(3):
        write_parquet(tmp_path / f"part {number}.parquet", table(TRACES[number::3]), 11)
    by_columns, by_rows = answers(spark, [str(tmp_path)], windows=windows)
    assert by_columns == by_rows


def test_what_the_rules_refuse_is_left_out_of_the_columns(spark: SparkSession, tmp_path: Path) -> None:
    good = table(TRACES).to_pylist()
    sends = [row for row in good if row["kind"] == "send"]
    bad = [{**GOOD, **changes} for changes in HOSTILE]
    bad += [{**good[0], "kind": "internal"}, {**sends[0], "index": 10**6}]
    write_parquet(tmp_path / "a.parquet", good, 50)
    write_parquet(tmp_path / "b.parquet", bad, 3)
    read = ingest.read(spark, [str(tmp_path)])
    assert read.feed is not None
    assert {path.rsplit("/")[-1]: len(lines) for path, lines in read.feed.left_out.items()} == {"b.parquet": len(bad)}
    assert read.quarantine.count() == len(bad)
    by_columns, by_rows = answers(spark, [str(tmp_path)], windows=None)
    assert by_columns == by_rows


def test_too_many_refusals_are_left_to_spark(spark: SparkSession, tmp_path: Path) -> None:
    write_parquet(tmp_path / "a.parquet", [{**GOOD, "index": -1}, {**GOOD, "index": -2}, GOOD])
    read = ingest.read(spark, [str(tmp_path)], limits=Limits(left_out_max=1))
    assert read.feed is None
    assert (read.events.count(), read.quarantine.count()) == (1, 2)


def test_a_check_of_parquet_without_an_answer_leaves_nothing_kept_in_spark(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no answer today")

    write_parquet(tmp_path / "trace.parquet", table(TRACES))
    monkeypatch.setattr("antecede.pipeline.check.answer", fail)
    kept = spark._jsparkSession.sharedState().cacheManager()
    before = kept.numCachedEntries()
    with pytest.raises(SparkFailed, match="no answer today"):
        check(spark, [str(tmp_path)])
    assert kept.numCachedEntries() == before
