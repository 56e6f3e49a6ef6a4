"""Read the attributes of many spans of OTLP/JSON, which Arrow has parsed.

The attributes of all owners (spans, links or resources) are three arrays: the owner, the key and the value of each.
`OddRequest` is raised if an attribute might be read in a special way by `antecede.pipeline.read.formats.otlp`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline.arrow import Longs, codes, distinct, is_valid, list_lengths, take_or_null, text_bytes
from antecede.pipeline.schema import TEXT, TEXT_BY_TEXT, TEXTS

SCALARS = ("stringValue", "intValue", "boolValue", "doubleValue", "bytesValue")
IS_PLAIN = np.isin(np.arange(256), [letter for letter in range(32, 127) if letter not in b'"\\'])
"""Letters that JSON does not escape."""


class OddRequest(Exception):
    """Something in a request has to be read exactly."""


def explode(lists: pa.ListArray) -> tuple[pa.StructArray, Longs]:
    """Return the elements of lists, and the list of each element. Raise `OddRequest` if an element is null."""
    values = lists.flatten()
    if values.null_count:
        raise OddRequest
    return values, np.repeat(np.arange(len(lists)), list_lengths(lists))


def field_of(structs: pa.StructArray, name: str) -> pa.Array:
    """Return a field of structs. It is null if the struct is null."""
    return pc.struct_field(structs, name)


@dataclass(frozen=True, slots=True)
class AttributeArrays:
    """The attributes of some owners: the owner, the key and the value of each. Keys are numbers into `keys`."""

    owners: int
    owner: Longs
    key: Longs
    keys: pa.Array
    value: pa.StructArray

    def rows_of(self, names: Sequence[str]) -> tuple[Longs, Longs]:
        """Return the rows of the attributes with these names, and for each its place among the names."""
        place = np.full(len(self.keys) + 1, -1)
        place[pc.fill_null(pc.index_in(pa.array(names), self.keys), len(self.keys)).to_numpy()] = np.arange(len(names))
        place[-1] = -1
        of_row = place[:-1][self.key]
        rows = np.flatnonzero(of_row >= 0)
        return rows, of_row[rows]

    def check_names(self, rows: Longs, names: Longs, count: int) -> None:
        """Raise `OddRequest` if an owner has two of these rows with the same name.

        `names` is the name of each row, as a number less than `count`.
        """
        found, _ = distinct(self.owner[rows] * count + names, self.owners * count)
        if len(found) != len(rows):
            raise OddRequest


def read_attributes(lists: pa.ListArray) -> AttributeArrays:
    """Return the attributes in these lists. The owners are the rows of the lists."""
    entries, owner = explode(lists)
    if entries.field("key").null_count:
        raise OddRequest
    key, keys = codes(pa.chunked_array([entries.field("key")]))
    return AttributeArrays(len(lists), owner, key, keys, entries.field("value"))


def find_texts(
    attributes: AttributeArrays, meanings: Mapping[str, Sequence[str]], *, empty_counts: bool = False
) -> dict[str, pa.Array]:
    """Return for each meaning the text of the first of its names that each owner has, or null.

    `meanings` has the names for each meaning. Unless `empty_counts`, an empty text counts as missing. Raise
    `OddRequest` if such an attribute comes twice, or if it is neither a text nor an integer.
    """
    names = [name for aliases in meanings.values() for name in aliases]
    rows, name = attributes.rows_of(names)
    attributes.check_names(rows, name, len(names))
    value = attributes.value.take(pa.array(rows))
    text = pc.coalesce(field_of(value, "stringValue"), field_of(value, "intValue").cast(TEXT))
    if text.null_count:
        raise OddRequest
    counts = np.ones(len(rows), np.bool_) if empty_counts else pc.binary_length(text).to_numpy() > 0
    owner = attributes.owner[rows]
    found = {}
    for meaning, aliases in meanings.items():
        at = np.full(attributes.owners, -1)
        for alias in reversed(aliases):
            chosen = np.flatnonzero((name == names.index(alias)) & counts)
            at[owner[chosen]] = chosen
        found[meaning] = take_or_null(text, at)
    return found


def find_lists(attributes: AttributeArrays, name: str) -> pa.ListArray:
    """Return the texts in the list of this name that each owner has, or null.

    Raise `OddRequest` if such an attribute comes twice, or if it is not a list of texts.
    """
    rows, place = attributes.rows_of([name])
    if not len(rows):
        return pa.nulls(attributes.owners, TEXTS)
    attributes.check_names(rows, place, 1)
    array = field_of(attributes.value.take(pa.array(rows)), "arrayValue")
    if array.null_count:
        raise OddRequest
    lists = field_of(array, "values")
    names = _texts_in(lists)
    lengths = np.zeros(attributes.owners, np.int64)
    lengths[attributes.owner[rows]] = list_lengths(lists)
    is_missing = np.ones(attributes.owners, np.bool_)
    is_missing[attributes.owner[rows]] = False
    offsets = pa.array(np.append(0, np.cumsum(lengths)), pa.int32())
    return pa.ListArray.from_arrays(offsets, names, mask=pa.array(is_missing))


def _texts_in(lists: pa.ListArray) -> pa.Array:
    """Return all texts in lists of values. Raise `OddRequest` if a value is not a text."""
    items, _ = explode(lists)
    if items.field("stringValue").null_count:
        raise OddRequest
    return items.field("stringValue")


def join_attributes(attributes: AttributeArrays, own: Mapping[str, pa.Array]) -> pa.MapArray:
    """Return all attributes of each owner as texts: first those in the file, then `own`.

    The attributes `own`, which has a value for each owner, replace those of the same name in the file.

    Raise `OddRequest` if an attribute comes twice, or if its value is a map or a list of other things than texts.
    """
    every = np.arange(len(attributes.key))
    attributes.check_names(every, attributes.key, len(attributes.keys))
    text = _all_texts(attributes.value)
    is_own = pc.is_in(attributes.keys, pa.array(list(own))).to_numpy(zero_copy_only=False)
    kept = np.flatnonzero(is_valid(text) & ~is_own[attributes.key])
    owners = attributes.owners
    # An owner's own attributes come after the others, because the sort is stable.
    owner = np.concatenate([attributes.owner[kept], np.tile(np.arange(owners), len(own))])
    key = np.concatenate([attributes.key[kept], len(attributes.keys) + np.repeat(np.arange(len(own)), owners)])
    texts = pa.concat_arrays([text.take(pa.array(kept)), *own.values()])
    order = np.argsort(owner, kind="stable")
    order = order[is_valid(texts)[order]]
    offsets = np.append(0, np.cumsum(np.bincount(owner[order], minlength=owners)))
    keys = pa.concat_arrays([attributes.keys, pa.array(list(own))]).take(pa.array(key[order]))
    return pa.MapArray.from_arrays(pa.array(offsets, pa.int32()), keys, texts.take(pa.array(order)), TEXT_BY_TEXT)


def _all_texts(value: pa.StructArray) -> pa.Array:
    """Return the text of each value, as `otlp.attribute_text` does. Raise `OddRequest` if a value is a map."""
    fields = [field_of(value, kind) for kind in SCALARS]
    fields = [_spell_numbers(field) if pa.types.is_floating(field.type) else field.cast(TEXT) for field in fields]
    text = pc.coalesce(*fields)
    arrays, maps = field_of(value, "arrayValue"), field_of(value, "kvlistValue")
    if np.any(~is_valid(text) & is_valid(maps)):
        raise OddRequest
    rows = np.flatnonzero(~is_valid(text) & is_valid(arrays))
    if not len(rows):
        return text
    spelt = _spell_lists(field_of(arrays.take(pa.array(rows)), "values"))
    return pc.coalesce(text, _scatter(spelt, rows, len(value)))


def _spell_numbers(numbers: pa.Array) -> pa.Array:
    """Return the JSON of numbers. Raise `OddRequest` if one is not finite."""
    rows = np.flatnonzero(is_valid(numbers))
    found = numbers.take(pa.array(rows)).to_numpy()
    if not np.all(np.isfinite(found)):
        raise OddRequest
    return _scatter(pa.array([float.__repr__(number) for number in found.tolist()], TEXT), rows, len(numbers))


def _spell_lists(lists: pa.ListArray) -> pa.Array:
    """Return the JSON of lists of values that are texts."""
    texts = _texts_in(lists)
    lengths = list_lengths(lists)
    packed = pa.ListArray.from_arrays(pa.array(np.append(0, np.cumsum(lengths)), pa.int32()), texts)
    if not np.all(IS_PLAIN[text_bytes(texts)]):
        return pa.array([json.dumps(names) for names in packed.to_pylist()], TEXT)
    joined = pc.binary_join_element_wise('["', pc.binary_join(packed, '", "'), '"]', "")
    return pc.if_else(pa.array(lengths > 0), joined, "[]")


def _scatter(values: pa.Array, rows: Longs, count: int) -> pa.Array:
    """Return `count` rows: those in `rows` have the `values`, and the others are null."""
    at = np.full(count, -1)
    at[rows] = np.arange(len(rows))
    return take_or_null(values, at)
