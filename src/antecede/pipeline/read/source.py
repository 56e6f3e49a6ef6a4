"""Give the rows of a check to a consumer, which need not know where they come from.

A source runs a consumer on each part of the input. A consumer is a function from the rows that were read to Arrow
batches. It runs in the same task as the reading, so that rows are not written out between the two. If the meaning of a
row depends on all other rows, all rows are gathered in one task first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from antecede.pipeline.arrow import concat, unpack
from antecede.pipeline.dealing import DEALT, ROWS, deal_value, values_in
from antecede.pipeline.read.blocks import blocks_in
from antecede.pipeline.read.rows import Reader, ReadRows
from antecede.pipeline.runner import Batches, Dataset, Runner

DEALT_REFUSED, DEALT_NOTES = "refused", "notes"
Consumer = Callable[[Iterator[ReadRows]], Iterator[pa.RecordBatch]]
ReadPart = Callable[[Batches], Iterator[ReadRows]]
"""A function from the batches that a part is handed, with blocks or rows, to the rows of the input in them."""
Prepare = Callable[[pa.Table], ReadRows]
"""A function from all rows of the input to events and refused rows, for a format whose rows are not events yet."""


@dataclass(frozen=True, slots=True)
class Source:
    """The rows of the input in parts. `prepare` makes events of all rows, and is None if they are events already.

    `is_one_part` is true if one part has all rows.
    """

    runner: Runner
    parts: Dataset
    read: ReadPart
    prepare: Prepare | None = None
    is_one_part: bool = False

    def map(self, consume: Consumer, made: pa.Schema) -> Dataset:
        """Read every part, and run the consumer on its rows. `made` is the schema of the rows that it yields."""
        read, prepare = self.read, self.prepare
        if prepare is None:
            return self.parts.map(lambda batches: consume(read(batches)), made)
        if self.is_one_part:
            return self.parts.map(lambda batches: consume(_prepare_all(read(batches), prepare)), made)
        gathered = self.parts.map(lambda batches: pack_rows(read(batches)), DEALT).deal(1)
        return gathered.map(lambda batches: consume(_prepare_all(unpack_rows(batches), prepare)), made)


def read_blocks(batches: Batches, read: Reader) -> Iterator[ReadRows]:
    """Yield the rows of blocks, given as rows of `read.blocks.BLOCKS`."""
    for block in blocks_in(batches):
        yield from read(block)


def pack_rows(read: Iterable[ReadRows]) -> Iterator[pa.RecordBatch]:
    """Yield rows as dealt values for part 0. `unpack_rows` reads them."""
    for rows in read:
        if rows.events.num_rows:
            yield deal_value(ROWS, rows.events)
        if rows.refused.num_rows:
            yield deal_value(DEALT_REFUSED, rows.refused)
        if rows.notes or rows.unnamed:
            yield deal_value(DEALT_NOTES, pa.table({"notes": [list(rows.notes)], "unnamed": [rows.unnamed]}))


def unpack_rows(batches: Batches) -> Iterator[ReadRows]:
    """Yield the rows that `pack_rows` has packed."""
    for name, value in values_in(batches):
        table = unpack([value])
        if name == ROWS:
            yield ReadRows(table)
        elif name == DEALT_REFUSED:
            yield ReadRows(refused=table)
        else:
            (row,) = table.to_pylist()
            yield ReadRows(notes=tuple(row["notes"]), unnamed=row["unnamed"])


def _prepare_all(read: Iterable[ReadRows], prepare: Prepare) -> Iterator[ReadRows]:
    """Yield the rows that the reader refused, and then the events that `prepare` makes of all rows."""
    tables: list[pa.Table] = []
    for rows in read:
        tables += [rows.events] if rows.events.num_rows else []
        if rows.refused.num_rows or rows.notes:
            yield ReadRows(refused=rows.refused, notes=rows.notes)
    if tables:
        yield prepare(concat(tables).unify_dictionaries().combine_chunks())
