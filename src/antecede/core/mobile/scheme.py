"""A protocol's part of a station: how a message finds its destinations' stations, and when it may go to a host."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from antecede.core.mobile import handoff
from antecede.core.mobile.effects import Effect
from antecede.core.mobile.luggage import Luggage
from antecede.core.types import Message, MessageId, Need, Packet, ProcessId

if TYPE_CHECKING:
    from antecede.core.mobile.station import Station


class Held(NamedTuple):
    """A message that is here for `host` and may not be delivered yet, and what it waits for where that is known."""

    host: ProcessId
    message: MessageId
    needs: tuple[Need, ...] = ()


class Scheme(Protocol):
    """One protocol's part of a station. Actions of its table that are not the shell's own are methods of it:
    `action(station, host, berth, subject)`, where the subject is what caused the event."""

    @property
    def table(self) -> handoff.Table: ...

    def join(self, host: ProcessId, home: ProcessId) -> Any:
        """There is a new host: what the protocol keeps in its luggage."""
        ...

    def is_mind(self, mind: object, host: ProcessId) -> bool:
        """Is this what the protocol keeps in the luggage of `host`?"""
        ...

    def check(self, station: Station, packet: Packet) -> None:
        """`RemoteViolation`, or `HoldBackFull` where there is no room, before `receive` changes anything."""
        ...

    def wire(self, station: Station, to: ProcessId, packet: Packet) -> Iterator[Effect]:
        """Send a control packet to a station, perhaps to this one."""
        ...

    def receive(self, station: Station, packet: Packet) -> Iterator[Effect]:
        """Take a packet from a wire; hand-off control goes to `station.control`."""
        ...

    def send(self, station: Station, luggage: Luggage, message: Message, got: int) -> Iterator[Effect]:
        """The next message of a host, sent when it had delivered `got`. `HoldBackFull` before anything is changed."""
        ...

    def acknowledged(
        self, station: Station, luggage: Luggage, taken: list[tuple[Message, Any]], got: int
    ) -> Iterator[Effect]:
        """The host has `taken`, in this order; all it sends from now on was sent after it had the first `got`."""
        ...

    def forget(self, station: Station, host: ProcessId) -> Iterator[Effect]:
        """`host` is gone for good: nothing is known of it any more, and nothing waits for it."""
        ...

    def held(self, station: Station) -> Iterator[Held]:
        """What may not be delivered yet."""
        ...

    def resume(self, station: Station, luggage: Luggage | None) -> None:
        """Rebuild what a snapshot leaves out, of the station or of luggage."""
        ...
