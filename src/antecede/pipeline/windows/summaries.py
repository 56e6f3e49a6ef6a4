"""What a task says about the windows it has: their ends, what the plan has to know, and the rows themselves.

All of it is one table, so that one pass makes it and one copy is kept. `what` says what a row is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc

from antecede.pipeline.arrow import Longs, fill_table
from antecede.pipeline.kernel.encode import DELIVER
from antecede.pipeline.kernel.layout import Rows
from antecede.pipeline.windows.compose import Ends
from antecede.pipeline.windows.parts import Parts

END, CYCLIC, LINK, SPAN, ROWS = range(5)  # what a row of WINDOWS is
WINDOWS = pa.schema(
    [
        ("what", pa.int8()),
        ("run", pa.int32()),
        ("part", pa.int32()),
        ("process", pa.int32()),
        ("sender", pa.int32()),  # of a link
        ("low", pa.int64()),  # of an end its message's index, of a link its least slack, of a span the first index
        ("high", pa.int64()),  # of a span the last index
        ("reached", pa.list_(pa.int32())),  # of an end: the parts where its message is delivered
        ("sends", pa.binary()),
        ("entries", pa.binary()),
        ("rows", pa.binary()),  # the rows of all windows of the task, as an Arrow stream
    ]
)


def ends_table(rows: Rows, ends: Ends, parts: Parts, number: Longs) -> pa.Table:
    offsets = np.concatenate([[0], np.cumsum(rows.widths[ends.group])])
    part = number[ends.group]
    table = fill_table(
        WINDOWS,
        len(part),
        what=np.full(len(part), END),
        run=parts.run(part),
        part=part,
        process=ends.process,
        low=ends.sent_index,
        reached=ends.reached,
        sends=_binary(ends.sends, offsets),
        entries=_binary(ends.entries, offsets),
    ).filter(pa.array(~ends.cyclic[ends.group]))
    bad = number[ends.cyclic]
    cyclic = fill_table(WINDOWS, len(bad), what=np.full(len(bad), CYCLIC), run=parts.run(bad), part=bad)
    return pa.concat_tables([table, cyclic])


def facts_table(rows: Rows, ends: Ends, parts: Parts, number: Longs, slack: Longs) -> pa.Table:
    """The least slack of each link of each window, and the span of indices of each process in it."""
    at = np.flatnonzero((rows.role == DELIVER) & rows.first & (rows.sender >= 0))
    width = int(rows.widths.max(initial=1))
    key = (rows.group[at] * width + rows.sender[at]) * width + rows.process[at]
    order = np.argsort(key)
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    link, least = key[order][starts], np.minimum.reduceat(slack[at][order], starts) if len(at) else slack[:0]
    group, process, first, last = ends.spans
    links = fill_table(
        WINDOWS,
        len(link),
        what=np.full(len(link), LINK),
        run=parts.run(number[link // (width * width)]),
        sender=link // width % width,
        process=link % width,
        low=least,
    )
    spans = fill_table(
        WINDOWS,
        len(group),
        what=np.full(len(group), SPAN),
        run=parts.run(number[group]),
        part=number[group],
        process=process,
        low=first,
        high=last,
    )
    return pa.concat_tables([links, spans])


def stream(table: pa.Table) -> bytes:
    """Many rows as one value: Spark keeps and moves it as it is, and not row by row."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def opened(streams: pa.ChunkedArray) -> pa.Table:
    """The rows of all these streams; nulls are none. Where their columns differ, they are as wide as the widest."""
    tables = [pa.ipc.open_stream(one.as_buffer()).read_all() for one in streams.drop_null()]
    if any(table.schema != tables[0].schema for table in tables):
        tables = [table.cast(plain(table.schema)) for table in tables]
    return pa.concat_tables(tables, promote_options="permissive")


def narrow(table: pa.Table) -> pa.Table:
    """The same numbers in as few bytes as will do, and without what is zero or less, or missing, in `ahead_s`."""
    if "ahead_s" in table.column_names and not (pc.max(table["ahead_s"]).as_py() or 0) > 0:
        table = table.drop_columns("ahead_s")
    return table.cast(pa.schema([(field.name, _least(table[field.name])) for field in table.schema]))


def _least(column: pa.ChunkedArray) -> pa.DataType:
    if not pa.types.is_integer(column.type):
        return column.type
    ends = pc.min_max(column).as_py()
    low, high = ends["min"] or 0, ends["max"] or 0
    fit = (kind for kind in (pa.int8(), pa.int16(), pa.int32()) if -(2 ** (kind.bit_width - 1)) <= low)
    return next((kind for kind in fit if high < 2 ** (kind.bit_width - 1)), pa.int64())


def plain(schema: pa.Schema) -> pa.Schema:
    """The same columns with every name written out."""
    return pa.schema([(field.name, _without_dictionary(field.type)) for field in schema])


def _without_dictionary(kind: pa.DataType) -> pa.DataType:
    """The type of the values, where those are in a dictionary."""
    if pa.types.is_dictionary(kind):
        return kind.value_type
    return pa.list_(_without_dictionary(kind.value_type)) if pa.types.is_list(kind) else kind


def _binary(values: npt.NDArray[Any], offsets: Longs) -> pa.Array:
    """Flat vectors as one binary value each: Spark hands those on as they are."""
    places = pa.py_buffer((offsets * values.itemsize).astype(np.int32))
    return pa.Array.from_buffers(
        pa.binary(), len(offsets) - 1, [None, places, pa.py_buffer(np.ascontiguousarray(values))]
    )
