"""Write the tables of runs that are cut into windows.

judge_windows    writes messages, deliveries and violations, and leaves sums of delivers by link
write_events     reads the source once more, dealt out by message: writes events, and leaves sums of sends
add_up_sums      one task for each run makes links, processes and the summary of all sums
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from antecede.pipeline import schema
from antecede.pipeline.arrow import kind_codes, without_dictionaries
from antecede.pipeline.dealing import DEALT, deal_table, gather, in_chunks, part_by_text, rows_at_lines, rows_of_runs
from antecede.pipeline.kernel.counts import CODED
from antecede.pipeline.kernel.encode import DELIVER
from antecede.pipeline.kernel.findings import all_deliveries, message_rows
from antecede.pipeline.kernel.pair import Paired
from antecede.pipeline.kernel.stamp import Stamped
from antecede.pipeline.limits import Limits
from antecede.pipeline.read.destinations import infer_destinations
from antecede.pipeline.read.duplicates import remove_duplicates
from antecede.pipeline.read.files import locate
from antecede.pipeline.read.rows import ReadRows
from antecede.pipeline.read.source import Consumer, Source
from antecede.pipeline.results import RESULTS, Told, tell
from antecede.pipeline.runner import PART, Batches, Runner, Task
from antecede.pipeline.tables.figures import summarise_figures
from antecede.pipeline.tables.measures import add_delays, conform
from antecede.pipeline.tables.part_files import write_parts
from antecede.pipeline.tables.sums import LINK_SUMS, STAMP_SUMS, make_tables_of_sums, sum_deliveries, sum_sends
from antecede.pipeline.windows.window_plan import RECEIVED

RUNS = pa.schema([(PART, pa.int32()), ("run", pa.string())])


def write_window_tables(paired: Paired, stamped: Stamped, table: pa.Table, folder: str) -> Told:
    """Write what is known of the messages and delivers in some windows. `table` has the rows of `paired`."""
    found = all_deliveries(paired, stamped)
    at = pa.array(np.flatnonzero(paired.rows.role == DELIVER))
    for name in RECEIVED:
        if name in table.column_names:
            found = found.append_column(name, table[name].take(at))
    timed = conform(add_delays(found), schema.DELIVERIES)
    tables = {
        "messages": message_rows(paired),
        "deliveries": timed,
        "violations": timed.filter(timed["violation"]),
        "link_sums": sum_deliveries(timed),
    }
    yield from tell("written", write_parts(folder, tables))
    yield from tell("figures", summarise_figures(timed, None, schema.EVENTS.empty_table()))


def write_events(
    source: Source,
    runs: Sequence[str],
    left_out: Mapping[str, Sequence[int]],
    *,
    rows: int,
    folder: str,
    limits: Limits,
) -> pa.Table:
    """Write the events of some runs, which have about so many rows, and return what the tasks tell."""
    parts = max(1, ceil(rows / limits.dealt_rows))
    dealt = source.map(_deal_events(parts, frozenset(runs), left_out), DEALT).deal(parts)
    return dealt.map(_write_events(folder), RESULTS).collect()


def add_up_sums(runner: Runner, written: pa.Table, counts: pa.Table, runs: pa.Table, folder: str) -> pa.Table:
    """Write the tables that are made of sums, for each of `runs`, and return what the tasks tell.

    `written` are the files of all tasks, `counts` rows of `kernel.counts.LARGE`, and `runs` rows of `RUN_ROWS` with the
    number of their windows.
    """
    asked = pa.table([np.arange(runs.num_rows, dtype=np.int32), runs["run"]], schema=RUNS)
    return runner.hand_out(asked).map(_add_up(written, counts, runs, folder), RESULTS).collect()


def _deal_events(parts: int, runs: frozenset[str], left_out: Mapping[str, Sequence[int]]) -> Consumer:
    """Return a consumer that deals the rows of some runs out by message, or by process if they have none."""

    def consume(read: Iterator[ReadRows]) -> Iterator[pa.RecordBatch]:
        for events in in_chunks(rows.events for rows in read):
            kept = events.filter(pa.array(rows_of_runs(events, runs) & ~rows_at_lines(events, left_out)))
            key = pc.coalesce(kept["message"], kept["process"].cast(pa.string()))
            yield from deal_table(kept, part_by_text(key, parts), parts)

    return consume


def _write_events(folder: str) -> Task:
    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        table = gather(batches)
        if table is None:
            return
        table = table.unify_dictionaries().combine_chunks()
        with_message = kind_codes(table["kind"], CODED) >= 0
        kept, refused = remove_duplicates(table.filter(pa.array(with_message)))
        kept, _ = infer_destinations(kept)
        plain = without_dictionaries(table.schema)
        events = pa.concat_tables([kept.cast(plain), table.filter(pa.array(~with_message)).cast(plain)])
        links, stamps = sum_sends(events)
        tables = {"events": events, "quarantine": refused, "link_sums": links, "stamp_sums": stamps}
        yield from tell("written", write_parts(folder, tables))
        sends = events.filter(pc.equal(events["kind"], "send"))
        yield from tell("figures", summarise_figures(schema.DELIVERIES.empty_table(), None, sends))

    return task


def _add_up(written: pa.Table, counts: pa.Table, runs: pa.Table, folder: str) -> Task:
    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        for name in [name for batch in batches for name in batch.column("run").to_pylist()]:
            links = _read(written, "link_sums", LINK_SUMS, name)
            stamps = _read(written, "stamp_sums", STAMP_SUMS, name)
            own, run = (table.filter(pc.equal(table["run"], name)) for table in (counts, runs))
            yield from tell("written", write_parts(folder, make_tables_of_sums(links, stamps, own, run)))

    return task


def _read(written: pa.Table, name: str, fields: pa.Schema, run: str) -> pa.Table:
    """Return the rows of one run in the files of one table."""
    tables = [fields.empty_table()]
    for path in written["path"].filter(pc.equal(written["table"], name)).to_pylist():
        system, place = locate(path)
        tables.append(pq.read_table(place, filesystem=system, filters=pc.field("run") == run).cast(fields))
    return pa.concat_tables(tables)
