"""What the tasks do with the rows of runs that are cut into windows.

    deal_messages -> [shuffle] -> join_messages -> [shuffle] -> summarise_windows -> compose_states
                     by message                    by window

Each task but `compose_states` reads its whole part first, because it needs all rows of a message, or of a window.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline.arrow import Flags, Longs, codes, distinct, fill_table, kind_codes, narrow_integers, pack
from antecede.pipeline.dealing import RESULT as DEALT_RESULT
from antecede.pipeline.dealing import deal_result, deal_table, gather, in_chunks, part_by_text, rows_at_lines, values_in
from antecede.pipeline.kernel.counts import CODED
from antecede.pipeline.kernel.encode import DELIVER, RECEIVE, SEND
from antecede.pipeline.read.destinations import infer_destinations
from antecede.pipeline.read.duplicates import remove_duplicates
from antecede.pipeline.read.row_counts import RowCounts
from antecede.pipeline.read.rows import ReadRows
from antecede.pipeline.read.source import Consumer
from antecede.pipeline.results import INFERRED, RESENT, Told, results_in, tell
from antecede.pipeline.runner import Batches, Task
from antecede.pipeline.windows.compose import Composition, End, Known, summarise
from antecede.pipeline.windows.summaries import CYCLE, CYCLIC, KNOWN, RESULT, ROWS, WINDOWS, ends_table, facts_table
from antecede.pipeline.windows.window_plan import WindowPlan, from_table, pair_messages

DETAIL = ("time", "sent_time", "message")
BATCH_ROWS_MAX = 64 * 1024


@dataclass(frozen=True, slots=True)
class CutRuns:
    """The runs that are cut: their names, those in which receives stand for delivers, and the lines to leave out."""

    names: frozenset[str]
    receiving: frozenset[str] = frozenset()
    left_out: Mapping[str, Sequence[int]] = field(default_factory=dict)
    with_receives: bool = False
    """Whether receives are dealt too, to measure how long a message was held back."""


def deal_messages(parts: int, runs: CutRuns) -> Consumer:
    """Return a consumer that deals the sends and delivers of some runs out by message."""

    def consume(read: Iterator[ReadRows]) -> Iterator[pa.RecordBatch]:
        for events in in_chunks(rows.events for rows in read):
            kind = kind_codes(events["kind"], CODED)
            run, names = codes(events["run"])
            if runs.receiving:
                receives = _among(names, runs.receiving)[run] & (kind == RECEIVE)
                kind = np.where(receives, np.int8(DELIVER), kind)
            kept = (kind >= 0) & _among(names, runs.names)[run] & ~rows_at_lines(events, runs.left_out)
            if not runs.with_receives:
                kept &= kind != RECEIVE
            coded = events.set_column(events.column_names.index("kind"), "kind", pa.array(kind))
            coded = coded.filter(pa.array(kept))
            yield from deal_table(coded, part_by_text(coded["message"], parts), parts)

    return consume


def join_messages(plan: WindowPlan, tasks: int, *, named: bool) -> Task:
    """Return a task that pairs all rows of some messages, and deals them to the tasks that have their windows.

    Without `named`, names and times are left out.
    """

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        table = gather(batches)
        if table is None:
            return
        table = add_receipts(table.unify_dictionaries())
        table, told = prepare_messages(table, plan)
        yield from told
        paired = pair_messages(table, plan)
        paired = paired if named else paired.drop_columns(list(DETAIL))
        if not (pc.max(paired["ahead_s"]).as_py() or 0) > 0:  # NaN, too
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
    names = ["run", "process", "message", "index", "time"]
    receives = table.filter(pa.array(kind == RECEIVE)).select(names)
    order = np.lexsort((receives["index"].to_numpy(), *(codes(receives[name])[0] for name in names[2::-1])))
    rest = table.filter(pa.array(kind != RECEIVE))
    keys = _keys(pa.concat_tables([receives.select(names[:3]), rest.select(names[:3])]).unify_dictionaries())
    first = np.full(int(keys.max(initial=-1)) + 1, -1, np.int64)
    first[keys[: receives.num_rows][order[::-1]]] = order[::-1]  # the last assignment is the first receive
    found = np.where(kind[kind != RECEIVE] == DELIVER, first[keys[receives.num_rows :]], -1)
    at = pa.array(found, mask=found < 0)
    rest = rest.append_column("received_index", receives["index"].take(at))
    return rest.append_column("received_time", receives["time"].take(at))


def _keys(table: pa.Table) -> Longs:
    """Return a number for each row, equal for rows with equal columns."""
    key = np.zeros(table.num_rows, np.int64)
    for name in table.column_names:
        code, names = codes(table[name])
        _, key = distinct(key * max(len(names), 1) + code, (int(key.max(initial=0)) + 1) * max(len(names), 1))
    return key


def prepare_messages(table: pa.Table, plan: WindowPlan) -> tuple[pa.Table, list[pa.RecordBatch]]:
    """Return all rows of some messages without repeated sends and with destinations, and what to tell of them.

    Kinds are codes. What is told has the number of its run before its name, because a run may be tried again.
    """
    sent = table["kind"].to_numpy() == SEND
    run, names = codes(table["run"])
    message, ids = codes(table["message"])
    key = run[sent] * len(ids) + message[sent]
    if len(np.unique(key)) == len(key) and not table["dests"].filter(pa.array(sent)).null_count:
        return table, []
    number = {one.name: place for place, one in enumerate(plan.runs)}
    parts, told = [], []
    for place, name in enumerate(names.to_pylist()):
        own = _with_kind_names(table.filter(pa.array(run == place)))
        rows, refused = remove_duplicates(own)
        resent = Counter(own["process"].to_pylist()) - Counter(rows["process"].to_pylist()) if refused.num_rows else {}
        rows, inferred = infer_destinations(rows)
        parts.append(_with_kind_codes(rows.unify_dictionaries()))
        for result, value in results_in(_tell_of_messages(name, refused, resent, inferred)):
            told.append(deal_result(f"{number[name]}:{result}", value))
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
    names = pa.DictionaryArray.from_arrays(pa.array(table["kind"].to_numpy().astype(np.int32)), pa.array(CODED))
    return table.set_column(table.column_names.index("kind"), "kind", names)


def _with_kind_codes(table: pa.Table) -> pa.Table:
    return table.set_column(table.column_names.index("kind"), "kind", pa.array(kind_codes(table["kind"], CODED)))


def summarise_windows(plan: WindowPlan, tasks: int) -> Task:
    """Return a task that tells what the ends of its windows have reached, what a plan must know, and the rows."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        kept = list(batches)
        for what, name, value in values_in(kept):
            if what == DEALT_RESULT:
                run, _, told = str(name).partition(":")
                yield from _cut(fill_table(WINDOWS, 1, what=[RESULT], run=[int(run)], name=[told], rows=[bytes(value)]))
        table = gather(kept)
        if table is None:
            return
        number, group = group_by_window(table)
        rows = from_table(table, number, group, plan).rows
        ends = summarise(rows, table["reached"].to_numpy())
        yield from _cut(ends_table(rows, ends, plan, number))
        yield from _cut(facts_table(rows, ends, plan, number, table["slack"].to_numpy()))
        stream = pack(table.drop_columns("slack"))
        yield from _cut(fill_table(WINDOWS, 1, what=[ROWS], part=number[:1] % tasks, rows=[stream]))

    return task


def compose_states(plan: WindowPlan, tasks: int) -> Task:
    """Return a task that takes the ends of all windows of some runs, and deals out what is known where."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        kept = [batch for batch in batches if batch.num_rows]
        if not kept:
            return
        columns = ["what", "run", "window", "process", "low", "reached", "sends", "entries"]
        table = pa.Table.from_batches(kept).select(columns).sort_by([("run", "ascending"), ("window", "ascending")])
        rows = (row for batch in table.to_batches(max_chunksize=1_000) for row in batch.to_pylist())
        for run, of_run in groupby(rows, key=itemgetter("run")):
            composition, cyclic = Composition(len(plan.runs[run].processes)), False
            for window, ends in groupby(of_run, key=itemgetter("window")):
                found = list(ends)
                cyclic = cyclic or any(row["what"] == CYCLIC for row in found)
                if not cyclic:
                    yield from _states(composition.compose(window, [_end(row) for row in found]), tasks)
            if cyclic:
                yield from _cut(_cycle(plan, run, tasks))

    return task


def group_by_window(table: pa.Table) -> tuple[Longs, Longs]:
    """Return the windows that have rows here, in order, and the place of each row's window among them."""
    window = table["window"].to_numpy().astype(np.int64)
    if window.min() == window.max():
        return window[:1], np.zeros(len(window), np.int64)
    number, group = np.unique(window, return_inverse=True)
    return number, group.astype(np.int64)


def _among(names: pa.Array, chosen: frozenset[str]) -> Flags:
    return np.array([name in chosen for name in names.to_pylist()], np.bool_)


def _cut(table: pa.Table) -> Iterator[pa.RecordBatch]:
    yield from table.to_batches(max_chunksize=BATCH_ROWS_MAX)


def _end(row: dict[str, Any]) -> End:
    sends, entries = np.frombuffer(row["sends"], np.int64), np.frombuffer(row["entries"], np.bool_)
    return End(row["process"], row["low"], sends, entries, row["reached"] or ())


def _states(known: Iterator[Known], tasks: int) -> Iterator[pa.RecordBatch]:
    found = list(known)
    window = np.array([one.window for one in found], np.int64)
    yield from _cut(
        fill_table(
            WINDOWS,
            len(found),
            what=np.full(len(found), KNOWN),
            part=window % tasks,
            window=window,
            process=[one.process for one in found],
            low=[one.sent_index for one in found],
            known=[one.known.tobytes() for one in found],
        )
    )


def _cycle(plan: WindowPlan, run: int, tasks: int) -> pa.Table:
    window = np.arange(plan.starts[run], plan.starts[run + 1])
    return fill_table(WINDOWS, len(window), what=np.full(len(window), CYCLE), part=window % tasks, window=window)
