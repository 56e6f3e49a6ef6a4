"""The three hops of a message in a `hierarchy`: up to a representative, across to others, and down (002 §7.1)."""

from __future__ import annotations

from dataclasses import dataclass

from antecede.core.types import Message, MessageId, ProcessId, Stamp
from antecede.core.wire import shapes
from antecede.core.wire.fields import Empty


@shapes.stamp(19, "Up")
@dataclass(frozen=True, slots=True)
class Up(Empty):
    """From a process to its representative."""


@shapes.stamp(20, "Down")
@dataclass(frozen=True, slots=True)
class Down(Up):
    """From a representative to a process it represents."""


@shapes.stamp(21, "Across")
@dataclass(frozen=True, slots=True)
class Across:
    """Between representatives: the identity and the stamp of the message of the inner algorithm."""

    id: MessageId
    to: frozenset[ProcessId]
    inner: Stamp

    @property
    def entries(self) -> int:
        return self.inner.entries

    def write(self, to: shapes.Writer) -> None:
        to.message(Message(self.id, self.to, b""))
        to.stamp(self.inner)

    @classmethod
    def read(cls, source: shapes.Reader) -> Across:
        identity, dests, _ = source.message()
        return cls(identity, dests, source.stamp())
