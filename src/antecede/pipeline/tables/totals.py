"""Add up tables that were written, for the figures of a report: links and processes over all runs, and a first excerpt.

These are tasks on the paths of files. The number of rows that they yield is bounded, however large the tables are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline import schema
from antecede.pipeline.runner import Batches, Task
from antecede.pipeline.tables.part_files import read_parts

LINKS_MAX = 4_000
VIOLATED_LINKS_MAX = 500
PROCESSES_MAX = 200
LINK_TOTALS = pa.schema(
    [
        *(("sender", pa.string()), ("process", pa.string()), ("messages", pa.int64()), ("violations", pa.int64())),
        ("delay_s_mean", pa.float64()),
        *(("link_count", pa.int64()), ("violated_count", pa.int64())),
    ]
)
"""`link_count` counts all links, and `violated_count` those with violations. They are the same in all rows."""
ADDED = ("events", "sends", "deliveries", "violations", "lost")
PROCESS_TOTALS = pa.schema(
    [
        ("process", pa.string()),
        *((name, pa.int64()) for name in ADDED),
        *(("delay_s_mean", pa.float64()), ("hold_s_mean", pa.float64())),
        *(("process_count", pa.int64()), ("held", pa.int64())),
    ]
)
"""`process_count` and `held` are the counts over all processes. They are the same in all rows."""
EXCERPT = pa.schema([field for field in schema.TRACE if field.name != "attributes"])


def add_up_links(*, links_max: int = LINKS_MAX, violated_max: int = VIOLATED_LINKS_MAX) -> Task:
    """Return a task that yields links with their sums over all runs, the busiest first, as `LINK_TOTALS`.

    These are the `links_max` busiest links, and the `violated_max` links with the most violations.
    """

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        sums = _sum_links(batches)
        violated = pc.sum(pc.greater(sums["violations"], 0)).as_py() or 0
        sums = _add_constants(sums, link_count=sums.num_rows, violated_count=violated)
        place = np.arange(sums.num_rows)
        kept = place < links_max
        numbered = sums.append_column("place", pa.array(place))
        worst = numbered.sort_by([("violations", "descending"), ("place", "ascending")])["place"].to_numpy()
        kept[worst[: min(violated, violated_max)]] = True
        yield from sums.filter(pa.array(kept)).select(LINK_TOTALS.names).cast(LINK_TOTALS).to_batches()

    return task


def _sum_links(batches: Batches) -> pa.Table:
    """Return every link with its sums over all runs, the busiest first."""
    names = ["sender", "process", "sent", "deliveries", "inferred", "violations", "delay_s_mean"]
    table = _read(batches, names, schema.LINKS)
    messages = pc.max_element_wise(table["sent"], table["deliveries"], table["inferred"])
    arrived = pc.max_element_wise(table["deliveries"], table["inferred"])
    table = table.append_column("messages", messages)
    sums = _add_up(table, ["sender", "process"], ["messages", "violations"], {"delay_s_mean": arrived})
    return sums.sort_by([("messages", "descending"), ("sender", "ascending"), ("process", "ascending")])


def add_up_processes(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Yield processes with their sums over all runs, the worst first, then the busiest, as `PROCESS_TOTALS`.

    This is a task. At most `PROCESSES_MAX` processes are yielded.
    """
    table = _read(batches, ["process", *ADDED, "delay_s_mean", "hold_s_mean", "held"], schema.PROCESSES)
    weights = dict.fromkeys(("delay_s_mean", "hold_s_mean"), table["deliveries"])
    sums = _add_up(table, ["process"], ADDED, weights)
    sums = _add_constants(sums, process_count=sums.num_rows, held=pc.sum(table["held"]).as_py() or 0)
    order = [("violations", "descending"), ("events", "descending"), ("process", "ascending")]
    yield from (
        sums.sort_by(order).slice(0, PROCESSES_MAX).select(PROCESS_TOTALS.names).cast(PROCESS_TOTALS).to_batches()
    )


def take_first_events(run: str, count: int) -> Task:
    """Return a task that yields the first `count` events of a run, by index and process, as `EXCERPT`."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        first = EXCERPT.empty_table()
        for path in _paths(batches):
            both = pa.concat_tables([first, read_parts([path], EXCERPT, pc.field("run") == run)])
            first = both.sort_by([("index", "ascending"), ("process", "ascending")]).slice(0, count)
        yield from first.to_batches()

    return task


def _paths(batches: Batches) -> list[str]:
    return [path for batch in batches for path in batch.column("path").to_pylist()]


def _read(batches: Batches, names: list[str], fields: pa.Schema) -> pa.Table:
    return read_parts(_paths(batches), pa.schema([fields.field(name) for name in names]))


def _add_up(table: pa.Table, keys: list[str], sums: Sequence[str], means: Mapping[str, pa.ChunkedArray]) -> pa.Table:
    """Return the sums of columns, and the weighted means of others, for each key.

    `means` has the weights for each column. A row in which the column is null has no weight.
    """
    extra = []
    for name, weight in means.items():
        known = pc.if_else(pc.is_valid(table[name]), weight, None)
        table = table.append_column(f"{name}_weight", known)
        table = table.append_column(f"{name}_product", pc.multiply(table[name], known.cast(pa.float64())))
        extra += [f"{name}_weight", f"{name}_product"]
    found = table.group_by(keys).aggregate([(name, "sum") for name in (*sums, *extra)])
    found = found.rename_columns([*keys, *sums, *extra])
    for name in means:
        weight = pc.if_else(pc.greater(found[f"{name}_weight"], 0), found[f"{name}_weight"], None)
        found = found.append_column(name, pc.divide(found[f"{name}_product"], weight.cast(pa.float64())))
    return found


def _add_constants(table: pa.Table, **values: int) -> pa.Table:
    for name, value in values.items():
        table = table.append_column(name, pa.array(np.full(table.num_rows, value)))
    return table
