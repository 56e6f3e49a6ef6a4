"""Messages to all stations: a stamp of another protocol, acknowledgements that are combined, and any order."""

from __future__ import annotations

from typing import Any

import pytest

from antecede import Message, MessageId, Misuse, Packet, RemoteViolation, Transmit, mobile
from antecede.core.mobile.host_and_station_frames import Acknowledge, AcknowledgeAll, Begin, Cast, Delete, Register
from antecede.core.ordering.ks import KsStamp
from tests.core.mobile.script import carries, flush, order, world
from tests.mobile_worlds import MobileWorld


def test_a_cast_with_a_stamp_of_another_protocol_is_refused() -> None:
    station = world("prs-mobile", {"a": "n", "b": "s"}).stations["s"]
    before = station.snapshot()
    wrong = Packet("n", Message(MessageId("a", 1), frozenset("b"), b""), Cast(0, KsStamp({}, {}, {})))
    with pytest.raises(RemoteViolation, match="n sent a KsStamp, which is of another protocol"):
        station.receive(wrong)
    assert station.snapshot() == before


HOMES = {"a": "s1", "b": "s2", "c": "s2"}


def acknowledgements(scene: MobileWorld, kind: type = AcknowledgeAll) -> list[Packet]:
    """Return the acknowledgements of the kind that are on their way to s1."""
    queues = (queue for (_, to), queue in sorted(scene.wires.items()) if to == "s1")
    return [packet for queue in queues for packet in queue if isinstance(packet.stamp, kind)]


def to_s1(_: str, to: str, packet: Packet) -> bool:
    return to == "s1" and isinstance(packet.stamp, Acknowledge | AcknowledgeAll)


def test_the_acknowledgement_waits_for_a_host_that_sleeps() -> None:
    scene = world("prs-mobile", HOMES, combine=True)
    scene.leave("c")
    scene.send("a", {"b", "c"})
    flush(scene, to_s1)
    assert acknowledgements(scene) == []
    scene.enter("c", "s2")
    flush(scene, to_s1)
    assert acknowledgements(scene) == [Packet("s2", None, AcknowledgeAll(frozenset({"b", "c"}), 0))]
    flush(scene)
    scene.finished()


def test_the_acknowledgement_does_not_wait_for_a_host_that_leaves() -> None:
    """c sleeps in the cell of s2 and wakes up in that of s3: s2 sends what it has of b, and s3 that of c."""
    scene = world("prs-mobile", HOMES, cells="s3", combine=True)
    scene.leave("c")
    scene.send("a", {"b", "c"})
    flush(scene, to_s1)
    scene.enter("c", "s3")
    flush(scene, to_s1)
    assert [(packet.sender, packet.stamp) for packet in acknowledgements(scene)] == [
        ("s2", AcknowledgeAll(frozenset({"b"}), 0)),
        ("s3", AcknowledgeAll(frozenset({"c"}), 0)),
    ]
    flush(scene)
    assert scene.counts["wire Delete"] == 2
    scene.finished()


def test_a_station_that_does_not_combine_understands_one_that_does() -> None:
    scene = world("prs-mobile", HOMES)
    scene.send("a", {"b", "c"})
    flush(scene, to_s1)
    assert len(acknowledgements(scene, Acknowledge)) == 2
    both = scene.stations["s1"].receive(Packet("s2", None, AcknowledgeAll(frozenset({"b", "c"}), 0)))
    assert [type(effect.packet.stamp) for effect in both] == [Delete]  # type: ignore[union-attr]  # it goes to s2


@pytest.mark.parametrize("hosts", [set(), {"b", "zz"}])
@pytest.mark.parametrize("combine", [False, True])
def test_an_acknowledgement_for_nobody_or_a_stranger_is_refused(hosts: set[str], combine: bool) -> None:
    scene = world("prs-mobile", HOMES, combine=combine)
    scene.send("a", {"b", "c"})
    before = scene.stations["s1"].snapshot()
    with pytest.raises(RemoteViolation, match="which are not all known hosts, or nobody"):
        scene.stations["s1"].receive(Packet("s2", None, AcknowledgeAll(frozenset(hosts), 0)))
    assert scene.stations["s1"].snapshot() == before


@pytest.mark.parametrize("wrong", [1, None, "yes"])
@pytest.mark.parametrize("option", ["combine", "any_order"])
def test_an_option_is_true_or_false(option: str, wrong: Any) -> None:
    with pytest.raises(Misuse, match=rf"{option} is .*: give True or False"):
        mobile.station("prs-mobile", name="s", stations=["s"], homes={}, **{option: wrong})


def test_what_a_host_has_out_of_order_goes_with_it() -> None:
    """c has what b wrote and not yet what a wrote before, moves, and gets what a wrote, and nothing twice."""
    scene = world("prs-mobile", {"a": "s1", "b": "s1", "c": "s2"}, cells="s3", any_order=True)
    late = scene.send("a", {"c"})
    flush(scene, lambda _, to, packet: to != "s1" and carries(packet, late))
    early = scene.send("b", {"c"})
    flush(scene, lambda _, to, packet: to != "s1" and carries(packet, late))
    scene.enter("c", "s3")
    flush(scene, lambda _, to, packet: to != "s1" and carries(packet, late))
    assert order(scene, "c") == [str(early)]
    flush(scene)
    assert order(scene, "c") == [str(early), str(late)]
    luggage = scene.stations["s3"].berths["c"].luggage  # type: ignore[union-attr]  # it is there in this scene
    assert luggage is not None
    assert (luggage.mind.received["s1"], luggage.mind.passed) == (2, {"s1": set()})
    scene.finished()


@pytest.mark.parametrize("any_order", [False, True])
def test_luggage_of_the_other_order_is_refused(any_order: bool) -> None:
    """Stations have to agree on `any_order`: what one of them notes of a host, the other would not understand."""
    theirs, ours = (world("prs-mobile", {"b": "s1"}, cells="s2", any_order=one) for one in (any_order, not any_order))
    here = ours.stations["s2"]
    here.hear(Packet("b", None, Register(1, "s1")))
    before = here.snapshot()
    (handover,) = theirs.stations["s1"].receive(Packet("s2", None, Begin("b", 1, "s2", 0)))
    assert isinstance(handover, Transmit)
    with pytest.raises(RemoteViolation, match="of another protocol"):
        here.receive(handover.packet)
    assert here.snapshot() == before
