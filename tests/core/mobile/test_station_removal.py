"""What a station does when a host is removed: it forgets it, waits for it no longer, and lets go what it said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from antecede import Message, MessageId, Misuse, Packet, RemoteViolation
from antecede.core.effects import Transmit
from antecede.core.mobile import protocols
from antecede.core.mobile.effects import Effect, Radio
from antecede.core.mobile.host_and_station_frames import Begin, Carried, Moved, Register
from antecede.core.mobile.station import Station
from antecede.core.ordering.ks import Ks
from tests.core.mobile.script import full_for_b, of_z


def test_a_host_that_is_removed_is_forgotten_and_nothing_waits_for_it() -> None:
    """What b holds back waits for z and for y; both are removed, one after the other, and then it waits for nobody."""
    homes = {"a": "s1", "b": "s1", "y": "s2", "z": "s2"}
    station = protocols.station(name="s1", stations=["s1", "s2"], homes=homes)
    assert isinstance(station, Station)
    a = Ks("a", multicast=True)
    for sender in ("y", "z"):
        said = Message(MessageId(sender, 1), frozenset({"a", "b"}), b"")
        a.learn(said, Ks(sender, multicast=True).stamps(said, ["a", "b"])[0])
    message = Message(MessageId("a", 1), frozenset({"b"}), b"")
    late = Packet("s2", message, Carried(frozenset({"b"}), 0, a.stamps(message, ["b"])[0]))
    assert station.receive(late) == []
    assert {need.sender for held in station.held() for need in held.needs} == {"y", "z"}
    assert station.remove("z") == []
    assert [need.sender for held in station.held() for need in held.needs] == ["y"]
    radios = [effect for effect in station.remove("y") if isinstance(effect, Radio)]
    assert [radio.packet.message for radio in radios] == [message]
    assert station.remove("y") == []
    assert (sorted(station.berths), station.departed) == (["a", "b"], frozenset({"y", "z"}))
    assert protocols.restore(station.snapshot()).snapshot() == station.snapshot()
    with pytest.raises(Misuse, match="cannot be used again"):
        station.join("z", "s2")
    with pytest.raises(Misuse, match="is a station"):
        station.remove("s2")


def test_what_is_under_way_of_a_removed_host_or_about_it_or_for_it_is_let_go() -> None:
    station = full_for_b()
    station.remove("c")
    station.remove("z")
    before = station.snapshot()
    assert station.receive(of_z(1, {"a"}, after=0)) == []
    assert station.receive(Packet("s2", None, Begin("c", 3, "s2", 0))) == []
    assert station.receive(Packet("s2", None, Moved("z", 3, 3, "s2"))) == []
    assert station.snapshot() == before
    message = Message(MessageId("a", 1), frozenset({"b", "c"}), b"")
    stamp = Ks("a", multicast=True).stamps(message, ["b", "c"])[0]
    effects = station.receive(Packet("s2", message, Carried(frozenset({"b", "c"}), 0, stamp)))
    assert [effect.to for effect in effects if isinstance(effect, Radio)] == ["b"]
    with pytest.raises(RemoteViolation, match="host 'c' is not known"):
        station.hear(Packet("c", None, Register(9, "s2")))


def at(name: str) -> Station:
    """A station with c at s1, and a and z at s2."""
    station = protocols.station(name=name, stations=["s1", "s2"], homes={"a": "s2", "c": "s1", "z": "s2"})
    assert isinstance(station, Station)
    return station


def chain(sender: str) -> list[Packet]:
    """From `sender`, all to c: a message of a, which z had, too; then two of z."""
    a, z = Ks("a", multicast=True), Ks("z", multicast=True)
    packets = []
    for who, seq, to in ((a, 1, "cz"), (z, 1, "c"), (z, 2, "c")):
        message = Message(MessageId(who.me, seq), frozenset(to), b"")
        stamp = who.stamps(message, sorted(to))[0]
        packets.append(Packet(sender, message, Carried(frozenset("c"), 0, stamp)))
        if "z" in to:
            z.deliver(message, stamp)
    return packets


def went_down(effects: list[Effect]) -> list[str]:
    packets = [effect.packet for effect in effects if isinstance(effect, Radio)]
    return [str(packet.message.id) for packet in packets if packet.message is not None]


def test_what_is_held_back_of_a_removed_host_goes_to_nobody() -> None:
    """Neither at once, before what it waits for, nor later; both messages of z wait, the second for the first."""
    station = at("s1")
    of_a, *of_z = chain("s2")
    assert [effect for packet in of_z for effect in station.receive(packet)] == []
    assert station.remove("z") == []
    assert station.held() == ()
    assert went_down(station.receive(of_a)) == ["a:1"]
    assert protocols.restore(station.snapshot()).snapshot() == station.snapshot()


def test_what_waits_for_luggage_of_a_removed_host_goes_to_nobody() -> None:
    """c moves from s1 to s2, which hears of the removal first: one message of z is in the luggage, one waits for it."""
    old, new = at("s1"), at("s2")
    of_a, first, second = chain("s2")
    old.receive(first)
    (asked,) = new.hear(Packet("c", None, Register(1, "s1")))
    assert isinstance(asked, Transmit)
    (luggage,) = old.receive(asked.packet)
    assert isinstance(luggage, Transmit)
    assert new.receive(replace(second, sender="s1")) == []
    assert new.remove("z") == []
    assert went_down(new.receive(luggage.packet)) == []
    assert new.held() == ()
    assert went_down(new.receive(replace(of_a, sender="s1"))) == ["a:1"]


@pytest.mark.parametrize("protocol", ["av1", "av2", "av2-ks", "prs-mobile"])
def test_the_protocols_of_the_papers_remove_nobody(protocol: str) -> None:
    station = protocols.station(protocol, name="s1", stations=["s1", "s2"], homes={"a": "s1"})
    assert isinstance(station, Station)
    before = station.snapshot()
    with pytest.raises(Misuse, match="cannot remove hosts: use roam"):
        station.remove("a")
    assert station.snapshot() == before
