"""Make the tables of links and processes, and the summary, from sums by link and by sender.

A mean cannot be made of means, so a task that has some delivers or sends of a run leaves sums and counts. If several
tasks have parts of a run, their sums are added up here.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline import schema
from antecede.pipeline.tables.measures import PROCESS_KEY, conform, fill_zeros, links_of_sends

LINK_KEY = ["run", "sender", "process"]
STAMP_COLUMNS = ("control_bytes", "control_entries")
FLAGS = ("early", "held", "arrived", "duplicates", "spurious")
COUNTED_BY_LINK = ("sent", "deliveries", "violations", "overtaken", "needless", "inferred", *FLAGS)
SUMMED = (*COUNTED_BY_LINK, *STAMP_COLUMNS, "delay_count", "hold_count", "delay_sum", "hold_sum")
LINK_SUMS = pa.schema(
    [
        *((name, pa.string()) for name in LINK_KEY),
        *((name, pa.float64() if name in ("delay_sum", "hold_sum") else pa.int64()) for name in SUMMED),
        ("delay_max", pa.float64()),
    ]
)
"""Sums by link. `sender` is null for delivers of messages that were never sent."""
STAMP_SUMS = pa.schema(
    [*((name, pa.string()) for name in PROCESS_KEY), *((n, pa.int64()) for n in ("stamped", *STAMP_COLUMNS))]
)
"""Sums of stamps by sender, once for each message."""
MEASURED = [name for name in schema.SUMMARY.names if name not in (*schema.RUNS.names, *STAMP_COLUMNS)]
"""The columns of the summary that are made of sums by link."""


def sum_deliveries(deliveries: pa.Table) -> pa.Table:
    """Return the sums of delivers by link, as `LINK_SUMS`. The delivers are rows of `schema.DELIVERIES`."""
    flags = (
        pc.less(deliveries["delay_s"], 0),
        pc.greater(deliveries["hold_s"], 0),
        pc.and_(deliveries["first"], deliveries["addressed"]),
        deliveries["duplicate"],
        deliveries["spurious"],
    )
    table = deliveries.drop_columns(["spurious"])
    for name, values in zip(FLAGS, flags, strict=True):
        table = table.append_column(name, pc.fill_null(values, False))
    named = {
        "deliveries": ([], "count_all"),
        "violations": ("violation", "sum"),
        **{name: (name, "sum") for name in ("overtaken", "needless", *FLAGS)},
        "delay_count": ("delay_s", "count"),
        "hold_count": ("hold_s", "count"),
        "delay_sum": ("delay_s", "sum"),
        "hold_sum": ("hold_s", "sum"),
        "delay_max": ("delay_s", "max"),
    }
    found = table.group_by(LINK_KEY).aggregate(list(named.values())).rename_columns([*LINK_KEY, *named])
    return conform(found, LINK_SUMS)


def sum_sends(sends: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Return the sums of sends by link, as `LINK_SUMS`, and of their stamps by sender, as `STAMP_SUMS`."""
    sums = [(name, "sum") for name in STAMP_COLUMNS]
    links = links_of_sends(sends).group_by(LINK_KEY).aggregate([([], "count_all"), *sums])
    stamps = sends.group_by(PROCESS_KEY).aggregate([("control_bytes", "count"), *sums])
    return conform(links.rename_columns([*LINK_KEY, "sent", *STAMP_COLUMNS]), LINK_SUMS), stamps.rename_columns(
        STAMP_SUMS.names
    )


def make_tables_of_sums(
    links: pa.Table, stamps: pa.Table, counts: pa.Table, runs: pa.Table, edges: pa.Table | None = None
) -> dict[str, pa.Table]:
    """Return the tables of some runs from all of their sums.

    `links` are rows of `LINK_SUMS`, `stamps` of `STAMP_SUMS`, and `counts` of `kernel.counts.COUNTS`. `runs` are the
    runs with their verdicts and windows. `edges` are the edges that vector clocks show, in runs without messages.
    """
    by_link = _add_up(links.filter(pc.is_valid(links["sender"])), LINK_KEY)
    if edges is not None:
        by_link = _add_edges(by_link, edges)
    by_link = by_link.append_column("lost", pc.subtract(by_link["sent"], by_link["arrived"]))
    lost = by_link.group_by(PROCESS_KEY).aggregate([("lost", "sum")]).rename_columns([*PROCESS_KEY, "lost"])
    processes = counts.select([*PROCESS_KEY, "events", "sends", "receives"])
    for other in (_add_up(links, PROCESS_KEY).drop_columns(STAMP_COLUMNS), lost, _add_up_stamps(stamps, PROCESS_KEY)):
        processes = processes.join(other, PROCESS_KEY, join_type="full outer")
    zeros = [field.name for field in schema.PROCESSES if field.type == schema.LONG and "control" not in field.name]
    measured = _add_up(links, ["run"]).select(["run", *MEASURED])
    summary = runs.join(measured, "run", join_type="left outer")
    summary = summary.join(_add_up_stamps(stamps, ["run"]), "run", join_type="left outer")
    return {
        "links": conform(by_link, schema.LINKS),
        "processes": conform(fill_zeros(processes, zeros), schema.PROCESSES),
        "summary": conform(fill_zeros(summary, ("held", "needless")), schema.SUMMARY),
    }


def _add_up(sums: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Return the sums by these keys, with means in place of the sums of delays and hold-backs."""
    named = {name: (name, "sum") for name in SUMMED} | {"delay_s_max": ("delay_max", "max")}
    found = sums.group_by(keys).aggregate(list(named.values())).rename_columns([*keys, *named])
    for name in ("delay", "hold"):
        count = pc.if_else(pc.greater(found[f"{name}_count"], 0), found[f"{name}_count"], None)
        mean = pc.divide(found[f"{name}_sum"], count.cast(pa.float64()))
        found = found.append_column(f"{name}_s_mean", mean)
    return fill_zeros(found, COUNTED_BY_LINK)


def _add_up_stamps(stamps: pa.Table, keys: Sequence[str]) -> pa.Table:
    names = STAMP_SUMS.names[2:]
    return stamps.group_by(keys).aggregate([(name, "sum") for name in names]).rename_columns([*keys, *names])


def _add_edges(links: pa.Table, edges: pa.Table) -> pa.Table:
    """Return the links, with the links that vector clocks show. Delays are those of edges if no message has any."""
    timed = edges.append_column("edge_s", pc.subtract(edges["time"], edges["sent_time"]))
    found = timed.group_by(LINK_KEY).aggregate([([], "count_all"), ("edge_s", "mean"), ("edge_s", "max")])
    found = found.rename_columns([*LINK_KEY, "edges", "edge_s_mean", "edge_s_max"])
    table = links.drop_columns("inferred").join(found, LINK_KEY, join_type="full outer")
    for name, other in (("delay_s_mean", "edge_s_mean"), ("delay_s_max", "edge_s_max")):
        place = table.column_names.index(name)
        table = table.set_column(place, name, pc.coalesce(table[name], table[other]))
    return fill_zeros(table.rename_columns({"edges": "inferred"}), COUNTED_BY_LINK)
