"""Whole runs in memory: what is counted is what the definition says, compiled or not."""

from __future__ import annotations

import tracemalloc
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
from antecede.pipeline.kernel.layout import Rows, lay_out
from antecede.pipeline.kernel.pair import paired_runs
from antecede.pipeline.kernel.stamp import stamp, stamp_runs
from antecede.pipeline.limits import LIMITS, Limits
from tests.pipeline.oracle import COUNTED, assert_found, expected
from tests.pipeline.traces import Row, backwards, coded, overtaking, trace

NOTHING = dict.fromkeys(COUNTED, 0)


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in some runs, by run."""

    tallies: dict[str, dict[str, Any]]
    deliveries: dict[str, list[dict[str, Any]]]


def find(table: pa.Table, limits: Limits = LIMITS) -> Found:
    """Return what is found in some whole runs, whose kinds are codes."""
    paired = paired_runs(encode(table))
    stamped = stamp_runs(paired.rows, lay_out(paired.rows), vector_entries_max=limits.vector_entries_max)
    tallies = {row["run"]: row for row in findings.tallies(paired, stamped).to_pylist()}
    deliveries: dict[str, list[dict[str, Any]]] = {}
    for row in findings.all_deliveries(paired, stamped).to_pylist():
        deliveries.setdefault(row["run"], []).append(row)
    return Found(tallies, deliveries)


def find_in(*traces: Sequence[Row], limits: Limits = LIMITS) -> Found:
    return find(coded([row for one in traces for row in one]), limits)


def assert_as_defined(found: Found, rows: Sequence[Row]) -> None:
    run = rows[0].run
    assert_found(found.tallies.get(run, NOTHING), found.deliveries.get(run, []), expected(rows))


def paired(traces: Sequence[Sequence[Row]]) -> Rows:
    return paired_runs(encode(coded([row for one in traces for row in one]))).rows


def assert_masks_find_what_vectors_find(rows: Rows, vector_entries_max: int) -> None:
    """Assert that the same messages are overtaken, with the same witnesses, in the same runs without a cycle."""
    masks, vectors = stamp_runs(rows, lay_out(rows), vector_entries_max=vector_entries_max), stamp(rows)
    np.testing.assert_array_equal(masks.overtaken, vectors.overtaken)
    np.testing.assert_array_equal(masks.witness, vectors.witness)
    np.testing.assert_array_equal(masks.cyclic, vectors.cyclic)


@pytest.mark.parametrize("steps", [2**40, -1], ids=["interpreted", "compiled"])
@pytest.mark.parametrize("vector_entries_max", [0, 2**26], ids=["masks of one word", "masks of any width"])
def test_masks_find_what_vectors_find_in_thousands_of_small_runs(steps: int, vector_entries_max: int) -> None:
    with loops.interpret_up_to(steps):
        assert_masks_find_what_vectors_find(paired([trace(seed) for seed in range(3_000)]), vector_entries_max)


@pytest.mark.parametrize("steps", [2**40, -1], ids=["interpreted", "compiled"])
@pytest.mark.parametrize("vector_entries_max", [0, 2_000, 2**26], ids=str)
def test_masks_find_what_vectors_find_in_runs_of_many_words(steps: int, vector_entries_max: int) -> None:
    traces = [trace(seed, processes_max=40, messages_max=600) for seed in range(40)]
    with loops.interpret_up_to(steps):
        assert_masks_find_what_vectors_find(paired(traces), vector_entries_max)


@given(st.integers(0, 2**32), st.integers(1, 30), st.integers(1, 120), st.integers(0, 5_000))
@settings(max_examples=150, deadline=None)
def test_masks_find_what_vectors_find_in_any_run(seed: int, processes: int, messages: int, entries_max: int) -> None:
    rows = trace(seed, processes_max=processes, messages_max=messages)
    if rows:
        assert_masks_find_what_vectors_find(paired([rows]), entries_max)


def test_runs_that_are_faster_with_vectors_are_judged_next_to_others() -> None:
    """Two processes, and thousands of messages in flight between them, in some of the runs."""
    traces = [trace(seed) for seed in range(20)]
    traces[3:3], traces[9:9] = [backwards("first", 3_000)], [backwards("second", 2_500)]
    rows = paired(traces)
    assert_masks_find_what_vectors_find(rows, LIMITS.vector_entries_max)
    assert stamp_runs(rows, lay_out(rows), vector_entries_max=4).overtaken.sum() > 3_000 * 2_999 / 2 + 2_500 * 2_499 / 2


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


def test_a_run_of_twenty_thousand_processes_is_judged_in_little_memory() -> None:
    """Vectors of so many processes would take 1.6 GB."""
    rows = overtaking("many")
    for number in range(10_000):
        rows.append(Row("many", f"p{number}", 1, "send", number, f"n{number}", (f"q{number}",)))
        rows.append(Row("many", f"q{number}", 1, "deliver", number + 0.5, f"n{number}"))
    encoded = paired_runs(encode(coded(rows))).rows
    with loops.interpret_up_to(2**40):  # what is compiled allocates memory that is not traced
        tracemalloc.start()
        stamped = stamp_runs(encoded, lay_out(encoded), vector_entries_max=LIMITS.vector_entries_max)
        _, peak_bytes = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert np.count_nonzero(stamped.overtaken) == 1
    assert not stamped.cyclic.any()
    assert peak_bytes < 50 * 2**20


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
    deliveries = find_in(backwards("r", 300)).deliveries["r"]
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
