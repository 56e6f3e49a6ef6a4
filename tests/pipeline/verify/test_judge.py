"""Whole runs in memory, judged: what is counted, what is refused, what is inferred."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from antecede.pipeline import schema
from antecede.pipeline.kernel import findings
from antecede.pipeline.kernel.counts import COUNTS
from antecede.pipeline.limits import LIMITS
from antecede.pipeline.verify.judge import JudgedRuns, judge_runs
from tests.pipeline.oracle import assert_found, expected
from tests.pipeline.traces import Row, events, overtaking, trace

TRACES = [rows for seed in range(1_000, 1_300) if (rows := trace(seed))]


def judge(table: pa.Table, *, worst: int = 10**6, detail: bool = True) -> JudgedRuns:
    return judge_runs(table, worst=worst, detail=detail, limits=LIMITS)


def by_run(table: pa.Table) -> dict[str, dict[str, Any]]:
    return {row["run"]: row for row in table.to_pylist()}


def test_many_runs_at_once_count_what_the_definition_counts() -> None:
    judged = judge(events([row for rows in TRACES for row in rows]))
    assert judged.deliveries is not None
    runs = by_run(judged.runs)
    deliveries: dict[str, list[dict[str, Any]]] = {}
    for row in judged.deliveries.to_pylist():
        deliveries.setdefault(row["run"], []).append(row)
    for rows in TRACES:
        wanted = expected(rows)
        run = runs[rows[0].run]
        assert {name: run[name] for name in wanted.counts} == wanted.counts
        assert_found(run, deliveries.get(rows[0].run, []), wanted)
    assert (judged.refused.num_rows, judged.inferred) == (0, 0)


def test_the_tables_have_the_schemas_that_are_declared() -> None:
    judged = judge(events(overtaking("r")))
    assert judged.messages is not None
    assert judged.deliveries is not None
    for table, wanted in (
        (judged.messages, schema.MESSAGES),
        (judged.deliveries, findings.DELIVERY_FINDINGS),
        (judged.worst, findings.DELIVERY_FINDINGS),
        (judged.runs, findings.RUN_COUNTS),
        (judged.first_violations, findings.FIRST_VIOLATIONS),
        (judged.skew, findings.SKEW),
        (judged.counts, COUNTS),
        (judged.refused, schema.QUARANTINE),
    ):
        assert [(field.name, field.type) for field in table.schema] == [(field.name, field.type) for field in wanted]
    plain = judge(events(overtaking("r")), detail=False)
    assert (plain.messages, plain.deliveries) == (None, None)
    assert plain.runs == judged.runs


def test_a_message_table_says_what_became_of_each() -> None:
    rows = [
        Row("r", "a", 1, "send", 1.0, "m1", ("b", "c", "b", "nobody")),
        Row("r", "b", 1, "deliver", 2.0, "m1"),
        Row("r", "b", 2, "deliver", 3.0, "m1"),
        Row("r", "x", 1, "deliver", 3.0, "m1"),
    ]
    judged = judge(events(rows))
    assert judged.messages is not None
    assert judged.deliveries is not None
    assert [tuple(row.values()) for row in judged.messages.to_pylist()] == [("r", "m1", "a", 1, 1.0, 3, 1, 2)]
    flags = {
        (row["process"], row["index"]): (row["duplicate"], row["spurious"]) for row in judged.deliveries.to_pylist()
    }
    assert flags == {("b", 1): (False, False), ("b", 2): (True, False), ("x", 1): (False, True)}


@pytest.mark.parametrize(
    ("again", "reason"),
    [
        (replace(overtaking("r")[0], kind="internal"), "duplicate index"),
        (replace(overtaking("r")[0], index=10**6), "duplicate message id"),
    ],
)
def test_what_comes_twice_is_refused_wherever_in_the_run_it_is(again: Row, reason: str) -> None:
    rows = [*overtaking("r"), *overtaking("s"), again]
    judged = judge(events(rows))
    (refused,) = judged.refused.to_pylist()
    assert (refused["line"], refused["reason"].split(":")[0]) == (9, reason)
    assert judged.runs.to_pylist() == judge(events(rows[:-1])).runs.to_pylist()
    assert judged.events.num_rows == 8
    assert sum(judged.counts["events"].to_pylist()) == 8


def test_destinations_are_inferred_if_sends_name_none() -> None:
    whole = events(overtaking("r"))
    none = pa.nulls(whole.num_rows, whole["dests"].type)
    judged = judge(whole.set_column(whole.column_names.index("dests"), "dests", none))
    assert judged.inferred == 2
    run = by_run(judged.runs)["r"]
    assert (run["violations"], run["spurious"], run["lost"]) == (1, 0, 0)
    assert judged.events["dests"].to_pylist()[:2] == [["b"], ["b"]]


def test_runs_without_messages_are_counted_too() -> None:
    rows = [Row("silent", "a", 1, "internal"), Row("silent", "b", 1, "move"), *overtaking("loud")]
    runs = by_run(judge(events(rows)).runs)
    counted = ("events", "processes", "internals", "messages")
    assert [runs["silent"][name] for name in counted] == [2, 2, 1, 0]
    assert [runs["loud"][name] for name in counted] == [4, 2, 0, 2]


def test_only_the_worst_are_told_and_in_the_same_order_whatever_the_order_of_rows() -> None:
    rows = [row for one in TRACES for row in one]
    worst = judge(events(rows), worst=7).worst.to_pylist()
    assert len(worst) == 7
    assert [row["overtaken"] for row in worst] == sorted((row["overtaken"] for row in worst), reverse=True)
    assert judge(events(rows[::-1]), worst=7).worst.to_pylist() == worst
    assert judge(events(rows), worst=0).worst.num_rows == 0


def test_the_first_violation_is_the_same_whatever_the_order_of_rows() -> None:
    rows = [row for one in TRACES for row in one]
    first, turned = (judge(events(some)).first_violations.sort_by("run") for some in (rows, rows[::-1]))
    assert first == turned
    assert len(set(first["run"].to_pylist())) == first.num_rows > 50
