"""Define the tasks for the rows of runs that are cut into windows.

    deal_messages -> [shuffle] -> join_messages -> [shuffle] -> summarise_windows -> compose_states
                     by message                    by window

Each task reads its whole part first, because it needs all rows of a message, of a window, or all ends of a run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline.arrow import (
    CODED_KINDS,
    DELIVER,
    RECEIVE,
    SEND,
    Longs,
    code_kinds,
    codes,
    fill_table,
    match_rows,
    narrow_integers,
    take_or_null,
    unpack,
)
from antecede.pipeline.dealing import (
    ROWS,
    ChosenRows,
    deal_table,
    deal_value,
    gather,
    in_chunks,
    part_by_text,
    pass_others,
    rows_of_runs,
)
from antecede.pipeline.read.destinations import infer_destinations
from antecede.pipeline.read.duplicates import remove_duplicates
from antecede.pipeline.read.row_counts import RowCounts
from antecede.pipeline.read.rows import ReadRows
from antecede.pipeline.read.source import Consumer
from antecede.pipeline.results import INFERRED, RESENT, Told, tell
from antecede.pipeline.runner import Batches, Task
from antecede.pipeline.windows.compose import Composition, End, summarise
from antecede.pipeline.windows.summaries import (
    DEALT_ENDS,
    DEALT_LINKS,
    DEALT_SPANS,
    DEALT_STATES,
    STATE,
    ends_table,
    links_table,
    spans_table,
    states_table,
)
from antecede.pipeline.windows.window_plan import RECEIVED, WindowPlan, from_table, pair_messages


@dataclass(frozen=True, slots=True)
class CutRuns:
    """The rows of the runs that are cut. In the runs `receiving`, receives stand for delivers."""

    rows: ChosenRows
    receiving: frozenset[str] = frozenset()
    with_receives: bool = False
    """Whether receives are dealt too, to measure how long a message was held back."""


def deal_messages(parts: int, runs: CutRuns) -> Consumer:
    """Return a consumer that deals the sends and delivers of some runs out by message. Kinds become codes."""

    def consume(read: Iterator[ReadRows]) -> Iterator[pa.RecordBatch]:
        for events in in_chunks(rows.events for rows in read):
            coded = code_kinds(runs.rows.of(events), CODED_KINDS)
            kind = coded["kind"].to_numpy()
            if runs.receiving:
                kind = np.where(rows_of_runs(coded, runs.receiving) & (kind == RECEIVE), np.int8(DELIVER), kind)
                coded = coded.set_column(coded.column_names.index("kind"), "kind", pa.array(kind))
            if not runs.with_receives:
                coded = coded.filter(pa.array(kind != RECEIVE))
            yield from deal_table(coded, part_by_text(coded["message"], parts), parts)

    return consume


def join_messages(plan: WindowPlan, tasks: int) -> Task:
    """Return a task that pairs all rows of some messages, and deals them to the tasks that have their windows."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        table = gather(batches)
        if table is None:
            return
        table = add_receipts(table.unify_dictionaries())
        table, told = prepare_messages(table, plan)
        yield from told
        paired = pair_messages(table, plan)
        if not (pc.max(paired["ahead_s"]).as_py() or 0) > 0:  # this is also so for NaN
            paired = paired.drop_columns("ahead_s")
        yield from deal_table(narrow_integers(paired), paired["window"].to_numpy() % tasks, tasks)

    return task


def add_receipts(table: pa.Table) -> pa.Table:
    """Return all rows of some messages without the receives, which become two columns of the delivers.

    `received_index` and `received_time` are those of the first receive of the message at the process.
    """
    kind = table["kind"].to_numpy()
    if not np.any(kind == RECEIVE):
        return table
    receives = table.filter(pa.array(kind == RECEIVE)).sort_by("index")
    rest = table.filter(pa.array(kind != RECEIVE))
    first = match_rows(rest, receives, ["run", "process", "message"])
    first[rest["kind"].to_numpy() != DELIVER] = -1
    for name, column in zip(RECEIVED, ("index", "time"), strict=True):
        rest = rest.append_column(name, take_or_null(receives[column], first))
    return rest


def prepare_messages(table: pa.Table, plan: WindowPlan) -> tuple[pa.Table, list[pa.RecordBatch]]:
    """Return all rows of some messages, without repeated sends and with destinations, and results to tell.

    Kinds are codes. The name of a result has the number of its run before it, because a run may be tried again.
    """
    sends = table.filter(pa.array(table["kind"].to_numpy() == SEND))
    is_unique = sends.num_rows == sends.select(["run", "message"]).group_by(["run", "message"]).aggregate([]).num_rows
    if is_unique and not sends["dests"].null_count:
        return table, []
    run, names = codes(table["run"])
    number = {one.name: place for place, one in enumerate(plan.runs)}
    parts, told = [], []
    for place, name in enumerate(names.to_pylist()):
        own = _with_kind_names(table.filter(pa.array(run == place)))
        rows, refused = remove_duplicates(own)
        resent = Counter(own["process"].to_pylist()) - Counter(rows["process"].to_pylist()) if refused.num_rows else {}
        rows, inferred = infer_destinations(rows)
        parts.append(code_kinds(rows.unify_dictionaries(), CODED_KINDS))
        for batch in _tell_of_messages(name, refused, resent, inferred):
            named = pa.array([f"{number[name]}:{result}" for result in batch.column("name").to_pylist()])
            told.append(batch.set_column(batch.schema.get_field_index("name"), "name", named))
    return pa.concat_tables(parts).unify_dictionaries(), told


def _tell_of_messages(run: str, refused: pa.Table, resent: Mapping[str, int], inferred: int) -> Told:
    counts = RowCounts()
    counts.refuse(refused)
    yield from counts.tell()
    processes = list(resent)
    sends = [resent[process] for process in processes]
    yield from tell("resent", fill_table(RESENT, len(resent), run=[run] * len(resent), process=processes, sends=sends))
    if inferred:
        yield from tell("inferred", fill_table(INFERRED, 1, sends=[inferred]))


def _with_kind_names(table: pa.Table) -> pa.Table:
    names = pa.DictionaryArray.from_arrays(pa.array(table["kind"].to_numpy().astype(np.int32)), pa.array(CODED_KINDS))
    return table.set_column(table.column_names.index("kind"), "kind", names)


def summarise_windows(plan: WindowPlan, tasks: int) -> Task:
    """Return a task that summarises its windows. It yields their ends, their links, their spans, and their rows."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        values: list[pa.Buffer] = []
        yield from pass_others(batches, ROWS, values)
        if not values:
            return
        table = unpack(values)
        number, group = group_by_window(table)
        rows = from_table(table, number, group, plan).rows
        ends = summarise(rows, table["reached"].to_numpy())
        found = ends_table(rows, ends, number)
        yield from deal_table(found, plan.run(found["window"].to_numpy()), len(plan.runs), DEALT_ENDS)
        yield deal_value(DEALT_LINKS, links_table(rows, plan, number, table["slack"].to_numpy()))
        yield deal_value(DEALT_SPANS, spans_table(ends, plan, number))
        yield deal_value(ROWS, table.drop_columns("slack"), int(number[0]) % tasks)

    return task


def compose_states(plan: WindowPlan, tasks: int) -> Task:
    """Return a task that takes the ends of all windows of some runs, and deals to each window what is known there."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        table = gather(batches, DEALT_ENDS)
        if table is None:
            return
        run_of = plan.run(np.arange(plan.starts[-1]))
        batched = table.sort_by("window").to_batches(max_chunksize=1_000)
        rows = (row for batch in batched for row in batch.to_pylist())
        for run, of_run in groupby(rows, key=lambda row: int(run_of[row["window"]])):
            composition, cyclic = Composition(len(plan.runs[run].processes)), False
            for window, ends in groupby(of_run, key=itemgetter("window")):
                found = list(ends)
                cyclic = cyclic or any(row["sends"] is None for row in found)
                if not cyclic:
                    yield from _deal_states(states_table(composition.compose(window, map(_end, found))), tasks)
            if cyclic:
                windows = np.arange(plan.starts[run], plan.starts[run + 1])
                yield from _deal_states(fill_table(STATE, len(windows), window=windows), tasks)

    return task


def group_by_window(table: pa.Table) -> tuple[Longs, Longs]:
    """Return the windows that have rows in the table, in order, and the place of each row's window among them."""
    window = table["window"].to_numpy().astype(np.int64)
    if window.min() == window.max():
        return window[:1], np.zeros(len(window), np.int64)
    number, group = np.unique(window, return_inverse=True)
    return number, group.astype(np.int64)


def _end(row: dict[str, Any]) -> End:
    sends, entries = np.frombuffer(row["sends"], np.int64), np.frombuffer(row["entries"], np.bool_)
    return End(row["process"], row["sent_index"], sends, entries, row["reached"])


def _deal_states(states: pa.Table, tasks: int) -> Iterator[pa.RecordBatch]:
    return deal_table(states, states["window"].to_numpy() % tasks, tasks, DEALT_STATES)
