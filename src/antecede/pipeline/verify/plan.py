"""Decide how the runs of a trace are judged, from the sizes that are known. These are pure functions.

    in place      one task reads the blocks that hold all rows of its runs, and judges them on the spot
    dealt         tasks read blocks and deal the rows out by run; other tasks judge the runs that they get
    windows       a run that is too large for one task is cut into windows (`antecede.pipeline.windows`)

Rows are read in place if the whole input is small, or if a Parquet file has its runs in few row groups, one after the
other. If two tasks need a row group, both read it, which costs less than to send its rows through a shuffle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

from antecede.pipeline.limits import Limits
from antecede.pipeline.read.blocks import Block, RowGroups
from antecede.pipeline.verify.answer import plural

TASKS_MIN = 8  # there are fewer tasks if they would be too small to be worth starting
RUNS_MAX = 10_000
READINGS_MAX = 3  # how often all tasks together may read the trace, on average
TASKS_PER_CORE = 4
SPANS_RUN = ""
"""The name of the run of all spans."""
SURELY_LARGE = 2
"""If the size of a run is only estimated, the run counts as too large for one task above this many times the limit."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan for reading and judging a trace.

    `blocks` are pairs of a part and a block that it reads. If `dealt_to` is 0, every part judges the rows that it
    reads. Otherwise rows are dealt by run to this number of parts. The runs in `large` are cut into windows later, so
    only their counts are dealt. Before all this, spans meet in `span_parts` parts, where each span finds its message.
    `why` is the plan in words.
    """

    blocks: tuple[tuple[int, Block], ...]
    dealt_to: int
    why: str
    large: frozenset[str] = frozenset()
    span_parts: int = 1


def plan_text(
    blocks: Sequence[Block], sizes: Sequence[int], *, cores: int, limits: Limits, is_gathered: bool = False
) -> Plan:
    """Plan blocks of text. Only their `sizes` in bytes are known.

    If `is_gathered`, one task takes all rows before they are events.
    """
    total = sum(sizes)
    if total <= limits.in_place_bytes:
        return Plan(tuple((0, block) for block in blocks), 0, f"{total:,} bytes: one task reads and judges all of it")
    heavy = max(ceil(total / (TASKS_PER_CORE * cores)), min(limits.in_place_bytes, limits.block_bytes))
    shared = _share_out(blocks, sizes, heavy)
    parts = max(1, ceil(total / limits.row_bytes / limits.dealt_rows))
    way = ", one task gathers its rows and deals them" if is_gathered else ", and its rows are dealt"
    readers = plural(shared[-1][0] + 1, "task reads", "tasks read")
    why = f"{total:,} bytes of text: {readers} it{way} to {plural(parts, 'task')} by run"
    return Plan(tuple(shared), parts, why)


def plan_spans(
    blocks: Sequence[Block], sizes: Sequence[int], *, cores: int, limits: Limits, windows: int | None = None
) -> Plan:
    """Plan blocks of text with spans, which are all of one run. Only the `sizes` of the blocks in bytes are known."""
    total = sum(sizes)
    said = f"{total:,} bytes of spans"
    if total <= limits.in_place_bytes:
        return Plan(tuple((0, block) for block in blocks), 0, f"{said}: one task reads and judges all of them")
    heavy = max(ceil(total / (TASKS_PER_CORE * cores)), min(limits.in_place_bytes, limits.block_bytes))
    shared = tuple(_share_out(blocks, sizes, heavy))
    said = f"{said}: {plural(shared[-1][0] + 1, 'task reads', 'tasks read')} them"
    spans = ceil(total / limits.span_bytes)
    parts = ceil(spans / limits.gathered_spans)
    if parts == 1:
        return Plan(shared, 0, f"{said}, and one task finds the message of each and judges all of them")
    said = f"{said}, {parts:,} tasks find the message of each"
    if windows is None and spans <= SURELY_LARGE * limits.run_events_max:
        return Plan(shared, 1, f"{said}, and one task judges all of them, unless they are too many", span_parts=parts)
    return Plan(shared, 1, f"{said}, and they are cut into windows", frozenset([SPANS_RUN]), parts)


def plan_handed_files(sizes: Sequence[int], *, limits: Limits, is_gathered: bool) -> Plan:
    """Plan files that only the runner can open. The runner hands them to tasks as it likes.

    If `is_gathered`, one task takes all rows before they are events.
    """
    total = sum(sizes)
    parts = max(1, ceil(total / limits.row_bytes / limits.dealt_rows))
    way = "one task gathers their rows and deals them" if is_gathered else "tasks deal their rows"
    why = f"{total:,} bytes in files that only Spark can open: {way} to {plural(parts, 'task')} by run"
    return Plan((), parts, why)


def plan_rows(rows: int, what: str, *, is_together: bool, limits: Limits) -> Plan:
    """Plan rows that a program has. If they are together and few, one task judges them without dealing them out.

    `what` is a name for the rows.
    """
    if is_together and rows <= limits.dealt_rows:
        return Plan((), 0, f"{plural(rows, 'row')} of {what}: one task judges all of them")
    parts = max(1, ceil(rows / limits.dealt_rows))
    return Plan((), parts, f"{plural(rows, 'row')} of {what}: they are dealt to {plural(parts, 'task')} by run")


def plan_row_groups(files: Sequence[RowGroups], *, limits: Limits, windows: int | None = None) -> Plan:
    """Plan Parquet files. The number of rows in each row group is known, and mostly the runs in it are."""
    sizes = _run_sizes(files)
    if sizes is not None and windows is None and max(sizes.values(), default=0) <= limits.run_events_max:
        plan = _plan_in_place(files, sizes, limits)
        if plan is not None:
            return plan
    total = sum(sum(file.rows) for file in files)
    large = (
        frozenset() if sizes is None else frozenset(run for run, size in sizes.items() if size > limits.run_events_max)
    )
    blocks = [block for file in files for block in _neighbours(file, limits.dealt_rows)]
    shared = _share_out([block for block, _ in blocks], [rows for _, rows in blocks], limits.dealt_rows)
    parts = max(1, ceil((total - sum((sizes or {}).get(run, 0) for run in large)) / limits.dealt_rows))
    cut = f", and {plural(len(large), 'run is', 'runs are')} cut into windows" if large else ""
    readers = plural(shared[-1][0] + 1 if shared else 0, "task reads and deals them", "tasks read and deal them")
    why = f"{plural(total, 'row')}: {readers} to {plural(parts, 'task')} by run{cut}"
    return Plan(tuple(shared), parts, why, large)


def _share_out(blocks: Sequence[Block], sizes: Sequence[int], size_max: int) -> list[tuple[int, Block]]:
    """Return each block with a part. Neighbours share a part as long as they have at most `size_max` together."""
    part, taken = 0, 0
    shared: list[tuple[int, Block]] = []
    for block, size in zip(blocks, sizes, strict=True):
        if taken and taken + size > size_max:
            part, taken = part + 1, 0
        shared.append((part, block))
        taken += size
    return shared


def _run_sizes(files: Sequence[RowGroups]) -> dict[str, int] | None:
    """Return the number of rows of each run, or None if the runs are not known, or too many.

    The runs are in the order of the input.
    """
    sizes: dict[str, int] = {}
    for file in files:
        if file.runs is None:
            return None
        for group in file.runs:
            for run, rows in group.items():
                sizes[run] = sizes.get(run, 0) + rows
    return sizes if len(sizes) <= RUNS_MAX else None


def _plan_in_place(files: Sequence[RowGroups], sizes: dict[str, int], limits: Limits) -> Plan | None:
    """Return a plan in which each task has all rows of some runs, or None if row groups would be read too often."""
    total = sum(sizes.values())
    for most in (max(total // TASKS_MIN, limits.task_rows_min), limits.task_rows_max):
        # Larger tasks share fewer row groups.
        part_of = _part_by_run(sizes, min(most, limits.task_rows_max))
        blocks = [(part, block, rows) for file in files for part, block, rows in _own_groups(file, part_of)]
        if sum(rows for *_, rows in blocks) <= READINGS_MAX * total:
            parts = len({part for part, *_ in blocks})
            judges = plural(parts, "task reads and judges", "tasks read and judge")
            why = f"{plural(total, 'row')} in {plural(len(sizes), 'run')}: {judges} whole runs"
            return Plan(tuple((part, block) for part, block, _ in blocks), 0, why)
    return None


def _part_by_run(sizes: dict[str, int], rows_max: int) -> dict[str, int]:
    """Return the part of each run. Runs next to each other share a part, up to `rows_max` rows."""
    parts: dict[str, int] = {}
    part, taken = 0, 0
    for run, rows in sizes.items():
        if taken and taken + rows > rows_max:
            part, taken = part + 1, 0
        parts[run], taken = part, taken + rows
    return parts


def _own_groups(file: RowGroups, part_of: dict[str, int]) -> Iterator[tuple[int, Block, int]]:
    """Yield the parts that read each row group, each with a block and the rows in it.

    The block has the runs that the part judges. The first part that reads a row group tells of its refused rows.
    """
    before = 0
    for group, rows in enumerate(file.rows):
        runs: dict[int, list[str]] = {}
        for run in (file.runs or ())[group]:
            runs.setdefault(part_of[run], []).append(run)
        for place, (part, own) in enumerate(runs.items()):
            block = replace(file.file, start=group, end=group + 1, before=before, tells_refused=place == 0)
            yield part, block if len(runs) == 1 else replace(block, runs=tuple(own)), rows
        before += rows


def _neighbours(file: RowGroups, rows_max: int) -> Iterator[tuple[Block, int]]:
    """Yield blocks of neighbouring row groups, each with its number of rows, which is at most `rows_max`.

    A row group that is larger is a block by itself. A file whose row groups are not known is one block.
    """
    if not file.rows:
        yield file.file, 1
    first, before, held = 0, 0, 0
    for group, count in enumerate(file.rows):
        held += count
        if group == len(file.rows) - 1 or held + file.rows[group + 1] > rows_max:
            yield replace(file.file, start=first, end=group + 1, before=before), held
            first, before, held = group + 1, before + held, 0
