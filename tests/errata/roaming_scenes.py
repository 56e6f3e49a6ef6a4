"""Small executions with hosts that move: each function plays one, in a world where nothing moves by itself."""

from __future__ import annotations

from antecede import Packet
from antecede.core.mobile import protocols
from antecede.core.mobile.host_and_station_frames import Notify
from tests.core.mobile.script import carries, content, flush, order, world
from tests.mobile_worlds import MakeStation, MobileWorld


def two_moves(protocol: str, make_station: MakeStation = protocols.station) -> MobileWorld:
    """h moves from s1 to s2 and on to s3; s3 and s4 hear of the first move last. Then x at s4 writes to h, and to y."""
    scene = world(protocol, {"h": "s1", "x": "s4", "y": "s1"}, cells="s2 s3", make_station=make_station)

    def first_notice(_: str, to: str, packet: Packet) -> bool:
        stamp = content(packet).stamp
        return to in ("s3", "s4") and isinstance(stamp, Notify) and stamp.move == 1

    scene.enter("h", "s2")
    flush(scene, first_notice)
    scene.enter("h", "s3")
    flush(scene, first_notice)
    flush(scene)
    m1 = scene.send("x", {"h"})

    def m1_from_s4(sender: str, _: str, packet: Packet) -> bool:
        return sender == "s4" and carries(packet, m1)

    flush(scene, m1_from_s4)
    scene.send("x", {"y"})
    flush(scene, m1_from_s4)
    _answer(scene)
    flush(scene, m1_from_s4)
    flush(scene)
    return scene


def _answer(scene: MobileWorld) -> None:
    """y writes to h once it has what x wrote: where that is held back, when what it waits for has come."""
    if not order(scene, "y"):
        flush(scene)
    scene.send("y", {"h"})


def one_by_one(protocol: str, make_station: MakeStation = protocols.station) -> MobileWorld:
    """h moves from s1 to s2; s3 knows and s4 does not. x at s3 writes to h, and to y at s4, which then writes to h."""
    scene = world(protocol, {"h": "s1", "x": "s3", "y": "s4"}, cells="s2", make_station=make_station)

    def notice_to_s4(_: str, to: str, packet: Packet) -> bool:
        return to == "s4" and isinstance(content(packet).stamp, Notify)

    scene.enter("h", "s2")
    flush(scene, notice_to_s4)
    scene.send("x", {"h"})
    scene.send("x", {"y"})
    flush(scene, notice_to_s4)
    _answer(scene)
    flush(scene, notice_to_s4)
    flush(scene)
    return scene


def in_the_air(protocol: str, make_station: MakeStation = protocols.station) -> MobileWorld:
    """a writes m1 to c, and m2 to b. m1 is late, and m2 in the air, when b writes m3 to c. They stay so."""
    scene = world(protocol, {"a": "s1", "b": "s2", "c": "s3"}, make_station=make_station)
    m1 = scene.send("a", {"c"})
    m2 = scene.send("a", {"b"})

    def late_or_in_the_air(sender: str, to: str, packet: Packet) -> bool:
        return (carries(packet, m1) and (sender, to) == ("s1", "s3")) or (carries(packet, m2) and to == "b")

    flush(scene, late_or_in_the_air)
    scene.send("b", {"c"})
    flush(scene, late_or_in_the_air)
    return scene


def for_somebody_else(protocol: str, make_station: MakeStation = protocols.station) -> MobileWorld:
    """a writes to b, then to c; everything arrives."""
    scene = world(protocol, {"a": "s1", "b": "s2", "c": "s3"}, make_station=make_station)
    scene.send("a", {"b"})
    scene.send("a", {"c"})
    flush(scene)
    return scene
