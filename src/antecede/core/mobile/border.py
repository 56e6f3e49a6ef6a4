"""The checks of a packet that comes in: all that can be asked of it before it changes anything.

Hosts are strangers' devices: what one says is held to what its station knows of it. Stations run the protocol together
and believe each other about where hosts are; but a packet must come from a station, be about hosts and stations that
exist, and carry a message only to its own destinations.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from antecede.core.errors import RemoteViolation
from antecede.core.mobile.host_and_station_frames import (
    Acknowledge,
    AcknowledgeAll,
    Begin,
    Carried,
    Cast,
    Delete,
    Handover,
    Last,
    Moved,
    Notify,
    Old,
    Over,
    Relayed,
)
from antecede.core.roster import checked_packet
from antecede.core.types import Message, Packet, ProcessId

MOVES = (Begin, Handover, Moved, Notify, Last, Over)
"""Those of a hand-off, of which there is none for a station that is a host of its own cell."""
ABOUT_HOST = (Begin, Handover, Moved, Acknowledge, Old, Notify, Last, Over)
STATIONS: dict[type, tuple[str, ...]] = {Begin: ("to",), Moved: ("at",), Notify: ("previous", "to")}
"""The fields that name a station."""
CONTROL = (Begin, Handover, Moved)
"""Those that every protocol has."""
WITH_MESSAGE = (Carried, Cast, Relayed, Old)
ALONE = (Begin, Handover, Moved, Acknowledge, AcknowledgeAll, Delete, Notify, Last, Over)


def check_wire(
    packet: Packet, hosts: Collection[ProcessId], stations: Collection[ProcessId], static: Collection[ProcessId] = ()
) -> None:
    """Raise `RemoteViolation` if no station with these hosts and stations could have sent this packet on a wire.

    Hosts that are `static` do not move, as if they were stations.
    """
    checked_packet(packet)
    stamp, message = packet.stamp, packet.message
    what = f"the {type(stamp).__name__} of {packet.sender}"
    if packet.sender not in stations:
        raise RemoteViolation(f"{what} is refused: {packet.sender!r} is not among the stations {sorted(stations)}")
    if isinstance(stamp, WITH_MESSAGE if message is None else ALONE):
        raise RemoteViolation(f"{what} comes {'without' if message is None else 'with'} a message")
    if isinstance(stamp, ABOUT_HOST) and stamp.host not in hosts:
        raise RemoteViolation(f"{what} is about {stamp.host!r}, which is not a known host")
    if isinstance(stamp, AcknowledgeAll) and (not stamp.hosts or any(host not in hosts for host in stamp.hosts)):
        raise RemoteViolation(f"{what} is about {sorted(stamp.hosts)}, which are not all known hosts, or nobody")
    if isinstance(stamp, MOVES) and (stamp.host in stations or stamp.host in static):
        raise RemoteViolation(f"{what} is about {stamp.host!r}, a station, which does not move")
    for name in STATIONS.get(type(stamp), ()):
        if getattr(stamp, name) not in stations:
            raise RemoteViolation(f"{what} names {getattr(stamp, name)!r}, which is not a station")
    if message is not None:
        _check_message(what, message, stamp, hosts, stations)


def without_departed(packet: Packet, departed: frozenset[ProcessId]) -> Packet | None:
    """Return the packet without what is for hosts that were removed.

    Return None if such a host sent the packet, if it is about one, or if all of its destinations were removed.
    """
    checked_packet(packet)
    stamp, message = packet.stamp, packet.message
    if not departed:
        return packet
    if message is not None and message.sender in departed:
        return None
    if isinstance(stamp, ABOUT_HOST) and stamp.host in departed:
        return None
    if not isinstance(stamp, Carried) or departed.isdisjoint(stamp.to):
        return packet
    to = stamp.to - departed
    return replace(packet, stamp=replace(stamp, to=to)) if to else None


def _check_message(
    what: str, message: Message, stamp: object, hosts: Collection[ProcessId], stations: Collection[ProcessId]
) -> None:
    places: Collection[ProcessId] = ()
    to: frozenset[ProcessId] = message.dests
    if isinstance(stamp, Carried):
        to = stamp.to
    elif isinstance(stamp, Old):
        to = frozenset({stamp.host})
    elif isinstance(stamp, Relayed):
        places, to = stamp.at.keys(), frozenset().union(*stamp.at.values())
    if not to or not to <= message.dests or not all(host in hosts for host in to):
        raise RemoteViolation(f"{what} carries message {message.id} for {sorted(message.dests)} to {sorted(to)}")
    if message.sender not in hosts or not all(place in stations for place in places):
        raise RemoteViolation(f"{what} has message {message.id} of an unknown host, or for an unknown station")


def not_for_stations(packet: Packet) -> RemoteViolation:
    """Return the error for a stamp that no station sends to another with this protocol."""
    return RemoteViolation(f"{packet.sender} sent a {type(packet.stamp).__name__} to a station")


def check_at_most(claimed: int, known: int, who: ProcessId, what: str) -> None:
    """Raise `RemoteViolation` if somebody claims to have more than there is."""
    if claimed > known:
        raise RemoteViolation(f"{who} says {what} up to {claimed}, but there are {known}")
