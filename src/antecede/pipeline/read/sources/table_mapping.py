"""Rename the columns of a table as a mapping says. The mapping has the same form as for JSON Lines (`formats.mapped`).

A field is a column, or `a.b` for a field of a struct. Each value of `kind` that the mapping does not list is internal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline import schema
from antecede.pipeline.arrow import codes
from antecede.pipeline.errors import BadPattern, did_you_mean
from antecede.pipeline.read.formats.mapped import FIELDS, to_text

MAPPED_TEXTS = ("run", "process", "message", "group")
WITH_MESSAGE = ("send", "receive", "deliver")


def find_columns(mapping: Mapping[str, object], names: Sequence[str], what: str) -> list[str]:
    """Return the columns, among `names`, that a mapping needs. Raise `BadPattern` if a column is missing.

    `what` is the name of the table in the error.
    """
    kind: Any = mapping.get("kind", "kind")
    fields = [mapping[name] for name in FIELDS if name in mapping]
    fields += [kind["field"] if isinstance(kind, Mapping) else kind, *_attributes(mapping)]
    found = []
    for field in map(str, fields):
        outer = field if field in names else field.split(".")[0]
        if outer not in names:
            raise BadPattern(
                f"the mapping names the column {field!r}, which {what} does not have{did_you_mean(field, names)}; "
                f"there are {', '.join(names[:50])}"
            )
        found.append(outer)
    return list(dict.fromkeys(found))


def map_columns(table: pa.Table, mapping: Mapping[str, object]) -> pa.Table:
    """Return the table with the columns of a trace. Raise `BadPattern` if a field of a struct is not there."""
    found = {name: _column(table, str(mapping[name])) for name in FIELDS if name in mapping}
    for name in MAPPED_TEXTS:
        if name in found and pa.types.is_integer(found[name].type):
            found[name] = found[name].cast(pa.string())
    found["kind"] = _kinds(table, mapping.get("kind", "kind"))
    if "message" in found:
        has_message = pc.is_in(found["kind"], pa.array(WITH_MESSAGE))
        found["message"] = pc.if_else(has_message, found["message"], pa.scalar(None, found["message"].type))
    if "dests" in found and pa.types.is_string(found["dests"].type):
        found["dests"] = _one_each(found["dests"])
    names = _attributes(mapping)
    if names:
        found["attributes"] = _pairs(table, names)
    return pa.table({name: found[name] for name in schema.TRACE.names if name in found})


def _column(table: pa.Table, field: str) -> pa.ChunkedArray:
    """Return a column, or a field of a struct."""
    if field in table.column_names:
        return table[field]
    name, _, inner = field.partition(".")
    try:
        return pc.struct_field(table[name], inner.split("."))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # there is no such field, or the column is not a struct
        raise BadPattern(f"the mapping names {field!r}, but {name!r} has no such field") from None


def _kinds(table: pa.Table, words: Any) -> pa.ChunkedArray:
    if not isinstance(words, Mapping):
        return _column(table, str(words))
    meant = {to_text(value): kind for kind in reversed(list(words)) if kind != "field" for value in words[kind]}
    column = _column(table, str(words["field"]))
    if not meant:
        return column
    code, values = codes(pc.fill_null(column.cast(pa.string()), ""))
    kinds = np.array([meant.get(value, "internal") for value in values.to_pylist()], object)
    return pa.chunked_array([pa.array(kinds[code] if len(code) else [], pa.string())])


def _one_each(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a list with one name for each text, and an empty list for each null."""
    return pa.chunked_array([pa.array([[] if one is None else [one] for one in texts.to_pylist()], schema.TEXTS)])


def _attributes(mapping: Mapping[str, object]) -> list[str]:
    names: Any = mapping.get("attributes", ())
    return [str(name) for name in names] if isinstance(names, Sequence) and not isinstance(names, str) else []


def _pairs(table: pa.Table, names: Sequence[str]) -> pa.ChunkedArray:
    columns = {name: _column(table, name).to_pylist() for name in names}
    rows = [
        [(name, text) for name in names if (text := to_text(columns[name][row])) is not None]
        for row in range(table.num_rows)
    ]
    return pa.chunked_array([pa.array(rows, schema.TEXT_BY_TEXT)])
