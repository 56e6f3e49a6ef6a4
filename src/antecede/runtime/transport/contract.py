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
lost the state of a process can not go on under its name, because everybody else still counts its messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from antecede.core.errors import AntecedeError, Misuse
from antecede.core.types import ProcessId

TRACE = ""
"""The name, which no process has, of the stream that `trace_to` named."""


class Unreachable(AntecedeError):
    """It is not known whether the data is in the inbox. Publish it again later; the message says what is missing."""


class NameTaken(Misuse):
    """The inbox of this name belongs to another incarnation: choose another name, or give the store that it had."""


@dataclass(frozen=True, slots=True, eq=False)
class Received:
    """Data from the inbox. `receipt` is the transport's own, for `ack` and `retry`."""

    sender: ProcessId | None
    data: bytes
    receipt: object


class Transport(Protocol):
    """The inbox of one process, and the way to those of the others."""

    @property
    def data_bytes_max(self) -> int:
        """The longest data that `publish` takes."""
        ...

    def trace_to(self, stream: str) -> None:
        """To be called before `open`: what is published to `TRACE` goes to this stream, made where there is none."""
        ...

    async def open(self) -> None:
        """Connect, and make the inbox where there is none. `NameTaken` where it is another incarnation's."""
        ...

    async def close(self) -> None:
        """Disconnect. The inbox stays, and goes on filling."""
        ...

    async def retire(self) -> None:
        """Delete the inbox: this process has left the space for good. Still to be closed."""
        ...

    async def publish(self, to: ProcessId, data: bytes, key: str) -> None:
        """Put `data` into the inbox of `to`. Data with the same key, published twice soon after, may be kept once."""
        ...

    async def receive(self) -> Sequence[Received]:
        """At least one, as soon as there is one; in the order of the inbox where nothing was redelivered."""
        ...

    async def ack(self, batch: Sequence[Received]) -> None:
        """These are safe here: never receive them again (but for acknowledgements that are lost on the way)."""
        ...

    async def retry(self, batch: Sequence[Received], delay_s: float) -> None:
        """These could not be taken now: receive them again, not before `delay_s`."""
        ...

    async def peers(self) -> list[ProcessId]:
        """Everybody who has an inbox in this space, sorted, as far as can be seen from here."""
        ...


class Network(Protocol):
    """Where transports come from. A URL is turned into one by `antecede.runtime.transport.urls.network_of`."""

    def transport(self, space: str, process: ProcessId, incarnation: str) -> Transport:
        """The transport of one process, not open yet."""
        ...

    async def start(self) -> None:
        """Called before the first transport is opened: an embedded server is started here."""
        ...

    async def stop(self) -> None:
        """Called after the last transport is closed."""
        ...
