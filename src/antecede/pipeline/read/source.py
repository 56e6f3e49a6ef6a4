"""Where the rows of a check come from. Whoever consumes them need not know.

A source runs a consumer on each part of the input: a function from the rows that were read to Arrow batches. The
consumer runs in the same task as the reading, so that rows are not written out between the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa

from antecede.pipeline import schema
from antecede.pipeline.arrow import concat, pack, unpack
from antecede.pipeline.dealing import DEALT, ROWS, deal_result, deal_table, values_in
from antecede.pipeline.read.blocks import blocks_in
from antecede.pipeline.read.rows import Reader, ReadRows, Wanted
from antecede.pipeline.runner import PART, Batches, Dataset, Runner, Task

REFUSED, NOTES = "refused", "notes"
Consumer = Callable[[Iterator[ReadRows]], Iterator[pa.RecordBatch]]


class Source(Protocol):
    """Rows of the input in parts."""

    @property
    def runner(self) -> Runner:
        """What runs the tasks that read."""

    def map(self, consume: Consumer, made: pa.Schema) -> Dataset:
        """Read every part, and run the consumer on its rows."""


Prepare = Callable[[pa.Table], ReadRows]
"""From all rows of the input to events and refused rows, for a format whose rows are not events yet."""


@dataclass(frozen=True, slots=True)
class BlockSource:
    """Blocks of files, each read by the task that gets it."""

    runner: Runner
    blocks: pa.Table  # as `read.blocks.BLOCKS`
    read: Reader

    def map(self, consume: Consumer, made: pa.Schema) -> Dataset:
        read = self.read

        def task(batches: Batches) -> Iterator[pa.RecordBatch]:
            return consume(rows for block in blocks_in(batches) for rows in read(block))

        return self.runner.hand_out(self.blocks).map(task, made)


@dataclass(frozen=True, slots=True)
class GatheredSource:
    """Blocks of files whose rows are gathered in one task, because only all of them together show what they mean."""

    runner: Runner
    blocks: pa.Table
    read: Reader
    prepare: Prepare

    def map(self, consume: Consumer, made: pa.Schema) -> Dataset:
        prepare = self.prepare
        blocks = self.runner.hand_out(self.blocks)
        if not any(self.blocks[PART].to_pylist()):  # one task reads all of them
            return blocks.map(_read_and_consume(self.read, prepare, consume), made)
        gathered = blocks.map(_gather_blocks(self.read), DEALT).deal(1)
        return gathered.map(prepare_gathered(prepare, consume), made)


def _read_and_consume(read: Reader, prepare: Prepare, consume: Consumer) -> Task:
    """Return a task that reads all blocks, and runs a consumer on what is made of all rows."""

    def prepared(batches: Batches) -> Iterator[ReadRows]:
        tables: list[pa.Table] = []
        for block in blocks_in(batches):
            for rows in read(block):
                tables.append(rows.events)
                if rows.refused.num_rows or rows.notes:
                    yield ReadRows(Wanted().events.empty_table(), rows.refused, rows.notes)
        if any(table.num_rows for table in tables):
            yield prepare(concat(tables).unify_dictionaries().combine_chunks())

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        return consume(prepared(batches))

    return task


def _gather_blocks(read: Reader) -> Task:
    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        return pack_rows(rows for block in blocks_in(batches) for rows in read(block))

    return task


def pack_rows(read: Iterator[ReadRows]) -> Iterator[pa.RecordBatch]:
    """Yield all rows, refused rows and notes as values for part 0."""
    for rows in read:
        yield from deal_table(rows.events, np.zeros(rows.events.num_rows, np.int64), 1)
        if rows.refused.num_rows:
            yield deal_result(REFUSED, pack(rows.refused))
        if rows.notes:
            yield deal_result(NOTES, pack(pa.table({NOTES: list(rows.notes)})))


def prepare_gathered(prepare: Prepare, consume: Consumer) -> Task:
    """Return a task that runs a consumer on what is made of all rows that were dealt to it by `pack_rows`."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        return consume(_prepared(batches, prepare))

    return task


def _prepared(batches: Batches, prepare: Prepare) -> Iterator[ReadRows]:
    """Yield the events that are made of all rows, and what was refused on the way."""
    tables: list[pa.Buffer] = []
    none = schema.QUARANTINE.empty_table()
    for what, name, value in values_in(batches):
        if what == ROWS:
            tables.append(value)
            continue
        told = unpack([value])
        assert told is not None
        if name == REFUSED:
            yield ReadRows(Wanted().events.empty_table(), told)
        else:
            yield ReadRows(Wanted().events.empty_table(), none, tuple(told[NOTES].to_pylist()))
    rows = unpack(tables)
    if rows is not None and rows.num_rows:
        yield prepare(rows.unify_dictionaries().combine_chunks())
