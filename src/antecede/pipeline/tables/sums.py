"""Add up what several tasks know of one run: links, processes and the summary, from sums by link and by sender.

A mean cannot be made of means, so tasks leave sums and counts. One task for each run then makes the tables of them.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline import schema
from antecede.pipeline.tables.measures import LINK, PLACE, conform, fill_zeros, links_of_sends, plain_texts

COUNTED = ("sent", "deliveries", "violations", "overtaken", "early", "held", "arrived", "duplicates", "spurious")
SUMMED = (*COUNTED, "control_bytes", "control_entries", "delay_count", "hold_count")
LINK_SUMS = pa.schema(
    [
        *((name, pa.string()) for name in LINK),
        *((name, pa.int64()) for name in SUMMED),
        *((name, pa.float64()) for name in ("delay_sum", "hold_sum", "delay_max")),
    ]
)
"""Sums by link. `sender` is null for delivers of messages that were never sent."""
STAMP_SUMS = pa.schema(
    [
        *(("run", pa.string()), ("process", pa.string())),
        *((name, pa.int64()) for name in ("stamped", "control_bytes", "control_entries")),
    ]
)
"""Sums of stamps by sender, once for each message."""


def sum_deliveries(deliveries: pa.Table) -> pa.Table:
    """Return the sums of delivers by link, as `LINK_SUMS`. The delivers are rows of `schema.DELIVERIES`."""
    flags = {
        "early": pc.less(deliveries["delay_s"], 0),
        "held": pc.greater(deliveries["hold_s"], 0),
        "arrived": pc.and_(deliveries["first"], deliveries["addressed"]),
    }
    table = deliveries
    for name, values in flags.items():
        table = table.append_column(name, pc.fill_null(values, False))
    named = {
        "deliveries": ([], "count_all"),
        "violations": ("violation", "sum"),
        "overtaken": ("overtaken", "sum"),
        **{name: (name, "sum") for name in flags},
        "duplicates": ("duplicate", "sum"),
        "spurious": ("spurious", "sum"),
        "delay_count": ("delay_s", "count"),
        "hold_count": ("hold_s", "count"),
        "delay_sum": ("delay_s", "sum"),
        "hold_sum": ("hold_s", "sum"),
        "delay_max": ("delay_s", "max"),
    }
    found = table.group_by(LINK).aggregate(list(named.values())).rename_columns([*LINK, *named])
    return conform(found, LINK_SUMS)


def sum_sends(events: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Return the sums of sends by link, as `LINK_SUMS`, and of their stamps by sender, as `STAMP_SUMS`."""
    stamps = ["control_bytes", "control_entries"]
    sent = links_of_sends(events).group_by(LINK).aggregate([([], "count_all"), *((name, "sum") for name in stamps)])
    links = conform(sent.rename_columns([*LINK, "sent", *stamps]), LINK_SUMS)
    sends = events.filter(pc.equal(events["kind"].cast(pa.string()), "send"))
    by_sender = plain_texts(sends.select([*PLACE, *stamps])).group_by(PLACE)
    stamped = by_sender.aggregate([("control_bytes", "count"), *((name, "sum") for name in stamps)])
    return links, conform(stamped.rename_columns([*PLACE, "stamped", *stamps]), STAMP_SUMS)


def make_tables_of_sums(links: pa.Table, stamps: pa.Table, counts: pa.Table, run: pa.Table) -> dict[str, pa.Table]:
    """Return the tables of one run from all of its sums.

    `counts` are rows of `kernel.counts.LARGE`, and `run` is the row of the run with its verdict and windows.
    """
    by_link = _add_up(links.filter(pc.is_valid(links["sender"])), LINK)
    by_link = by_link.append_column("lost", pc.subtract(by_link["sent"], by_link["arrived"]))
    here = _add_up(links, PLACE)
    lost = by_link.group_by(PLACE).aggregate([("lost", "sum")]).rename_columns([*PLACE, "lost"])
    stamped = stamps.group_by(PLACE).aggregate([(name, "sum") for name in STAMP_SUMS.names[2:]])
    stamped = stamped.rename_columns(STAMP_SUMS.names)
    processes = counts.select([*PLACE, "events", "sends", "receives"])
    dropped = [name for name in ("control_bytes", "control_entries", "sent") if name in here.column_names]
    for other in (here.drop_columns(dropped), lost, stamped):
        processes = processes.join(other, PLACE, join_type="full outer")
    zeros = [field.name for field in schema.PROCESSES if field.type == schema.LONG and "control" not in field.name]
    of_run = _add_up(links, ["run"]).drop_columns(["control_bytes", "control_entries", *COUNTED[:-4], *COUNTED[-3:]])
    total = stamps.group_by("run").aggregate([("control_bytes", "sum"), ("control_entries", "sum")])
    total = total.rename_columns(["run", "control_bytes", "control_entries"])
    summary = run.join(of_run, "run", join_type="left outer").join(total, "run", join_type="left outer")
    return {
        "links": conform(fill_zeros(by_link, ("needless", "inferred")), schema.LINKS),
        "processes": conform(fill_zeros(processes, zeros), schema.PROCESSES),
        "summary": conform(fill_zeros(summary, ("held", "needless")), schema.SUMMARY),
    }


def _add_up(sums: pa.Table, keys: list[str]) -> pa.Table:
    """Return the sums by these keys, with means in place of the sums of delays and hold-backs."""
    named = {name: (name, "sum") for name in (*SUMMED, "delay_sum", "hold_sum")} | {"delay_s_max": ("delay_max", "max")}
    found = sums.group_by(keys).aggregate(list(named.values())).rename_columns([*keys, *named])
    found = fill_zeros(found, COUNTED)
    for name in ("delay", "hold"):
        count = pc.if_else(pc.greater(found[f"{name}_count"], 0), found[f"{name}_count"], None)
        mean = pc.divide(found[f"{name}_sum"], count.cast(pa.float64()))
        found = found.append_column(f"{name}_s_mean", mean).drop_columns([f"{name}_count", f"{name}_sum"])
    return found
