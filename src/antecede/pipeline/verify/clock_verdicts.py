"""Judge runs that name no messages by their vector clocks, if their receives are marked.

`kernel.clock_receives` says how.

What is counted as deliveries are then the receives, and as violations the late ones: the clocks do not tell a message
that was overtaken from one that was received twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from antecede.judge.rule import UNDECIDABLE
from antecede.pipeline import schema
from antecede.pipeline.arrow import fill_table
from antecede.pipeline.kernel.clock_receives import NO_RECEIVES, ClockVerdict, describe_late, judge_receives
from antecede.pipeline.read.formats.shiviz_runs import clock_events
from antecede.pipeline.report.model import ExplainedViolation

NOTHING_MATCHES = "the expression of --receives matches no event"


@dataclass(frozen=True, slots=True)
class JudgedClocks:
    """The verdicts on runs that their clocks decide, by run, and their late receives as `schema.LATE_RECEIVES`."""

    runs: Mapping[str, ClockVerdict]
    late: pa.Table


NONE = JudgedClocks({}, schema.LATE_RECEIVES.empty_table())


def judge_clocks(events: pa.Table, counts: pa.Table, receives: str | None) -> JudgedClocks:
    """Return what the clocks show of the runs that send no message.

    `counts` are rows of `RUN_COUNTS`. `receives` is an expression that marks receives by the text of an event. Without
    it, the kinds that the log gives mark them, and a run in which none is marked is left out.
    """
    silent = counts.filter(pc.and_(pc.equal(counts["messages"], 0), pc.equal(counts["deliveries"], 0)))["run"]
    if not len(silent):
        return NONE
    own = events.filter(pc.is_in(events["run"].cast(pa.string()), silent.combine_chunks()))
    judged = judge_receives(clock_events(own, receives))
    verdicts = {one.run: one for one in judged.runs if receives is not None or one.reason != NO_RECEIVES}
    return JudgedClocks(verdicts, judged.late)


def apply_clocks(row: Mapping[str, Any], verdict: ClockVerdict) -> dict[str, Any]:
    """Return a run, a row of `RUN_ROWS`, with the verdict of its clocks."""
    if verdict.verdict == UNDECIDABLE:
        why = (
            NOTHING_MATCHES if verdict.reason == NO_RECEIVES else f"its vector clocks cannot show it: {verdict.reason}"
        )
        return {**row, "verdict": UNDECIDABLE, "reason": why}
    found = {"verdict": verdict.verdict, "reason": None, "basis": "clocks"}
    return {**row, **found, "deliveries": verdict.receives, "violations": verdict.late}


def late_violations(late: pa.Table) -> pa.Table:
    """Return late receives as rows of `schema.VIOLATIONS`. The message has no name, and its sender may be a guess."""
    return fill_table(
        schema.VIOLATIONS,
        late.num_rows,
        run=late["run"],
        process=late["process"],
        index=late["index"],
        sender=late["sender"],
        overtaken=[1] * late.num_rows,
    )


def explain_late(row: Mapping[str, Any]) -> ExplainedViolation:
    """Return one row of `schema.LATE_RECEIVES` as a violation in words. It has no chain: the messages have no names."""
    return ExplainedViolation(
        run=row["run"],
        process=row["process"],
        index=row["index"],
        overtaking=f"what {row['process']} received at {row['known_by']}",
        overtaken=f"a message of {row['sender']}" if row["senders"] == 1 else "a message",
        overtaken_count=1,
        words=describe_late(row),
    )
