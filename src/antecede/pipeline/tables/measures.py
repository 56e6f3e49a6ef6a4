"""Measure delays, hold-backs and stamps, by delivery, link, process and run, for whole runs that are in memory.

A delay is measured with two clocks and is as accurate as they are; a hold-back is measured with one clock. What the
source does not give is null.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline import schema
from antecede.pipeline.arrow import fill_table

LINK = ["run", "sender", "process"]
PLACE = ["run", "process"]
ZERO_IN_LINKS = ("sent", "deliveries", "violations", "overtaken", "early", "held", "needless", "arrived", "inferred")


def measure_deliveries(deliveries: pa.Table, events: pa.Table, needless: pa.Table | None) -> pa.Table:
    """Return the delivers with their delays, and with their hold-backs if receives are recorded.

    `needless` says of some delivers, by run, process and index, whether their hold-back was needless.
    """
    receipts = _first_receives(events)
    table = deliveries
    if receipts.num_rows:
        table = table.join(receipts, [*PLACE, "message"], join_type="left outer")
    table = add_delays(table)
    if needless is not None and needless.num_rows and receipts.num_rows:
        table = table.join(needless, [*PLACE, "index"], join_type="left outer")
        held = pc.fill_null(pc.greater(table["hold_s"], 0), False)
        place = table.column_names.index("needless")
        table = table.set_column(place, "needless", pc.if_else(held, table["needless"], None))
    return conform(table, schema.DELIVERIES)


def add_delays(table: pa.Table) -> pa.Table:
    """Return delivers with the columns `delay_s`, and `hold_s` if they know the first receive of their message."""
    delay = pc.if_else(table["first"], pc.subtract(table["time"], table["sent_time"]), None)
    table = table.append_column("delay_s", delay.cast(pa.float64()))
    if "received_index" not in table.column_names:
        return table
    later = pc.and_(table["first"], pc.greater(table["index"], table["received_index"]))
    hold = pc.if_else(pc.fill_null(later, False), pc.subtract(table["time"], table["received_time"]), None)
    return table.append_column("hold_s", hold.cast(pa.float64()))


def measure_links(events: pa.Table, deliveries: pa.Table, edges: pa.Table | None = None) -> pa.Table:
    """Return the communication graph: who wrote to whom, how much, and what became of it."""
    stamps = ("control_bytes", "control_entries")
    sent = links_of_sends(events).group_by(LINK).aggregate([([], "count_all"), *((name, "sum") for name in stamps)])
    sent = sent.rename_columns([*LINK, "sent", *stamps])
    known = deliveries.filter(pc.is_valid(deliveries["sender"]))
    known = known.append_column("is_early", pc.fill_null(pc.less(known["delay_s"], 0), False))
    known = known.append_column("is_arrival", pc.and_(known["first"], known["addressed"]))
    got = _group_deliveries(known, LINK, [("delay_s", "max"), ("is_early", "sum"), ("is_arrival", "sum")])
    got = _rename(got, {"delay_s_max": "delay_s_max", "is_early_sum": "early", "is_arrival_sum": "arrived"})
    links = sent.join(got, LINK, join_type="full outer")
    if edges is not None:
        links = _add_edges(links, edges)
    links = fill_zeros(links, ZERO_IN_LINKS)
    links = links.append_column("lost", pc.subtract(links["sent"], links["arrived"]))
    return conform(links, schema.LINKS)


def measure_processes(counts: pa.Table, events: pa.Table, deliveries: pa.Table, links: pa.Table) -> pa.Table:
    """Return what each process did, and what went wrong among its deliveries.

    `counts` are rows of `kernel.counts.COUNTS`.
    """
    own = counts.select([*PLACE, "events", "sends", "receives"])
    sends = events.filter(pc.equal(events["kind"].cast(pa.string()), "send"))
    stamps = plain_texts(sends.select([*PLACE, "control_bytes", "control_entries"])).group_by(PLACE)
    stamped = stamps.aggregate([("control_bytes", "count"), ("control_bytes", "sum"), ("control_entries", "sum")])
    stamped = stamped.rename_columns([*PLACE, "stamped", "control_bytes", "control_entries"])
    got = _group_deliveries(deliveries, PLACE, [("duplicate", "sum"), ("spurious", "sum")])
    got = _rename(got, {"duplicate_sum": "duplicates", "spurious_sum": "spurious"})
    lost = links.group_by(PLACE).aggregate([("lost", "sum")]).rename_columns([*PLACE, "lost"])
    table = own
    for other in (stamped, got, lost):
        table = table.join(other, PLACE, join_type="full outer")
    zeros = [field.name for field in schema.PROCESSES if field.type == schema.LONG and "control" not in field.name]
    return conform(fill_zeros(table, zeros), schema.PROCESSES)


def measure_runs(deliveries: pa.Table, events: pa.Table) -> pa.Table:
    """Return the measures of each run: delays, hold-backs and stamps. The columns are some of `schema.SUMMARY`."""
    got = _group_deliveries(deliveries, ["run"], [("delay_s", "max")])
    sends = events.filter(pc.equal(events["kind"].cast(pa.string()), "send"))
    stamps = plain_texts(sends.select(["run", "control_bytes", "control_entries"])).group_by("run")
    stamped = stamps.aggregate([("control_bytes", "sum"), ("control_entries", "sum")])
    stamped = stamped.rename_columns(["run", "control_bytes", "control_entries"])
    names = ["run", "delay_s_mean", "delay_s_max", "held", "hold_s_mean", "needless"]
    return fill_zeros(got.select(names).join(stamped, "run", join_type="full outer"), ("held", "needless"))


def conform(table: pa.Table, wanted: pa.Schema) -> pa.Table:
    """Return exactly the columns of a schema, in order. A column that the table does not have is null."""
    columns = {name: table[name].cast(wanted.field(name).type) for name in wanted.names if name in table.column_names}
    return fill_table(wanted, table.num_rows, **columns)


def _first_receives(events: pa.Table) -> pa.Table:
    """Return the first receive of each message at each process, if a run has receives and delivers."""
    kind = events["kind"].cast(pa.string())
    receives = plain_texts(events.filter(pc.equal(kind, "receive")).select([*PLACE, "message", "index", "time"]))
    firsts = receives.sort_by("index").group_by([*PLACE, "message"], use_threads=False)
    found = firsts.aggregate([("index", "first"), ("time", "first")])
    return found.rename_columns([*PLACE, "message", "received_index", "received_time"])


def links_of_sends(events: pa.Table) -> pa.Table:
    """Return a row for each send and each of its distinct destinations."""
    sends = events.filter(pc.equal(events["kind"].cast(pa.string()), "send"))
    dests = sends["dests"].cast(schema.TEXTS).combine_chunks()
    pairs = pa.table({"row": pc.list_parent_indices(dests), "process": pc.list_flatten(dests)})
    pairs = pairs.group_by(["row", "process"]).aggregate([])
    of = plain_texts(sends.select(["run", "process", "control_bytes", "control_entries"])).take(pairs["row"])
    return of.rename_columns(["run", "sender", "control_bytes", "control_entries"]).append_column(
        "process", pairs["process"]
    )


def _group_deliveries(deliveries: pa.Table, keys: list[str], more: Sequence[tuple[str, str]]) -> pa.Table:
    """Return the measures of deliveries by key, and `more` aggregates under their own names."""
    held = pc.fill_null(pc.greater(deliveries["hold_s"], 0), False)
    table = plain_texts(deliveries).append_column("is_held", held)
    aggregates = [
        ([], "count_all"),
        ("violation", "sum"),
        ("overtaken", "sum"),
        ("delay_s", "mean"),
        ("hold_s", "mean"),
        ("is_held", "sum"),
        ("needless", "sum"),
        *more,
    ]
    found = table.group_by(keys).aggregate(aggregates)
    names = ["deliveries", "violations", "overtaken", "delay_s_mean", "hold_s_mean", "held", "needless"]
    return found.rename_columns([*keys, *names, *(f"{name}_{how}" for name, how in more)])


def _add_edges(links: pa.Table, edges: pa.Table) -> pa.Table:
    """Return the links with those that vector clocks show, and their delays if no message has any."""
    timed = edges.append_column("edge_s", pc.subtract(edges["time"], edges["sent_time"]))
    found = timed.group_by(LINK).aggregate([([], "count_all"), ("edge_s", "mean"), ("edge_s", "max")])
    found = found.rename_columns([*LINK, "inferred", "edge_s_mean", "edge_s_max"])
    table = links.join(found, LINK, join_type="full outer")
    for name, other in (("delay_s_mean", "edge_s_mean"), ("delay_s_max", "edge_s_max")):
        place = table.column_names.index(name)
        table = table.set_column(place, name, pc.coalesce(table[name], table[other]))
    return table


def plain_texts(table: pa.Table) -> pa.Table:
    """Return the table with every text written out: Arrow does not join or group dictionaries."""
    fields = [
        pa.field(field.name, field.type.value_type if pa.types.is_dictionary(field.type) else field.type)
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))


def _rename(table: pa.Table, names: dict[str, str]) -> pa.Table:
    return table.rename_columns([names.get(name, name) for name in table.column_names])


def fill_zeros(table: pa.Table, counts: Sequence[str]) -> pa.Table:
    """Return the table with 0 in place of a count that is null or missing."""
    for name in counts:
        zeros = pa.array(np.zeros(table.num_rows, np.int64))
        if name not in table.column_names:
            table = table.append_column(name, zeros)
        else:
            filled = pc.fill_null(table[name].cast(pa.int64()), 0)
            table = table.set_column(table.column_names.index(name), name, filled)
    return table
