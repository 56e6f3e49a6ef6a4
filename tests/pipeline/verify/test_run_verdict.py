"""The verdict on each run, from what was counted in it."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from antecede.judge import rule
from antecede.pipeline.kernel.findings import (
    FIRST_VIOLATIONS,
    ORDER_WITNESSES,
    OTHER_ORDERS,
    RUN_COUNTS,
    RUN_ROWS,
)
from antecede.pipeline.verify.run_verdict import CYCLE, RUNS_TOLD_MAX, judge_each_run, tell_worst, worst_first

NOTHING = dict.fromkeys(RUN_COUNTS.names, 0)
NO_WITNESS = ORDER_WITNESSES.empty_table()


def counts(*runs: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist([NOTHING | {"run": f"run {at}"} | run for at, run in enumerate(runs)], RUN_COUNTS)


@pytest.mark.parametrize(
    ("run", "verdict", "reason"),
    [
        ({"messages": 1, "deliveries": 1, "paired": 1}, "holds", None),
        ({"messages": 2, "deliveries": 2, "paired": 2, "violations": 1}, "violated", None),
        ({"messages": 2, "deliveries": 2, "paired": 2, "cyclic": 1}, "undecidable", CYCLE),
        ({"messages": 1, "deliveries": 1}, "undecidable", rule.NO_SHARED_ID),
        ({"messages": 1}, "undecidable", rule.NO_DELIVER),
        ({"deliveries": 1}, "undecidable", rule.NO_SEND),
        ({"internals": 1}, "undecidable", rule.NO_IDENTITY),
        ({}, "undecidable", rule.NO_MESSAGE),
    ],
)
def test_each_run_has_the_verdict_of_the_rule(run: dict[str, int], verdict: str, reason: str | None) -> None:
    (judged,) = judge_each_run(counts(run), NO_WITNESS).to_pylist()
    assert (judged["verdict"], judged["run_count"]) == (verdict, 1)
    assert judged["reason"] == reason or verdict == "violated"


def test_the_worst_runs_come_first() -> None:
    paired = {"messages": 2, "deliveries": 2, "paired": 2}
    runs = counts(paired, {}, {**paired, "violations": 1}, {**paired, "violations": 3}, {**paired, "violations": 3})
    assert tell_worst(judge_each_run(runs, NO_WITNESS))["run"].to_pylist() == [
        "run 3",
        "run 4",
        "run 2",
        "run 1",
        "run 0",
    ]
    assert (
        sorted(judge_each_run(runs, NO_WITNESS).to_pylist(), key=worst_first)
        == tell_worst(judge_each_run(runs, NO_WITNESS)).to_pylist()
    )


def test_of_many_runs_only_the_worst_are_told_one_by_one_and_the_others_are_added_up() -> None:
    paired = {"messages": 2, "deliveries": 2, "paired": 2, "events": 4}
    runs = [{**paired, "violations": 1}] * 3 + [paired] * RUNS_TOLD_MAX + [{"events": 1}] * 2
    told = tell_worst(judge_each_run(counts(*runs), NO_WITNESS))
    assert told.schema == RUN_ROWS
    assert told.num_rows == RUNS_TOLD_MAX + 1
    *single, others = told.to_pylist()
    assert [row["verdict"] for row in single[:6]] == ["violated"] * 3 + ["undecidable"] * 2 + ["holds"]
    assert (others["run"], others["verdict"], others["run_count"], others["events"]) == (None, "holds", 5, 20)
    assert sum(row["run_count"] for row in told.to_pylist()) == len(runs)
    for name in ("events", "messages", "violations"):
        assert sum(told[name].to_pylist()) == sum(run.get(name, 0) for run in runs)


PAIRED = {"messages": 2, "deliveries": 2, "paired": 2}


@pytest.mark.parametrize(
    ("run", "verdicts"),
    [
        (PAIRED, ("violated", "holds", "violated")),
        (PAIRED | {"cyclic": 1}, ("violated", "holds", "undecidable")),
        ({"messages": 1}, ("undecidable", "undecidable", "undecidable")),
    ],
)
def test_each_order_is_judged_by_itself(run: dict[str, int], verdicts: tuple[str, ...]) -> None:
    rows = [{"run": "run 0", "order": order, "words": f"{order} is broken"} for order in ("fifo", "synchronous")]
    (judged,) = judge_each_run(counts(run), pa.Table.from_pylist(rows, ORDER_WITNESSES)).to_pylist()
    assert tuple(judged[order] for order in OTHER_ORDERS) == verdicts
    for order in OTHER_ORDERS:
        assert judged[f"{order}_witness"] == (f"{order} is broken" if judged[order] == "violated" else None)


def test_of_the_first_violations_of_parts_of_a_run_the_first_is_the_witness_of_causal_order() -> None:
    places = [("run 0", "b", 7), ("run 0", "b", 5), ("run 0", "c", 1), ("run 1", "a", 0)]
    rows = [{"run": run, "process": name, "index": at, "words": f"{name} at {at}"} for run, name, at in places]
    violated = PAIRED | {"violations": 1}
    for order in (rows, rows[::-1]):
        first = pa.Table.from_pylist(order, FIRST_VIOLATIONS)
        judged = judge_each_run(counts(violated, violated, PAIRED), NO_WITNESS, first_violations=first)
        assert judged["causal_witness"].to_pylist() == ["b at 5", "a at 0", None]


def test_a_run_too_large_for_one_task_is_not_judged_for_synchronous_order() -> None:
    (judged,) = judge_each_run(counts(PAIRED), NO_WITNESS, without_synchronous=["run 0"]).to_pylist()
    assert (judged["fifo"], judged["agreed"], judged["synchronous"]) == ("holds", "holds", "not computed")
