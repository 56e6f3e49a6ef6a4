"""Read the columns of one decoded row, check each, and refuse a wrong value with a reason that names it.

`antecede.judge.events` makes an event of the columns. A number that is written as text is text, and a boolean is not a
number. This module refuses what does not fit the types of a trace (a long, a double, text that can be written again),
so that every reader of the trace, in any language, sees the same events.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from antecede.judge.times import SIZE_MAX, to_seconds

FIELD_CHARS_MAX = 65_536
LONG_MAX = 2**63 - 1


class Invalid(Exception):
    """The reason why a row is not a valid event.

    `parse` and `read_jsonl` return it as text, and no other code sees it.
    """


class RowReader:
    """A reader of the columns of one decoded row that raises `Invalid` if a value is wrong."""

    __slots__ = ("_chars_max", "_values")

    def __init__(self, values: object, chars_max: int) -> None:
        if not isinstance(values, Mapping):
            raise Invalid(f"the row is {_quote(values)}; it must be an object with the columns of a trace")
        self._values = values
        self._chars_max = chars_max

    def one_of(self, column: str, choices: Sequence[str]) -> str:
        """Return a column whose value must be one of `choices`."""
        value = self._values.get(column)
        if not isinstance(value, str) or value not in choices:
            raise Invalid(f"{column} is {_quote(value)}; it must be one of {', '.join(choices)}")
        return value

    def text(self, column: str) -> str | None:
        """Return a column of text, or None if it is null."""
        value = self._values.get(column)
        return None if value is None else self._string(column, value)

    def name(self, column: str, where: str = "") -> str:
        """Return a column of text that must not be missing or empty."""
        value = self.text(column)
        if not value:
            raise Invalid(f"{column} is {'missing' if value is None else 'empty'}{where}")
        return value

    def index(self) -> int:
        """Return the index of the event, which must be 0 or more."""
        value = self.integer("index")
        if value is None or value < 0:
            raise Invalid(f"index is {_quote(value)}; it must be an integer of 0 or more")
        return value

    def integer(self, column: str) -> int | None:
        """Return a column that holds an integer of at most 64 bits, or None if it is null."""
        value = self._values.get(column)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not -LONG_MAX - 1 <= value <= LONG_MAX:
            raise Invalid(f"{column} is {_quote(value)}; it must be an integer of at most 64 bits")
        return value

    def time(self) -> float | None:
        """Return the time of the event in seconds, or None if it is null. `to_seconds` says which units are read."""
        value = self._values.get("time")
        if value is None:
            return None
        seconds = to_seconds(value)
        if seconds is None:
            raise Invalid(
                f"time is {_quote(value)}; it must be a finite number, or a date and time as text of ISO 8601, such as "
                f'"2023-11-14T22:13:20Z"; a number may be as large as {SIZE_MAX:g}'
            )
        return seconds

    def dests(self, *, required: bool) -> tuple[str, ...] | None:
        """Return the destinations, or None if they are null and not required."""
        value = self._values.get("dests")
        if value is None and not required:
            return None
        if value is None:
            hint = "; a group alone names no destinations" if self._values.get("group") is not None else ""
            raise Invalid(f"dests is missing on send{hint}")
        if not isinstance(value, list | tuple):
            raise Invalid(f"dests is {_quote(value)}; it must be a list of process names")
        return tuple(self._dest(name) for name in value)

    def attributes(self) -> dict[str, str] | None:
        """Return the attributes as text. A value that is not text becomes its JSON text; a null value is left out."""
        value = self._values.get("attributes")
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise Invalid(f"attributes is {_quote(value)}; it must be an object")
        return {
            self._string("an attribute's name", name): self._attribute(name, item)
            for name, item in value.items()
            if item is not None
        }

    def _dest(self, value: object) -> str:
        name = self._string("a destination in dests", value)
        if not name:
            raise Invalid("a destination in dests is empty")
        return name

    def _attribute(self, name: str, value: object) -> str:
        try:
            text = value if isinstance(value, str) else json.dumps(value)
        except (TypeError, ValueError, RecursionError) as error:
            raise Invalid(f"attributes[{_quote(name)}] is {_quote(value)}, which cannot be written as JSON") from error
        return self._string(f"attributes[{_quote(name)}]", text)

    def _string(self, column: str, value: object) -> str:
        if not isinstance(value, str):
            raise Invalid(f"{column} is {_quote(value)}; it must be text")
        if len(value) > self._chars_max:
            raise Invalid(f"{column} has {len(value)} characters; the limit is {self._chars_max}")
        if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
            raise Invalid(f"{column} is {_quote(value)}, which has half of a surrogate pair and cannot be written")
        return value


def _quote(value: object) -> str:
    """Return a value as a reason quotes it: short, on one line, and safe to print."""
    if value is None:
        return "missing"
    if isinstance(value, str):
        return json.dumps(value[:60]) + ("…" if len(value) > 60 else "")
    if isinstance(value, int) and abs(value) > LONG_MAX:
        return "an integer of more than 64 bits"
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    return "an object" if isinstance(value, Mapping) else f"a {type(value).__name__}"
