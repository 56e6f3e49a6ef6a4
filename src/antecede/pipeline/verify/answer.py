"""Combine the results of the tasks into the verdict on a trace and its counts.

The answer is bounded, however many runs there are. The runs that matter most are listed: first the violated runs, then
the runs that cannot be judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from antecede.judge.judge import COUNTS
from antecede.judge.orders import ORDER_NAMES, ORDERS
from antecede.judge.rule import (
    HOLDS,
    NO_IDENTITY,
    NOT_COMPUTED,
    QUARANTINE_MAX,
    UNDECIDABLE,
    VIOLATED,
    Coverage,
    combine_verdicts,
)
from antecede.pipeline.report.model import Answer, ExplainedViolation, OrderAnswer, RunAnswer
from antecede.pipeline.verify.run_verdict import VERDICTS, worst_first

CAUSAL = "causal"
TOO_LARGE = "it was not computed whether messages could be instantaneous, because the run is too large for one task"
RUNS_LISTED_MAX = 1_000
SUMS = (*(name for name in COUNTS if name not in ("runs", "quarantined")), "early", "windows")
"""The counts that are added up over all runs."""


def answer(
    runs: pa.Table,
    coverage: Coverage,
    *,
    windows: Mapping[str, int],
    one_task: Mapping[str, str],
    quarantine_max: float = QUARANTINE_MAX,
    required: str = CAUSAL,
) -> Answer:
    """Return the answer on runs with their verdicts, which are rows of `RUN_ROWS`. It is about the order `required`.

    `windows` has the number of windows of each run that was cut. `one_task` has the reason for each large run that was
    not cut. `coverage` is how much of the input was read. If more than the share `quarantine_max` was not, and nothing
    is violated, the answer is undecidable.
    """
    rows = sorted(runs.to_pylist(), key=worst_first)
    for row in rows:
        row["windows"] = windows.get(row["run"], row["run_count"])
    listed = tuple(_run_answer(row, one_task) for row in rows if row["run"] is not None)[:RUNS_LISTED_MAX]
    tally = {name: sum(row[name] for row in rows) for name in SUMS}
    tally |= {name: sum(row["run_count"] for row in rows if row["verdict"] == name) for name in VERDICTS}
    tally["runs"] = sum(row["run_count"] for row in rows)
    too_little = coverage.why_too_little(quarantine_max)
    verdict = combine_verdicts([name for name in VERDICTS if tally[name]], too_little=too_little)
    bases = sorted({row["basis"] for row in rows}, reverse=True) or ["messages"]
    tally["basis"] = " and ".join(bases)
    reason = _reason(verdict, tally, listed, coverage, too_little)
    orders = _answer_orders(rows, causal=verdict, too_little=too_little)
    if required != CAUSAL:
        (asked,) = (one for one in orders if one.order == required)
        verdict = asked.verdict if asked.verdict != NOT_COMPUTED else UNDECIDABLE
        reason = " ".join(filter(None, [_explain_order(asked, tally), _refused(coverage)]))
    sums = {name: tally[name] for name in SUMS}
    return Answer(verdict, reason, coverage.complete, tally["runs"], sums, listed, tally["basis"], required, orders)


def add_causal_witness(found: Answer, explained: Sequence[ExplainedViolation]) -> Answer:
    """Return the answer with the worst violation as the witness of causal order, if any violation is explained."""
    if not explained:
        return found
    worst = explained[0]
    words = worst.words if found.run_count == 1 else f"run {worst.run!r}: {worst.words}"
    orders = (replace(one, words=words) if one.order == CAUSAL else one for one in found.orders)
    return replace(found, orders=tuple(orders))


def _run_answer(row: Mapping[str, Any], one_task: Mapping[str, str]) -> RunAnswer:
    names = [name for name in RunAnswer.__dataclass_fields__ if name != "one_task"]
    why = one_task.get(row["run"])
    return RunAnswer(
        **{name: row[name] for name in names}, one_task=None if why is None else f"as one task, because {why}"
    )


def _reason(
    verdict: str, tally: Mapping[str, Any], listed: Sequence[RunAnswer], coverage: Coverage, too_little: str | None
) -> str:
    """Return the verdict in sentences, which say what was found, and in how much of the input."""
    if verdict == "violated" and tally["basis"] == "clocks":
        late = f"{tally['violations']:,} of {plural(tally['deliveries'], 'receive')}"
        found = f"By the vector clocks, {late} came late, in {tally['violated']:,} of {plural(tally['runs'], 'run')}."
        return " ".join(filter(None, [found, _unjudged(tally), _refused(coverage)]))
    if verdict == "violated":
        many = f"{tally['violations']:,} of {plural(tally['deliveries'], 'delivery', 'deliveries')}"
        causes = f"one of {'its' if tally['violations'] == 1 else 'their'} causes"
        found = f"{many} came before {causes}, in {tally['violated']:,} of {plural(tally['runs'], 'run')}."
        return " ".join(filter(None, [found, _unjudged(tally), _refused(coverage)]))
    if too_little:
        return f"{_capital(too_little)}."
    if verdict == "undecidable":
        first = next(row for row in listed if row.verdict == "undecidable")
        why = f"{_capital(first.reason or '')}." if tally["runs"] == 1 else f"Run {first.run!r}: {first.reason}."
        return " ".join(filter(None, [why, "" if tally["runs"] == 1 else _unjudged(tally), _refused(coverage)]))
    if tally["basis"] == "clocks":
        none = f"by the vector clocks, none of {plural(tally['deliveries'], 'receive')} came late."
    elif tally["deliveries"] == 1:
        none = "the only delivery did not come before one of its causes."
    else:
        none = f"none of {tally['deliveries']:,} deliveries came before one of its causes."
    if coverage.complete:
        return _capital(none)
    return f"It holds for the {coverage.events:,} of {plural(coverage.rows, 'row')} that could be read: {none}"


def _unjudged(tally: Mapping[str, Any]) -> str:
    unjudged = tally["undecidable"]
    return f"{unjudged:,} of {plural(tally['runs'], 'run')} cannot be judged." if unjudged else ""


def _refused(coverage: Coverage) -> str:
    if coverage.complete:
        return ""
    return f"{coverage.quarantined:,} of {plural(coverage.rows, 'row')} could not be read as events."


def _answer_orders(
    rows: Sequence[Mapping[str, Any]], *, causal: str, too_little: str | None
) -> tuple[OrderAnswer, ...]:
    """Return the verdict on each order. `rows` has the worst run first. `causal` is the verdict on causal order."""
    found = []
    for order in ORDERS:
        column = _verdict_column(order)
        verdicts = {row[column] for row in rows}
        violated = sum(row["run_count"] for row in rows if row[column] == VIOLATED)
        verdict = causal if order == CAUSAL else combine_verdicts(verdicts, too_little=too_little)
        if verdict == HOLDS and NOT_COMPUTED in verdicts:
            verdict = NOT_COMPUTED
        words = _find_words(order, verdict, rows, too_little) if order != CAUSAL or verdict == VIOLATED else None
        found.append(OrderAnswer(order, verdict, violated, words))
    return tuple(found)


def _verdict_column(order: str) -> str:
    return "verdict" if order == CAUSAL else order


def _find_words(order: str, verdict: str, rows: Sequence[Mapping[str, Any]], too_little: str | None) -> str | None:
    """Return a witness of an order that is violated, or the reason why it is not decided. Return None if it holds."""
    if verdict == HOLDS or (verdict == UNDECIDABLE and too_little):
        return None if verdict == HOLDS else too_little
    key = {VIOLATED: f"{order}_witness", UNDECIDABLE: "reason"}.get(verdict)
    row = next((row for row in rows if row[_verdict_column(order)] == verdict and row["run"] is not None), None)
    if row is None:
        return None
    words = (row[key] or NO_IDENTITY) if key else TOO_LARGE  # vector clocks may decide causal order alone
    return words if len(rows) == 1 and row["run_count"] == 1 else f"run {row['run']!r}: {words}"


def _explain_order(found: OrderAnswer, tally: Mapping[str, Any]) -> str:
    """Return the verdict on one order in a sentence."""
    name = ORDER_NAMES[found.order]
    if found.verdict == HOLDS:
        return f"{plural(tally['deliveries'], 'delivery keeps', 'deliveries keep')} {name}."
    if found.verdict == VIOLATED:
        runs = f"in {found.violated_runs:,} of {plural(tally['runs'], 'run')}"
        return f"{_capital(name)} is violated {runs}{f': {found.words}' if found.words else ''}."
    return f"{_capital(found.words or f'{name} cannot be decided')}."


def plural(count: int, one: str, several: str = "") -> str:
    """Return a count and its noun, in the singular or the plural."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
