"""Deal rows out to the parts that need them: as Arrow streams, many rows in one value.

A runner moves such a value without reading it. The name beside a value says what the value holds: rows, or something
that belongs to them. Finished results travel in the same way (`results.tell`); a task that gets one passes it on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline.arrow import Flags, Longs, codes, pack, split_by, unpack, without_dictionaries
from antecede.pipeline.kernel.hashes import hash_texts
from antecede.pipeline.runner import PART, Batches

CHUNK_ROWS = 250_000
NAMES_MAX = 1_000  # names in a dictionary that goes with a stream; if there are more, each row has its own text
VALUE_BYTES_MAX = 256 << 20  # bytes of a table in one value; a single row may be larger
ROWS = "rows"
"""The name of values that hold rows of the trace."""
DEALT = pa.schema([(PART, pa.int32()), ("name", pa.string()), ("rows", pa.binary())])


def part_by_text(texts: pa.ChunkedArray, parts: int) -> Longs:
    """Return for each text a part, from 0 to `parts` - 1. Equal texts have the same part."""
    if parts == 1:
        return np.zeros(len(texts), np.int64)
    if pa.types.is_dictionary(texts.type):
        code, names = codes(texts)
        return part_by_text(pa.chunked_array([names]), parts)[code]
    return hash_texts(texts) % parts


def deal_table(
    table: pa.Table,
    part: npt.NDArray[np.int64],
    parts: int,
    name: str = ROWS,
    *,
    value_bytes_max: int = VALUE_BYTES_MAX,
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a table as values of this name: one or more for each part that has rows.

    `part` says for each row the part that the row is for. A value has at most `value_bytes_max` bytes, or one row.
    """
    table = _without_large_dictionaries(table)
    for number, rows in split_by(table, part, parts):
        step = max(1, rows.num_rows * value_bytes_max // max(rows.nbytes, 1))
        for start in range(0, rows.num_rows, step):
            yield deal_value(name, rows.slice(start, step), number)


def deal_value(name: str, table: pa.Table, part: int = 0) -> pa.RecordBatch:
    """Return a table as one value of this name, for one part."""
    return pa.record_batch([[part], [name], [pack(table)]], schema=DEALT)


def gather(batches: Batches, name: str = ROWS) -> pa.Table | None:
    """Return all rows that were dealt to a task in values of this name, or None if there are none."""
    values = [value for found, value in values_in(batches) if found == name]
    return unpack(values) if values else None


def values_in(batches: Batches) -> Iterator[tuple[str, pa.Buffer]]:
    """Yield (name, value) for each dealt value."""
    for batch in batches:
        for name, value in zip(batch.column("name").to_pylist(), batch.column("rows"), strict=True):
            yield name, value.as_buffer()


def pass_others(batches: Batches, own: str, held: list[pa.Buffer]) -> Iterator[pa.RecordBatch]:
    """Put the values of the name `own` into `held`, and yield the others as they are."""
    for batch in batches:
        is_own = pc.equal(batch.column("name"), own)
        held += [value.as_buffer() for value in batch.filter(is_own).column("rows")]
        yield batch.filter(pc.invert(is_own))


def in_chunks(tables: Iterable[pa.Table], rows: int = CHUNK_ROWS) -> Iterator[pa.Table]:
    """Yield the rows of `tables` in larger tables, which have at least `rows` rows, but for the last.

    Each column of text has one dictionary. A table without rows is left out, and may have other columns.
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


@dataclass(frozen=True, slots=True)
class ChosenRows:
    """A choice of rows: those of `runs`, except for the lines that `left_out` has for each file."""

    runs: frozenset[str]
    left_out: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def of(self, events: pa.Table) -> pa.Table:
        """Return the chosen rows among `events`."""
        return events.filter(pa.array(rows_of_runs(events, self.runs) & ~rows_at_lines(events, self.left_out)))


def rows_of_runs(events: pa.Table, runs: frozenset[str]) -> Flags:
    """Return for each row whether its run is one of `runs`."""
    if not runs:
        return np.zeros(events.num_rows, np.bool_)
    run, names = codes(events["run"])
    return np.array([name in runs for name in names.to_pylist()], np.bool_)[run]


def rows_at_lines(events: pa.Table, lines: Mapping[str, Sequence[int]]) -> Flags:
    """Return for each row whether `lines`, which has the lines of each file, has the line of the row."""
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
