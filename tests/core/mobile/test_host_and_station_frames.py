"""Everything on the air and on the wires has a form in bytes, and bytes that have none are refused."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

import antecede
from antecede import Message, MessageId, Packet, WireError
from antecede.core.mobile import host_and_station_frames as frames
from antecede.core.ordering.ks import KsStamp
from antecede.core.wire.shapes import STAMPS

MESSAGE = Message(MessageId("h1", 7), frozenset({"h2", "h3"}), b"hello")
KS = KsStamp({"h2": {3: frozenset({"h4"})}}, {"h3": {"h1": 6}}, {"h1": 6, "h2": 4})
PACKETS = (
    Packet("h1", None, frames.Register(3, "s2")),
    Packet("h1", None, frames.RegisterFrom(3, "s2", "s3")),
    Packet("s1", None, frames.Welcome(3, 41)),
    Packet("h1", None, frames.Leave(3)),
    Packet("h1", MESSAGE, frames.Uplink(300)),
    Packet("s1", None, frames.Taken(7)),
    Packet("s1", MESSAGE, frames.Downlink(12)),
    Packet("h1", None, frames.Got(12, 7)),
    Packet("s1", None, frames.Begin("h1", 3, "s1", 2)),
    Packet("s2", None, frames.Handover("h1", 3, b"\x00\xff luggage")),
    Packet("s2", None, frames.Moved("h1", 3, 3, "s1")),
    Packet("s1", MESSAGE, frames.Carried(frozenset({"h2"}), 5, KS)),
    Packet("s1", MESSAGE, frames.Cast(0, KS)),
    Packet("s2", None, frames.Acknowledge("h2", 0)),
    Packet("s1", None, frames.Delete(0)),
    Packet("s1", MESSAGE, frames.Relayed({"s2": frozenset({"h2"}), "s3": frozenset({"h3"})})),
    Packet("s1", MESSAGE, frames.Old("h2")),
    Packet("s1", None, frames.Notify("h1", 3, "s2", "s1")),
    Packet("s1", None, frames.Last("h1", 3)),
    Packet("s1", None, frames.Over("h1", 3)),
    Packet("s2", None, frames.AcknowledgeAll(frozenset({"h2", "h3"}), 0)),
)
NAMES = ("h1", "h2", "h3", "h4", "s1", "s2", "s3")


def test_there_is_a_packet_here_for_every_form() -> None:
    mine = {cls for cls in STAMPS.values() if cls.__module__ == frames.__name__}
    assert {type(packet.stamp) for packet in PACKETS} == mine
    assert {tag for tag, cls in STAMPS.items() if cls in mine} == {*range(40, 48), *range(50, 63)}


@pytest.mark.parametrize("packet", PACKETS, ids=lambda packet: type(packet.stamp).__name__)
@pytest.mark.parametrize("roster", [(), NAMES])
def test_bytes_and_back(packet: Packet, roster: tuple[str, ...]) -> None:
    assert antecede.decode(antecede.encode(packet, roster), roster) == packet


@pytest.mark.parametrize("packet", PACKETS, ids=lambda packet: type(packet.stamp).__name__)
def test_damaged_bytes_are_another_packet_or_refused(packet: Packet) -> None:
    data, chance = antecede.encode(packet), random.Random(1)
    for _ in range(300):
        damaged = bytearray(data)
        damaged[chance.randrange(len(data))] = chance.randrange(256)
        with suppress(WireError):
            assert isinstance(antecede.decode(bytes(damaged[: chance.randint(1, len(data))])), Packet)


def test_the_air_carries_the_message_and_two_numbers() -> None:
    """With the names shared: version, roster, no names, sender, author, number, destinations, kind and count."""
    packet = Packet("h1", MESSAGE, frames.Uplink(3))
    assert len(antecede.encode(packet, NAMES)) - len(MESSAGE.payload) == 13
