"""The part that the stamps of one message to several destinations have in common, which is written once.

With `ks` a message to seven processes is seven packets, whose stamps differ in one row. The codec of a process
remembers the bytes of the rest from one packet to the next.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar


class NamingWriter(Protocol):
    """A writer that numbers the names it meets (`shapes.Writer`)."""

    out: bytearray
    index: dict[str, int]
    ranged: int


W = TypeVar("W", bound=NamingWriter)


class CommonPart:
    """The bytes of the last part, the values it was written from, and what its writer had met before it."""

    __slots__ = ("_before", "_data", "_of", "_ranged")

    def __init__(self) -> None:
        self._of: tuple[object, ...] = ()
        self._before = (0, 0)
        self._data = b""
        self._ranged = 0

    def append(self, writer: W, of: tuple[object, ...], write: Callable[[W], None]) -> None:
        """Append what `write` appends, or what it appended last time if that is the same.

        It is the same if it is made of these very values, and at the same place among the names. All names must be in
        the roster, so that the next writer numbers them alike.
        """
        before = (len(writer.index), writer.ranged)
        if self._before == before and self._is_of(of):
            writer.out += self._data
            writer.ranged = self._ranged
            return
        start = len(writer.out)
        write(writer)
        if len(writer.index) == before[0]:
            self._of, self._before = of, before
            self._data, self._ranged = bytes(writer.out[start:]), writer.ranged

    def _is_of(self, of: tuple[object, ...]) -> bool:
        return len(of) == len(self._of) and all(one is other for one, other in zip(of, self._of, strict=True))
