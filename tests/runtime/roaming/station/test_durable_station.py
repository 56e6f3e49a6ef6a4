"""What a station keeps: no host with the name of a station."""

from __future__ import annotations

import pytest

from antecede import Message, MessageId, Packet, encode
from antecede.core.mobile.host_and_station_frames import Carried
from antecede.core.ordering.ks import KsStamp
from antecede.runtime import frames
from antecede.runtime.roaming.station.fragments import cut
from tests.golden.frames import open_station

OF_S2 = Message(MessageId("s2", 1), frozenset({"s2"}), b"x")
CARRIED = encode(Packet("s2", OF_S2, Carried(frozenset({"s2"}), 0, KsStamp({}, {}, {}))))


@pytest.mark.parametrize("frame", [frames.known_host("s2", "1"), frames.packets(0, [CARRIED])], ids=["known", "packet"])
def test_no_other_station_makes_a_host_of_a_station(frame: bytes) -> None:
    """By its name, the home of a host that is called s2 would be s2."""
    station = open_station("s1")
    assert station.receive("s2", frame)
    station.commit()
    assert station.counts["refused"] == 1
    assert station.station.berths == {}
    station.store.close()


@pytest.mark.parametrize("packet", [CARRIED, b"\x12" + bytes(20)], ids=["refused", "no packet"])
def test_a_packet_in_parts_that_is_refused_leaves_nothing(packet: bytes) -> None:
    station = open_station("s1")
    for frame in cut(1, packet, len(packet) // 3):
        assert station.receive("s2", frame)
    station.commit()
    assert station.counts["refused"] == 1
    assert [key for key in station.store.facts if key.startswith("part ")] == []
    assert station.store.facts["parcels from s2"] == b"[[1, 1]]"
    station.store.close()
