"""Evidence that the store of a station or host fell back: numbers that were used twice, and hosts that know more.

A station knows the content of the messages that came in last (`RecentMessages`), from its hosts and from other
stations. A second message with the same number and other content is refused and told, instead of being dropped as a
repetition. And a host says what it has when it comes (`HostMemory`): how many of its messages stations have taken, how
many it got, and a checksum of the last of them. If its luggage does not say the same, a station that keeps the luggage,
or has handed it on, has lost steps. Then the host is refused before anything more is lost, and the station is named.
"""

from __future__ import annotations

from collections.abc import Mapping

from antecede.core.errors import RemoteViolation
from antecede.core.mobile.luggage import Luggage
from antecede.core.types import Message, Packet, ProcessId
from antecede.runtime.roaming.websocket import HostMemory
from antecede.runtime.state.recent_messages import RecentMessages, ReusedNumber, message_checksum
from antecede.runtime.state.store import Store

FELL_BACK_MAX = 100


class Evidence:
    """What a station has seen."""

    def __init__(self, store: Store) -> None:
        self._recent = RecentMessages(store)
        self.fell_back: dict[ProcessId, str] = {}
        """Hosts that have more than their luggage says, and what they have: the last `FELL_BACK_MAX`."""

    @property
    def reused(self) -> Mapping[ReusedNumber, int]:
        """Return how often each number was used again."""
        return self._recent.reused

    def check(self, packet: Packet, station: ProcessId | None = None) -> None:
        """Raise `RemoteViolation` if the number of the message in `packet`, if it has one, was used for another one.

        `station` is the station that the packet comes from, or None if it comes from the host itself.
        """
        if packet.message is not None:
            self._recent.check(packet.message, station)

    def note(self, message: Message | None) -> None:
        """Remember a message that was taken."""
        if message is not None:
            self._recent.note(message)

    def save(self) -> None:
        """Stage what is remembered as facts of the store. Call this before the store takes a snapshot."""
        self._recent.save()

    def compare(self, has: HostMemory, luggage: Luggage, me: ProcessId) -> None:
        """Raise `RemoteViolation` if a host has more than its luggage says, which is at station `me`, or another
        message.
        """
        reason = _find_difference(has, luggage, me)
        if not reason:
            return
        self.fell_back.pop(luggage.host, None)
        self.fell_back[luggage.host] = reason
        if len(self.fell_back) > FELL_BACK_MAX:
            del self.fell_back[next(iter(self.fell_back))]
        raise RemoteViolation(f"{reason}: the store of a station fell back")


def _find_difference(has: HostMemory, luggage: Luggage, me: ProcessId) -> str:
    """Return what a host has, and its luggage does not say, or an empty string."""
    if has.taken > luggage.sent:
        return f"{me} knows of {_count(luggage.sent)} from {luggage.host}, and {has.taken} were taken"
    if has.got > luggage.serial:
        return f"{me} knows of {_count(luggage.serial)} to {luggage.host}, which got {has.got}"
    last, _ = luggage.outbox.get(has.got, (None, None))
    if last is not None and has.last is not None and has.last != message_checksum(last):
        return f"{me} has another message {has.got} for {luggage.host} than the host got"
    return ""


def _count(messages: int) -> str:
    return f"{messages} message{'s' * (messages != 1)}"
