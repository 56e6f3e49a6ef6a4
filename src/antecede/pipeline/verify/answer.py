"""Combine the rows of the runs into the verdict on a trace and its counts. The result is bounded, however many runs
there are.

The runs that matter most are listed: violated ones first, then those that cannot be judged. If there are at most
`RUNS_LISTED_MAX` runs, all of them are fetched and added up here. If there are more, Spark adds them up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from antecede.judge.judge import COUNTS
from antecede.judge.rule import QUARANTINE_MAX, Coverage, combine_verdicts
from antecede.pipeline.report.model import Answer, RunAnswer

RUNS_LISTED_MAX = 1_000
SUMS = (*(name for name in COUNTS if name not in ("runs", "quarantined")), "early", "windows")
"""The columns of the verified runs that are added up."""


def answer(
    runs: DataFrame, quarantined: int = 0, *, quarantine_max: float = QUARANTINE_MAX, unread_share: float = 0.0
) -> Answer:
    """Return the answer on verified runs. It takes one job, and a second one for more runs than are listed.

    `quarantined` rows were refused, and `unread_share` of the input's bytes could not be read at all. If either is more
    than `quarantine_max`, and nothing is violated, the answer is undecidable.
    """
    worst_first = runs.orderBy(
        fn.when(fn.col("verdict") == "violated", 0).when(fn.col("verdict") == "undecidable", 1).otherwise(2),
        fn.desc("violations"),
        "run",
    )
    rows = [RunAnswer(**row.asDict()) for row in worst_first.limit(RUNS_LISTED_MAX + 1).collect()]
    if len(rows) <= RUNS_LISTED_MAX:
        tally = _add_up(rows)
    else:
        (row,) = _add_up_in_spark(runs).collect()
        tally = row.asDict()
    listed = tuple(rows[:RUNS_LISTED_MAX])
    sums = {name: int(tally[name] or 0) for name in SUMS}
    coverage = Coverage(sums["events"], quarantined, unread_share)
    too_little = coverage.why_too_little(quarantine_max)
    verdicts = [name for name in ("violated", "undecidable", "holds") if tally[name]]
    verdict = combine_verdicts(verdicts, too_little=too_little)
    reason = _reason(verdict, tally, listed, coverage, too_little)
    return Answer(verdict, reason, coverage.complete, int(tally["runs"]), sums, listed)


def _add_up(rows: Sequence[RunAnswer]) -> dict[str, Any]:
    verdicts = {name: sum(row.verdict == name for row in rows) for name in ("violated", "undecidable", "holds")}
    return {"runs": len(rows), **verdicts, **{name: sum(getattr(row, name) for row in rows) for name in SUMS}}


def _add_up_in_spark(runs: DataFrame) -> DataFrame:
    return runs.agg(
        fn.count("*").alias("runs"),
        *(fn.count_if(fn.col("verdict") == name).alias(name) for name in ("violated", "undecidable", "holds")),
        *(fn.sum(name).alias(name) for name in SUMS),
    )


def _reason(
    verdict: str, tally: Mapping[str, Any], listed: Sequence[RunAnswer], coverage: Coverage, too_little: str | None
) -> str:
    """Return the verdict in sentences: what was found, and how much of the input it is about."""
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
    if tally["deliveries"] == 1:
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
