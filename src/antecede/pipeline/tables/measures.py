"""Measure delays and hold-backs of delivers, and the links of sends.

A delay is measured with two clocks, and is as accurate as they are. A hold-back is measured with one clock. A measure
is null if the source does not give the times for it.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline import schema
from antecede.pipeline.arrow import fill_table, match_rows, take_or_null, without_dictionaries

PROCESS_KEY = ["run", "process"]


def measure_deliveries(deliveries: pa.Table, events: pa.Table, needless: pa.Table | None) -> pa.Table:
    """Return the delivers with their delays, and with their hold-backs if receives are recorded.

    `needless` says for some delivers, by run, process and index, whether their hold-back was needless.
    """
    receives = events.filter(pc.equal(events["kind"].cast(pa.string()), "receive")).sort_by("index")
    if not receives.num_rows:
        return add_delays(deliveries)
    first = match_rows(deliveries, receives, [*PROCESS_KEY, "message"])
    table = deliveries.append_column("received_index", take_or_null(receives["index"], first))
    table = add_delays(table.append_column("received_time", take_or_null(receives["time"], first)))
    if needless is None:
        return table
    known = take_or_null(needless["needless"], match_rows(table, needless, [*PROCESS_KEY, "index"]))
    known = pc.if_else(pc.fill_null(pc.greater(table["hold_s"], 0), False), known, None)
    return table.set_column(table.column_names.index("needless"), "needless", known)


def add_delays(table: pa.Table) -> pa.Table:
    """Return delivers as `schema.DELIVERIES`, with their delays.

    They have `hold_s` too if the table has the index and the time of the first receive of the message.
    """
    delay = pc.if_else(table["first"], pc.subtract(table["time"], table["sent_time"]), None)
    table = table.append_column("delay_s", delay)
    if "received_index" in table.column_names:
        later = pc.and_(table["first"], pc.greater(table["index"], table["received_index"]))
        hold = pc.if_else(pc.fill_null(later, False), pc.subtract(table["time"], table["received_time"]), None)
        table = table.append_column("hold_s", hold)
    return conform(table, schema.DELIVERIES)


def conform(table: pa.Table, wanted: pa.Schema) -> pa.Table:
    """Return exactly the columns of a schema, in order. A column that the table does not have is null."""
    columns = {name: table[name].cast(wanted.field(name).type) for name in wanted.names if name in table.column_names}
    return fill_table(wanted, table.num_rows, **columns)


def sends_in(events: pa.Table) -> pa.Table:
    """Return the sends among events, with every text written out, because Arrow does not group dictionaries."""
    sends = events.filter(pc.equal(events["kind"].cast(pa.string()), "send"))
    return sends.cast(without_dictionaries(sends.schema))


def links_of_sends(sends: pa.Table) -> pa.Table:
    """Return a row for each send and each of its distinct destinations."""
    dests = sends["dests"].combine_chunks()
    pairs = pa.table({"row": pc.list_parent_indices(dests), "process": pc.list_flatten(dests)})
    pairs = pairs.group_by(["row", "process"]).aggregate([])
    of = sends.select(["run", "process", "control_bytes", "control_entries"]).take(pairs["row"])
    return of.rename_columns(["run", "sender", "control_bytes", "control_entries"]).append_column(
        "process", pairs["process"]
    )


def fill_zeros(table: pa.Table, counts: Sequence[str]) -> pa.Table:
    """Return the table with 0 in place of counts that are null."""
    for name in counts:
        filled = pc.fill_null(table[name].cast(pa.int64()), 0)
        table = table.set_column(table.column_names.index(name), name, filled)
    return table
