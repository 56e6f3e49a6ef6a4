"""A station that sends and gets messages itself: it has joined as a host of its own cell, and needs no air."""

from __future__ import annotations

from typing import Any

import pytest

from antecede import (
    Deliver,
    Message,
    MessageId,
    Misuse,
    Packet,
    RemoteViolation,
    Sent,
    SnapshotError,
    Transmit,
    mobile,
)
from antecede.core.mobile.host_and_station_frames import Begin, Got, Handover, Moved, Register, RegisterFrom, Uplink
from antecede.core.mobile.luggage import Policy
from antecede.core.mobile.station import Station
from antecede.core.snapshot import values
from tests.core.mobile.script import flush, order, world

HOMES = {"a": "s1", "s1": "s1", "s2": "s2"}


def station(name: str = "s1", homes: dict[str, str] = HOMES, **settings: Any) -> Station:
    made = mobile.station(name=name, stations=["s1", "s2"], homes=homes, **settings)
    assert isinstance(made, Station)
    return made


def test_a_station_that_has_not_joined_cannot_send() -> None:
    with pytest.raises(Misuse, match="s1 cannot send: let it join at all stations, with itself as its home"):
        station(homes={"a": "s1"}).send({"a"}, b"x")


@pytest.mark.parametrize("dests", [set(), {""}, {5}, 5])
def test_a_station_sends_to_somebody(dests: Any) -> None:
    made = station()
    before = made.snapshot()
    with pytest.raises(Misuse):
        made.send(dests, b"x")
    assert made.snapshot() == before


def test_a_station_has_its_own_cell_as_its_home_and_no_other() -> None:
    with pytest.raises(Misuse, match="'s2' cannot join at 's1'"):
        station(homes={"s2": "s1"})


def test_its_own_copy_is_delivered_at_once_and_other_effects_follow() -> None:
    message = Message(MessageId("s1", 1), frozenset({"s1", "s2"}), b"x")
    assert station().send({"s1", "s2"}, b"x")[:2] == [Sent(message), Deliver(message)]


@pytest.mark.parametrize(
    "packet",
    [
        Packet("s1", None, Register(1, "s2")),
        Packet("s2", None, Got(0, 0)),
        Packet("s1", Message(MessageId("s1", 1), frozenset("a"), b"x"), Uplink(0)),
    ],
)
def test_nobody_speaks_for_a_station_over_the_air(packet: Packet) -> None:
    made = station()
    before = made.snapshot()
    with pytest.raises(RemoteViolation, match="is a station, which sends nothing over the air"):
        made.hear(packet)
    assert made.snapshot() == before


@pytest.mark.parametrize("stamp", [Begin("s1", 1, "s2", 0), Handover("s2", 1, b""), Moved("s2", 9, 9, "s1")])
def test_a_station_is_not_handed_off(stamp: Any) -> None:
    made = station()
    before = made.snapshot()
    with pytest.raises(RemoteViolation, match="a station, which does not move"):
        made.receive(Packet("s2", None, stamp))
    assert made.snapshot() == before


def test_nothing_is_dropped_for_a_station_however_little_is_stored() -> None:
    """b's messages reach s1 in the wrong order, and are delivered together, more than may be stored for a host."""
    scene = world("roam", {"b": "s2"}, cells="s1", stations_send=True, policy=Policy(stored_max=1))
    sent = [str(scene.send("b", {"s1"})) for _ in range(3)]
    flush(scene, lambda _, to, __: to == "s1")
    for at in (2, 1, 0):
        scene.wire_arrives(("s2", "s1"), at)
    assert order(scene, "s1") == sent
    assert scene.oracle.dropped == set()


def test_a_station_that_was_restored_goes_on_sending_and_having() -> None:
    scene = world("prs-mobile", {"b": "s2"}, cells="s1", stations_send=True)
    scene.send("s1", {"b"})
    scene.stations["s1"] = mobile.restore(scene.stations["s1"].snapshot())  # type: ignore[assignment]  # a station
    scene.send("s1", {"b", "s2"})
    flush(scene)
    scene.send("b", {"s1"})
    flush(scene)
    assert [order(scene, name) for name in ("b", "s1", "s2")] == [["s1:1", "s1:2"], ["b:1"], ["s1:2"]]
    scene.finished()


def test_a_snapshot_of_a_station_that_has_moved_is_refused() -> None:
    made = station()
    made.berths["s1"].state, made.berths["s1"].luggage = "away", None
    made.berths["s1"].at = "s2"
    with pytest.raises(SnapshotError, match="the station itself is away"):
        mobile.restore(values.dumps(made))


@pytest.mark.parametrize(("named", "asked"), [("s2", "s2"), ("s1", "s3"), ("nowhere", "s3")])
def test_the_luggage_comes_from_the_station_that_the_host_names_or_from_where_it_was_known_to_be(
    named: str, asked: str
) -> None:
    made = mobile.station(name="s1", stations=["s1", "s2", "s3"], homes={"a": "s3"})
    assert isinstance(made, Station)
    effects = made.hear(Packet("a", None, Register(1, named)))
    assert [effect.to for effect in effects if isinstance(effect, Transmit)] == [asked]
    assert made.luggage_source("a") == asked


def test_the_cell_that_a_host_left_is_asked_when_the_registration_comes_again() -> None:
    """001 §2. Not at once, because it may never have heard of the host. Only other stations are asked."""
    stations = ["s1", "s2", "s3", "s4"]
    for stamp, asked in (
        (Register(2, "s1"), []),
        (RegisterFrom(2, "s1", "s2"), ["s2"]),
        (RegisterFrom(2, "s1", "s3"), []),
        (RegisterFrom(2, "s1", "nowhere"), []),
    ):
        made = mobile.station(name="s3", stations=stations, homes={"a": "s4"})
        assert isinstance(made, Station)
        begin = Packet("s3", None, Begin("a", 2, "s3", 0))
        assert made.hear(Packet("a", None, stamp)) == [Transmit("s1", begin)]
        for _ in range(2):
            assert made.hear(Packet("a", None, stamp)) == [Transmit(to, begin) for to in asked]
        assert made.hear(Packet("a", None, Register(1, "s1"))) == []
