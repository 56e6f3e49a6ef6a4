"""Small functions on Arrow and NumPy arrays that the whole pipeline shares.

Tables travel between tasks as streams: `pack` makes one value of many rows, and `unpack` reads them back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
NAME = pa.dictionary(pa.int32(), pa.string())
"""The type of a text that comes often: a number into a dictionary."""


def fill_table(schema: pa.Schema, row_count: int, /, **columns: Any) -> pa.Table:
    """Return a table of this schema. A column that is not given is null in all rows."""
    return pa.table(
        [
            _as_column(columns[field.name], field.type) if field.name in columns else pa.nulls(row_count, field.type)
            for field in schema
        ],
        schema=schema,
    )


def codes(values: pa.ChunkedArray) -> tuple[Longs, pa.Array]:
    """Return a number for each value, equal for equal values, and the distinct values in the order of the numbers."""
    is_dictionary = pa.types.is_dictionary(values.type)
    if not len(values):
        return np.empty(0, np.int64), pa.array([], values.type.value_type if is_dictionary else values.type)
    encoded = values.unify_dictionaries() if is_dictionary else pc.dictionary_encode(values)
    indices = np.concatenate([chunk.indices.to_numpy() for chunk in encoded.chunks]).astype(np.int64)
    names = encoded.chunk(encoded.num_chunks - 1).dictionary
    return _drop_unused(indices, names) if is_dictionary else (indices, names)


CODED_KINDS = ("send", "deliver", "receive")
"""The kinds of events that are judged, by their codes."""
SEND, DELIVER, RECEIVE = range(3)  # these codes, and the roles of rows


def kind_codes(column: pa.ChunkedArray, kinds: tuple[str, ...]) -> npt.NDArray[np.int8]:
    """Return for each row the place of its kind in `kinds`, or -1."""
    code, names = codes(column)
    place = {name: at for at, name in enumerate(kinds)}
    return np.array([place.get(name, -1) for name in names.to_pylist()], np.int8)[code]


def code_kinds(events: pa.Table, kinds: tuple[str, ...]) -> pa.Table:
    """Return the rows whose kind is one of `kinds`. Their column `kind` holds its place in `kinds`, not its name."""
    kind = kind_codes(events["kind"], kinds)
    coded = events.set_column(events.column_names.index("kind"), "kind", pa.array(kind))
    return coded if np.all(kind >= 0) else coded.filter(pa.array(kind >= 0))


def text_ranks(texts: pa.ChunkedArray) -> Longs:
    """Return for each text its place in the order of the distinct texts."""
    code, names = codes(texts)
    rank = np.empty(len(names), np.int64)
    rank[pc.sort_indices(names).to_numpy()] = np.arange(len(names))  # by bytes of UTF-8: as Python orders texts
    return rank[code]


def match_rows(table: pa.Table, known: pa.Table, keys: Sequence[str]) -> Longs:
    """Return for each row of a table the first row of `known` with the same values in the columns `keys`, or -1."""
    key, count = np.zeros(known.num_rows + table.num_rows, np.int64), 1
    for name in keys:
        both = (one[name].cast(_value_type(one[name].type)) for one in (known, table))
        code, names = codes(pa.chunked_array([chunk for column in both for chunk in column.chunks]))
        found, key = distinct(key * max(len(names), 1) + code, count * max(len(names), 1))
        count = len(found)
    first = np.full(count, -1, np.int64)
    first[key[: known.num_rows][::-1]] = np.arange(known.num_rows)[::-1]  # the last assignment is the first row
    return first[key[known.num_rows :]]


def distinct(keys: Longs, limit: int) -> tuple[Longs, Longs]:
    """Return the distinct keys in order, and for each key its place among them.

    Keys are less than `limit`. If they are dense they are counted, not sorted.
    """
    if limit > 4 * len(keys) + 1_024:
        found, place = np.unique(keys, return_inverse=True)
        return found, place.astype(np.int64)
    present = np.zeros(limit, np.bool_)
    present[keys] = True
    return np.flatnonzero(present), (np.cumsum(present) - 1)[keys]


def pack(table: pa.Table) -> bytes:
    """Return a table as one value: a stream of Arrow, which nobody has to read before `unpack`."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def unpack(streams: Iterable[Any]) -> pa.Table:
    """Return the rows of all `streams`, which are values of `pack`. There must be at least one.

    If the type of a column differs between the streams, the column gets the widest of the types.
    """
    return concat([pa.ipc.open_stream(one).read_all() for one in streams])


def concat(tables: Sequence[pa.Table]) -> pa.Table:
    """Return the rows of all tables. If the type of a column differs, the column gets the widest of the types."""
    if any(table.schema != tables[0].schema for table in tables):
        tables = [table.cast(without_dictionaries(table.schema)) for table in tables]
    return pa.concat_tables(tables, promote_options="permissive")


def split_by(table: pa.Table, part: npt.NDArray[Any], parts: int) -> Iterator[tuple[int, pa.Table]]:
    """Yield the number of each part that has rows, and its rows in their order.

    `part` says for each row of the table the part that the row is for, which is less than `parts`.
    """
    narrow = np.uint16 if parts <= 2**16 else np.int64  # NumPy sorts 16 bits by radix
    ends = np.cumsum(np.bincount(part, minlength=parts))
    if len(part) and int(part.min()) == int(part.max()):
        yield int(part[0]), table
        return
    table = table.take(pa.array(np.argsort(part.astype(narrow), kind="stable")))
    for number, (start, end) in enumerate(pairwise([0, *ends.tolist()])):
        if start < end:
            yield number, table.slice(start, end - start)


def narrow_integers(table: pa.Table) -> pa.Table:
    """Return the same table, with each column of integers in the narrowest type that holds its values."""
    return table.cast(pa.schema([(field.name, _least(table[field.name])) for field in table.schema]))


def without_dictionaries(schema: pa.Schema) -> pa.Schema:
    """Return the schema of the same columns with every text written out."""
    return pa.schema([(field.name, _value_type(field.type)) for field in schema])


def _value_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        return kind.value_type
    return pa.list_(_value_type(kind.value_type)) if pa.types.is_list(kind) else kind


def _least(column: pa.ChunkedArray) -> pa.DataType:
    if not pa.types.is_integer(column.type):
        return column.type
    ends = pc.min_max(column).as_py()
    low, high = ends["min"] or 0, ends["max"] or 0
    fit = (kind for kind in (pa.int8(), pa.int16(), pa.int32()) if -(2 ** (kind.bit_width - 1)) <= low)
    return next((kind for kind in fit if high < 2 ** (kind.bit_width - 1)), pa.int64())


def list_lengths(lists: pa.Array | pa.ChunkedArray) -> Longs:
    """Return the length of each list, which is 0 for null."""
    return np.asarray(pc.fill_null(pc.list_value_length(lists), 0)).astype(np.int64)


def take_or_null(values: pa.Array | pa.ChunkedArray, rows: Longs) -> Any:
    """Return the values of these rows, and null for each row that is -1."""
    return values.take(pa.array(rows, mask=rows < 0))


def is_valid(values: pa.Array | pa.ChunkedArray) -> Flags:
    """Return for each value whether it is not null."""
    return np.asarray(values.is_valid())


def is_true(values: pa.ChunkedArray) -> Flags:
    """Return for each value whether it is true. Null is not."""
    return np.asarray(pc.fill_null(values, False))


def text_bytes(texts: pa.Array) -> npt.NDArray[np.uint8]:
    """Return the bytes of all texts, one after the other."""
    _, offsets, data = texts.buffers()
    if not len(texts) or data is None:
        return np.empty(0, np.uint8)
    ends = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return np.frombuffer(data, np.uint8)[ends[0] : ends[-1]]


def _as_column(values: Any, kind: pa.DataType) -> pa.Array | pa.ChunkedArray:
    return values if isinstance(values, pa.ChunkedArray) else pa.array(values, kind)


def _drop_unused(indices: Longs, names: pa.Array) -> tuple[Longs, pa.Array]:
    """Return the indices and the names without those names that no row has.

    Such names come with a dictionary that is shared with other rows.
    """
    present = np.bincount(indices, minlength=len(names)) > 0
    if present.all():
        return indices, names
    return (np.cumsum(present) - 1)[indices], names.filter(pa.array(present))
