"""Stations without order, to compare with: the same hand-off, and every message to its host when the broker brings it.

Duplicates are dropped by the identity of the message, as any consumer would. A message on the air that was taken is
passed on at once; what is for a host that has moved follows it. Nothing is stamped and nothing is held back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from antecede.core.effects import Transmit
from antecede.core.mobile import border, handoff
from antecede.core.mobile.effects import Effect
from antecede.core.mobile.host_and_station_frames import Old
from antecede.core.mobile.luggage import Berth, Luggage, Policy
from antecede.core.mobile.scheme import Held, Waiter
from antecede.core.mobile.station import Station
from antecede.core.snapshot import values
from antecede.core.types import Message, MessageId, Packet, ProcessId


@values.storable("Seen")
@dataclass(slots=True)
class Seen:
    """What a host was given."""

    ids: set[MessageId] = field(default_factory=set)


@values.storable("PlainScheme")
@dataclass(slots=True)
class PlainScheme:
    """See the module; for the meaning of the methods, `antecede.core.mobile.scheme`."""

    kind: str = "plain"

    @property
    def table(self) -> handoff.Table:
        return handoff.SIMPLE

    def join(self, host: ProcessId, home: ProcessId) -> Seen:  # noqa: ARG002
        return Seen()

    def is_luggage(self, luggage: Luggage) -> bool:
        return isinstance(luggage.mind, Seen)

    def check(self, station: Station, packet: Packet) -> None:
        border.check_wire(packet, station.berths, station.stations)

    def wire(self, station: Station, to: ProcessId, packet: Packet) -> Iterator[Effect]:  # noqa: ARG002
        yield Transmit(to, packet)

    def send(self, station: Station, luggage: Luggage, message: Message, got: int) -> Iterator[Effect]:  # noqa: ARG002
        for host in sorted(message.dests - {luggage.host}):
            yield from self._take(station, host, Packet(station.me, message, Old(host)))

    def receive(self, station: Station, packet: Packet) -> Iterator[Effect]:
        if packet.message is None or not isinstance(packet.stamp, Old):
            yield from station.control(packet)
            return
        yield from self._take(station, packet.stamp.host, packet)

    def acknowledged(
        self, station: Station, luggage: Luggage, taken: list[tuple[Message, Any]], got: int
    ) -> Iterator[Effect]:
        del station, luggage, taken, got
        yield from ()

    def forget(self, station: Station, host: ProcessId) -> Iterator[Effect]:
        del station, host
        yield from ()

    def waiters(self, station: Station) -> Iterator[Waiter]:
        del station
        yield from ()

    def held(self, station: Station) -> Iterator[Held]:
        del station
        yield from ()

    def resume(self, station: Station, luggage: Luggage | None) -> None:
        """Do nothing: everything is in the snapshot."""

    def unpack(self, station: Station, host: ProcessId, berth: Berth, _: object) -> Iterator[Effect]:
        """Take the packets that waited for the luggage of `host`, which is here now."""
        waiting, berth.waiting = berth.waiting, []
        for packet in waiting:
            yield from self._take(station, host, packet)

    release = unpack

    def _take(self, station: Station, host: ProcessId, packet: Packet) -> Iterator[Effect]:
        berth, message = station.berth(host), packet.message
        assert message is not None
        if berth.luggage is not None:
            seen: Seen = berth.luggage.mind
            if message.id not in seen.ids:
                seen.ids.add(message.id)
                yield from station.deliver(berth, message)
        elif berth.state == handoff.AWAITED:
            berth.waiting.append(packet)
        else:
            yield Transmit(berth.at, packet)


def plain_station(name: ProcessId, stations: tuple[ProcessId, ...], policy: Policy) -> Station:
    """Return a station that keeps no order."""
    return Station(name, stations, PlainScheme(), policy)
