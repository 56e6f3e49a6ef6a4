"""The pipeline on Spark: the same counts as the definition for any number of windows and partitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import Row as SparkRow
from pyspark.sql.types import StructType

from antecede.core.errors import Misuse
from antecede.pipeline import schema
from antecede.pipeline.limits import Limits
from antecede.pipeline.verify.verify import verify
from antecede.pipeline.windows import cut
from tests.pipeline.oracle import expected
from tests.pipeline.traces import Row, overtaking, table, trace

TRACES = [rows for seed in range(300) if (rows := trace(seed))]


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    return frame(spark, [row for rows in TRACES for row in rows]).persist()


def frame(spark: SparkSession, rows: Sequence[Row]) -> DataFrame:
    return spark.createDataFrame(table(rows))


def by_run(frame: DataFrame) -> dict[str, SparkRow]:
    return {row["run"]: row for row in frame.collect()}


def places(frame: DataFrame) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in frame.collect()), key=repr)


@pytest.mark.parametrize(("windows", "partitions"), [(None, 1), (1, 2), (3, 5), (17, 3)])
def test_random_traces_count_what_the_definition_counts(
    events: DataFrame, windows: int | None, partitions: int
) -> None:
    answer = verify(events.repartition(partitions), windows=windows).keep()
    runs = by_run(answer.runs)
    assert len(runs) == len(TRACES)
    violations: dict[str, dict[tuple[str, int], SparkRow]] = {}
    for row in answer.deliveries.filter("violation").collect():
        violations.setdefault(row["run"], {})[row["process"], row["index"]] = row
    for rows in TRACES:
        wanted, run = expected(rows), runs[rows[0].run]
        assert {name: run[name] for name in wanted.counts} == wanted.counts, run
        assert run["verdict"] == wanted.verdict
        assert (run["reason"] is not None) == (wanted.verdict == "undecidable")
        found = violations.get(run["run"], {})
        assert {place: row["overtaken"] for place, row in found.items()} == {
            place: len(late) for place, late in wanted.overtaken.items()
        }
        assert all(row["witness"] in wanted.overtaken[place] for place, row in found.items())
    answer.release()


def test_the_tables_are_the_same_for_any_number_of_windows(events: DataFrame) -> None:
    answers = []
    for windows in (None, 4):
        answer = verify(events, windows=windows).keep()
        answers.append([places(table) for table in (answer.messages, answer.deliveries, answer.skew)])
        answer.release()
    assert answers[0] == answers[1]


def test_without_detail_the_runs_are_the_same_and_there_are_no_other_rows(events: DataFrame) -> None:
    for windows in (None, 3):
        answer = verify(events, windows=windows, detail=False)
        assert places(answer.runs) == places(verify(events, windows=windows).runs)
        assert answer.findings.filter("what IN ('message', 'delivery')").count() == 0


def test_a_large_run_is_cut_and_small_ones_beside_it_are_not(spark: SparkSession) -> None:
    large = [
        Row("large", process, 2 * number, kind, float(2 * number + late), f"m{number}", ("b",))
        for number in range(80)
        for process, kind, late in (("a", "send", 0), ("b", "deliver", 3))
    ]
    limits = Limits(run_events_max=100, window_events=20)
    runs = by_run(verify(frame(spark, [*large, *overtaking("small")]), limits=limits).runs)
    assert runs["large"]["windows"] > 4
    assert (runs["large"]["verdict"], runs["large"]["one_task"]) == ("holds", None)
    assert (runs["small"]["windows"], runs["small"]["verdict"]) == (1, "violated")


def late_by(seconds: float, run: str) -> list[Row]:
    """As `overtaking`, where the clock of b is behind, and b answers."""
    rows = [
        Row(
            row.run,
            row.process,
            row.index,
            row.kind,
            (row.time or 0) - seconds * (row.process == "b"),
            row.message,
            row.dests,
        )
        for row in overtaking(run)
    ]
    return [
        *rows,
        Row(run, "b", 3, "send", 5 - seconds, "m3", ("a",)),
        Row(run, "a", 3, "deliver", 6.0, "m3"),
    ]


def test_skew_is_reported_by_link_and_repaired_where_a_shift_can(spark: SparkSession) -> None:
    answer = verify(frame(spark, late_by(100, "r")), windows=3)
    run = by_run(answer.runs)["r"]
    assert (run["verdict"], run["windows"], run["early"], run["one_task"]) == ("violated", 3, 2, None)
    assert places(answer.skew) == [("r", "a", "b", 2, 99.0)]


def test_a_run_that_can_not_be_cut_is_one_task_and_says_why(spark: SparkSession) -> None:
    untimed = [Row("untimed", "a", 1, "send", None, "m", ("b",)), Row("untimed", "b", 1, "deliver", 1.0, "m")]
    circular = [
        *late_by(100, "circular"),
        Row("circular", "b", 4, "send", 5.0, "m4", ("a",)),
        Row("circular", "a", 4, "deliver", 1.0, "m4"),
    ]
    back = [*late_by(0, "back"), Row("back", "b", 9, "send", 0.5, "m9", ("a",))]
    runs = by_run(verify(frame(spark, [*untimed, *circular, *back]), windows=3).runs)
    reasons = {name: row["one_task"] for name, row in runs.items()}
    assert reasons == {
        "untimed": f"as one task, because {cut.NO_TIME}",
        "circular": f"as one task, because {cut.NO_SHIFT}",
        "back": f"as one task, because {cut.GOES_BACK}",
    }
    assert [runs[name]["verdict"] for name in ("untimed", "circular", "back")] == ["holds", "violated", "violated"]


def test_a_run_of_very_many_processes_is_judged_as_one_task(spark: SparkSession) -> None:
    limits = Limits(window_processes_max=1)
    run = by_run(verify(frame(spark, overtaking("r")), windows=3, limits=limits).runs)["r"]
    assert (run["verdict"], run["windows"]) == ("violated", 1)
    assert run["one_task"] == "as one task, because it has 2 processes, more than 1"


def test_a_message_table_says_what_became_of_each(spark: SparkSession) -> None:
    rows = [
        Row("r", "a", 1, "send", 1.0, "m1", ("b", "c", "b", "nobody")),
        Row("r", "b", 1, "deliver", 2.0, "m1"),
        Row("r", "b", 2, "deliver", 3.0, "m1"),
        Row("r", "x", 1, "deliver", 3.0, "m1"),
    ]
    answer = verify(frame(spark, rows))
    assert places(answer.messages) == [("r", "m1", "a", 1, 1.0, 3, 1, 2)]
    flags = {(row["process"], row["index"]): (row["duplicate"], row["spurious"]) for row in answer.deliveries.collect()}
    assert flags == {("b", 1): (False, False), ("b", 2): (True, False), ("x", 1): (False, True)}


def test_a_trace_without_messages_is_undecidable_and_an_empty_one_has_no_runs(spark: SparkSession) -> None:
    assert by_run(verify(frame(spark, [Row("r", "a", 1, "internal")])).runs)["r"]["verdict"] == "undecidable"
    assert by_run(verify(frame(spark, [Row("r", "a", 1, "move")])).runs)["r"]["verdict"] == "undecidable"
    for windows in (None, 3):
        empty = verify(frame(spark, []), windows=windows)
        assert empty.runs.count() == empty.deliveries.count() == 0


def test_the_tables_have_the_schemas_that_are_declared(spark: SparkSession) -> None:
    answer = verify(frame(spark, overtaking("r")))
    skew = StructType.fromDDL("run string, sender string, process string, early long, worst_s double")
    declared = {"messages": schema.MESSAGES, "deliveries": schema.FOUND, "runs": schema.RUNS, "skew": skew}
    for name, wanted in declared.items():
        columns = [(field.name, field.dataType) for field in getattr(answer, name).schema]
        assert columns == [(field.name, field.dataType) for field in wanted], name


@pytest.mark.parametrize("windows", [0, -1])
def test_no_windows_at_all_can_not_be_asked_for(spark: SparkSession, windows: int) -> None:
    with pytest.raises(Misuse, match="give 1 or more"):
        verify(frame(spark, []), windows=windows)
