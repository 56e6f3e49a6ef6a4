"""Runs that lie in few row groups: each is read and judged by one task, in the pass that surveys the trace.

`plan` gives every task some runs, and the row groups that hold them, from the rows that each row group has of each run.
A row group between two tasks is read by both, which costs less than to send its rows through a shuffle. Where a run is
too large for a task, or runs are so mixed that row groups would be read over and over, there is no plan, and rows
are dealt out.

`judge` has all rows of its runs, so it knows for sure what a survey in parts leaves in doubt: whether an index or
a sent message comes twice. Only if nothing is doubtful does what it found count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline.arrow import codes, fill_table, kind_codes
from antecede.pipeline.kernel.encode import encode
from antecede.pipeline.kernel.findings import FINDINGS
from antecede.pipeline.kernel.pair import paired_runs
from antecede.pipeline.limits import LIMITS, Limits
from antecede.pipeline.read import row_groups
from antecede.pipeline.read.row_groups import Lines
from antecede.pipeline.verify import survey
from antecede.pipeline.verify.feed import SIZE, SIZED
from antecede.pipeline.verify.tasks import Batches, Task, cut, judged

TASKS_MIN = 8  # unless they would be too small to be worth starting
RUNS_MAX = 10_000
READINGS_MAX = 3  # of the trace, on average, by all tasks together
JUDGED = pa.schema([*survey.FACTS, ("found", pa.struct(list(FINDINGS))), ("size", pa.struct(list(SIZE)))])
SPLITS = pa.schema([*row_groups.SPLITS, ("runs", pa.list_(pa.string())), ("rows", pa.int64())])

COLUMN_OF_KIND = row_groups.COLUMNS.get_field_index("kind")

Split = tuple[int, str, int, int, int, str | None, list[str], int]


@dataclass(frozen=True, slots=True)
class SurveyedFile:
    """What a file holds: by row group its rows, and how many of them each run has, None where it has too many runs."""

    path: str
    version: str | None
    rows: Sequence[int]
    runs: Sequence[dict[str, int]] | None


def plan(files: Sequence[SurveyedFile], limits: Limits = LIMITS) -> list[Split] | None:
    """Tasks numbered from 0, each with all rows of some runs; None where that would not do."""
    sizes: dict[str, int] = {}
    for file in files:
        if file.runs is None:
            return None
        for group in file.runs:
            for run, rows in group.items():
                sizes[run] = sizes.get(run, 0) + rows
    if not sizes or len(sizes) > RUNS_MAX or max(sizes.values()) > limits.run_events_max:
        return None
    total, rows_in = sum(sizes.values()), {file.path: file.rows for file in files}
    rows_max = limits.task_rows_max
    for most in (max(total // TASKS_MIN, limits.task_rows_min), rows_max):  # larger tasks share fewer row groups
        tasks = _tasks(sizes, min(most, rows_max))
        splits = [split for file in files for split in _splits(file, tasks)]
        if sum(rows_in[path][group] for _, path, group, *_ in splits) <= READINGS_MAX * total:
            return splits
    return None


def _tasks(sizes: dict[str, int], most: int) -> dict[str, int]:
    """The task of each run: those that come next to each other share one, up to so many rows."""
    tasks: dict[str, int] = {}
    task, taken = 0, 0
    for run, rows in sizes.items():
        if taken and taken + rows > most:
            task, taken = task + 1, 0
        tasks[run], taken = task, taken + rows
    return tasks


def _splits(file: SurveyedFile, tasks: dict[str, int]) -> Iterator[Split]:
    before = 0
    for group, rows in enumerate(file.rows):
        runs: dict[int, list[str]] = {}
        for run in (file.runs or ())[group]:
            runs.setdefault(tasks[run], []).append(run)
        for task, own in runs.items():
            expected = sum((file.runs or ())[group][run] for run in own)
            yield task, file.path, group, group, before, file.version, own, expected
        before += rows


def judge(left_out: Lines, *, trusted: bool, worst: int, limits: Limits = LIMITS) -> Task:
    """Row groups to facts, and to what was found in the runs that are this task's; nothing found where in doubt."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        splits = sorted(
            (split for batch in batches for split in batch.to_pylist()), key=lambda s: (s["path"], s["first"])
        )
        tables = [table for split in splits for table in _own(split, left_out)]
        if not tables:
            return
        table = pa.concat_tables(tables).unify_dictionaries().combine_chunks()
        known = survey.by_process(table, trusted=trusted)
        doubtful = pc.any(known["doubtful"]).as_py()
        found = None if doubtful else _found(table, trusted=trusted, worst=worst, limits=limits)
        yield from cut(_judged(known if found is not None else survey.DOUBT, found))

    return task


def _own(split: dict[str, Any], left_out: Lines) -> Iterator[pa.Table]:
    """The rows of a split that are of its runs, and no more reading once they have all been found."""
    wanted, left = set(split["runs"]), split["rows"]
    for table in row_groups.read_split(split, left_out, others=True):
        run, names = codes(table["run"])
        kept = np.array([name in wanted for name in names.to_pylist()], np.bool_)[run]
        own = np.flatnonzero(kept)
        if len(own):
            together = own[-1] - own[0] + 1 == len(own)
            yield table.slice(own[0], len(own)) if together else table.filter(pa.array(kept))
        left -= len(own)
        if left <= 0:
            return


def _found(table: pa.Table, *, trusted: bool, worst: int, limits: Limits) -> pa.Table | None:
    """What is found in whole runs; None where a message is sent twice."""
    kind = kind_codes(table["kind"], survey.CODED)
    coded = table.select(row_groups.COLUMNS.names).set_column(COLUMN_OF_KIND, "kind", pa.array(kind))
    encoded = encode(coded if np.all(kind >= 0) else coded.filter(pa.array(kind >= 0)))
    sent = encoded.message[encoded.sent]
    if not trusted and np.any(np.bincount(sent) > 1):
        return None
    return judged(paired_runs(encoded), detail=False, worst=worst, limits=limits)


def _judged(known: pa.Table, found: pa.Table | None) -> pa.Table:
    """All that is said of some runs: by process, what was found, and their sizes; of a doubt nothing else."""
    if found is None:
        return pa.concat_tables([fill_table(JUDGED, 0), known], promote_options="default")
    said = [
        fill_table(JUDGED, len(rows), **{name: rows})
        for name, rows in (("found", _rows(found)), ("size", _sizes(known)))
    ]
    return pa.concat_tables([*said, known], promote_options="default")


def _sizes(known: pa.Table) -> pa.StructArray:
    """Of each run, from what is known of its processes."""
    added = known.group_by("run").aggregate([*((name, "sum") for name in SIZED), ("process", "count")])
    return _rows(added.select(["run", *(f"{name}_sum" for name in SIZED), "process_count"]).rename_columns(SIZE.names))


def _rows(table: pa.Table) -> pa.StructArray:
    return pa.StructArray.from_arrays([column.combine_chunks() for column in table.columns], fields=list(table.schema))
