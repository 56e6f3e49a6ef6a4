"""Was a hold-back needed? Exactly, from the explicit causal past of every message; for runs of a bounded size.

A message that is received and not delivered at once is held back. That is needless if, at the moment of its receive,
every message that happened before it and was sent to the same process had been delivered there already. The past of
a message is a set of messages, kept as the bits of an integer, so a run costs about events times messages bits: above
`EVENTS_MAX` events it is not told. The loop is over events along happened-before, which no column expression can do.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.pandas.types import from_arrow_schema

from antecede.judge.events import Event
from antecede.judge.trace import Run, arrange, message_of, walk

EVENTS_MAX = 50_000
COLUMNS = ("run", "process", "index", "kind", "message", "dests")
ARROW = pa.schema([("run", pa.string()), ("process", pa.string()), ("index", pa.int64()), ("needless", pa.bool_())])


def needless(events: DataFrame, runs: DataFrame) -> DataFrame:
    """One row per held-back deliver of the runs that are small enough; `runs` has `run` and `events`."""
    small = runs.where(fn.col("events") <= EVENTS_MAX).select("run")
    kept = events.where(fn.col("kind").isin("send", "receive", "deliver")).select(*COLUMNS)
    return kept.join(small, "run", "left_semi").groupBy("run").applyInArrow(_of_run, from_arrow_schema(ARROW))


def _of_run(rows: pa.Table) -> pa.Table:
    events = [
        Event(**{**row, "dests": None if row["dests"] is None else tuple(row["dests"])}) for row in rows.to_pylist()
    ]
    told = [
        {"run": event.run, "process": event.process, "index": event.index, "needless": free}
        for run in arrange(events)
        for event, free in hold_backs(run)
    ]
    return pa.Table.from_pylist(told, ARROW)


def hold_backs(run: Run) -> Iterator[tuple[Event, bool]]:
    """Each first deliver that came after a receive of its own, and whether that wait was needless."""
    if run.deliver_kind != "deliver":
        return
    bit: dict[str, int] = {}
    past = dict.fromkeys(run.processes, 0)  # by process: the messages sent before now
    carried: dict[str, int] = {}  # by message: those sent before it, and itself
    addressed: dict[str, int] = {}  # by process
    delivered = dict.fromkeys(run.processes, 0)
    at_receive: dict[tuple[str, str], int] = {}  # what the process had delivered at that moment
    for event in walk(run):
        process = event.process
        if event.kind == "send":
            message = message_of(event)
            bit[message] = own = 1 << len(bit)
            carried[message] = past[process] = past[process] | own
            for dest in sorted(run.dests[message]):
                addressed[dest] = addressed.get(dest, 0) | own
        elif event.kind == "receive":
            at_receive.setdefault((message_of(event), process), delivered[process])
        elif run.is_first(event):
            message = message_of(event)
            causes = carried.get(message, 0) & ~bit.get(message, 0) & addressed.get(process, 0)
            past[process] |= carried.get(message, 0)
            delivered[process] |= bit.get(message, 0)
            if (message, process) in at_receive:
                yield event, not causes & ~at_receive[message, process]
