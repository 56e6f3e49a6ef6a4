"""Combine what the tasks tell into the verdict on a trace and its counts.

The result is bounded, however many runs there are. The runs that matter most are listed: violated ones first, then
those that cannot be judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from antecede.judge.judge import COUNTS
from antecede.judge.rule import QUARANTINE_MAX, Coverage, combine_verdicts
from antecede.pipeline.report.model import Answer, RunAnswer
from antecede.pipeline.verify.run_verdict import VERDICTS, worst_first

RUNS_LISTED_MAX = 1_000
SUMS = (*(name for name in COUNTS if name not in ("runs", "quarantined")), "early", "windows")
"""What is added up over all runs."""


def answer(
    runs: pa.Table,
    coverage: Coverage,
    *,
    windows: Mapping[str, int],
    one_task: Mapping[str, str],
    quarantine_max: float = QUARANTINE_MAX,
) -> Answer:
    """Return the answer on runs with their verdicts, which are rows of `RUN_ROWS`.

    `windows` has the number of windows of each run that was cut, and `one_task` the reason for each large run that was
    not. `coverage` is how much of the input was read; if it is too little, and nothing is violated, the answer is
    undecidable.
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
    sums = {name: tally[name] for name in SUMS}
    return Answer(verdict, reason, coverage.complete, tally["runs"], sums, listed, tally["basis"])


def _run_answer(row: Mapping[str, Any], one_task: Mapping[str, str]) -> RunAnswer:
    names = [name for name in RunAnswer.__dataclass_fields__ if name != "one_task"]
    why = one_task.get(row["run"])
    return RunAnswer(
        **{name: row[name] for name in names}, one_task=None if why is None else f"as one task, because {why}"
    )


def _reason(
    verdict: str, tally: Mapping[str, Any], listed: Sequence[RunAnswer], coverage: Coverage, too_little: str | None
) -> str:
    """Return the verdict in sentences: what was found, and how much of the input it is about."""
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


def plural(count: int, one: str, several: str = "") -> str:
    """Return a count and its noun, in the singular or the plural."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
