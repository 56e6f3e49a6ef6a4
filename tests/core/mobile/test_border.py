"""What stations and hosts refuse: with an error of ours, before anything changes, and with no harm to what follows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from antecede import Message, MessageId, Misuse, Packet, RemoteViolation, SnapshotError, encode, mobile
from antecede.core.errors import AntecedeError
from antecede.core.mobile.direct import Mind
from antecede.core.mobile.host_and_station_frames import (
    AcknowledgeAll,
    Begin,
    Carried,
    Cast,
    Downlink,
    Got,
    Handover,
    Last,
    Moved,
    Notify,
    Old,
    Over,
    Register,
    Relayed,
    Taken,
    Uplink,
    Welcome,
)
from antecede.core.mobile.luggage import Luggage
from antecede.core.mobile.protocols import protocols
from antecede.core.ordering.ks import Ks, KsStamp
from antecede.core.ordering.prs import PrsStamp
from antecede.core.ordering.rst import RstStamp
from antecede.core.snapshot import values
from tests.core.mobile.script import flush, order, world
from tests.mobile_worlds import MobileWorld

HOMES = {"a": "n", "b": "s", "c": "w"}
KS = KsStamp({}, {}, {})


def message(sender: str, *dests: str, seq: int = 1, payload: bytes = b"x") -> Message:
    return Message(MessageId(sender, seq), frozenset(dests), payload)


def control(stamp: Any, sender: str = "n") -> Packet:
    return Packet(sender, None, stamp)


def layered(payload: bytes, protocol: str) -> Packet:
    """As the causal layer of Algorithm 2 sends it, from n to s."""
    return Packet("n", message("n", "s", payload=payload), RstStamp({}) if protocol == "av2" else KS)


def goes_on(scene: MobileWorld) -> None:
    """Everybody still hears from everybody, once and in order."""
    scene.send("a", {"b", "c"})
    flush(scene)
    scene.send("b", {"a", "c"})
    flush(scene)
    assert [order(scene, host) for host in "abc"] == [["b:1"], ["a:1"], ["a:1", "b:1"]]
    scene.finished()


DIRECT = {
    "an unknown station": Packet("evil", None, Moved("b", 9, 9, "n")),
    "word of an unknown station": control(Moved("b", 9, 9, "evil")),
    "luggage to an unknown station": control(Begin("b", 1, "evil", 0)),
    "an unknown host": control(Begin("zz", 1, "n", 0)),
    "a message of an unknown station": Packet("evil", message("a", "b"), Carried(frozenset("b"), 7, KS)),
    "a message of an unknown host": Packet("n", message("zz", "b"), Carried(frozenset("b"), 7, KS)),
    "a message for another": Packet("n", message("a", "c"), Carried(frozenset("b"), 7, KS)),
    "a message for nobody": Packet("n", message("a", "b"), Carried(frozenset(), 7, KS)),
    "no message": control(Carried(frozenset("b"), 7, KS)),
    "a message where there is none": Packet("n", message("a", "b"), Begin("b", 1, "n", 0)),
    "a stamp of another protocol": Packet("n", message("a", "b"), Carried(frozenset("b"), 7, PrsStamp({}))),
    "frames of the air": control(Got(1, 1)),
}


@pytest.mark.parametrize("packet", DIRECT.values(), ids=DIRECT)
@pytest.mark.parametrize("protocol", ["roam", "av1"])
def test_what_no_station_could_have_sent_is_refused(protocol: str, packet: Packet) -> None:
    scene = world(protocol, HOMES)
    before = scene.stations["s"].snapshot()
    with pytest.raises(RemoteViolation):
        scene.stations["s"].receive(packet)
    assert scene.stations["s"].snapshot() == before
    goes_on(scene)


INNER = {
    "no message": control(Relayed({"s": frozenset("b")})),
    "nothing old": control(Old("b")),
    "over for an unknown host": control(Over("zz", 1)),
    "a move of an unknown host": control(Notify("zz", 1, "n", "s")),
    "a move to an unknown station": control(Notify("b", 1, "n", "zz")),
    "luggage to an unknown station": control(Begin("b", 1, "evil", 0)),
    "the last of an unknown host": control(Last("zz", 1)),
    "luggage of an unknown host": control(Handover("zz", 1, b"")),
    "luggage that is damaged": control(Handover("b", 1, b"junk")),
    "luggage of another host": control(Handover("b", 1, values.dumps(Luggage("a", None, 1)))),
    "luggage of another protocol": control(Handover("b", 1, values.dumps(Luggage("b", Mind(Ks("b")), 1)))),
    "a frame of the air": control(Welcome(1, 0)),
    "a frame of another protocol": control(AcknowledgeAll(frozenset("b"), 1)),
    "a bare stamp": control(KS),
    "for nobody here": Packet("n", message("a", "b"), Relayed({"n": frozenset("b")})),
    "from another": Packet("w", message("a", "b"), Relayed({"s": frozenset("b")})),
}


@pytest.mark.parametrize("payload", [b"junk", b"", *map(encode, INNER.values())], ids=["junk", "empty", *INNER])
@pytest.mark.parametrize("protocol", ["av2", "av2-ks"])
def test_the_causal_layer_counts_nothing_that_is_wrong_inside(protocol: str, payload: bytes) -> None:
    scene = world(protocol, HOMES)
    before = scene.stations["s"].snapshot()
    with pytest.raises(AntecedeError):
        scene.stations["s"].receive(layered(payload, protocol))
    assert scene.stations["s"].snapshot() == before
    assert scene.stations["s"].held() == ()
    goes_on(scene)


@pytest.mark.parametrize("theirs", sorted(protocols()))
@pytest.mark.parametrize("ours", ["roam", "av1", "prs-mobile"])
def test_luggage_of_another_protocol_is_refused(ours: str, theirs: str) -> None:
    packed = world(theirs, {"b": "s"}).stations["s"]
    stations = getattr(packed, "logical", [packed])
    mind = next(one.berths["b"].luggage.mind for one in stations if one.berths["b"].luggage)
    scene = world(ours, HOMES)
    here = scene.stations["n"]
    here.hear(control(Register(1, "s"), "b"))
    before = here.snapshot()
    handover = control(Handover("b", 1, values.dumps(Luggage("b", mind, 1))), "s")
    if ours == theirs:
        here.receive(handover)
        return
    with pytest.raises(RemoteViolation, match="another protocol"):
        here.receive(handover)
    assert here.snapshot() == before


@pytest.mark.parametrize("stamp", [Got(99, 0), Uplink(2**60)])
@pytest.mark.parametrize("protocol", sorted(set(protocols()) - {"av3"}))
def test_a_host_can_not_have_what_was_never_sent_to_it(protocol: str, stamp: Any) -> None:
    scene = world(protocol, HOMES)
    before = scene.stations["s"].snapshot()
    said = Packet("b", message("b", "a") if isinstance(stamp, Uplink) else None, stamp)
    with pytest.raises(RemoteViolation, match="there are 0"):
        scene.stations["s"].hear(said)
    assert scene.stations["s"].snapshot() == before
    goes_on(scene)


@pytest.mark.parametrize(
    "packet",
    [
        control(Taken(5)),
        control(Welcome(0, 99)),
        Packet("n", message("zz", "q"), Downlink(1)),
        Packet("n", message("a", "a"), Downlink(1)),
        control(Begin("a", 1, "n", 0)),
    ],
)
def test_a_host_is_not_told_what_can_not_be(packet: Packet) -> None:
    scene = world("roam", HOMES)
    before = scene.hosts["a"].snapshot()
    with pytest.raises(RemoteViolation):
        scene.hosts["a"].hear(packet)
    assert scene.hosts["a"].snapshot() == before
    goes_on(scene)


def test_a_station_that_casts_a_message_again_does_not_have_it_delivered_again() -> None:
    scene = world("prs-mobile", HOMES)
    scene.send("a", {"b"})
    flush(scene)
    again = Packet("w", message("a", "b"), Cast(0, PrsStamp({})))
    scene.carry_out("s", scene.stations["s"].receive(again))
    flush(scene)
    assert order(scene, "b") == ["a:1"]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda host: host.send({""}, b"x"),
        lambda host: host.send({"n" * 5000}, b"x"),
        lambda host: host.send({"\ud800"}, b"x"),
        lambda host: host.send({5}, b"x"),
        lambda host: host.send(5, b"x"),
        lambda host: host.send({"b"}, bytes(17 * 2**20)),
        lambda host: host.enter(None),
        lambda host: host.tick("x"),
        lambda host: host.tick(float("nan")),
        lambda host: host.hear(b"bytes"),
    ],
)
def test_a_host_takes_nothing_that_could_never_be_sent(wrong: Callable[[Any], object]) -> None:
    host = mobile.host("a", "n")
    before = host.snapshot()
    with pytest.raises(Misuse):
        wrong(host)
    assert host.snapshot() == before


@pytest.mark.parametrize("protocol", ["roam", "prs-mobile", "av3"])
@pytest.mark.parametrize("wrong", [None, 5, "", "\ud800", "n" * 300, [], {"a"}], ids=lambda wrong: str(type(wrong)))
def test_a_station_takes_no_host_that_could_not_be_named_in_a_snapshot(protocol: str, wrong: Any) -> None:
    """A name that is not a string was kept, and the next snapshot could not be restored."""
    station: Any = mobile.station(protocol, name="n", stations=["n", "s"], homes={"a": "n"})
    before = station.snapshot()
    calls: list[Callable[[], object]] = [lambda: station.join(wrong, "n"), lambda: station.join("x", wrong)]
    if protocol != "av3":
        calls += [lambda: station.remove(wrong), lambda: station.agree(wrong, None)]
        calls += [lambda: station.agree("a", wrong if wrong is not None else "store")]
    else:
        calls += [lambda: station.hear(wrong)]
    for call in calls:
        with pytest.raises(Misuse):
            call()
        assert station.snapshot() == before


@pytest.mark.parametrize("homes", [["a"], b"a", {"a": []}, {5: "n", "a": "n"}, None])
def test_homes_that_are_not_a_mapping_of_names_are_refused(homes: Any) -> None:
    for protocol in ("roam", "av3"):
        with pytest.raises(Misuse):
            mobile.station(protocol, name="n", stations=["n"], homes=homes)
    with pytest.raises(Misuse):
        mobile.station(homes, name="n", stations=["n"], homes={})


def test_a_cluster_that_refuses_a_host_stays_as_it_is() -> None:
    scene = world("av3", HOMES, logical=2)
    before = scene.stations["n"].snapshot()
    for host, home in (("a", "n"), ("x", "zz"), ("s", "n")):
        with pytest.raises(Misuse, match="a new name"):
            scene.stations["n"].join(host, home)
    assert scene.stations["n"].snapshot() == before
    goes_on(scene)


def test_a_message_to_somebody_nobody_knows_goes_to_nobody_and_all_are_told() -> None:
    scene = world("roam", HOMES)
    sent = scene.send("a", {"b", "typo"})
    flush(scene)
    assert scene.oracle.dropped == {("b", sent), ("typo", sent)}
    assert order(scene, "b") == []


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: mobile.station(name="n", stations=["n", "n"], homes={}),
        lambda: mobile.station(name="n", stations=5, homes={}),  # type: ignore[arg-type]  # the wrong type is the test
        lambda: mobile.station(name="n", stations=["n", ""], homes={}),
        lambda: mobile.station(name="n", stations=["n"], homes={"": "n"}),
        lambda: mobile.station(name="n", stations=["n"], homes={}, policy="drop"),  # type: ignore[arg-type]  # the wrong type is the test
        lambda: mobile.station("av3", name="n", stations=["n"], homes={}, logical="x"),
        lambda: mobile.host("", "n"),
        lambda: mobile.host("a", "n", retry_s=-1),
        lambda: mobile.Policy(retry_s=float("nan")),
        lambda: mobile.Policy(stored_max=1.5),  # type: ignore[arg-type]  # the wrong type is the test
    ],
)
def test_what_can_not_be_made_is_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(Misuse):
        wrong()


def test_a_snapshot_is_bytes() -> None:
    with pytest.raises(SnapshotError, match="must be bytes"):
        mobile.restore(None)  # type: ignore[arg-type]  # the wrong type is the test
