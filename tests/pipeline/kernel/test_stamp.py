"""Whole runs in memory: what is counted is what the definition says, compiled or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antecede.pipeline.kernel import findings, loops
from antecede.pipeline.kernel.encode import encode
from antecede.pipeline.kernel.pair import paired_runs
from antecede.pipeline.kernel.stamp import stamp_runs
from antecede.pipeline.limits import LIMITS, Limits
from tests.pipeline.oracle import COUNTED, assert_found, expected
from tests.pipeline.traces import Row, coded, overtaking, trace

NOTHING = dict.fromkeys(COUNTED, 0)


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in some runs, by run."""

    tallies: dict[str, dict[str, Any]]
    deliveries: dict[str, list[dict[str, Any]]]


def find(table: pa.Table, limits: Limits = LIMITS) -> Found:
    """Return what is found in some whole runs, whose kinds are codes."""
    paired = paired_runs(encode(table))
    wide = paired.rows.widths > limits.processes_max
    stamped = stamp_runs(paired.rows, wide, vector_entries_max=limits.vector_entries_max)
    tallies = {row["run"]: row for row in findings.tallies(paired, stamped, wide).to_pylist()}
    deliveries: dict[str, list[dict[str, Any]]] = {}
    for row in findings.all_deliveries(paired, stamped).to_pylist():
        deliveries.setdefault(row["run"], []).append(row)
    return Found(tallies, deliveries)


def find_in(*traces: Sequence[Row], limits: Limits = LIMITS) -> Found:
    return find(coded([row for one in traces for row in one]), limits)


def assert_as_defined(found: Found, rows: Sequence[Row]) -> None:
    run = rows[0].run
    assert_found(found.tallies.get(run, NOTHING), found.deliveries.get(run, []), expected(rows))


@pytest.mark.parametrize("steps", [loops.INTERPRETED_STEPS_MAX, -1], ids=["interpreted", "compiled"])
def test_a_thousand_runs_in_one_task_count_what_the_definition_counts(steps: int) -> None:
    traces = [rows for seed in range(1_000) if (rows := trace(seed))]
    with loops.interpret_up_to(steps):
        found = find_in(*traces)
    for rows in traces:
        assert_as_defined(found, rows)


@given(st.integers(1_000, 2**32))
@settings(max_examples=150, deadline=None)
def test_any_run_counts_what_the_definition_counts(seed: int) -> None:
    rows = trace(seed)
    if rows:
        assert_as_defined(find_in(rows), rows)


def test_batches_of_runs_whose_vectors_do_not_fit_together_give_the_same() -> None:
    traces = [rows for seed in range(60) if (rows := trace(seed))]
    assert find_in(*traces, limits=Limits(vector_entries_max=20)) == find_in(*traces)


def test_a_run_with_too_many_processes_is_said_to_be_so_and_the_others_are_verified() -> None:
    wide = [Row("wide", name, 1, "send", None, name, ("x",)) for name in "abc"]
    tallies = find_in(wide, overtaking("narrow"), limits=Limits(processes_max=2)).tallies
    assert (tallies["wide"]["wide"], tallies["narrow"]["wide"]) == (1, 0)
    assert tallies["narrow"]["violations"] == 1


def test_the_message_that_was_overtaken_is_named() -> None:
    (delivery,) = (row for row in find_in(overtaking("r")).deliveries["r"] if row["violation"])
    assert (delivery["message"], delivery["witness"], delivery["witness_time"]) == ("m2", "m1", 1.0)
    assert (delivery["sender"], delivery["sent_index"], delivery["sent_time"]) == ("a", 2, 2.0)


def test_a_message_overtaken_over_a_third_process_is_found() -> None:
    rows = [
        Row("r", "a", 1, "send", None, "m1", ("b",)),
        Row("r", "a", 2, "send", None, "m2", ("c",)),
        Row("r", "c", 1, "deliver", None, "m2"),
        Row("r", "c", 2, "send", None, "m3", ("b",)),
        Row("r", "b", 1, "deliver", None, "m3"),
        Row("r", "b", 2, "deliver", None, "m1"),
    ]
    assert [row["witness"] for row in find_in(rows).deliveries["r"] if row["overtaken"]] == ["m1"]


def test_a_spurious_deliver_carries_causality_though_it_is_no_violation() -> None:
    rows = [
        Row("r", "a", 1, "send", None, "m1", ("b",)),
        Row("r", "c", 1, "deliver", None, "m1"),  # spurious
        Row("r", "c", 2, "send", None, "m2", ("b",)),
        Row("r", "b", 1, "deliver", None, "m2"),
        Row("r", "b", 2, "deliver", None, "m1"),
    ]
    tally = find_in(rows).tallies["r"]
    assert (tally["violations"], tally["spurious"]) == (1, 1)


def test_hundreds_overtaken_by_one_are_all_counted_and_the_last_in_line_counts_none() -> None:
    sends = [Row("r", "a", number, "send", None, f"m{number}", ("b",)) for number in range(300)]
    backwards = [Row("r", "b", 300 - number, "deliver", None, f"m{number}") for number in range(300)]
    deliveries = find_in(sends + backwards).deliveries["r"]
    assert {row["message"]: row["overtaken"] for row in deliveries} == {f"m{number}": number for number in range(300)}


def test_the_order_of_rows_does_not_matter() -> None:
    whole = coded([row for seed in range(40) for row in trace(seed)])
    mixed = whole.take(pa.array(np.random.default_rng(1).permutation(whole.num_rows)))
    answers = []
    for one in (whole, mixed):
        rows = [row for own in find(one).deliveries.values() for row in own]
        answers.append(
            sorted((row["run"], row["process"], row["index"], row["overtaken"], str(row["witness"])) for row in rows)
        )
    assert answers[0] == answers[1]
