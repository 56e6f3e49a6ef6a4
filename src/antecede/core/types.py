"""The nouns of the core: who, which message, and what travels on the wire.

All of them are immutable. A `Packet` is a `Message` and the `Stamp` an algorithm put on it; a control
packet (a token, a resynchronisation, an acknowledgement) is a stamp with no message.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

ProcessId: TypeAlias = str
GroupId: TypeAlias = str


class MessageId(NamedTuple):
    """The `seq`-th message of `sender`, counted from 1. Unique as long as names are not reused."""

    sender: ProcessId
    seq: int

    def __str__(self) -> str:
        return f"{self.sender}:{self.seq}"


@dataclass(frozen=True, slots=True)
class Message:
    """What the application sends: to whom, through which group if any, and its bytes."""

    id: MessageId
    dests: frozenset[ProcessId]
    payload: bytes
    group: GroupId | None = None

    @property
    def sender(self) -> ProcessId:
        return self.id.sender


class Stamp(Protocol):
    """The control information of one algorithm; each has its own frozen dataclass."""

    @property
    def entries(self) -> int:
        """Size in the unit of the paper; the registry says in words what one entry is."""
        ...


@dataclass(frozen=True, slots=True)
class Packet:
    """A message and its stamp, from `sender`, who is not the message's author where packets are forwarded."""

    sender: ProcessId
    message: Message | None
    stamp: Stamp

    @property
    def control_entries(self) -> int:
        return self.stamp.entries


class Need(NamedTuple):
    """A dependency: the level of `key` at this process must have reached `level`.

    A key is a sender, or a sender seen in a group, or whatever an algorithm counts by.
    """

    key: Hashable
    level: int
