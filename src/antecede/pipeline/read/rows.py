"""Define the rows that a reader returns: events, and rows that are not events, each with its file and line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import TypeVar

import numpy as np
import pyarrow as pa

from antecede.judge.events import Event, RefusedRow
from antecede.pipeline import schema
from antecede.pipeline.arrow import NAME, fill_table, list_lengths
from antecede.pipeline.read import content
from antecede.pipeline.read.blocks import Block
from antecede.pipeline.read.files import check_version

NAMED = ("run", "process", "kind")
NEEDED = ("run", "process", "index", "kind", "time", "message", "dests")
"""The columns of a trace that decide the verdict."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which columns of the events are read: all of them, or only those that decide the verdict."""

    all_columns: bool = False

    @property
    def trace(self) -> pa.Schema:
        """Return the wanted columns of a trace."""
        return schema.TRACE if self.all_columns else pa.schema([schema.TRACE.field(name) for name in NEEDED])

    @property
    def events(self) -> pa.Schema:
        """Return the wanted columns and the position. Names that come often are numbers into a dictionary."""
        own = [pa.field(one.name, _encoded_type(one)) for one in self.trace]
        return pa.schema([*own, pa.field("file", NAME), pa.field("line", pa.int64())])


@dataclass(frozen=True, slots=True)
class ReadRows:
    """Some rows of the input: events with the wanted columns, and refused rows as `schema.QUARANTINE`.

    If there are no events, their columns do not matter. `notes` tell people how the input was understood, and what was
    skipped. `unnamed` is how many of the events are arrivals of messages that nothing names.
    """

    events: pa.Table = field(default_factory=schema.EVENTS.empty_table)
    refused: pa.Table = field(default_factory=schema.QUARANTINE.empty_table)
    notes: tuple[str, ...] = ()
    unnamed: int = 0

    @property
    def count(self) -> int:
        return int(self.events.num_rows + self.refused.num_rows)


Reader = Callable[[Block], Iterator[ReadRows]]
"""The reader of a format: a function from a block to its rows."""

ParseLines = Callable[[bytes, int], tuple[pa.Table, Sequence[RefusedRow]]]
"""The parser of a format with one text for each line. It takes complete lines and the number of the first of them. It
returns a table with the column `line`, and the refused rows."""


E = TypeVar("E", bound=Event)


def to_events(table: pa.Table, kind: type[E]) -> Iterator[E]:
    """Yield the rows of a table as events of the judge. `kind` is their class, which may have more fields."""
    names = [field.name for field in fields(kind) if field.name in table.column_names]
    for row in table.select(names).to_pylist():
        if row["dests"] is not None:
            row["dests"] = tuple(row["dests"])
        if row.get("attributes") is not None:
            row["attributes"] = dict(row["attributes"])
        yield kind(**row)


def encode_names(table: pa.Table) -> pa.Table:
    """Return the table with the types of `Wanted.events`: names that come often become numbers into a dictionary."""
    columns = {}
    for name in table.column_names:
        column = table[name]
        if name in NAMED and not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        elif name == "dests" and not pa.types.is_dictionary(column.type.value_type):
            column = pa.chunked_array([encode_lists(chunk) for chunk in column.chunks], pa.list_(NAME))
        columns[name] = column
    return pa.table(columns)


def encode_lists(lists: pa.ListArray) -> pa.ListArray:
    """Return the same lists with their texts as a dictionary."""
    offsets = np.concatenate([[0], np.cumsum(list_lengths(lists))]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), lists.flatten().dictionary_encode(), mask=lists.is_null())


def _encoded_type(field: pa.Field) -> pa.DataType:
    if field.name in NAMED:
        return NAME
    return pa.list_(NAME) if field.name == "dests" else field.type


def refused_table(name: str, rows: Iterable[RefusedRow]) -> pa.Table:
    """Return refused rows of one file as a table."""
    found = list(rows)
    return fill_table(
        schema.QUARANTINE,
        len(found),
        file=[name] * len(found),
        line=[row.line for row in found],
        reason=[row.reason for row in found],
        row=[row.row for row in found],
    )


def with_file(events: pa.Table, name: str) -> pa.Table:
    """Return the table with the column `file` before its last one, `line`."""
    place = pa.DictionaryArray.from_arrays(pa.array(np.zeros(events.num_rows, np.int32)), pa.array([name]))
    return events.add_column(events.num_columns - 1, "file", place)


def read_line_block(block: Block, parse: ParseLines, wanted: pa.Schema) -> Iterator[ReadRows]:
    """Yield the rows of a block of lines. `wanted` is the schema of the events, with the position."""
    check_version(block.path, block.version)
    for piece in content.read_lines(block.path, block.start, block.end, block.before):
        if isinstance(piece, content.Unread):
            refused = [RefusedRow(piece.reason, piece.row or "", piece.line)]
            yield ReadRows(wanted.empty_table(), refused_table(block.name, refused))
            continue
        data = piece.data.removeprefix(content.BYTE_ORDER_MARK) if piece.first_line == 1 else piece.data
        if data.isspace():  # hundreds of millions of blank lines cost no more than this
            continue
        events, rows = parse(data, piece.first_line)
        yield ReadRows(encode_names(with_file(events, block.name)), refused_table(block.name, rows))
