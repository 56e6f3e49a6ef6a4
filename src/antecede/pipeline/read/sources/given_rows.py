"""Rows that a program has already: an Arrow table in this process, or the batches of a DataFrame on Spark.

    Arrow table   cut into pieces, each of which travels to its task as one Arrow stream
    DataFrame     each of its partitions goes through the task where it is

The rows have no file. Their `line` is their number from 1 in an Arrow table. In a DataFrame it is a number that is
different for each row, in the column `LINE`, and the same whenever Spark computes the rows in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from antecede.pipeline import schema
from antecede.pipeline.arrow import pack, unpack
from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.read.columns import accept_rows, missing_columns
from antecede.pipeline.read.rows import ReadRows, Wanted, encode_names, refused_table, with_file
from antecede.pipeline.read.sources.table_mapping import column_names, map_columns
from antecede.pipeline.runner import LINE, PART, Batches

PIECE_ROWS = 1 << 17
PIECES = pa.schema([(PART, pa.int32()), ("before", pa.int64()), ("rows", pa.binary())])
COUNT = pa.schema([("rows", pa.int64())])


def needed_columns(names: Sequence[str], mapping: Mapping[str, object] | None, what: str) -> list[str]:
    """Return the columns that are read. Raise `UnreadableInput` if one that is needed is not there."""
    if mapping is not None:
        return [name for name in column_names(mapping) if name in names]
    missing = missing_columns(names)
    if missing:
        raise UnreadableInput(
            f"{what} is not a trace: no column {', '.join(missing)} among {', '.join(names[:50])}; rename the columns "
            "to those of the trace, or give a mapping"
        )
    return [name for name in schema.TRACE.names if name in names]


def cut_table(table: pa.Table, *, together: bool) -> pa.Table:
    """Return the pieces of a table, rows of `PIECES`: all for one task if they are `together`, or each for its own."""
    starts = range(0, max(table.num_rows, 1), PIECE_ROWS)
    pieces = [pack(table.slice(start, PIECE_ROWS).combine_chunks()) for start in starts]
    parts = [0 if together else number for number in range(len(pieces))]
    return pa.table([parts, list(starts), pieces], schema=PIECES)


def read_pieces(
    batches: Batches, wanted: Wanted, mapping: Mapping[str, object] | None, name: str
) -> Iterator[ReadRows]:
    """Yield the rows of pieces of a table."""
    for batch in batches:
        for before, packed in zip(batch.column("before").to_pylist(), batch.column("rows"), strict=True):
            piece = unpack([packed.as_buffer()])
            if piece.num_rows:
                line = pa.array(np.arange(before, before + piece.num_rows) + 1)
                yield _accept(piece, line, wanted, mapping, name)


def read_frame(batches: Batches, wanted: Wanted, mapping: Mapping[str, object] | None, name: str) -> Iterator[ReadRows]:
    """Yield the rows of a DataFrame."""
    for batch in batches:
        if batch.num_rows:
            table = pa.Table.from_batches([batch])
            yield _accept(table.drop_columns([LINE]), table[LINE], wanted, mapping, name)


def count_rows(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Task: count the rows of a part."""
    yield pa.record_batch([[sum(batch.num_rows for batch in batches)]], schema=COUNT)


def _accept(
    table: pa.Table, line: pa.Array, wanted: Wanted, mapping: Mapping[str, object] | None, name: str
) -> ReadRows:
    events, refused = accept_rows(table if mapping is None else map_columns(table, mapping), line)
    events = events.select([*wanted.trace.names, "line"])
    return ReadRows(encode_names(with_file(events, name)), refused_table(name, refused))
