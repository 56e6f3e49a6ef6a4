"""What the runtime asks of a message broker: a durable inbox for every process, a register of names, and no order.

A **network** makes the **transport** of one process of one space. The process owns one inbox, which may live on another
server than those of its peers; anybody may publish into it. Nothing here orders anything: packets may overtake each
other between inboxes, and inside one after a redelivery. What a transport owes:

1. `publish` returns once the destination's inbox has the data durably, and raises `Unreachable` when that is not known.
   The caller then publishes again, with the same `key`; the inbox may end up with the data twice.
2. `receive` returns what is in the inbox, in batches, each with the name of its publisher as far as the broker vouches
   for it (`Received.sender` is `None` if it does not).
3. What was not acknowledged is received again: after `retry`, after a time, and after a restart. What was, is not.
4. A lost connection is the transport's own affair: it reconnects for ever. `receive` simply takes longer, and `outage`
   says why.
5. `open` claims the name: it replaces the name's `Registration` at the broker by that of the `Claimant`, if nobody
   else has replaced it meanwhile (compare and set). From the moment that somebody else has claimed the name,
   `publish`, `ack`, `retry`, `receive` and `report` raise `NameLost`, and the inbox goes to the other.
6. `report` tells the broker how far the process has come, so that an older copy of its state can be told from it.

`incarnation` identifies the durable state behind a name. An inbox belongs to the incarnation that made it: whoever
lost the state of a process cannot go on under its name, because everybody else still counts its messages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Protocol

from antecede.core.errors import AntecedeError, Misuse
from antecede.core.types import ProcessId

TRACE = ""
"""The name, which no process has, of the stream that `trace_to` named."""


class Unreachable(AntecedeError):
    """It is not known whether the data is in the inbox. Publish it again later; the message says what is missing."""


class NoInbox(Unreachable):
    """The destination has no inbox: it was never started, or has left."""


class NameTaken(Misuse):
    """The inbox of this name belongs to another incarnation. Choose another name, or give the store that it had."""


class OlderCopy(NameTaken):
    """The store is older than what the broker knows of its process: a copy that was brought back, or a copy of which
    another runs. The message says what to do.
    """


class NameLost(AntecedeError):
    """Another process has claimed the name of this one, or the broker has lost its data and does not know the name.

    This process sends and acknowledges nothing more, and stops.
    """


@dataclass(frozen=True, slots=True)
class Registration:
    """What the broker keeps about a name.

    `epoch` rises with every claim, and `nonce` is a random word that only the store of the claimant knows. `progress`
    is how far its process has come. `form` is the newest form of the wire that it reads. `has_left` is true if it has
    left the space for good.
    """

    incarnation: str
    epoch: int
    nonce: str
    progress: int = 0
    form: int = 1
    has_left: bool = False


class Claimant(Protocol):
    """Whoever claims a name: the durable state behind it."""

    def claim(self, found: Registration | None) -> Registration:
        """Return what to register, which is durable then, after `found`. Raise `NameTaken` if the name is not ours."""
        ...

    def confirm(self, written: Registration) -> None:
        """Note that the broker has `written`."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Received:
    """Data from the inbox. `receipt` is the transport's own, for `ack` and `retry`. `sender` is None if it is not
    known. `number` rises in the order in which the inbox got the data.
    """

    sender: ProcessId | None
    data: bytes
    receipt: object
    number: int = 0


class Transport(Protocol):
    """The inbox of one process, and the way to the inboxes of the others. The module lists what a transport owes."""

    @property
    def data_bytes_max(self) -> int:
        """Return the length of the longest data that `publish` takes."""
        ...

    @property
    def outage(self) -> str:
        """Return why there is no connection to the broker now, and what to do; or an empty string if there is one."""
        ...

    def trace_to(self, stream: str) -> None:
        """Send what is published to `TRACE` to this stream, which is made if there is none. Call it before `open`."""
        ...

    async def open(self, claimant: Claimant | None = None) -> None:
        """Connect, claim the name, and make the inbox if there is none. Without a claimant, claim nothing.

        Raise `NameTaken` if the name belongs to another incarnation, and `OlderCopy` if it is used by another copy.
        """
        ...

    async def close(self) -> None:
        """Disconnect. The inbox stays, and goes on filling."""
        ...

    async def retire(self) -> None:
        """Delete the inbox, because this process has left the space for good. The transport is still to be closed."""
        ...

    async def publish(self, to: ProcessId, data: bytes, key: str) -> None:
        """Put `data` into the inbox of `to`. If data with the same key is published twice soon after, it may be kept
        once.
        """
        ...

    async def receive(self) -> Sequence[Received]:
        """Return at least one item, as soon as there is one, in the order of the inbox if nothing was redelivered."""
        ...

    async def ack(self, batch: Sequence[Received]) -> None:
        """Acknowledge items that are safe here. They do not come again, unless the acknowledgement is lost."""
        ...

    async def retry(self, batch: Sequence[Received], delay_s: float) -> None:
        """Hand items back that cannot be taken now. They come again, not before `delay_s`."""
        ...

    async def waiting(self) -> int:
        """Return how many items the inbox has that were not acknowledged."""
        ...

    async def peers(self) -> list[ProcessId]:
        """Return everybody who has an inbox in this space, sorted, as far as can be seen from here."""
        ...

    async def form_of(self, process: ProcessId) -> int | None:
        """Return the newest form of the wire that a process reads, or None if it has not said so where we can see it.

        Raise `Unreachable` if the broker does not answer.
        """
        ...

    async def report(self, progress: int) -> None:
        """Tell the broker how far this process has come. Raise `Unreachable` if it does not answer."""
        ...

    async def answer_status(self, answer: Callable[[], Mapping[str, object]]) -> None:
        """Answer everybody who asks for the status of this process, from now on. Do nothing if nobody can ask."""
        ...


class Network(Protocol):
    """What makes transports. `antecede.runtime.transport.urls.network_of` makes a network of a URL."""

    def transport(self, space: str, process: ProcessId, incarnation: str) -> Transport:
        """Return the transport of one process, not open yet."""
        ...

    async def start(self, *, flushes: bool = False) -> None:
        """Start what has to run before the first transport is opened, such as an embedded server.

        With `flushes`, a server that is started here flushes every message to the disk, to survive a power cut.
        """
        ...

    async def stop(self) -> None:
        """Stop what `start` started, after the last transport is closed."""
        ...


async def open_transport(
    stack: AsyncExitStack, transport: Transport, trace_stream: str | None, claimant: Claimant
) -> Transport:
    """Open a transport that `stack` closes, and return it. `trace_stream` is the stream of the trace, if it has one."""
    transport.trace_to(trace_stream or "")
    stack.push_async_callback(transport.close)
    await transport.open(claimant)
    return transport


def name_taken(space: str, process: ProcessId) -> NameTaken:
    """Return the error for a name that belongs to another store."""
    return NameTaken(
        f"{process!r} has been in space {space!r} with another store, and a name cannot be used again: give that "
        "store, or another name"
    )


def name_lost(space: str, process: ProcessId, now: Registration | None) -> NameLost:
    """Return the error for a name that somebody else has claimed since."""
    if now is None:
        return NameLost(
            f"the broker has lost its data: it does not know {process!r} in space {space!r} any more, or has no inbox "
            "of it. What was only in inboxes is lost, and messages that depend on it will wait. Start again"
        )
    return NameLost(
        f"{process!r} in space {space!r} was started somewhere else with a copy of this store (epoch {now.epoch}). "
        "This process sends and takes nothing more: stop one of the two, and never run two copies of a store"
    )
