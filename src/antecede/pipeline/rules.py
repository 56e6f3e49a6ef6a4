"""What makes a row an event: the rules of the trace for one row, as column expressions over `schema.EVENTS`.

They are the rules of the judge's own parser, so that both keep and refuse the same rows. What a typed column
can no longer show (an index that was text, say) is the adapter's to report.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as fn

KINDS = ("send", "receive", "deliver", "internal", "move", "connect", "disconnect")
WITH_MESSAGE = ("send", "receive", "deliver")
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
        (_not_finite("time"), _says("time", "must be a finite number of seconds")),
        *[(fn.length(name) > FIELD_CHARS_MAX, _too_long(name)) for name in ("run", "process", "message", "group")],
        (_long_dest(), fn.lit(f"a destination in dests has more than {FIELD_CHARS_MAX} characters")),
        (_long_attribute(), fn.lit(f"an attribute has more than {FIELD_CHARS_MAX} characters")),
    ]
    return fn.coalesce(*[fn.when(test, words) for test, words in tests])


def shown(value: Column) -> Column:
    """A value as a reason quotes it: short."""
    return fn.coalesce(fn.substring(value.cast("string"), 1, SHOWN_CHARS_MAX), fn.lit("missing"))


def _says(name: str, must: str) -> Column:
    return fn.concat(fn.lit(f"{name} is "), shown(fn.col(name)), fn.lit(f"; it {must}"))


def _on_kind(words: str) -> Column:
    return fn.concat(fn.lit(f"{words} "), fn.col("kind"))


def _too_long(name: str) -> Column:
    return fn.concat(fn.lit(f"{name} has "), fn.length(name), fn.lit(f" characters; the limit is {FIELD_CHARS_MAX}"))


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
