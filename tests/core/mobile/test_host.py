"""A host that is switched off."""

from __future__ import annotations

from antecede import Deliver, Message, MessageId, Packet
from antecede.core.mobile import protocols
from antecede.core.mobile.host_and_station_frames import Downlink, Taken, Welcome


def test_a_host_that_is_out_of_reach_hears_nothing_and_hears_again_when_it_is_back() -> None:
    host = protocols.host("a", "s1")
    host.send({"b"}, b"x")
    host.leave()
    before = host.snapshot()
    message = Message(MessageId("b", 1), frozenset("a"), b"")
    for packet in (Packet("s1", message, Downlink(1)), Packet("s1", None, Taken(1)), Packet("s1", None, Welcome(0, 1))):
        assert host.hear(packet) == []
    assert host.snapshot() == before
    host.enter("s1")
    host.hear(Packet("s1", None, Welcome(1, 1)))
    assert Deliver(message) in host.hear(Packet("s1", message, Downlink(1)))
