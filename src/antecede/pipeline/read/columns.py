"""Make a trace of a table whose columns have any types: of a Parquet file, or of a table that the caller has.

A column is converted if its type can hold the values of a trace: integers of any size, texts of any kind, times as
numbers, as timestamps or as text. If the type cannot, each row that has a value in the column is refused. Columns that
a trace does not have are ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.judge.events import QUARANTINED_CHARS_MAX, RefusedRow, parse
from antecede.judge.row_refusals import FIELD_CHARS_MAX, LONG_MAX
from antecede.pipeline import schema
from antecede.pipeline.arrow import Flags
from antecede.pipeline.read import doubtful_rows
from antecede.pipeline.read.rows import encode_names
from antecede.pipeline.read.times import column_to_seconds

REQUIRED_COLUMNS = ("process", "kind")
DEFAULT_VALUES: Mapping[str, object] = {"index": 0, "dests": []}
"""Columns that a table may lack, each with a value that breaks no rule."""
NUMBERS = tuple(field.name for field in schema.TRACE if field.type in (schema.LONG, schema.DOUBLE))


@dataclass(frozen=True, slots=True)
class Typed:
    """A table with the types of the trace, and the reasons for columns whose types do not fit."""

    table: pa.Table
    mistyped: Mapping[str, str]


def accept_rows(source: pa.Table, line: pa.Array) -> tuple[pa.Table, list[RefusedRow]]:
    """Return the events of a table, with `line` as their line, and the rows that are not events.

    If the table has no column `index`, the events have no index, and are numbered later. If it has no column `dests`,
    the sends have no destinations, which are inferred later.
    """
    for name in DEFAULT_VALUES:
        if name not in source.column_names:
            field = schema.TRACE.field(name)
            values = pa.array([DEFAULT_VALUES[name]] * source.num_rows, field.type)
            found, without = accept_rows(source.append_column(name, values), line)
            nulls = pa.nulls(found.num_rows, found.schema.field(name).type)
            return found.set_column(found.column_names.index(name), name, nulls), without
    typed = convert(source)
    table = typed.table.append_column("line", line)
    doubtful = ~_is_utf8(table) | doubtful_rows.find_doubtful(table) | _has_long_attribute(table)
    for name in NUMBERS:
        doubtful |= _is_unread(name, source, table)
    for name in typed.mistyped:
        doubtful |= pc.is_valid(source[name]).to_numpy()
    table = doubtful_rows.name_runs(table)
    if not doubtful.any():
        return table, []
    kept = ~doubtful
    refused: list[RefusedRow] = []
    for row in np.flatnonzero(doubtful).tolist():
        reason = _reason(source.slice(row, 1), table.slice(row, 1), typed.mistyped)
        if reason is None:
            kept[row] = True
        else:
            refused.append(RefusedRow(reason, _show(source.slice(row, 1)), table["line"][row].as_py()))
    return _without_others(table.filter(pa.array(kept))), refused


def fits(field: pa.Field) -> bool:
    """Return whether every value of a column of this name and type can be converted to the type of the trace."""
    wanted = schema.TRACE.field(field.name)
    if wanted.type == schema.LONG and pa.types.is_uint64(getattr(field.type, "value_type", field.type)):
        return False
    return _convert(pa.chunked_array([], field.type), wanted) is not None


def convert(source: pa.Table) -> Typed:
    """Return the columns of a trace that a table has, converted to the types of a trace. Missing columns are null."""
    mistyped: dict[str, str] = {}
    columns = {}
    for field in schema.TRACE:
        column = source[field.name] if field.name in source.column_names else None
        found = None if column is None else _convert(column, field)
        if column is not None and found is None:
            mistyped[field.name] = f"{field.name} is of the type {column.type}; it must be {_describe(field.type)}"
        columns[field.name] = pa.nulls(source.num_rows, field.type) if found is None else found
    return Typed(encode_names(pa.table(columns)), mistyped)


def missing_columns(names: Sequence[str]) -> list[str]:
    """Return the columns that a trace must have and that are not among `names`."""
    return [name for name in REQUIRED_COLUMNS if name not in names]


def _convert(column: pa.ChunkedArray, field: pa.Field) -> pa.ChunkedArray | None:
    """Return the column in the type of the trace, or None if the type of the column cannot be converted."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return _convert(pa.chunked_array([chunk.storage for chunk in column.chunks], kind.storage_type), field)
    if field.name in ("run", "process", "kind") and kind == pa.dictionary(pa.int32(), pa.string()):
        return column
    if pa.types.is_null(kind):
        return pa.nulls(len(column), field.type)
    if pa.types.is_dictionary(kind):
        return _convert(column.cast(kind.value_type), field)
    return _CONVERSIONS[field.type](column)


def _to_text(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    return column.cast(pa.string()) if _is_text(column.type) else None


def _to_long(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return integers of any size as longs. A number that a long cannot hold becomes null; `_is_unread` refuses it."""
    kind = column.type
    if pa.types.is_uint64(kind):
        return pc.if_else(
            pc.greater(column, pa.scalar(LONG_MAX, pa.uint64())), pa.scalar(None, pa.uint64()), column
        ).cast(pa.int64())
    return column.cast(pa.int64()) if pa.types.is_integer(kind) else None


def _to_texts(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    kind = column.type
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)):
        return None
    inner = kind.value_type
    if pa.types.is_dictionary(inner):
        inner = inner.value_type
    return column.cast(schema.TEXTS) if _is_text(inner) or pa.types.is_null(inner) else None


def _to_attributes(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    kind = column.type
    if pa.types.is_map(kind) and _is_text(kind.key_type) and _is_text(kind.item_type):
        return column.cast(schema.TEXT_BY_TEXT)
    fields = [kind.field(at).type for at in range(kind.num_fields)] if pa.types.is_struct(kind) else []
    if pa.types.is_struct(kind) and all(_is_text(one) or pa.types.is_null(one) for one in fields):
        rows = [
            None if row is None else [(k, v) for k, v in row.items() if v is not None] for row in column.to_pylist()
        ]
        return pa.chunked_array([pa.array(rows, schema.TEXT_BY_TEXT)])
    return None


_CONVERSIONS: dict[pa.DataType, Callable[[pa.ChunkedArray], pa.ChunkedArray | None]] = {
    schema.TEXT: _to_text,
    schema.LONG: _to_long,
    schema.DOUBLE: column_to_seconds,
    schema.TEXTS: _to_texts,
    schema.TEXT_BY_TEXT: _to_attributes,
}


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _describe(kind: pa.DataType) -> str:
    words = {
        schema.TEXT: "text",
        schema.LONG: "an integer",
        schema.DOUBLE: "a number, a timestamp or text of ISO 8601",
        schema.TEXTS: "a list of texts",
        schema.TEXT_BY_TEXT: "a map from text to text",
    }
    return words[kind]


def _is_utf8(table: pa.Table) -> Flags:
    """Return for each row whether its texts are UTF-8. Arrow reads them from files without looking."""
    try:
        table.validate(full=True)
    except pa.ArrowInvalid:
        return np.zeros(table.num_rows, np.bool_)  # the rows are looked at one by one
    return np.ones(table.num_rows, np.bool_)


def _is_unread(name: str, source: pa.Table, table: pa.Table) -> Flags:
    """Return for each row whether it has a value in this column that could not be converted."""
    if name not in source.column_names:
        return np.zeros(table.num_rows, np.bool_)
    return pc.and_(pc.is_valid(source[name]), pc.is_null(table[name])).to_numpy()


def _has_long_attribute(table: pa.Table) -> Flags:
    """Return for each row whether an attribute may be too long.

    If one attribute of the table is too long, this is true for all rows that have attributes.
    """
    if "attributes" not in table.column_names:
        return np.zeros(table.num_rows, np.bool_)
    attributes = table["attributes"]
    parts = [part for chunk in attributes.chunks for part in (chunk.keys, chunk.items)]
    if all((pc.max(pc.binary_length(part)).as_py() or 0) <= FIELD_CHARS_MAX for part in parts):
        return np.zeros(table.num_rows, np.bool_)
    return pc.is_valid(attributes).to_numpy()


def _reason(source: pa.Table, row: pa.Table, mistyped: Mapping[str, str]) -> str | None:
    """Return why one row is not an event, or None if it is one."""
    for name, reason in mistyped.items():
        if source[name][0].is_valid:
            return reason
    values: dict[str, Any] = {}
    for name in row.column_names:
        try:
            values[name] = _decode(row[name].cast(_bytes_type(row[name].type))[0].as_py())
        except UnicodeDecodeError:
            return f"{_spoken(name)} is not UTF-8"
    for name in NUMBERS:
        if values[name] is None and name in source.column_names and source[name][0].is_valid:
            values[name] = _as_given(source[name])
    if values.get("attributes") is not None:
        values["attributes"] = dict(values["attributes"])
    found = parse(values)
    return found if isinstance(found, str) else None


def _as_given(value: pa.ChunkedArray) -> Any:
    """Return the only value of a column as it was before it was converted."""
    return value.cast(pa.binary())[0].as_py().decode(errors="replace") if _is_text(value.type) else value[0].as_py()


def _spoken(name: str) -> str:
    return {"dests": "a destination in dests", "attributes": "an attribute"}.get(name, name)


def _bytes_type(kind: pa.DataType) -> pa.DataType:
    """Return the type of the same values with bytes in place of texts."""
    if pa.types.is_dictionary(kind):
        return _bytes_type(kind.value_type)
    if pa.types.is_string(kind):
        return pa.binary()
    if pa.types.is_list(kind):
        return pa.list_(_bytes_type(kind.value_type))
    return pa.map_(pa.binary(), pa.binary()) if pa.types.is_map(kind) else kind


def _decode(value: Any) -> Any:
    """Return the value with its bytes decoded. Raise `UnicodeDecodeError` if they are not UTF-8."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [_decode(one) for one in value]
    return tuple(_decode(one) for one in value) if isinstance(value, tuple) else value


def _show(row: pa.Table) -> str:
    """Return a row as text for the quarantine."""
    shown = {}
    for name in row.column_names:
        if name in schema.TRACE.names:
            try:
                value = row[name][0].as_py()
            except (UnicodeDecodeError, pa.ArrowException, ValueError):
                value = "(not readable)"
            shown[name] = value
    return str(shown)[:QUARANTINED_CHARS_MAX]


def _without_others(table: pa.Table) -> pa.Table:
    """Return the table with dictionaries that hold only the values of its rows: others may not even be UTF-8."""
    columns = {
        name: table[name].cast(pa.binary()).cast(pa.string()).dictionary_encode()
        if pa.types.is_dictionary(table[name].type)
        else table[name]
        for name in table.column_names
    }
    return pa.table(columns)
