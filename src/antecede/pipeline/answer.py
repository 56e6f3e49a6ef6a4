"""The verdict on a trace and what was counted, out of the rows of its runs; bounded, however many runs there are.

The runs that matter most are listed: violated ones first, then those that can not be judged. Up to `RUNS_LISTED_MAX`
of them are all there is to fetch and are added up here; of more, Spark adds them up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from antecede.check.judge import UNDECIDABLE, nothing_read
from antecede.pipeline.verify import overall

RUNS_LISTED_MAX = 1_000
SUMS = (
    "processes",
    "events",
    "messages",
    "deliveries",
    "violations",
    "overtaken",
    "lost",
    "duplicates",
    "spurious",
    "early",
    "windows",
)


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """One row of the verified runs."""

    run: str
    verdict: str
    reason: str | None
    events: int
    processes: int
    messages: int
    deliveries: int
    violations: int
    overtaken: int
    lost: int
    duplicates: int
    spurious: int
    early: int
    windows: int
    one_task: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """`sums` adds up `SUMS` over all runs, of which `runs` are the first, the worst ones leading."""

    verdict: str
    reason: str
    run_count: int
    sums: Mapping[str, int]
    runs: tuple[RunAnswer, ...]


def answer(runs: DataFrame, quarantined: int = 0) -> Answer:
    """One job; a second where there are more runs than are listed. Of refused rows alone there is no verdict."""
    worst_first = runs.orderBy(
        fn.when(fn.col("verdict") == "violated", 0).when(fn.col("verdict") == "undecidable", 1).otherwise(2),
        fn.desc("violations"),
        "run",
    )
    rows = [RunAnswer(**row.asDict()) for row in worst_first.limit(RUNS_LISTED_MAX + 1).collect()]
    if len(rows) <= RUNS_LISTED_MAX:
        tally = _added(rows)
    else:
        (row,) = _totals(runs).collect()
        tally = row.asDict()
    listed = tuple(rows[:RUNS_LISTED_MAX])
    sums = {name: int(tally[name] or 0) for name in SUMS}
    if not rows and quarantined:
        why = nothing_read(quarantined)
        return Answer(UNDECIDABLE, f"{why[:1].upper()}{why[1:]}.", 0, sums, ())
    found = [name for name in ("violated", "undecidable", "holds") if tally[name]]
    verdict = overall(found)
    return Answer(verdict, _reason(verdict, tally, listed), int(tally["runs"]), sums, listed)


def _added(rows: Sequence[RunAnswer]) -> dict[str, Any]:
    verdicts = {name: sum(row.verdict == name for row in rows) for name in ("violated", "undecidable", "holds")}
    return {"runs": len(rows), **verdicts, **{name: sum(getattr(row, name) for row in rows) for name in SUMS}}


def _totals(runs: DataFrame) -> DataFrame:
    return runs.agg(
        fn.count("*").alias("runs"),
        *(fn.count_if(fn.col("verdict") == name).alias(name) for name in ("violated", "undecidable", "holds")),
        *(fn.sum(name).alias(name) for name in SUMS),
    )


def _reason(verdict: str, tally: Mapping[str, Any], listed: Sequence[RunAnswer]) -> str:
    unjudged = f" {tally['undecidable']:,} of {tally['runs']:,} runs can not be judged." if tally["undecidable"] else ""
    if verdict == "violated":
        many = f"{tally['violations']:,} of {tally['deliveries']:,} deliveries came before one of their causes"
        return f"{many}, in {tally['violated']:,} of {tally['runs']:,} runs.{unjudged}"
    if verdict == "undecidable":
        first = next((row for row in listed if row.verdict == "undecidable"), None)
        why = f"{first.reason}." if first is not None else ""
        return (
            why[:1].upper() + why[1:] if tally["runs"] == 1 else f"Run {first.run!r}: {why}{unjudged}" if first else why
        )
    if not tally["deliveries"]:
        return "Nothing was delivered, so nothing came before its cause."
    return f"None of {tally['deliveries']:,} deliveries came before one of its causes."
