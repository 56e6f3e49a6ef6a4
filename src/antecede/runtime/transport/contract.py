"""What the runtime asks of a message broker: a durable inbox for every process, and no order at all.

A **network** makes the **transport** of one process of one space. The process owns one inbox, which may live on another
server than those of its peers; anybody may publish into it. Nothing here orders anything: packets may overtake each
other between inboxes, and inside one after a redelivery. What a transport owes:

1. `publish` returns once the destination's inbox has the data durably, and raises `Unreachable` when that is not known.
   The caller then publishes again, with the same `key`; the inbox may end up with the data twice.
2. `receive` returns what is in the inbox, in batches, each with the name of its publisher as far as the broker vouches
   for it (`Received.sender` is `None` where it does not).
3. What was not acknowledged is received again: after `retry`, after a time, and after a restart. What was, is not.
4. A lost connection is the transport's own affair: it reconnects for ever. `receive` simply takes longer.

`incarnation` identifies the durable state behind a name. An inbox belongs to the incarnation that made it: whoever
lost the state of a process cannot go on under its name, because everybody else still counts its messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Protocol

from antecede.core.errors import AntecedeError, Misuse
from antecede.core.types import ProcessId

TRACE = ""
"""The name, which no process has, of the stream that `trace_to` named."""


class Unreachable(AntecedeError):
    """It is not known whether the data is in the inbox. Publish it again later; the message says what is missing."""


class NameTaken(Misuse):
    """The inbox of this name belongs to another incarnation. Choose another name, or give the store that it had."""


@dataclass(frozen=True, slots=True, eq=False)
class Received:
    """Data from the inbox. `receipt` is the transport's own, for `ack` and `retry`. `sender` is None if it is not
    known.
    """

    sender: ProcessId | None
    data: bytes
    receipt: object


class Transport(Protocol):
    """The inbox of one process, and the way to the inboxes of the others. The module lists what a transport owes."""

    @property
    def data_bytes_max(self) -> int:
        """The length of the longest data that `publish` takes."""
        ...

    def trace_to(self, stream: str) -> None:
        """Send what is published to `TRACE` to this stream, which is made if there is none. Call it before `open`."""
        ...

    async def open(self) -> None:
        """Connect, and make the inbox if there is none. Raise `NameTaken` if it belongs to another incarnation."""
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

    async def peers(self) -> list[ProcessId]:
        """Return everybody who has an inbox in this space, sorted, as far as can be seen from here."""
        ...


class Network(Protocol):
    """What makes transports. `antecede.runtime.transport.urls.network_of` makes a network of a URL."""

    def transport(self, space: str, process: ProcessId, incarnation: str) -> Transport:
        """Return the transport of one process, not open yet."""
        ...

    async def start(self) -> None:
        """Start what has to run before the first transport is opened, such as an embedded server."""
        ...

    async def stop(self) -> None:
        """Stop what `start` started, after the last transport is closed."""
        ...


async def open_transport(stack: AsyncExitStack, transport: Transport, trace_stream: str | None) -> Transport:
    """Open a transport that `stack` closes, and return it. `trace_stream` is the stream of the trace, if it has one."""
    transport.trace_to(trace_stream or "")
    stack.push_async_callback(transport.close)
    await transport.open()
    return transport
