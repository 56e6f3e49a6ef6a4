"""Whole runs, without Spark: what is counted is what the definition says, compiled or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antecede.pipeline.kernel import loops
from antecede.pipeline.kernel.findings import FINDINGS
from antecede.pipeline.limits import LIMITS, Limits
from antecede.pipeline.verify import tasks
from tests.pipeline.chain import dealt, run
from tests.pipeline.oracle import assert_found, expected
from tests.pipeline.traces import Row, coded, overtaking, trace


def found(traces: Sequence[Sequence[Row]], limits: Limits = LIMITS) -> dict[str, list[dict[str, Any]]]:
    """The findings by run, of all traces as one task."""
    rows = [row for one in traces for row in one]
    by_run: dict[str, list[dict[str, Any]]] = {}
    for row in run(tasks.verify_runs(detail=True, limits=limits), dealt(coded(rows)), FINDINGS).to_pylist():
        by_run.setdefault(row["run"], []).append(row)
    return by_run


@pytest.mark.parametrize("steps", [loops.INTERPRETED_STEPS_MAX, -1], ids=["interpreted", "compiled"])
def test_a_thousand_runs_in_one_task_count_what_the_definition_counts(steps: int) -> None:
    traces = [rows for seed in range(1_000) if (rows := trace(seed))]
    with loops.interpret_up_to(steps):
        by_run = found(traces)
    for rows in traces:
        assert_found(by_run.get(rows[0].run, []), expected(rows))


@given(st.integers(1_000, 2**32))
@settings(max_examples=150, deadline=None)
def test_any_run_counts_what_the_definition_counts(seed: int) -> None:
    rows = trace(seed)
    if rows:
        assert_found(found([rows]).get(rows[0].run, []), expected(rows))


def test_batches_of_runs_whose_vectors_do_not_fit_together_give_the_same() -> None:
    traces = [rows for seed in range(60) if (rows := trace(seed))]
    assert found(traces, Limits(vector_entries_max=20)) == found(traces)


def test_a_run_with_too_many_processes_is_said_to_be_so_and_the_others_are_verified() -> None:
    wide = [Row("wide", name, 1, "send", None, name, ("x",)) for name in "abc"]
    by_run = found([wide, overtaking("narrow")], Limits(processes_max=2))
    assert [row["tally"]["wide"] for row in by_run["wide"] if row["what"] == "tally"] == [1]
    assert [row["tally"]["violations"] for row in by_run["narrow"] if row["what"] == "tally"] == [1]


def test_the_message_that_was_overtaken_is_named() -> None:
    delivery = next(row for row in found([overtaking("r")])["r"] if row["overtaken"])
    assert (delivery["message"], delivery["witness"], delivery["sender"], delivery["sent_index"]) == (
        "m2",
        "m1",
        "a",
        2,
    )


def test_a_message_overtaken_over_a_third_process_is_found() -> None:
    rows = [
        Row("r", "a", 1, "send", None, "m1", ("b",)),
        Row("r", "a", 2, "send", None, "m2", ("c",)),
        Row("r", "c", 1, "deliver", None, "m2"),
        Row("r", "c", 2, "send", None, "m3", ("b",)),
        Row("r", "b", 1, "deliver", None, "m3"),
        Row("r", "b", 2, "deliver", None, "m1"),
    ]
    assert [row["witness"] for row in found([rows])["r"] if row["overtaken"]] == ["m1"]


def test_a_spurious_deliver_carries_causality_though_it_is_no_violation() -> None:
    rows = [
        Row("r", "a", 1, "send", None, "m1", ("b",)),
        Row("r", "c", 1, "deliver", None, "m1"),  # spurious
        Row("r", "c", 2, "send", None, "m2", ("b",)),
        Row("r", "b", 1, "deliver", None, "m2"),
        Row("r", "b", 2, "deliver", None, "m1"),
    ]
    tally = next(row["tally"] for row in found([rows])["r"] if row["what"] == "tally")
    assert (tally["violations"], tally["spurious"]) == (1, 1)


def test_hundreds_overtaken_by_one_are_all_counted_and_the_last_in_line_counts_none() -> None:
    sends = [Row("r", "a", number, "send", None, f"m{number}", ("b",)) for number in range(300)]
    backwards = [Row("r", "b", 300 - number, "deliver", None, f"m{number}") for number in range(300)]
    deliveries = [row for row in found([sends + backwards])["r"] if row["what"] == "delivery"]
    assert {row["message"]: row["overtaken"] for row in deliveries} == {f"m{number}": number for number in range(300)}


def test_order_of_rows_and_of_batches_does_not_matter() -> None:
    whole = coded([row for seed in range(40) for row in trace(seed)])
    mixed = whole.take(pa.array(np.random.default_rng(1).permutation(whole.num_rows)))
    answers = []
    for one in (whole, mixed):
        result = run(tasks.verify_runs(detail=True), dealt(one))
        result = result.filter(pc.field("what") == "delivery").select(
            ["run", "process", "index", "overtaken", "witness"]
        )
        answers.append(result.sort_by([(name, "ascending") for name in ("run", "process", "index")]).to_pylist())
    assert answers[0] == answers[1]
