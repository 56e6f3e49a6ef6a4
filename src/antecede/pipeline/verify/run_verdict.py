"""Give each run its verdict, from the counts of the run. The rule is that of `antecede.judge.rule`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from operator import itemgetter
from typing import Any

import pyarrow as pa

from antecede.judge import rule
from antecede.pipeline.kernel.clock_receives import ClockVerdict
from antecede.pipeline.kernel.findings import FIRST_VIOLATIONS, OTHER_ORDERS, RUN_COUNTS, RUN_ROWS
from antecede.pipeline.tables.measures import conform
from antecede.pipeline.verify.clock_verdicts import NONE, apply_clocks

CYCLE = "happened-before has a cycle: an event would have to happen before itself"
RUNS_TOLD_MAX = 1_000
NO_VIOLATIONS = FIRST_VIOLATIONS.empty_table()
VERDICTS = (rule.VIOLATED, rule.UNDECIDABLE, rule.HOLDS)
"""The verdicts, the worst first."""


def tell_worst(runs: pa.Table) -> pa.Table:
    """Return runs with their verdicts, which are rows of `RUN_ROWS`.

    If there are more than `RUNS_TOLD_MAX`, only the worst have a row each, and the others are added up by verdict.
    """
    ordered = pa.Table.from_pylist(sorted(runs.to_pylist(), key=worst_first), RUN_ROWS)
    return pa.concat_tables([ordered.slice(0, RUNS_TOLD_MAX), _add_up_by_verdict(ordered.slice(RUNS_TOLD_MAX))])


def judge_each_run(
    runs: pa.Table,
    witnesses: pa.Table,
    by_clocks: Mapping[str, ClockVerdict] = NONE.runs,
    *,
    first_violations: pa.Table = NO_VIOLATIONS,
    without_synchronous: Collection[str] = (),
) -> pa.Table:
    """Return every run with its verdicts, as `RUN_ROWS`.

    `runs` are rows of `RUN_COUNTS`, and `witnesses` of `ORDER_WITNESSES`. `by_clocks` has the verdicts of vector
    clocks, by run. `first_violations` are those of the runs or of their parts, as `FIRST_VIOLATIONS`.
    `without_synchronous` are the runs for which synchronous order was not computed.
    """
    found = {(row["run"], row["order"]): row["words"] for row in witnesses.to_pylist()}
    causal: dict[str, str] = {}
    for row in sorted(first_violations.to_pylist(), key=itemgetter("process", "index")):
        causal.setdefault(row["run"], row["words"])
    rows = []
    for row in runs.to_pylist():
        reason = why_undecidable(row)
        verdict = rule.VIOLATED if row["violations"] else rule.UNDECIDABLE if reason else rule.HOLDS
        judged = {**row, "verdict": verdict, "reason": reason, "basis": "messages", "run_count": 1}
        judged["causal_witness"] = causal.get(row["run"])
        for order in OTHER_ORDERS:
            words = found.get((row["run"], order))
            is_computed = order != "synchronous" or row["run"] not in without_synchronous
            judged[order] = _judge_order(order, row, words, is_computed=is_computed)
            judged[f"{order}_witness"] = words if judged[order] == rule.VIOLATED else None
        clocks = by_clocks.get(row["run"])
        rows.append(judged if clocks is None else apply_clocks(judged, clocks))
    return pa.Table.from_pylist(rows, RUN_ROWS)


def _judge_order(order: str, row: Mapping[str, Any], words: str | None, *, is_computed: bool) -> str:
    """Return the verdict on one order of a run. `words` are a witness that the order is broken, or None.

    If happened-before has a cycle, no message can be instantaneous.
    """
    if not row["paired"] or (order == "synchronous" and row["cyclic"]):
        return rule.UNDECIDABLE
    if not is_computed:
        return rule.NOT_COMPUTED
    return rule.VIOLATED if words else rule.HOLDS


def worst_first(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the key by which runs are sorted: by verdict, by violations, by the other orders, then by name."""
    others = [row[order] != rule.VIOLATED for order in OTHER_ORDERS]
    return VERDICTS.index(row["verdict"]), -row["violations"], *others, row["run"] or ""


def why_undecidable(row: Mapping[str, Any]) -> str | None:
    """Return the reason why a run without violations cannot be judged, or None if it can."""
    if row["cyclic"]:
        return CYCLE
    if row["paired"]:
        return None
    if row["messages"]:
        return rule.NO_SHARED_ID if row["deliveries"] else rule.NO_DELIVER
    if row["deliveries"]:
        return rule.NO_SEND
    return rule.NO_IDENTITY if row["internals"] else rule.NO_MESSAGE


def _add_up_by_verdict(runs: pa.Table) -> pa.Table:
    counted, keys = [*RUN_COUNTS.names[1:], "run_count"], ["verdict", "basis", *OTHER_ORDERS]
    sums = runs.group_by(keys).aggregate([(name, "sum") for name in counted])
    return conform(sums.rename_columns([*keys, *counted]), RUN_ROWS)
