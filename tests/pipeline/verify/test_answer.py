"""The answer on a trace, in sentences and sums, from its runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest

from antecede.judge.rule import NO_IDENTITY, Coverage
from antecede.pipeline.kernel.clock_receives import ClockVerdict
from antecede.pipeline.kernel.findings import FIRST_VIOLATIONS, ORDER_WITNESSES, RUN_COUNTS
from antecede.pipeline.report.model import Answer, ExplainedViolation
from antecede.pipeline.verify.answer import RUNS_LISTED_MAX, add_causal_witness, answer, plural
from antecede.pipeline.verify.run_verdict import NO_VIOLATIONS, judge_each_run

NOTHING = dict.fromkeys(RUN_COUNTS.names, 0)
PAIRED = {"messages": 2, "deliveries": 2, "paired": 2, "events": 4, "processes": 2}
VIOLATED = {**PAIRED, "violations": 1, "overtaken": 3}


def answer_on(
    *runs: dict[str, Any],
    quarantined: int = 0,
    unread: float = 0.0,
    witnesses: Sequence[dict[str, str]] = (),
    first_violations: pa.Table = NO_VIOLATIONS,
    large: Sequence[str] = (),
    **options: Any,
) -> Answer:
    rows = [NOTHING | {"run": f"run {at}"} | run for at, run in enumerate(runs)]
    found = pa.Table.from_pylist(list(witnesses), ORDER_WITNESSES)
    judged = judge_each_run(
        pa.Table.from_pylist(rows, RUN_COUNTS), found, first_violations=first_violations, without_synchronous=large
    )
    events = sum(run.get("events", 0) for run in runs)
    settings: dict[str, Any] = {"windows": {}, "one_task": {}, **options}
    return answer(judged, Coverage(events, quarantined, unread), **settings)


@pytest.mark.parametrize(
    ("runs", "verdict", "reason"),
    [
        ([PAIRED], "holds", "None of 2 deliveries came before one of its causes."),
        ([{**PAIRED, "deliveries": 1}], "holds", "The only delivery did not come before one of its causes."),
        ([VIOLATED], "violated", "1 of 2 deliveries came before one of its causes, in 1 of 1 run."),
        (
            [{**VIOLATED, "violations": 2}, PAIRED],
            "violated",
            "2 of 4 deliveries came before one of their causes, in 1 of 2 runs.",
        ),
        (
            [VIOLATED, {"events": 1}],
            "violated",
            "1 of 2 deliveries came before one of its causes, in 1 of 2 runs. 1 of 2 runs cannot be judged.",
        ),
        ([{"events": 1}], "undecidable", "No message was sent or delivered."),
        (
            [PAIRED, {"events": 1}],
            "undecidable",
            "Run 'run 1': no message was sent or delivered. 1 of 2 runs cannot be judged.",
        ),
        ([], "undecidable", "The input has no events."),
    ],
)
def test_the_verdict_is_said_in_sentences(runs: list[dict[str, int]], verdict: str, reason: str) -> None:
    found = answer_on(*runs)
    assert (found.verdict, found.reason, found.complete) == (verdict, reason, True)


def test_what_could_not_be_read_is_part_of_the_answer() -> None:
    runs = [{**PAIRED, "events": 1_000}]
    found = answer_on(*runs, quarantined=5)
    assert (found.verdict, found.complete) == ("holds", False)
    assert found.reason.startswith("It holds for the 1,000 of 1,005 rows that could be read: none of 2 deliveries")
    assert answer_on(*runs, quarantined=50).verdict == "undecidable"
    assert answer_on(*runs, quarantined=50, quarantine_max=0.5).verdict == "holds"
    assert answer_on(*runs, quarantined=1, unread=0.5).verdict == "undecidable"
    found = answer_on(VIOLATED, quarantined=5)
    assert found.verdict == "violated"
    assert found.reason.endswith("5 of 9 rows could not be read as events.")
    assert answer_on(quarantined=2).reason == "No row could be read as an event: all 2 are in quarantine."


def test_counts_are_added_up_over_all_runs() -> None:
    found = answer_on(VIOLATED, PAIRED, {"events": 1, "early": 2}, windows={"run 1": 5})
    assert found.run_count == 3
    sums = {name: found.sums[name] for name in ("events", "processes", "deliveries", "overtaken", "early", "windows")}
    assert sums == {"events": 9, "processes": 4, "deliveries": 4, "overtaken": 3, "early": 2, "windows": 7}


def test_runs_are_listed_with_how_they_were_judged() -> None:
    found = answer_on(PAIRED, VIOLATED, windows={"run 0": 7}, one_task={"run 1": "it has no time"})
    assert [(run.run, run.verdict, run.windows, run.one_task) for run in found.runs] == [
        ("run 1", "violated", 1, "as one task, because it has no time"),
        ("run 0", "holds", 7, None),
    ]


def test_however_many_runs_there_are_few_are_listed() -> None:
    found = answer_on(*[PAIRED] * (RUNS_LISTED_MAX + 5), VIOLATED)
    assert (len(found.runs), found.run_count) == (RUNS_LISTED_MAX, RUNS_LISTED_MAX + 6)
    assert found.runs[0].verdict == "violated"


def test_sums_of_runs_that_are_not_told_one_by_one_count() -> None:
    row = NOTHING | PAIRED | {"run": None, "verdict": "holds", "reason": None, "basis": "messages", "run_count": 9}
    counted = pa.Table.from_pylist([NOTHING | PAIRED | {"run": "a"}], RUN_COUNTS)
    runs = judge_each_run(counted, ORDER_WITNESSES.empty_table())
    both = pa.concat_tables([runs, pa.Table.from_pylist([row], runs.schema)])
    found = answer(both, Coverage(8, 0), windows={}, one_task={})
    assert (found.run_count, found.sums["windows"], found.sums["events"]) == (10, 10, 8)
    assert [run.run for run in found.runs] == ["a"]


def test_nouns_are_in_the_singular_for_one() -> None:
    assert (plural(1, "run"), plural(2, "run"), plural(0, "run")) == ("1 run", "2 runs", "0 runs")
    assert plural(1_000, "delivery", "deliveries") == "1,000 deliveries"


BROKEN = {"run": "run 1", "order": "agreed", "words": "a delivered x before y, and b delivered y before x"}


@pytest.mark.parametrize(
    ("required", "verdict", "reason"),
    [
        ("causal", "holds", "None of 4 deliveries came before one of its causes."),
        ("fifo", "holds", "4 deliveries keep FIFO order."),
        (
            "agreed",
            "violated",
            "Agreed order is violated in 1 of 2 runs: run 'run 1': a delivered x before y, and b delivered y before x.",
        ),
        (
            "synchronous",
            "undecidable",
            "Run 'run 0': it was not computed whether messages could be instantaneous, because the run is too large for"
            " one task.",
        ),
    ],
)
def test_the_verdict_is_about_the_order_that_is_required(required: str, verdict: str, reason: str) -> None:
    found = answer_on(PAIRED, PAIRED, witnesses=[BROKEN], large=["run 0"], required=required)
    assert (found.verdict, found.reason, found.required) == (verdict, reason, required)
    verdicts = {one.order: (one.verdict, one.violated_runs) for one in found.orders}
    assert verdicts == {
        "fifo": ("holds", 0),
        "causal": ("holds", 0),
        "agreed": ("violated", 1),
        "synchronous": ("not computed", 0),
    }


def test_the_first_violation_of_the_worst_run_is_the_witness_of_causal_order_until_one_is_explained() -> None:
    rows = [{"run": f"run {at}", "process": "b", "index": 3, "words": f"b was wrong in {at}"} for at in range(2)]
    first = pa.Table.from_pylist(rows, FIRST_VIOLATIONS)
    one = answer_on(VIOLATED, first_violations=first)
    assert one.witness_of("causal") == "b was wrong in 0"
    both = answer_on(VIOLATED, VIOLATED | {"violations": 2}, PAIRED, first_violations=first)
    assert both.witness_of("causal") == "run 'run 1': b was wrong in 1"
    assert [run.causal_witness for run in both.runs] == ["b was wrong in 1", "b was wrong in 0", None]
    worst = ExplainedViolation("run 0", "b", 4, "m2", "m1", 1, "the worst")
    assert add_causal_witness(both, [worst]).witness_of("causal") == "run 'run 0': the worst"
    assert add_causal_witness(both, []) == both


def test_no_order_holds_if_too_little_was_read_but_a_violation_stays() -> None:
    found = answer_on(PAIRED, quarantined=5, witnesses=[BROKEN | {"run": "run 0"}])
    assert [one.verdict for one in found.orders] == ["undecidable", "undecidable", "violated", "undecidable"]
    assert found.orders[0].words is not None
    assert "could not be read" in found.orders[0].words


def test_a_run_that_vector_clocks_decide_has_a_reason_why_other_orders_are_not_decided() -> None:
    clocks = {"run 0": ClockVerdict("run 0", "holds", 2, 0), "run 1": ClockVerdict("run 1", "holds", 2, 0)}
    counted = pa.Table.from_pylist([NOTHING | {"run": run, "internals": 2} for run in clocks], RUN_COUNTS)
    judged = judge_each_run(counted, ORDER_WITNESSES.empty_table(), clocks)
    found = answer(judged, Coverage(4, 0), windows={}, one_task={}, required="fifo")
    assert (found.verdict, found.reason) == ("undecidable", f"Run 'run 0': {NO_IDENTITY}.")
