"""Wire forms that stamps share: one that follows from the fields of a class, and one that is empty.

`Fields` looks each field up. A stamp that every message of an algorithm carries writes and reads its own form instead,
which takes less time.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Self

from antecede.core.wire import shapes

KINDS = {
    "str": "name",
    "GroupId": "name",
    "int": "uint",
    "bytes": "bytes",
    "frozenset[str]": "names",
    "Mapping[str, frozenset[str]]": "name_sets",
    "Mapping[ProcessId, int]": "vector",
    "Mapping[str, int]": "vector",
    "Stamp": "stamp",
}
"""The type of a field, and the method of `shapes.Writer` and `shapes.Reader` that carries it."""


class Fields:
    """Wire form by fields, for frozen dataclasses with fields of the `KINDS` only."""

    __slots__ = ()

    @property
    def entries(self) -> int:
        inner = getattr(self, "stamp", None)
        return inner.entries if inner is not None else 0

    def write(self, to: shapes.Writer) -> None:
        for name, kind in _form(type(self)):
            getattr(to, kind)(getattr(self, name))

    @classmethod
    def read(cls, source: shapes.Reader) -> Self:
        values: list[Any] = [getattr(source, kind)() for _, kind in _form(cls)]
        return cls(*values)


class Empty:
    """The wire form of a stamp that says nothing beyond its kind."""

    __slots__ = ()

    @property
    def entries(self) -> int:
        return 0

    def write(self, to: shapes.Writer) -> None:
        """Write nothing."""

    @classmethod
    def read(cls, source: shapes.Reader) -> Self:  # noqa: ARG003
        return cls()


FORMS: dict[type, tuple[tuple[str, str], ...]] = {}


def _form(cls: type[Any]) -> tuple[tuple[str, str], ...]:
    """Return the names of the fields of a class and their kinds, worked out once."""
    if cls not in FORMS:
        FORMS[cls] = tuple((field.name, KINDS[str(field.type)]) for field in fields(cls))
    return FORMS[cls]
