"""Define the tasks of a check: deal rows out by run, and judge whole runs.

    read blocks -> judge_here                                   if all rows of a run are in the blocks of one task
    read blocks -> deal_runs  -> [shuffle] -> judge_dealt       otherwise

A consumer takes the rows of a source as they are read. A task takes the values that were dealt to it. Rows travel as
Arrow streams, many in one value. Finished results travel along with them, and tasks pass them on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline import schema
from antecede.pipeline.arrow import Longs, codes, fill_table, unpack
from antecede.pipeline.dealing import (
    DEALT,
    ROWS,
    ChosenRows,
    deal_table,
    in_chunks,
    part_by_text,
    rows_of_runs,
    values_in,
)
from antecede.pipeline.kernel.counts import add_up_counts, count_large_runs
from antecede.pipeline.limits import LIMITS, Limits
from antecede.pipeline.read.row_counts import RowCounts
from antecede.pipeline.read.rows import ReadRows
from antecede.pipeline.read.source import Consumer
from antecede.pipeline.results import INFERRED, Told, tell
from antecede.pipeline.runner import Batches, Task
from antecede.pipeline.tables.figures import summarise_figures
from antecede.pipeline.tables.measures import conform
from antecede.pipeline.tables.part_files import write_parts
from antecede.pipeline.tables.whole_runs import make_tables
from antecede.pipeline.verify.clock_verdicts import (
    NONE,
    JudgedClocks,
    count_receives,
    judge_clocks,
    late_violations,
    locate_late,
)
from antecede.pipeline.verify.judge import JudgedRuns, judge_runs
from antecede.pipeline.verify.run_verdict import judge_each_run, tell_worst

SKEW_TOLD_MAX = 50
DEALT_COUNTS = "counts"
"""The name of dealt values that hold the counts of processes of large runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """Options for how whole runs are judged, and what is told of them.

    If `parts_folder` is given, the tables of the check are written there. `worst` is how many violations are told, and
    `explain` explains them from the events of their runs. If `has_clocks`, runs that send no message are judged by
    their vector clocks, and `receives` is the expression that marks their receives. If not `has_index`, the source does
    not give the order of the events of a process. A run of more than `run_events_max` events is only counted.
    """

    parts_folder: str | None = None
    worst: int = 0
    explain: Callable[[JudgedRuns], pa.Table] | None = None
    has_clocks: bool = False
    has_index: bool = True
    receives: str | None = None
    run_events_max: int = LIMITS.run_events_max
    limits: Limits = LIMITS


def judge_here(options: JudgeOptions) -> Consumer:
    """Return a consumer that judges all rows of its part, which has whole runs."""

    def consume(read: Iterator[ReadRows]) -> Iterator[pa.RecordBatch]:
        counts = RowCounts(keeps_all=options.parts_folder is not None)
        held = _HeldRuns(options.run_events_max)
        for events in counts.watch(read):
            held.take(events)
        yield from tell_counts(counts, options.parts_folder)
        yield from _judge(held, options)

    return consume


def deal_runs(parts: int, large: frozenset[str] = frozenset(), parts_folder: str | None = None) -> Consumer:
    """Return a consumer that deals rows out by run, to `parts` parts.

    If a run is known to be `large`, only its counts are dealt. If `parts_folder` is given, refused rows are written
    there.
    """

    def consume(read: Iterator[ReadRows]) -> Iterator[pa.RecordBatch]:
        counts = RowCounts(keeps_all=parts_folder is not None)
        for events in in_chunks(counts.watch(read)):
            of_large = rows_of_runs(events, large)
            if of_large.any():
                sizes = count_large_runs(events.filter(pa.array(of_large)))
                yield from deal_table(sizes, part_by_text(sizes["run"], parts), parts, DEALT_COUNTS)
            small = events.filter(pa.array(~of_large)) if of_large.any() else events
            yield from deal_table(small, part_by_text(small["run"], parts), parts)
        yield from tell_counts(counts, parts_folder)

    return consume


def tell_counts(counts: RowCounts, folder: str | None) -> Told:
    """Tell the counts of rows. If `folder` is given, write all refused rows there, and tell the files."""
    yield from counts.tell()
    if folder is not None and counts.rows:
        yield from tell("written", write_parts(folder, {"quarantine": pa.concat_tables(counts.rows)}))


def deal_chosen(chosen: ChosenRows, parts: int, part_of: Callable[[pa.Table], Longs]) -> Consumer:
    """Return a consumer that deals out the chosen rows alone, and tells nothing of the reading.

    `part_of` returns the part of each row of a table.
    """

    def consume(read: Iterator[ReadRows]) -> Iterator[pa.RecordBatch]:
        for events in in_chunks(rows.events for rows in read):
            own = chosen.of(events)
            yield from deal_table(own, part_of(own), parts)

    return consume


def judge_dealt(options: JudgeOptions) -> Task:
    """Return a task that judges the whole runs that were dealt to it."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        held = _HeldRuns(options.run_events_max)
        for name, value in values_in(batches):
            if name == ROWS:
                held.take(unpack([value]))
            elif name == DEALT_COUNTS:
                held.take_counts(unpack([value]))
            else:
                yield pa.record_batch([[0], [name], [bytes(value)]], schema=DEALT)
        yield from _judge(held, options)

    return task


def _judge(held: _HeldRuns, options: JudgeOptions) -> Told:
    yield from tell("large", held.large_runs())
    events = held.small_runs()
    if events is None:
        return
    folder = options.parts_folder
    judged = judge_runs(events, worst=options.worst, detail=folder is not None, limits=options.limits)
    clocks = judge_clocks(events, judged.runs, options.receives) if options.has_clocks else NONE
    runs = judge_each_run(judged.runs, judged.witnesses, clocks.runs, first_violations=judged.first_violations)
    yield from tell("runs", tell_worst(runs))
    yield from tell("late", locate_late(clocks.late.slice(0, options.worst), events))
    if folder is not None:
        yield from _write_tables(judged, runs, clocks, folder)
    yield from tell("worst", judged.worst)
    if options.explain is not None and judged.worst.num_rows:
        yield from tell("explained", options.explain(judged))
    yield from tell("skew", judged.skew.sort_by([("worst_s", "descending")]).slice(0, SKEW_TOLD_MAX))
    if judged.inferred:
        yield from tell("inferred", fill_table(INFERRED, 1, sends=[judged.inferred]))
    duplicates = RowCounts(keeps_all=folder is not None, notes=list(judged.notes))
    duplicates.refuse(judged.refused)
    yield from tell_counts(duplicates, folder)


def _write_tables(judged: JudgedRuns, runs: pa.Table, clocks: JudgedClocks, folder: str) -> Told:
    assert judged.messages is not None
    assert judged.deliveries is not None
    runs = runs.append_column("windows", pa.array(np.ones(runs.num_rows, np.int32)))
    tables, edges = make_tables(judged.events, judged.counts, runs, judged.messages, judged.deliveries)
    late = late_violations(clocks.late)
    tables["violations"] = pa.concat_tables([conform(tables["violations"], schema.VIOLATIONS), late])
    tables["processes"] = count_receives(tables["processes"], clocks)
    yield from tell("written", write_parts(folder, tables))
    sends = judged.events.filter(pc.equal(judged.events["kind"].cast(pa.string()), "send"))
    yield from tell("figures", summarise_figures(tables["deliveries"], edges, sends))


class _HeldRuns:
    """The rows of some runs. If a run becomes too large, only its counts are kept."""

    def __init__(self, run_events_max: int) -> None:
        self._max = run_events_max
        self._tables: list[pa.Table] = []
        self._sizes: Counter[str] = Counter()
        self._large: set[str] = set()
        self._counts: list[pa.Table] = []

    def take(self, events: pa.Table) -> None:
        """Take rows of any runs."""
        if not events.num_rows:
            return
        run, names = codes(events["run"])
        sizes = np.bincount(run, minlength=len(names)).tolist()
        self._sizes.update(dict(zip(names.to_pylist(), sizes, strict=True)))
        grown = {name for name in names.to_pylist() if self._sizes[name] > self._max}
        if grown - self._large:
            self._large |= grown
            held, self._tables = self._tables, []
            for table in held:
                self._keep_or_count(table)
        self._keep_or_count(events)

    def take_counts(self, counts: pa.Table) -> None:
        """Take counts of runs that are known to be large, which were counted elsewhere."""
        self._counts.append(counts)

    def small_runs(self) -> pa.Table | None:
        """Return the rows of the runs that are not too large, or None if there are none."""
        return pa.concat_tables(self._tables) if self._tables else None

    def large_runs(self) -> pa.Table:
        """Return the counts of each process of the runs that are too large, as `LARGE`."""
        return add_up_counts(self._counts)

    def _keep_or_count(self, events: pa.Table) -> None:
        if not self._large:
            self._tables.append(events)
            return
        is_large = rows_of_runs(events, frozenset(self._large))
        if is_large.any():
            self._counts.append(count_large_runs(events.filter(pa.array(is_large))))
        if not is_large.all():
            self._tables.append(events.filter(pa.array(~is_large)))
