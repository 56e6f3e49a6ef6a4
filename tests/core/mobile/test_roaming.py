"""What hosts may do to a station, one thing at a time: sleep, wake elsewhere, come back, repeat themselves."""

from __future__ import annotations

import pytest

from antecede import (
    HoldBackFull,
    LimitReached,
    Message,
    MessageId,
    Misuse,
    Packet,
    RemoteViolation,
    SnapshotError,
    UnknownAlgorithm,
)
from antecede.core.mobile import handoff, protocols
from antecede.core.mobile.direct import Mind
from antecede.core.mobile.effects import Radio
from antecede.core.mobile.host import Host
from antecede.core.mobile.host_and_station_frames import Begin, Carried, Handover, Moved, Register, Uplink
from antecede.core.mobile.luggage import Luggage, Policy
from antecede.core.mobile.station import Station
from antecede.core.ordering.ks import Ks
from antecede.core.ordering.rst import RstStamp
from antecede.core.snapshot import values
from antecede.core.types import Stamp
from tests.core.mobile.script import content, flush, full_for_b, of_z, order, world

ALL = sorted(protocols.protocols())
HOMES = {"a": "s1", "b": "s2", "c": "s3"}


@pytest.mark.parametrize("protocol", ALL)
def test_what_comes_for_a_host_that_sleeps_is_stored_and_follows_it(protocol: str) -> None:
    scene = world(protocol, HOMES)
    scene.leave("b")
    flush(scene)
    sent = [str(scene.send("a", {"b"})) for _ in range(3)]
    flush(scene)
    assert order(scene, "b") == []
    scene.enter("b", "s3")
    flush(scene)
    assert order(scene, "b") == sent
    scene.finished()


@pytest.mark.parametrize("protocol", ALL)
def test_what_is_dropped_for_a_host_that_sleeps_holds_nothing_up(protocol: str) -> None:
    scene = world(protocol, HOMES, policy=Policy(when_asleep="drop"))
    scene.leave("b")
    flush(scene)
    m1 = scene.send("a", {"b", "c"})
    flush(scene)
    scene.enter("b", "s2")
    flush(scene)
    m2 = scene.send("c", {"b"})  # after m1, which b will never have
    flush(scene)
    assert scene.oracle.dropped == {("b", m1)}
    assert order(scene, "b") == [str(m2)]
    scene.finished()


@pytest.mark.parametrize("protocol", ALL)
def test_at_the_limit_of_what_is_stored_the_newest_is_dropped(protocol: str) -> None:
    scene = world(protocol, HOMES, policy=Policy(stored_max=2))
    scene.leave("b")
    flush(scene)
    sent = [scene.send("a", {"b"}) for _ in range(4)]
    flush(scene)
    assert scene.oracle.dropped == {("b", sent[2]), ("b", sent[3])}
    scene.enter("b", "s3")
    flush(scene)
    after = scene.send("a", {"b"})
    flush(scene)
    assert order(scene, "b") == [str(m) for m in (*sent[:2], after)]
    scene.finished()


@pytest.mark.parametrize("protocol", ALL)
def test_a_host_moves_on_before_its_hand_off_is_done(protocol: str) -> None:
    """The luggage goes from s1 to s2 and on to s3; what was sent meanwhile finds it."""
    scene = world(protocol, HOMES)
    scene.enter("a", "s2")
    flush(scene, lambda sender, to, _: {sender, to} <= {"s1", "s2", "s3"})
    m1 = scene.send("b", {"a"})
    scene.enter("a", "s3")
    m2 = scene.send("a", {"b", "c"})
    flush(scene)
    assert (order(scene, "a"), order(scene, "b")) == ([str(m1)], [str(m2)])
    scene.finished()


@pytest.mark.parametrize("protocol", ALL)
def test_a_host_comes_back_while_the_old_hand_off_is_under_way(protocol: str) -> None:
    scene = world(protocol, HOMES)
    scene.enter("a", "s2")
    flush(scene, lambda sender, to, packet: isinstance(content(packet).stamp, Handover))
    scene.enter("a", "s1")
    m1 = scene.send("c", {"a"})
    flush(scene)
    assert order(scene, "a") == [str(m1)]
    assert scene.hosts["a"].previous.startswith("s1")
    scene.finished()


def test_a_host_that_comes_back_to_a_draining_station_waits_its_turn() -> None:
    """Algorithm 2: s1 still waits for the last of s3 when the host is there again."""
    scene = world("av2", HOMES)
    scene.enter("a", "s2")
    flush(scene, lambda sender, to, _: {sender, to} == {"s1", "s3"})
    station = scene.stations["s1"]
    assert isinstance(station, Station)
    assert station.berths["a"].state == handoff.DRAINING
    scene.enter("a", "s1")
    flush(scene, lambda sender, to, _: {sender, to} == {"s1", "s3"})
    assert station.berths["a"].returning
    flush(scene)
    assert station.berths["a"].state == handoff.HERE
    scene.finished()


@pytest.mark.parametrize("protocol", ALL)
def test_a_registration_that_arrives_twice_or_late_changes_nothing(protocol: str) -> None:
    scene = world(protocol, HOMES)
    late = Packet("a", None, Register(1, "s1"))
    scene.enter("a", "s2")
    flush(scene)
    scene.enter("a", "s3")
    flush(scene)
    for cell in ("s2", "s2", "s3"):
        scene.carry_out(cell, scene.stations[cell].hear(late))
        flush(scene)
    m1 = scene.send("b", {"a"})
    flush(scene)
    assert order(scene, "a") == [str(m1)]
    scene.finished()


@pytest.mark.parametrize("protocol", ALL)
def test_a_station_restarts_and_the_host_is_sent_what_it_missed(protocol: str) -> None:
    scene = world(protocol, HOMES)
    m1 = scene.send("a", {"b"})
    flush(scene, lambda _, to, __: to == "b")
    restored = protocols.restore(scene.stations["s2"].snapshot())
    assert not isinstance(restored, Host)
    scene.stations["s2"] = restored
    scene.lose_frames("b")
    scene.enter("b", "s3")
    flush(scene)
    assert order(scene, "b") == [str(m1)]
    scene.finished()


def test_the_air_loses_a_message_and_a_timer_brings_it_back() -> None:
    scene = world("roam", HOMES)
    m1 = scene.send("a", {"b"})
    scene.lose_frames("a")
    flush(scene)
    assert order(scene, "b") == []
    scene.settle()
    assert order(scene, "b") == [str(m1)]


def test_a_reply_finds_a_host_that_moved_without_a_detour() -> None:
    """roam: a message says where its sender is, so nobody else has to be told of a move."""
    scene = world("roam", HOMES)
    scene.enter("a", "s3")
    flush(scene)
    scene.send("a", {"b"})
    flush(scene)
    scene.counts.clear()
    scene.send("b", {"a"})
    flush(scene)
    assert {what: n for what, n in scene.counts.items() if what.startswith("wire")} == {"wire Carried": 1}


def test_a_message_to_the_old_place_is_passed_on_and_the_sender_told() -> None:
    scene = world("roam", HOMES)
    scene.enter("a", "s3")
    flush(scene)
    scene.counts.clear()
    for _ in range(2):
        scene.send("b", {"a"})
        flush(scene)
    assert {what: n for what, n in scene.counts.items() if what.startswith("wire")} == {
        "wire Carried": 3,
        f"wire {Moved.__name__}": 1,
    }


def test_a_silent_host_costs_nothing_in_the_header() -> None:
    def header_entries(silent: int) -> int:
        scene = world("roam", HOMES | {f"q{n}": "s1" for n in range(silent)})
        for _ in range(5):
            scene.send("a", {"b"})
            scene.send("b", {"a", "c"})
            flush(scene)
        scene.send("a", {"c"})
        scene.frame_arrives(("a", "s1"))
        return scene.wires["s1", "s3"][0].control_entries

    assert header_entries(0) == header_entries(50)


def test_a_host_out_of_reach_keeps_what_it_sends_up_to_a_limit() -> None:
    host = protocols.host("a", "s1")
    host.unsent_max = 2
    host.leave()
    host.send({"b"}, b"1")
    host.send({"b"}, b"2")
    with pytest.raises(LimitReached, match="2 messages of a wait"):
        host.send({"b"}, b"3")
    with pytest.raises(Misuse, match="already out of reach"):
        host.leave()
    with pytest.raises(Misuse, match="at least one destination"):
        host.send((), b"x")


@pytest.mark.parametrize(("protocol", "limit"), [("roam", "hold_max"), ("prs-mobile", "_kept_max")])
def test_a_packet_beyond_the_limit_is_refused_and_may_come_again(protocol: str, limit: str) -> None:
    """The luggage of a is on its way to s3: two messages wait there, and a third has to come again later."""

    def wires(sender: str, to: str, _: Packet) -> bool:
        return {sender, to} <= {"s1", "s2", "s3"}

    scene = world(protocol, HOMES)
    station = scene.stations["s3"]
    assert isinstance(station, Station)
    before = getattr(station.scheme, limit)
    setattr(station.scheme, limit, 2)
    scene.enter("a", "s3")
    flush(scene, wires)
    sent = [scene.send("b", {"a"}) for _ in range(3)]
    flush(scene, wires)
    packets = [packet for queue in scene.wires.values() for packet in queue]
    first, second, third = ({p.message.id: p for p in packets if p.message is not None}[message] for message in sent)
    station.receive(first)
    station.receive(second)
    held = station.snapshot()
    with pytest.raises(HoldBackFull, match="offer this one later"):
        station.receive(third)
    assert station.snapshot() == held
    setattr(station.scheme, limit, before)
    flush(scene)
    assert order(scene, "a") == [str(message) for message in sent]
    scene.finished()


def test_a_packet_for_several_of_whom_one_has_no_room_is_refused_whole() -> None:
    """a could have it, and comes first: were it served before b is looked at, it would be served again later."""
    station = full_for_b()
    before = station.snapshot()
    with pytest.raises(HoldBackFull, match="1 packets are held back for b: offer z:3 later, after message"):
        station.receive(of_z(3, {"a", "b"}, after=2))
    assert station.snapshot() == before
    station.receive(of_z(1, {"b"}, after=0))
    radios = [effect.to for effect in station.receive(of_z(3, {"a", "b"}, after=2)) if isinstance(effect, Radio)]
    assert radios == ["a", "b"]


def test_a_message_of_a_host_is_taken_whole_or_not_at_all() -> None:
    """What c says depends on a message that b does not have, and there is no room to hold it back for b."""
    station = full_for_b()
    berth = station.berths["c"]
    assert berth.luggage is not None
    berth.luggage.mind.ordering.learn(*_known_of_z({"b", "c"}))
    before = station.snapshot()
    says = Packet("c", Message(MessageId("c", 1), frozenset({"a", "b"}), b""), Uplink(0))
    with pytest.raises(HoldBackFull, match="held back for b: offer c:1 later"):
        station.hear(says)
    assert station.snapshot() == before
    station.receive(of_z(1, {"b"}, after=0))
    assert any(isinstance(effect, Radio) and effect.to == "a" for effect in station.hear(says))


def _known_of_z(to: set[str]) -> tuple[Message, Stamp]:
    """A message that somebody has seen, and its stamp."""
    packet = of_z(1, to, after=0)
    assert packet.message is not None
    assert isinstance(packet.stamp, Carried)
    return packet.message, packet.stamp.stamp


def test_strangers_and_nonsense_are_refused() -> None:
    station = protocols.station(name="s1", stations=["s1", "s2"], homes={"a": "s1", "b": "s2"})
    with pytest.raises(RemoteViolation, match="host 'zoe' is not known at s1"):
        station.hear(Packet("zoe", None, Register(1, "s2")))
    with pytest.raises(RemoteViolation, match="Begin over the air"):
        station.hear(Packet("a", None, Begin("a", 1, "s2", 0)))
    with pytest.raises(SnapshotError):
        station.receive(Packet("s2", None, Handover("a", 5, b"")))
    packed = values.dumps(Luggage("a", Mind(Ks("a")), epoch=5))
    with pytest.raises(RemoteViolation, match="does not have the luggage"):
        station.receive(Packet("s2", None, Handover("a", 6, packed)))
    with pytest.raises(RemoteViolation, match="handover of a, which is here at s1"):
        station.receive(Packet("s2", None, Handover("a", 5, packed)))
    carried = Carried(frozenset({"a"}), 0, RstStamp({}))
    with pytest.raises(RemoteViolation, match="a RstStamp, which is of another protocol"):
        station.receive(Packet("s2", Message(MessageId("b", 1), frozenset({"a"}), b""), carried))
    with pytest.raises(RemoteViolation, match="carries message b:1 for"):
        station.receive(Packet("s2", Message(MessageId("b", 1), frozenset({"c"}), b""), carried))
    with pytest.raises(Misuse, match="store or drop"):
        Policy(when_asleep="forget")
    with pytest.raises(Misuse, match="a new name"):
        station.join("a", "s2")
    with pytest.raises(Misuse, match="not among the stations"):
        protocols.station(name="s9", stations=["s1"], homes={})
    with pytest.raises(Misuse, match="roam has no option 'logical'"):
        protocols.station(name="s1", stations=["s1"], homes={}, logical=2)
    with pytest.raises(UnknownAlgorithm, match="no roaming protocol 'av4'"):
        protocols.station("av4", name="s1", stations=["s1"], homes={})
    with pytest.raises(SnapshotError):
        protocols.restore(b"not a snapshot")
