"""Open the input of a check, so that the later stages need not know whether it is files, a table or a DataFrame."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pyarrow as pa

from antecede.pipeline.limits import Limits
from antecede.pipeline.read.blocks import table_of
from antecede.pipeline.read.files import name_for_people
from antecede.pipeline.read.indexes import WITHOUT_ORDER
from antecede.pipeline.read.open_input import Expressions, OpenInput, cut_into_blocks, open_input
from antecede.pipeline.read.row_groups import describe_files
from antecede.pipeline.read.rows import Wanted
from antecede.pipeline.read.source import Source, read_blocks
from antecede.pipeline.read.sources.given_rows import (
    COUNT,
    TABLE,
    count_rows,
    cut_table,
    needed_columns,
    read_frame,
    read_pieces,
)
from antecede.pipeline.read.sources.handed_files import read_contents
from antecede.pipeline.read.sources.span_source import open_spans
from antecede.pipeline.runner import Dataset, Frame, Runner
from antecede.pipeline.verify.plan import Plan, plan_handed_files, plan_row_groups, plan_rows, plan_spans, plan_text

FRAME = WITHOUT_ORDER


@dataclass(frozen=True, slots=True)
class OpenTrace:
    """An input that was found and recognised, and the plan for it.

    `names` are the paths that were given, or say what the rows are. `has_clocks` is true if the events carry vector
    clocks. `has_index` is true if each event says its place in the order of its process. `bytes_by_file` says how
    large each file is. `open` returns the rows, with the columns that are wanted. `kept` are the datasets that were
    computed once to be read several times.
    """

    runner: Runner
    names: tuple[str, ...]
    format: str
    has_clocks: bool
    has_index: bool
    notes: tuple[str, ...]
    bytes_by_file: dict[str, int]
    plan: Plan
    open: Callable[[Wanted], Source]
    kept: list[Dataset] = field(default_factory=list)

    def release(self) -> None:
        """Release the datasets that sources of this trace keep to be read several times."""
        while self.kept:
            self.kept.pop().release()


def open_trace(
    runner: Runner,
    given: Sequence[str] | pa.Table | Frame,
    format: str,
    expressions: Expressions,
    *,
    windows: int | None,
    limits: Limits,
) -> OpenTrace:
    """Open files or the rows of a program, and plan how they are checked.

    The format of files is recognised if `format` is "auto". `expressions` say how to read text or rows that are not in
    one of the formats. `windows` is the number of windows for a run that is cut; None chooses it.
    """
    if isinstance(given, pa.Table):
        return _open_table(runner, given, expressions.mapping, limits)
    if isinstance(given, Frame):
        return _open_frame(runner, given, expressions.mapping, limits)
    return _open_files(runner, given, format, expressions, windows=windows, limits=limits)


def _open_files(
    runner: Runner, paths: Sequence[str], format: str, expressions: Expressions, *, windows: int | None, limits: Limits
) -> OpenTrace:
    opened = open_input(runner, paths, format, expressions)
    plan = _make_plan(runner, opened, windows, limits)
    sizes = {file.name: file.bytes for file in opened.files}
    kept: list[Dataset] = []
    return OpenTrace(
        runner=runner,
        names=tuple(map(name_for_people, paths)),
        format=opened.format.name,
        has_clocks=opened.format.reader == "shiviz",
        has_index=opened.has_index,
        notes=opened.notes,
        bytes_by_file=sizes,
        plan=plan,
        open=partial(_open_blocks, runner, opened, plan, kept),
        kept=kept,
    )


def _make_plan(runner: Runner, opened: OpenInput, windows: int | None, limits: Limits) -> Plan:
    if opened.is_handed:
        is_gathered = opened.is_gathered or opened.has_spans
        return plan_handed_files([file.bytes for file in opened.files], limits=limits, is_gathered=is_gathered)
    if opened.is_parquet:
        return plan_row_groups(describe_files(runner, opened.files), limits=limits, windows=windows)
    blocks, sizes = cut_into_blocks(runner, opened, limits)
    if opened.has_spans:
        return plan_spans(blocks, sizes, cores=runner.cores, limits=limits, windows=windows)
    return plan_text(blocks, sizes, cores=runner.cores, limits=limits, is_gathered=opened.is_gathered)


def _open_blocks(runner: Runner, opened: OpenInput, plan: Plan, kept: list[Dataset], wanted: Wanted) -> Source:
    read, prepare = opened.reader(wanted), opened.prepare(wanted)
    if opened.is_handed:
        contents = runner.read_files([file.path for file in opened.files])
        return Source(runner, contents, partial(read_contents, read=read), prepare)
    blocks = table_of(plan.blocks)
    if plan.span_parts > 1:  # a run that is cut into windows is read several times
        return open_spans(runner, blocks, read, wanted, parts=plan.span_parts, kept=kept if plan.large else None)
    is_one_part = not any(part for part, _ in plan.blocks)
    return Source(runner, runner.hand_out(blocks), partial(read_blocks, read=read), prepare, is_one_part)


def _open_table(runner: Runner, table: pa.Table, mapping: Mapping[str, object] | None, limits: Limits) -> OpenTrace:
    names = needed_columns(table.column_names, mapping, TABLE)
    plan = plan_rows(table.num_rows, TABLE, is_together=True, limits=limits)
    pieces = cut_table(table.select(names), together=not plan.dealt_to)
    read = partial(read_pieces, mapping=mapping, name=TABLE)
    return _open_rows(runner, runner.hand_out(pieces), read, plan, name=TABLE, names=mapping or names)


def _open_frame(runner: Runner, frame: Frame, mapping: Mapping[str, object] | None, limits: Limits) -> OpenTrace:
    names = needed_columns(frame.names, mapping, FRAME)
    rows = sum(frame.rows.map(count_rows, COUNT).collect()["rows"].to_pylist())
    plan = plan_rows(rows, FRAME, is_together=False, limits=limits)
    read = partial(read_frame, mapping=mapping, name=FRAME)
    return _open_rows(runner, frame.rows, read, plan, name=FRAME, names=mapping or names)


def _open_rows(
    runner: Runner, rows: Dataset, read: Callable[..., Any], plan: Plan, *, name: str, names: Container[str]
) -> OpenTrace:
    return OpenTrace(
        runner=runner,
        names=(name,),
        format=name,
        has_clocks=False,
        has_index="index" in names,
        notes=(),
        bytes_by_file={},
        plan=plan,
        open=lambda wanted: Source(runner, rows, partial(read, wanted=wanted)),
    )
