"""Read rows that a program has already: an Arrow table in this process, or the batches of a DataFrame on Spark.

    Arrow table   it is cut into pieces, and each piece travels to its task as one Arrow stream
    DataFrame     each of its partitions goes through the task where it is

The rows have no file. Their `line` is their number from 1 in an Arrow table. In a DataFrame it is a number that is
different for each row, in the column `LINE`, and the same whenever Spark computes the rows in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from antecede.pipeline import schema
from antecede.pipeline.arrow import unpack
from antecede.pipeline.dealing import DEALT, deal_table, values_in
from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.read.columns import accept_rows, missing_columns
from antecede.pipeline.read.rows import ReadRows, Wanted, encode_names, refused_table, with_file
from antecede.pipeline.read.sources.table_mapping import find_columns, map_columns
from antecede.pipeline.runner import LINE, Batches

TABLE = "the table"
"""What stands for the file of the rows of an Arrow table."""
PIECE_ROWS = 1 << 17
COUNT = pa.schema([("rows", pa.int64())])


def needed_columns(names: Sequence[str], mapping: Mapping[str, object] | None, what: str) -> list[str]:
    """Return the columns to read, among `names`. Raise `UnreadableInput` if a column is missing.

    `what` is the name of the rows in the error.
    """
    if mapping is not None:
        return find_columns(mapping, names, what)
    missing = missing_columns(names)
    if missing:
        raise UnreadableInput(
            f"{what} is not a trace: no column {', '.join(missing)} among {', '.join(names[:50])}; rename the columns "
            "to those of the trace, or give a mapping"
        )
    return [name for name in schema.TRACE.names if name in names]


def cut_table(table: pa.Table, *, together: bool) -> pa.Table:
    """Return a table as dealt values, with the column `LINE`.

    All values are for one task if `together`. Otherwise each is for a task of its own.
    """
    place = np.arange(table.num_rows)
    numbered = table.append_column(LINE, pa.array(place + 1)).combine_chunks()
    part = np.zeros_like(place) if together else place // PIECE_ROWS
    return pa.Table.from_batches(deal_table(numbered, part, int(part.max(initial=0)) + 1), DEALT)


def read_pieces(
    batches: Batches, wanted: Wanted, mapping: Mapping[str, object] | None, name: str
) -> Iterator[ReadRows]:
    """Yield the rows of pieces of a table. `name` stands for the file of the rows."""
    for _, value in values_in(batches):
        yield from read_frame(unpack([value]).to_batches(), wanted, mapping, name)


def read_frame(batches: Batches, wanted: Wanted, mapping: Mapping[str, object] | None, name: str) -> Iterator[ReadRows]:
    """Yield the rows of a DataFrame. `name` stands for the file of the rows."""
    for batch in batches:
        if batch.num_rows:
            table, line = pa.Table.from_batches([batch]).drop_columns([LINE]), batch.column(LINE)
            events, refused = accept_rows(table if mapping is None else map_columns(table, mapping), line)
            events = events.select([*wanted.trace.names, "line"])
            yield ReadRows(encode_names(with_file(events, name)), refused_table(name, refused))


def count_rows(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Yield the number of rows of a part, as `COUNT`. This is a task."""
    yield pa.record_batch([[sum(batch.num_rows for batch in batches)]], schema=COUNT)
