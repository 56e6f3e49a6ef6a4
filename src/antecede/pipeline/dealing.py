"""Deal rows out to the parts that need them: as Arrow streams, many rows in one value.

A runner moves such a value as it is. Finished results travel in the same way, and are passed on by who gets them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from antecede.pipeline.arrow import Flags, Longs, codes, pack, split_by, unpack, without_dictionaries
from antecede.pipeline.kernel.hashes import hash_texts
from antecede.pipeline.runner import PART, Batches

CHUNK_ROWS = 250_000
NAMES_MAX = 1_000  # in a dictionary that goes with a stream; if there are more, each row has its own
ROWS, COUNTS, RESULT = range(3)
"""What a dealt value holds: rows of the trace, counts of processes, or a finished result with its name."""
DEALT = pa.schema([(PART, pa.int32()), ("what", pa.int8()), ("name", pa.string()), ("rows", pa.binary())])


def part_by_text(texts: pa.ChunkedArray, parts: int) -> Longs:
    """Return the part of each text, of so many. Equal texts have the same part."""
    if parts == 1:
        return np.zeros(len(texts), np.int64)
    return hash_texts(texts) % parts


def deal_table(
    table: pa.Table, part: npt.NDArray[np.int64], parts: int, what: int = ROWS, name: str | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a table as streams, one for each part that any of them is for. `name` says what they are."""
    table = _without_large_dictionaries(table)
    for number, rows in split_by(table, part, parts):
        yield pa.record_batch([[number], [what], [name], [pack(rows)]], schema=DEALT)


def gather(batches: Batches) -> pa.Table | None:
    """Return all rows that were dealt to a task, or None if there are none."""
    return unpack(value for what, _, value in values_in(batches) if what == ROWS)


def values_in(batches: Batches) -> Iterator[tuple[int, str | None, pa.Buffer]]:
    """Yield the dealt values one by one: what each holds, its name if it has one, and the value."""
    for batch in batches:
        names = batch.column("name").to_pylist()
        for what, name, value in zip(batch.column("what").to_pylist(), names, batch.column("rows"), strict=True):
            yield what, name, value.as_buffer()


def deal_result(name: str, rows: bytes) -> pa.RecordBatch:
    """Return a finished result as a row that part 0 passes on."""
    return pa.record_batch([[0], [RESULT], [name], [rows]], schema=DEALT)


def in_chunks(tables: Iterable[pa.Table], rows: int = CHUNK_ROWS) -> Iterator[pa.Table]:
    """Yield the tables put together to some size, each with one dictionary for each column.

    A table without rows is left out. It may have other columns than the others.
    """
    held: list[pa.Table] = []
    count = 0
    for table in tables:
        held += [table] if table.num_rows else []
        count += table.num_rows
        if count >= rows:
            yield pa.concat_tables(held).unify_dictionaries().combine_chunks()
            held, count = [], 0
    if count:
        yield pa.concat_tables(held).unify_dictionaries().combine_chunks()


def rows_of_runs(events: pa.Table, runs: frozenset[str]) -> Flags:
    """Return for each row whether it is of one of these runs."""
    if not runs:
        return np.zeros(events.num_rows, np.bool_)
    run, names = codes(events["run"])
    return np.array([name in runs for name in names.to_pylist()], np.bool_)[run]


def rows_at_lines(events: pa.Table, lines: Mapping[str, Sequence[int]]) -> Flags:
    """Return for each row whether it is at one of these lines, which are given by file."""
    found = np.zeros(events.num_rows, np.bool_)
    if lines:
        file, names = codes(events["file"])
        line = events["line"].to_numpy()
        for number, name in enumerate(names.to_pylist()):
            found |= (file == number) & np.isin(line, list(lines.get(name, ())))
    return found


def _without_large_dictionaries(table: pa.Table, names_max: int = NAMES_MAX) -> pa.Table:
    """Return the table without dictionaries that are too large to go with every stream."""
    for name in table.column_names:
        chunks = table[name].chunks
        if pa.types.is_list(table[name].type):
            chunks = [chunk.values for chunk in chunks]
        if chunks and pa.types.is_dictionary(chunks[0].type) and len(chunks[0].dictionary) > names_max:
            return table.cast(without_dictionaries(table.schema))
    return table
