"""Judge runs that name no messages by their vector clocks, if their receives are marked.

`kernel.clock_receives` says how. The receives of such a run count as deliveries, and the late receives as violations.
The clocks do not tell a message that was overtaken from a message that was received twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from antecede.judge.rule import NO_IDENTITY, UNDECIDABLE
from antecede.pipeline import schema
from antecede.pipeline.arrow import fill_table
from antecede.pipeline.kernel.clock_receives import NO_RECEIVES, ClockVerdict, describe_late, judge_receives
from antecede.pipeline.read.formats.shiviz_runs import clock_events
from antecede.pipeline.report.model import ExplainedViolation, LoggedEvent

NOTHING_MATCHES = "the expression of --receives matches no event"
NOTHING_MARKED = (
    f"{NO_IDENTITY}; tell which events are receives with --receives REGEX, so that the vector clocks can show the order"
)


@dataclass(frozen=True, slots=True)
class JudgedClocks:
    """The verdicts of clocks on runs, by run, and the late receives of these runs as `schema.LATE_RECEIVES`.

    `receives` has, as `RECEIVES`, the number of receives at each process of the runs that are decided, and how many of
    them are late.
    """

    runs: Mapping[str, ClockVerdict]
    late: pa.Table
    receives: pa.Table


KEY = ["run", "process"]
RECEIVES = pa.schema([*((name, pa.string()) for name in KEY), ("marked", pa.int64()), ("late", pa.int64())])
NONE = JudgedClocks({}, schema.LATE_RECEIVES.empty_table(), RECEIVES.empty_table())


def judge_clocks(events: pa.Table, counts: pa.Table, receives: str | None) -> JudgedClocks:
    """Return the verdicts of the clocks on the runs that send no message.

    `counts` are rows of `RUN_COUNTS`. `receives` is an expression that marks receives by the text of an event. If it is
    None, the kinds that the log gives mark them.
    """
    silent = counts.filter(pc.and_(pc.equal(counts["messages"], 0), pc.equal(counts["deliveries"], 0)))["run"]
    if not len(silent):
        return NONE
    own = events.filter(pc.is_in(events["run"].cast(pa.string()), silent.combine_chunks()))
    marked = clock_events(own, receives)
    judged = judge_receives(marked)
    nothing = NOTHING_MARKED if receives is None else NOTHING_MATCHES
    verdicts = {one.run: replace(one, reason=nothing) if one.reason == NO_RECEIVES else one for one in judged.runs}
    decided = pa.array([run for run, one in verdicts.items() if one.verdict != UNDECIDABLE], pa.string())
    is_counted = pc.and_(pc.is_in(marked["run"].cast(pa.string()), decided), pc.equal(marked["kind"], "receive"))
    return JudgedClocks(verdicts, judged.late, _count_by_process(marked.filter(is_counted), judged.late))


def apply_clocks(row: Mapping[str, Any], verdict: ClockVerdict) -> dict[str, Any]:
    """Return a run, a row of `RUN_ROWS`, with the verdict of its clocks."""
    if verdict.verdict == UNDECIDABLE:
        is_unmarked = verdict.reason in (NOTHING_MARKED, NOTHING_MATCHES)
        why = verdict.reason if is_unmarked else f"its vector clocks cannot show it: {verdict.reason}"
        return {**row, "verdict": UNDECIDABLE, "reason": why}
    found = {"verdict": verdict.verdict, "reason": None, "basis": "clocks", "causal_witness": verdict.witness}
    return {**row, **found, "deliveries": verdict.receives, "violations": verdict.late}


def count_receives(processes: pa.Table, clocks: JudgedClocks) -> pa.Table:
    """Return the table `processes`, with receives that clocks judged as deliveries, and late receives as violations."""
    if not clocks.receives.num_rows:
        return processes
    both = processes.join(clocks.receives, KEY, join_type="left outer")
    for name, counted in (("deliveries", "marked"), ("violations", "late")):
        total = pc.add(pc.fill_null(both[name], 0), pc.fill_null(both[counted], 0))
        both = both.set_column(both.column_names.index(name), name, total)
    return both.select(processes.column_names)


def locate_late(late: pa.Table, events: pa.Table) -> pa.Table:
    """Return a few late receives with their places in the input, as `schema.LOCATED_LATE_RECEIVES`."""
    rows = late.to_pylist()
    indexes = pa.array({row[name] for row in rows for name in ("index", "known_by")}, pa.int64())
    near = events.filter(pc.is_in(events["index"], indexes)) if rows else events.slice(0, 0)
    place = {
        (one["run"], one["process"], one["index"]): (one["file"], one["line"])
        for one in near.select(["run", "process", "index", "file", "line"]).to_pylist()
    }
    for row in rows:
        row["file"], row["line"] = place[row["run"], row["process"], row["index"]]
        row["known_file"], row["known_line"] = place[row["run"], row["process"], row["known_by"]]
    return pa.Table.from_pylist(rows, schema.LOCATED_LATE_RECEIVES)


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
    """Return one row of `schema.LOCATED_LATE_RECEIVES` as a violation in words.

    The chain of the violation is the earlier receive and the late one. The number of overtaken messages is not known.
    """
    where = {"run": row["run"], "process": row["process"], "kind": "receive"}
    return ExplainedViolation(
        run=row["run"],
        process=row["process"],
        index=row["index"],
        overtaking=f"what {row['process']} received at {row['known_by']}",
        overtaken=f"a message of {row['sender']}" if row["senders"] == 1 else "a message",
        overtaken_count=0,
        words=describe_late(row),
        chain=(
            LoggedEvent(index=row["known_by"], file=row["known_file"], line=row["known_line"], **where),
            LoggedEvent(index=row["index"], file=row["file"], line=row["line"], **where),
        ),
        sender=row["sender"] if row["senders"] == 1 else "",
    )


def _count_by_process(receives: pa.Table, late: pa.Table) -> pa.Table:
    counts = [
        table.select(KEY).cast(pa.schema(list(RECEIVES)[:2])).group_by(KEY).aggregate([([], "count_all")])
        for table in (receives, late)
    ]
    marked, found = (table.rename_columns([*KEY, name]) for table, name in zip(counts, ("marked", "late"), strict=True))
    return marked.join(found, KEY, join_type="left outer").select(RECEIVES.names)
