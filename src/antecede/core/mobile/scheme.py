"""What each protocol adds to a station: how a message finds its destinations, and when a host may get it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from antecede.core.mobile import handoff
from antecede.core.mobile.effects import Effect
from antecede.core.mobile.luggage import Luggage
from antecede.core.types import Message, MessageId, Need, Packet, ProcessId

if TYPE_CHECKING:
    from antecede.core.mobile.station import Station


class Held(NamedTuple):
    """A message that is here for `host` and may not be delivered yet, and what it waits for if that is known."""

    host: ProcessId
    message: MessageId
    needs: tuple[Need, ...] = ()


Waiter: TypeAlias = tuple[ProcessId, MessageId]
"""A host and a message that may not be delivered to it yet."""


def message_of(packet: Packet) -> Message:
    """Return the message of a packet that must have one."""
    assert packet.message is not None
    return packet.message


class Scheme(Protocol):
    """One protocol's part of a station. Actions of its table that are not the station's own are methods of it:
    `action(station, host, berth, subject)`, where the subject is what caused the event. An action without effects may
    return None.
    """

    @property
    def table(self) -> handoff.Table:
        """Return the table of the protocol's hand-off."""

    def join(self, host: ProcessId, home: ProcessId) -> Any:
        """Admit a new host, and return what the protocol keeps in its luggage."""

    def is_luggage(self, luggage: Luggage) -> bool:
        """Return whether a station of this protocol may have packed this luggage of its host."""

    def check(self, station: Station, packet: Packet) -> None:
        """Raise `RemoteViolation`, or `HoldBackFull` if there is no room, before `receive` changes anything."""

    def wire(self, station: Station, to: ProcessId, packet: Packet) -> Iterator[Effect]:
        """Send a control packet to a station, perhaps to this one."""

    def receive(self, station: Station, packet: Packet) -> Iterator[Effect]:
        """Take a packet from a wire. Hand-off control goes to `station.control`."""

    def send(self, station: Station, luggage: Luggage, message: Message, got: int) -> Iterator[Effect]:
        """Take the next message of a host, sent when the host had delivered `got` messages.

        Raise `HoldBackFull` before anything is changed.
        """

    def acknowledged(
        self, station: Station, luggage: Luggage, taken: list[tuple[Message, Any]], got: int
    ) -> Iterator[Effect]:
        """Note that the host has `taken`, in this order, and sends what follows after it had the first `got`."""

    def forget(self, station: Station, host: ProcessId) -> Iterator[Effect]:
        """Drop all that is known of `host`, which is gone for good, and wait for nothing of it."""

    def waiters(self, station: Station) -> Iterator[Waiter]:
        """Yield what may not be delivered yet, without working out what it waits for."""

    def held(self, station: Station) -> Iterator[Held]:
        """Yield the same, with what it waits for."""

    def resume(self, station: Station, luggage: Luggage | None) -> None:
        """Rebuild what a snapshot leaves out: of the station if `luggage` is None, else of that luggage."""
