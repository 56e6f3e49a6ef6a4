"""A host that is switched off, and one that leaves a cell too soon."""

from __future__ import annotations

import pytest

from antecede import Deliver, Message, MessageId, Packet
from antecede.core.mobile import protocols
from antecede.core.mobile.effects import Effect, Radio
from antecede.core.mobile.host import Host
from antecede.core.mobile.host_and_station_frames import Downlink, Register, RegisterFrom, Taken, Welcome


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


@pytest.mark.parametrize(
    ("way", "register"),
    [
        ("s2 welcome s3", Register(2, "s2")),
        ("s2 s3", RegisterFrom(2, "s1", "s2")),
        ("s2 off s3", RegisterFrom(2, "s1", "s2")),
        ("s2 welcome off s3", Register(2, "s2")),
        ("s2 s2", Register(2, "s1")),
        ("s2 off s2", Register(2, "s1")),
        ("s2 s1", RegisterFrom(2, "s1", "s2")),
        ("s2 s1 s3", Register(3, "s1")),
        ("s2 s3 s4", RegisterFrom(3, "s1", "s3")),
        ("s2 s3 s3", RegisterFrom(3, "s1", "s2")),
        ("s2 s3 welcome s4", Register(3, "s3")),
    ],
)
def test_a_registration_names_the_cell_that_was_left_too_if_the_host_was_not_welcomed_there(
    way: str, register: Register
) -> None:
    """001 §2, from s1. The same after a restart, and when it is repeated."""
    host = protocols.host("a", "s1")
    effects: list[Effect] = []
    for step in way.split():
        if step == "welcome":
            host.hear(Packet(host.cell, None, Welcome(host.move, 0)))
        elif step == "off":
            host.leave()
        else:
            effects = host.enter(step)
        restored = protocols.restore(host.snapshot())
        assert isinstance(restored, Host)
        host = restored
    said = Radio(host.cell, Packet("a", None, register))
    assert said in effects
    assert said in host.tick(10.0)
