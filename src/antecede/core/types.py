"""The nouns of the core: who, which message, and what travels on the wire.

All of them are immutable. A `Packet` is a `Message` and the `Stamp` an algorithm put on it; a control
packet (a token, a resynchronisation, an acknowledgement) is a stamp with no message.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, Protocol, TypeAlias

ProcessId: TypeAlias = str
GroupId: TypeAlias = str

MESSAGES_LISTED_MAX = 10_000
"""A stamp may claim any number of predecessors; `Pending.messages` does not list them all."""


class MessageId(NamedTuple):
    """The identity of a message: the `seq`-th message of `sender`, counted from 1. It is unique if names are not
    reused.
    """

    sender: ProcessId
    seq: int

    def __str__(self) -> str:
        return f"{self.sender}:{self.seq}"


@dataclass(frozen=True, slots=True)
class Message:
    """What the application sends: its destinations, its group if it was sent to one, and its bytes."""

    id: MessageId
    dests: frozenset[ProcessId]
    payload: bytes
    group: GroupId | None = None

    @property
    def sender(self) -> ProcessId:
        """Return the process that sent the message."""
        return self.id.sender


class Stamp(Protocol):
    """The control information that an algorithm attaches to a message. Each algorithm has its own class."""

    @property
    def entries(self) -> int:
        """Return the size in the unit of the paper. `AlgorithmInfo.unit` says in words what one entry is."""
        ...

    def write(self, to: Any) -> None:
        """Append the wire form to a `shapes.Writer`. The class has a `read` that takes a `shapes.Reader`."""
        ...


@dataclass(frozen=True, slots=True)
class Packet:
    """A message and its stamp, on the wire. `message` is None for a control packet. `sender` is not the message's
    author if the packet was forwarded.
    """

    sender: ProcessId
    message: Message | None
    stamp: Stamp

    @property
    def control_entries(self) -> int:
        """Return the size of the stamp, in the unit of the paper."""
        return self.stamp.entries


class Need(NamedTuple):
    """A dependency that is not met: things `first` to `last` of `sender`, counted in `scope`, are missing here.

    With an empty scope they are the sender's messages by their `seq`. Other scopes are what an algorithm counts
    by, written "noun|rest", such as "|in g1" or "phase|in g1"; with the sender they are the key a held packet
    is filed under.
    """

    sender: ProcessId
    first: int
    last: int
    scope: str = ""

    def __str__(self) -> str:
        noun, _, rest = self.scope.partition("|")
        noun = noun or "message"
        numbers = f"{noun} {self.last}" if self.first >= self.last else f"{noun}s {self.first} to {self.last}"
        return f"{numbers} of {self.sender} {rest}".rstrip()


class Reached(NamedTuple):
    """The count of `sender` in `scope` has risen to `level`: needs up to it are met."""

    sender: ProcessId
    level: int
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Pending:
    """A message that has arrived and cannot be delivered (or sent on) yet, with everything that it still waits for."""

    message: Message
    needs: tuple[Need, ...]

    @property
    def messages(self) -> tuple[MessageId, ...]:
        """Return the missing messages whose identities the algorithm knows: at most the first 10,000."""
        missing = (
            MessageId(need.sender, seq)
            for need in self.needs
            if not need.scope
            for seq in range(need.first, need.last + 1)
        )
        return tuple(islice(missing, MESSAGES_LISTED_MAX))

    def __str__(self) -> str:
        return f"{self.message.id} waits for " + ("; ".join(map(str, self.needs)) or "nothing")
