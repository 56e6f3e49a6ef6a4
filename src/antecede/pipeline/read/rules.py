"""What makes a row an event: the rules of the trace for one row, as column expressions over `schema.EVENTS`.

They are the rules of the judge's own parser, so that both keep and refuse the same rows. What a typed column
can no longer show (an index that was text, say) is the adapter's to report.

`surely_events` is no second set of rules: it tells of many rows at once that none can break any, so that those who have
them as Arrow columns need not ask Spark. Where it is not sure, `broken` decides.
"""

from __future__ import annotations

from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column
from pyspark.sql import functions as fn

from antecede.judge.events import KINDS, WITH_MESSAGE
from antecede.pipeline.arrow import kind_codes

FIELD_CHARS_MAX = 65_536
SHOWN_CHARS_MAX = 60


def broken() -> Column:
    """The first rule that a row breaks, in words; null for an event."""
    tests = [
        (~fn.coalesce(fn.col("kind").isin(*KINDS), fn.lit(False)), _says("kind", f"must be one of {', '.join(KINDS)}")),
        (_blank("process"), fn.lit("process is missing or empty")),
        (fn.coalesce(fn.col("index"), fn.lit(-1)) < 0, _says("index", "must be an integer of 0 or more")),
        (fn.col("kind").isin(*WITH_MESSAGE) & _blank("message"), _on_kind("message is missing or empty on")),
        ((fn.col("kind") == "send") & fn.col("dests").isNull(), fn.lit("dests is missing on send")),
        (_blank_dest(), fn.lit("a destination in dests is missing or empty")),
        *[(~fn.is_valid_utf8(value), fn.lit(f"{name} is not UTF-8")) for name, value in _texts().items()],
        (_not_finite("time"), _says("time", "must be a finite number of seconds")),
        *[(fn.length(name) > FIELD_CHARS_MAX, _too_long(name)) for name in ("run", "process", "message", "group")],
        (_long_dest(), fn.lit(f"a destination in dests has more than {FIELD_CHARS_MAX} characters")),
        (_long_attribute(), fn.lit(f"an attribute has more than {FIELD_CHARS_MAX} characters")),
    ]
    return fn.coalesce(*[fn.when(test, words) for test, words in tests])


def surely_events(table: pa.Table) -> bool:
    """Whether all rows are events for sure. Run, process and kind are dictionaries, and so are the destinations; what
    is in a dictionary counts whether a row has it or not. Lengths are in bytes, of which there are no fewer than
    characters."""
    if not _is_utf8(table):
        return False
    dests = pc.list_flatten(table["dests"])
    texts = [name for name in ("message", "group") if name in table.column_names]
    return (
        set(_values(table["kind"])) <= set(KINDS)
        and not any(table[name].null_count for name in ("kind", "process", "index"))
        and pc.min(table["index"]).as_py() >= 0
        and not dests.null_count
        and all(0 < size <= FIELD_CHARS_MAX for name in (table["process"], dests) for size in _sizes(name))
        and all(size <= FIELD_CHARS_MAX for size in _sizes(table["run"]))
        and _messages_are_named(table)
        and all(_fit(pc.binary_length(table[name])) for name in texts)
        and bool(np.all(np.isfinite(table["time"].drop_null().to_numpy())))
        and ("attributes" not in table.column_names or _attributes_fit(table["attributes"]))
    )


def _is_utf8(table: pa.Table) -> bool:
    """Whether all texts are: Arrow reads them from files without looking."""
    try:
        table.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _values(names: pa.ChunkedArray) -> list[str]:
    return [value for chunk in names.chunks for value in chunk.dictionary.to_pylist()]


def _sizes(names: pa.ChunkedArray) -> list[int]:
    """Those of the texts in a dictionary; a missing one has none."""
    return [size or 0 for chunk in names.chunks for size in pc.binary_length(chunk.dictionary).to_pylist()]


def _fit(lengths: pa.ChunkedArray) -> bool:
    return bool((pc.max(lengths).as_py() or 0) <= FIELD_CHARS_MAX)


def _messages_are_named(table: pa.Table) -> bool:
    """A message where there must be one, and destinations of a send."""
    kind = kind_codes(table["kind"], WITH_MESSAGE)
    unnamed = ~pc.fill_null(pc.greater(pc.binary_length(table["message"]), 0), False).to_numpy()
    unsent = (kind == WITH_MESSAGE.index("send")) & pc.is_null(table["dests"]).to_numpy()
    return not np.any((kind >= 0) & unnamed | unsent)


def _attributes_fit(attributes: pa.ChunkedArray) -> bool:
    parts = [part for chunk in attributes.chunks for part in (chunk.keys, chunk.items)]
    return all((pc.max(pc.binary_length(part)).as_py() or 0) <= FIELD_CHARS_MAX for part in parts)


def shown(value: Column) -> Column:
    """A value as a reason quotes it: short, and readable."""
    return fn.coalesce(fn.make_valid_utf8(fn.substring(value.cast("string"), 1, SHOWN_CHARS_MAX)), fn.lit("missing"))


def _says(name: str, must: str) -> Column:
    return fn.concat(fn.lit(f"{name} is "), shown(fn.col(name)), fn.lit(f"; it {must}"))


def _on_kind(words: str) -> Column:
    return fn.concat(fn.lit(f"{words} "), fn.col("kind"))


def _too_long(name: str) -> Column:
    return fn.concat(fn.lit(f"{name} has "), fn.length(name), fn.lit(f" characters; the limit is {FIELD_CHARS_MAX}"))


def _texts() -> dict[str, Column]:
    """All that is text in a row; what is a list, with a character between that no other byte can be part of."""
    attributes = fn.concat_ws(",", fn.map_keys("attributes"), fn.map_values("attributes"))
    one = {name: fn.col(name) for name in ("run", "process", "message", "group")}
    return {**one, "a destination in dests": fn.array_join("dests", ","), "an attribute": attributes}


def _blank(name: str) -> Column:
    return fn.coalesce(fn.col(name), fn.lit("")) == ""


def _not_finite(name: str) -> Column:
    value = fn.col(name)
    return reduce(Column.__or__, [value == fn.lit(float(odd)).cast("double") for odd in ("nan", "inf", "-inf")])


def _blank_dest() -> Column:
    # array_contains is null where the text is not found and a null is: both mean a blank destination.
    return fn.col("dests").isNotNull() & fn.coalesce(fn.array_contains("dests", ""), fn.lit(True))


def _long_dest() -> Column:
    # The lambda runs only where the destinations together are long enough for one of them to be.
    together = fn.length(fn.array_join("dests", ""))
    return (together > FIELD_CHARS_MAX) & fn.exists("dests", lambda dest: fn.length(dest) > FIELD_CHARS_MAX)


def _long_attribute() -> Column:
    def long(name: Column, value: Column) -> Column:
        return (fn.length(name) > FIELD_CHARS_MAX) | (fn.coalesce(fn.length(value), fn.lit(0)) > FIELD_CHARS_MAX)

    return fn.col("attributes").isNotNull() & (fn.size(fn.map_filter("attributes", long)) > 0)
