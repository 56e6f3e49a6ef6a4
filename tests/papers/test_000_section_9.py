"""Prakash, Raynal, Singhal: "An Adaptive Causal Ordering Algorithm Suited to Mobile Computing Environments" (000).

§9, causal multicast with mobile nodes, as printed and repaired.
"""

from __future__ import annotations

from antecede import Packet
from antecede.core.mobile.host_and_station_frames import Acknowledge, Cast, Delete
from tests.core.mobile.script import carries, flush, order, world
from tests.errata import roaming_scenes
from tests.errata.roaming_search import Stations, as_printed


def test_9_1_as_printed_h_recd_never_passes_a_message_for_somebody_else() -> None:
    """a writes to b, then to c: at c the counter of the station stands at the message for b, for ever."""
    scene = roaming_scenes.for_somebody_else(as_printed("prs-mobile"))
    assert [(str(message), host) for message, host in scene.oracle.lost()] == [("a:2", "c")]


def test_9_1_repaired_it_steps_over() -> None:
    scene = roaming_scenes.for_somebody_else(Stations("prs-mobile"))
    assert order(scene, "c") == ["a:2"]
    scene.finished()


def test_9_1_a_delete_may_overtake_its_message() -> None:
    """s3 hears that everybody has m1 before it hears of m1; c, in its cell, still gets what comes after."""
    scene = world("prs-mobile", {"a": "s1", "b": "s2", "c": "s3"})
    m1 = scene.send("a", {"b"})
    flush(scene, lambda _, to, packet: to == "s3" and carries(packet, m1))
    m2 = scene.send("a", {"c"})
    flush(scene, lambda _, to, packet: to == "s3" and carries(packet, m1))
    assert order(scene, "c") == [str(m2)]
    flush(scene)
    scene.finished()
    assert not any(casts.store for s in scene.stations.values() for casts in s.scheme.casts.values())  # type: ignore[union-attr]  # it is there in this scene


def test_9_3_a_message_goes_to_every_station_and_is_acknowledged_and_deleted() -> None:
    scene = world("prs-mobile", {"a": "s1", "b": "s2", "c": "s3"}, cells="s4")
    scene.send("a", {"b", "c"})
    flush(scene)
    assert [scene.counts[f"wire {kind.__name__}"] for kind in (Cast, Acknowledge, Delete)] == [3, 2, 3]


def test_9_messages_of_one_station_are_kept_in_its_order_without_need() -> None:
    """a and b, both at s1, have nothing to do with each other; c waits for a's message to have b's."""
    scene = world("prs-mobile", {"a": "s1", "b": "s1", "c": "s2"})
    m1 = scene.send("a", {"c"})

    def late(_: str, to: str, packet: Packet) -> bool:
        return to == "s2" and carries(packet, m1)

    flush(scene, late)
    m2 = scene.send("b", {"c"})
    flush(scene, late)
    assert order(scene, "c") == []
    assert scene.counts["held for nothing"] == 1
    flush(scene)
    assert order(scene, "c") == [str(m1), str(m2)]
