"""Stations that send straight to each other: no room for what must wait, and luggage that goes elsewhere after all."""

from __future__ import annotations

from antecede import Message, MessageId, Packet, Transmit
from antecede.core.mobile import handoff, protocols
from antecede.core.mobile.direct import UNLEARNED_MAX, Mind
from antecede.core.mobile.effects import Effect, Radio
from antecede.core.mobile.host_and_station_frames import Carried, Moved, Register, Uplink
from antecede.core.mobile.station import Station
from antecede.core.ordering.ks import Ks, KsStamp
from tests.core.mobile.script import full_for_b, of_z


def went_down(effects: list[Effect]) -> list[tuple[str, str]]:
    """To which host each message went."""
    radios = [effect for effect in effects if isinstance(effect, Radio)]
    return [(radio.to, str(radio.packet.message.id)) for radio in radios if radio.packet.message is not None]


def test_a_message_of_a_host_that_need_not_wait_is_taken_though_there_is_no_room_to_wait() -> None:
    station = full_for_b()
    says = Packet("c", Message(MessageId("c", 1), frozenset({"a", "b"}), b""), Uplink(0))
    assert went_down(station.hear(says)) == [("a", "c:1"), ("b", "c:1")]


def test_a_packet_that_comes_again_is_not_refused_though_there_is_no_room_for_another() -> None:
    """The second message of z is held back for b, and the first of c was delivered to it."""
    station = full_for_b()
    of_c = Packet(
        "s2", Message(MessageId("c", 1), frozenset("b"), b""), Carried(frozenset("b"), 0, KsStamp({}, {}, {}))
    )
    assert went_down(station.receive(of_c)) == [("b", "c:1")]
    before = station.snapshot()
    for packet in (of_z(2, {"b"}, after=1), of_c):
        assert station.receive(packet) == []
    assert station.snapshot() == before


def awaiting_c() -> Station:
    """s1, which serves a. c, of s2, has registered there, and its luggage is on its way."""
    homes = {"a": "s1", "c": "s2", "z": "s2"}
    station = protocols.station(name="s1", stations=["s1", "s2", "s3"], homes=homes)
    assert isinstance(station, Station)
    assert [type(effect) for effect in station.hear(Packet("c", None, Register(1, "s2")))] == [Transmit]
    return station


MOVED_ON = Packet("s2", None, Moved("c", 5, 2, "s3"))
"""c has since registered at s3, and its luggage went there."""


def test_what_waited_for_luggage_that_went_elsewhere_follows_it_and_the_sender_is_told() -> None:
    station = awaiting_c()
    message = Message(MessageId("z", 1), frozenset("c"), b"")
    stamp = Ks("z", multicast=True).stamps(message, ["c"])[0]
    packet = Packet("s2", message, Carried(frozenset("c"), 0, stamp))
    assert station.receive(packet) == []
    assert station.receive(MOVED_ON) == [
        Transmit("s3", packet),
        Transmit("s2", Packet("s1", None, Moved("c", 5, 0, "s3"))),
    ]
    assert (station.berths["c"].state, station.berths["c"].waiting) == (handoff.AWAY, [])


def test_a_station_does_not_tell_itself_where_the_luggage_went() -> None:
    station = awaiting_c()
    message = Message(MessageId("a", 1), frozenset("c"), b"")
    station.hear(Packet("a", message, Uplink(0)))
    (effect,) = station.receive(MOVED_ON)
    assert isinstance(effect, Transmit)
    assert (effect.to, effect.packet.message, effect.packet.sender) == ("s3", message, "s1")


def test_of_too_many_messages_that_a_host_is_silent_about_the_oldest_counts_as_known() -> None:
    """Otherwise the luggage of a host that only listens would grow for ever."""
    mind = Mind(Ks("b", multicast=True))
    z = Ks("z", multicast=True)
    for number in range(1, UNLEARNED_MAX + 1):
        message = Message(MessageId("z", number), frozenset("bc"), b"")
        mind.keep_stamp(number, message, z.stamps(message, ["b", "c"])[0])
    assert mind.ordering == Ks("b", multicast=True)
    last = Message(MessageId("z", UNLEARNED_MAX + 1), frozenset("bc"), b"")
    mind.keep_stamp(UNLEARNED_MAX + 1, last, z.stamps(last, ["b", "c"])[0])
    assert list(mind.unlearned) == list(range(2, UNLEARNED_MAX + 2))
    own = mind.ordering.stamps(Message(MessageId("b", 1), frozenset("c"), b""), ["c"])[0]
    assert isinstance(own, KsStamp)
    assert own.due == {"c": {"z": 1}}
