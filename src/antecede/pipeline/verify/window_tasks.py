"""Judge windows of large runs, each from the state that is known when it is entered, and write their tables.

judge_windows    tells its counts; writes messages, deliveries and violations, and leaves sums of delivers by link
write_events     reads the source once more, dealt out by message; writes events, and leaves sums of sends
add_up_sums      makes links, processes and the summary from all sums, with one task for each run
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline import schema
from antecede.pipeline.arrow import CODED_KINDS, DELIVER, Longs, kind_codes, without_dictionaries
from antecede.pipeline.dealing import DEALT, ChosenRows, gather, part_by_text
from antecede.pipeline.kernel import findings
from antecede.pipeline.kernel.pair import Paired
from antecede.pipeline.kernel.stamp import Stamped, Vectors, stamp
from antecede.pipeline.limits import Limits
from antecede.pipeline.read.destinations import infer_destinations
from antecede.pipeline.read.duplicates import remove_duplicates
from antecede.pipeline.read.source import Source
from antecede.pipeline.results import Told, tell
from antecede.pipeline.runner import PART, Batches, Runner, Task
from antecede.pipeline.tables.figures import summarise_figures
from antecede.pipeline.tables.measures import add_delays, sends_in
from antecede.pipeline.tables.part_files import read_parts, write_parts
from antecede.pipeline.tables.sums import LINK_SUMS, STAMP_SUMS, make_tables_of_sums, sum_deliveries, sum_sends
from antecede.pipeline.verify.tasks import SKEW_TOLD_MAX, deal_chosen
from antecede.pipeline.windows.summaries import DEALT_STATES, STATE
from antecede.pipeline.windows.tasks import group_by_window
from antecede.pipeline.windows.window_plan import RECEIVED, WindowPlan, from_table

ASKED_RUNS = pa.schema([(PART, pa.int32()), ("run", pa.string())])


def judge_windows(plan: WindowPlan, good: Sequence[int], *, worst: int, folder: str | None = None) -> Task:
    """Return a task that judges the windows that were dealt to it, and writes tables to `folder`.

    `good` are the runs, by number, whose cuts proved consistent. The task leaves out the others. `worst` is how many
    violating delivers it tells.
    """

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        kept = list(batches)
        table = gather(kept)
        if table is None:
            return
        table = table.filter(pa.array(np.isin(plan.run(table["window"].to_numpy()), list(good))))
        if table.num_rows:
            states = gather(kept, DEALT_STATES) or STATE.empty_table()  # windows without sent messages need no states
            yield from _judge(table, states, plan, worst, folder)

    return task


def _judge(table: pa.Table, states: pa.Table, plan: WindowPlan, worst: int, folder: str | None) -> Told:
    number, group = group_by_window(table)
    paired = from_table(table, number, group, plan)
    states = states.filter(pa.array(np.isin(states["window"].to_numpy(), number)))  # a window may have no rows
    place = np.searchsorted(number, states["window"].to_numpy())
    is_known = np.asarray(states["known"].is_valid())
    cyclic = np.zeros(len(number), np.bool_)
    cyclic[place[~is_known]] = True
    known = _vectors(states.filter(pa.array(is_known)), place[is_known])
    stamped = stamp(paired.rows, known).without(cyclic, group)
    yield from tell("parts", findings.tallies(paired, stamped))
    yield from tell("causal", findings.first_violations(paired, stamped))
    skew = findings.skewed_links(paired)
    yield from tell("skew", skew.sort_by([("worst_s", "descending")]).slice(0, SKEW_TOLD_MAX))
    if folder is not None:
        yield from _write_tables(paired, stamped, table, folder)
    if worst:
        yield from tell("worst", findings.worst_deliveries(paired, stamped, worst))


def _vectors(states: pa.Table, group: Longs) -> Vectors:
    known = np.frombuffer(b"".join(states["known"].to_pylist()), np.int64)
    process, sent_index = (states[name].to_numpy().astype(np.int64) for name in ("process", "sent_index"))
    return Vectors(group, process, sent_index, known)


def _write_tables(paired: Paired, stamped: Stamped, table: pa.Table, folder: str) -> Told:
    """Write the tables of the messages and delivers in some windows. `table` has the rows of `paired`."""
    found = findings.all_deliveries(paired, stamped)
    at = pa.array(np.flatnonzero(paired.rows.role == DELIVER))
    for name in RECEIVED:
        if name in table.column_names:
            found = found.append_column(name, table[name].take(at))
    timed = add_delays(found)
    tables = {
        "messages": findings.message_rows(paired),
        "deliveries": timed,
        "violations": timed.filter(timed["violation"]),
        "link_sums": sum_deliveries(timed),
    }
    yield from tell("written", write_parts(folder, tables))
    yield from tell("figures", summarise_figures(timed, None, schema.EVENTS.empty_table()))


def write_events(source: Source, chosen: ChosenRows, *, rows: int, folder: str, limits: Limits) -> pa.Table:
    """Write the events of some runs to `folder`, and return the results of the tasks. `rows` is about their number."""
    parts = max(1, ceil(rows / limits.dealt_rows))

    def part_of(events: pa.Table) -> Longs:
        """Return the part of each row: by its message, or by its process if it has no message."""
        return part_by_text(pc.coalesce(events["message"], events["process"].cast(pa.string())), parts)

    dealt = source.map(deal_chosen(chosen, parts, part_of), DEALT).deal(parts)
    return dealt.map(_write_events(folder), DEALT).collect()


def _write_events(folder: str) -> Task:
    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        table = gather(batches)
        if table is None:
            return
        table = table.unify_dictionaries().combine_chunks()
        with_message = kind_codes(table["kind"], CODED_KINDS) >= 0
        kept, refused = remove_duplicates(table.filter(pa.array(with_message)))
        kept, _ = infer_destinations(kept)
        plain = without_dictionaries(table.schema)
        sends = sends_in(kept)
        links, stamps = sum_sends(sends)
        events = pa.concat_tables([kept.cast(plain), table.filter(pa.array(~with_message)).cast(plain)])
        tables = {"events": events, "quarantine": refused, "link_sums": links, "stamp_sums": stamps}
        yield from tell("written", write_parts(folder, tables))
        yield from tell("figures", summarise_figures(schema.DELIVERIES.empty_table(), None, sends))

    return task


def add_up_sums(runner: Runner, written: pa.Table, counts: pa.Table, runs: pa.Table, folder: str) -> pa.Table:
    """Write the tables that are made of sums, for each of `runs`, and return the results of the tasks.

    `written` are the files of all tasks, as `results.WRITTEN`. `counts` are rows of `kernel.counts.LARGE`. `runs` are
    rows of `RUN_ROWS` with the number of their windows.
    """
    asked = pa.table([np.arange(runs.num_rows, dtype=np.int32), runs["run"]], schema=ASKED_RUNS)

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        for name in [name for batch in batches for name in batch.column("run").to_pylist()]:
            is_own = pc.field("run") == name
            links, stamps = (
                read_parts(written["path"].filter(pc.equal(written["table"], table)).to_pylist(), fields, is_own)
                for table, fields in (("link_sums", LINK_SUMS), ("stamp_sums", STAMP_SUMS))
            )
            tables = make_tables_of_sums(links, stamps, counts.filter(is_own), runs.filter(is_own))
            yield from tell("written", write_parts(folder, tables))

    return runner.hand_out(asked).map(task, DEALT).collect()
