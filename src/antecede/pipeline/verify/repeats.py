"""Find rows of large runs whose index is taken: rows of one process are dealt to one task, which compares them.

This is done only for runs in which an index may come twice. What is found is left out of everything that follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline.dealing import DEALT, deal_table, gather, in_chunks, part_by_text, rows_of_runs
from antecede.pipeline.kernel.counts import count_large_runs
from antecede.pipeline.limits import Limits
from antecede.pipeline.read.duplicates import remove_repeated_indices
from antecede.pipeline.read.row_counts import RowCounts
from antecede.pipeline.read.rows import ReadRows
from antecede.pipeline.read.source import Consumer, Source
from antecede.pipeline.results import RESULTS, put_together, tell
from antecede.pipeline.runner import Batches, Task
from antecede.pipeline.verify.tasks import write_refused


@dataclass(frozen=True, slots=True)
class Repeats:
    """The large runs without the rows whose index is taken.

    `large` has the counts of their processes, `left_out` the lines to leave out by file, and `results` what the tasks
    told of them.
    """

    large: pa.Table
    left_out: Mapping[str, Sequence[int]] = field(default_factory=dict)
    results: tuple[pa.Table, ...] = ()


def find_repeats(source: Source, large: pa.Table, limits: Limits, folder: str | None) -> Repeats:
    """Return the rows whose index is taken, of the runs in `large` in which an index may come twice.

    With `folder`, write them there as refused rows.
    """
    doubtful = large.filter(large["has_repeats"])
    runs = frozenset(doubtful["run"].to_pylist())
    if not runs:
        return Repeats(large)
    rows = sum(large.filter(pc.is_in(large["run"], pa.array(sorted(runs))))["events"].to_pylist())
    parts = max(1, ceil(rows / limits.run_events_max))
    results = source.map(_deal_processes(parts, runs), DEALT).deal(parts).map(_compare(folder), RESULTS).collect()
    told = put_together(results)
    others = large.filter(pc.invert(pc.is_in(large["run"], pa.array(sorted(runs)))))
    kept = results.filter(pc.not_equal(results["name"], "large"))
    return Repeats(pa.concat_tables([others, told["large"]]), _lines(told["left_out"]), (kept,))


def _deal_processes(parts: int, runs: frozenset[str]) -> Consumer:
    def consume(read: Iterator[ReadRows]) -> Iterator[pa.RecordBatch]:
        for events in in_chunks(rows.events for rows in read):
            own = events.filter(pa.array(rows_of_runs(events, runs)))
            part = part_by_text(own["process"].cast(pa.string()), parts)
            yield from deal_table(own, part, parts)

    return consume


def _compare(folder: str | None) -> Task:
    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        table = gather(batches)
        if table is None:
            return
        kept, refused = remove_repeated_indices(table.unify_dictionaries())
        counts = RowCounts()
        counts.refuse(refused)
        yield from counts.tell()
        yield from write_refused(folder, refused)
        yield from tell("left_out", refused.select(["file", "line"]))
        yield from tell("large", count_large_runs(kept))

    return task


def _lines(positions: pa.Table) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for row in positions.to_pylist():
        found.setdefault(row["file"], []).append(row["line"])
    return found
