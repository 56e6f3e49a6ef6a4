"""Find rows of large runs whose index is taken. The rows of one process are dealt to one task, which compares them.

This is done only for runs in which an index may come twice. The rows that are found are left out of all later steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline.dealing import DEALT, ChosenRows, gather, part_by_text
from antecede.pipeline.kernel.counts import count_large_runs
from antecede.pipeline.limits import Limits
from antecede.pipeline.read.duplicates import remove_repeated_indices
from antecede.pipeline.read.row_counts import RowCounts
from antecede.pipeline.read.source import Source
from antecede.pipeline.results import put_together, tell
from antecede.pipeline.runner import Batches, Task
from antecede.pipeline.verify.tasks import deal_chosen, tell_counts


@dataclass(frozen=True, slots=True)
class Repeats:
    """The large runs without the rows whose index is taken.

    `large` has the counts of their processes. `left_out` has the lines to leave out, by file. `results` are the other
    results of the tasks.
    """

    large: pa.Table
    left_out: Mapping[str, Sequence[int]] = field(default_factory=dict)
    results: pa.Table = field(default_factory=DEALT.empty_table)


def find_repeats(source: Source, large: pa.Table, limits: Limits, folder: str | None) -> Repeats:
    """Find the rows whose index is taken, in those runs of `large` in which an index may come twice.

    `large` are rows of `kernel.counts.LARGE`. If `folder` is given, the rows are written there as refused rows.
    """
    runs = frozenset(large["run"].filter(large["has_repeats"]).to_pylist())
    if not runs:
        return Repeats(large)
    is_doubtful = pc.is_in(large["run"], pa.array(sorted(runs)))
    parts = max(1, ceil(sum(large.filter(is_doubtful)["events"].to_pylist()) / limits.run_events_max))
    deal = deal_chosen(ChosenRows(runs), parts, lambda events: part_by_text(events["process"], parts))
    results = source.map(deal, DEALT).deal(parts).map(_compare(folder), DEALT).collect()
    told = put_together(results)
    others = large.filter(pc.invert(is_doubtful))
    left_out = told["left_out"].group_by("file").aggregate([("line", "list")]).to_pylist()
    return Repeats(
        pa.concat_tables([others, told["large"]]),
        {row["file"]: row["line_list"] for row in left_out},
        results.filter(pc.not_equal(results["name"], "large")),
    )


def _compare(folder: str | None) -> Task:
    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        table = gather(batches)
        if table is None:
            return
        kept, refused = remove_repeated_indices(table.unify_dictionaries())
        counts = RowCounts(keeps_all=folder is not None)
        counts.refuse(refused)
        yield from tell_counts(counts, folder)
        yield from tell("left_out", refused.select(["file", "line"]))
        yield from tell("large", count_large_runs(kept))

    return task
