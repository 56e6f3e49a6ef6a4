"""The logical stations of one station: a stranger among their hosts, and a station that itself sends."""

from __future__ import annotations

from typing import Any

import pytest

from antecede import Deliver, Message, MessageId, Misuse, Packet, RemoteViolation, Sent, Transmit, encode
from antecede.core.mobile import protocols
from antecede.core.mobile.host_and_station_frames import Begin, Got, Handover, Moved, Register
from antecede.core.mobile.logical import Cluster
from antecede.core.ordering.rst import RstStamp
from tests.core.mobile.script import flush, order, world


def test_logical_stations_do_not_know_a_host_that_did_not_join() -> None:
    cluster = protocols.station("av3", name="s1", stations=["s1"], homes={"a": "s1"}, logical=2)
    before = cluster.snapshot()
    with pytest.raises(RemoteViolation, match="host 'zoe' is not known at s1: call join first"):
        cluster.hear(Packet("zoe", None, Register(1, "s1")))
    assert cluster.snapshot() == before


CELLS = ("s1", "s2")
HOMES = {"a": "s1", "b": "s2", "s1": "s1", "s2": "s2"}


def cluster(homes: dict[str, str] | None = None) -> Cluster:
    made = protocols.station("av3", name="s1", stations=CELLS, homes=HOMES if homes is None else homes, logical=2)
    assert isinstance(made, Cluster)
    return made


def test_a_station_that_sends_is_a_host_of_its_first_logical_station() -> None:
    """The hosts of the cell are given to its logical stations as if it were not there."""
    with_own, without = cluster(), cluster({"a": "s1", "b": "s2"})
    assert with_own.given == {**without.given, "s1": (0, 0), "s2": (0, 0)}
    assert [station.static for station in with_own.logical] == [{"s1", "s2"}] * 2
    assert [station.static for station in without.logical] == [frozenset()] * 2
    message = Message(MessageId("s1", 1), frozenset({"s1", "b"}), b"x")
    effects = with_own.send({"s1", "b"}, b"x")
    assert effects[:2] == [Sent(message), Deliver(message)]
    assert [effect.to for effect in effects if isinstance(effect, Transmit)] == ["s2"]


def test_a_station_that_has_not_joined_cannot_send() -> None:
    made = cluster({"a": "s1", "s2": "s2"})
    before = made.snapshot()
    with pytest.raises(Misuse, match="s1 cannot send: let it join at all stations, with itself as its home"):
        made.send({"a"}, b"x")
    assert made.snapshot() == before


def test_a_station_has_its_own_cell_as_its_home_and_no_other() -> None:
    for home in ("s2", "s9"):
        with pytest.raises(Misuse, match=f"'s1' cannot join at '{home}'"):
            cluster({"s1": home})


@pytest.mark.parametrize("packet", [Packet("s1", None, Register(1, "s2")), Packet("s2", None, Got(0, 0))])
def test_nobody_speaks_for_a_station_over_the_air(packet: Packet) -> None:
    made = cluster()
    before = made.snapshot()
    with pytest.raises(RemoteViolation, match="is a station, which sends nothing over the air"):
        made.hear(packet)
    assert made.snapshot() == before


@pytest.mark.parametrize("stamp", [Begin("s1", 1, "s2/0", 0), Handover("s2", 1, b""), Moved("s2", 9, 9, "s1/1")])
def test_a_station_is_not_handed_off(stamp: Any) -> None:
    """Inside the causal layer, where Algorithm 2 sends what hand-offs need."""
    made = cluster()
    before = made.snapshot()
    inner = encode(Packet("s2/0", None, stamp))
    with pytest.raises(RemoteViolation, match="a station, which does not move"):
        made.receive(Packet("s2/0", Message(MessageId("s2/0", 1), frozenset({"s1/0"}), inner), RstStamp({})))
    assert made.snapshot() == before


def test_a_station_that_was_restored_goes_on_sending_and_having() -> None:
    scene = world("av3", {"b": "s2"}, cells="s1", stations_send=True, logical=2)
    scene.send("s1", {"b"})
    scene.stations["s1"] = protocols.restore(scene.stations["s1"].snapshot())  # type: ignore[assignment]  # a station
    scene.send("s1", {"b", "s2"})
    flush(scene)
    scene.send("b", {"s1"})
    flush(scene)
    assert [order(scene, name) for name in ("b", "s2", "s1")] == [["s1:1", "s1:2"], ["s1:2"], ["b:1"]]
    scene.finished()
