"""What the entries of the log do to the core's station, when they come in and when they are replayed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from antecede.core.errors import LimitReached, Misuse, RemoteViolation
from antecede.core.mobile.effects import Effect
from antecede.core.mobile.host_and_station_frames import Begin, Carried, Handover, Moved, Old
from antecede.core.mobile.luggage import Terms
from antecede.core.mobile.protocols import restore
from antecede.core.mobile.station import Station
from antecede.core.types import Packet, ProcessId
from antecede.runtime.roaming.home_station import home
from antecede.runtime.roaming.websocket import decode_packet
from antecede.runtime.state.log_entries import (
    AgreeEntry,
    HearEntry,
    MeetEntry,
    ReceiveEntry,
    RemoveEntry,
    StationEntry,
    TickEntry,
)


def restore_station(state: bytes) -> Station:
    station = restore(state)
    assert isinstance(station, Station), "the store of a station has the snapshot of one"
    return station


def apply_entry(station: Station, entry: StationEntry) -> list[Effect]:
    """Give a station an entry of the log, and return the effects."""
    match entry:
        case HearEntry(data):
            return station.hear(decode_packet(data))
        case ReceiveEntry(_, _, data):
            return _receive(station, decode_packet(data))
        case TickEntry(now):
            return station.tick(now)
        case RemoveEntry(host):
            return station.remove(host)
        case AgreeEntry(host, when_asleep, stored_max):
            station.agree(host, None if when_asleep is None or stored_max is None else Terms(when_asleep, stored_max))
        case MeetEntry(host):
            _join(station, host)
        case _:
            assert_never(entry)
    return []


def _receive(station: Station, packet: Packet) -> list[Effect]:
    """Give a station a packet of another. Hosts that the packet names are known from then on, unless it is refused."""
    new = strangers(station, packet)
    try:
        for host in new:
            _join(station, host)
        return station.receive(packet)
    except (RemoteViolation, LimitReached):
        for host in new:
            station.berths.pop(host, None)
        raise


def _join(station: Station, host: ProcessId) -> None:
    if host in station.stations:
        raise RemoteViolation(f"{host!r} is the name of a station, and no host can have it")
    try:
        station.join(host, home(host, station.stations))
    except Misuse as error:
        raise RemoteViolation(str(error)) from None


def strangers(station: Station, packet: Packet) -> list[ProcessId]:
    """Return the hosts that a packet names and that the station does not know."""
    return sorted(set(_named(packet)) - station.berths.keys() - station.departed)


def _named(packet: Packet) -> Iterator[ProcessId]:
    """Yield the hosts that a station has to know to deal with a packet."""
    stamp = packet.stamp
    if packet.message is not None:
        yield packet.message.sender
    if isinstance(stamp, Carried) and packet.message is not None:
        yield from sorted(stamp.to & packet.message.dests)
    elif isinstance(stamp, (Begin, Handover, Moved, Old)):
        yield stamp.host
