"""Small executions with hosts that move: each function plays one, in a world where nothing moves by itself."""

from __future__ import annotations

from itertools import permutations

from antecede import Packet
from antecede.core.mobile.host_and_station_frames import Carried, Delete, Notify
from antecede.core.mobile.luggage import Policy
from antecede.core.ordering.rst import RstStamp
from tests.core.mobile.script import Hold, carries, content, flush, order, world
from tests.errata.roaming_search import Stations
from tests.mobile_worlds import MobileWorld


def _world(form: Stations, homes: dict[str, str], cells: str = "") -> MobileWorld:
    """Return a world with the stations and hosts of this form. `cells` names stations besides those of `homes`."""
    return world(form.protocol, homes, cells=cells, make_station=form.make_station, make_host=form.make_host)


def two_moves(form: Stations, *, until_both_have_ended: bool = False) -> MobileWorld:
    """h moves from s1 to s2 and on to s3; s3 and s4 hear of the first move last. Then x at s4 writes to h, and to y.

    h moves on before it hears from s2, so that the notifications of its two moves are concurrent. With
    `until_both_have_ended`, the scene ends with the second hand-off, before x writes.
    """
    scene = _world(form, {"h": "s1", "x": "s4", "y": "s1"}, "s2 s3")

    def first_notice(_: str, to: str, packet: Packet) -> bool:
        stamp = content(packet).stamp
        return to in ("s3", "s4") and isinstance(stamp, Notify) and stamp.move == 1

    scene.enter("h", "s2")
    flush(scene, lambda sender, to, packet: to == "h" or first_notice(sender, to, packet))
    scene.enter("h", "s3")
    flush(scene, first_notice)
    flush(scene)
    if until_both_have_ended:
        return scene
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


def there_and_back(form: Stations) -> MobileWorld:
    """h moves from s1 to s2, back to s1, and on to s3; s4 hears of the last move, then of the first, then of the other.

    s3 has heard of no other move when it notifies of the last. x, at s4, writes to h when s4 has heard of one move, and
    when it has heard of two.
    """
    scene = _world(form, {"h": "s1", "x": "s4"}, "s2 s3")

    def notice_of(moves: tuple[int, ...], places: tuple[str, ...]) -> Hold:
        def is_one(_: str, to: str, packet: Packet) -> bool:
            stamp = content(packet).stamp
            return to in places and isinstance(stamp, Notify) and stamp.move in moves

        return is_one

    no_notice = notice_of((1, 2, 3), ("s3", "s4"))
    for cell in ("s2", "s1", "s3"):
        scene.enter("h", cell)
        flush(scene, lambda sender, to, packet: to == "h" or no_notice(sender, to, packet))
    for late in (notice_of((1, 2), ("s3", "s4")), notice_of((2,), ("s4",))):
        flush(scene, late)
        scene.send("x", {"h"})
        flush(scene, late)
    flush(scene)
    return scene


def _answer(scene: MobileWorld) -> None:
    """y writes to h once it has what x wrote: where that is held back, when what it waits for has come."""
    if not order(scene, "y"):
        flush(scene)
    scene.send("y", {"h"})


def one_by_one(form: Stations, *, notified: str = "s3", not_yet: str = "s4") -> MobileWorld:
    """h moves from s1 to s2; one station knows and one does not. x at the former writes to h, and to y at the latter.

    Then y writes to h. Notifications that are separate unicasts are sent to s3 before s4.
    """
    scene = _world(form, {"h": "s1", "x": notified, "y": not_yet}, "s2")

    def late_notice(_: str, to: str, packet: Packet) -> bool:
        return to == not_yet and isinstance(content(packet).stamp, Notify)

    scene.enter("h", "s2")
    flush(scene, late_notice)
    scene.send("x", {"h"})
    scene.send("x", {"y"})
    flush(scene, late_notice)
    _answer(scene)
    flush(scene, late_notice)
    flush(scene)
    return scene


def in_the_air(form: Stations) -> MobileWorld:
    """a writes m1 to c, and m2 to b. m1 is late, and m2 in the air, when b writes m3 to c. They stay so."""
    scene = _world(form, {"a": "s1", "b": "s2", "c": "s3"})
    m1 = scene.send("a", {"c"})
    m2 = scene.send("a", {"b"})

    def late_or_in_the_air(sender: str, to: str, packet: Packet) -> bool:
        return (carries(packet, m1) and (sender, to) == ("s1", "s3")) or (carries(packet, m2) and to == "b")

    flush(scene, late_or_in_the_air)
    scene.send("b", {"c"})
    flush(scene, late_or_in_the_air)
    return scene


def dropped_while_asleep(form: Stations) -> MobileWorld:
    """b disconnects; a writes to b, which is dropped; b reconnects; a writes to b again."""
    homes = {"a": "s1", "b": "s2"}
    policy = Policy(when_asleep="drop")
    scene = world(form.protocol, homes, policy=policy, make_station=form.make_station, make_host=form.make_host)
    scene.leave("b")
    flush(scene)
    scene.send("a", {"b"})
    flush(scene)
    scene.enter("b", "s2")
    flush(scene)
    scene.send("a", {"b"})
    flush(scene)
    return scene


def for_somebody_else(form: Stations) -> MobileWorld:
    """a writes to b, then to c; everything arrives."""
    scene = _world(form, {"a": "s1", "b": "s2", "c": "s3"})
    scene.send("a", {"b"})
    scene.send("a", {"c"})
    flush(scene)
    return scene


def two_of_one_cell(form: Stations) -> MobileWorld:
    """a and b, both at s1, write to c at s2. What a wrote is late, and stays so."""
    scene = _world(form, {"a": "s1", "b": "s1", "c": "s2"})
    late = scene.send("a", {"c"})

    def of_a(_: str, to: str, packet: Packet) -> bool:
        return to == "s2" and carries(packet, late)

    flush(scene, of_a)
    scene.send("b", {"c"})
    flush(scene, of_a)
    return scene


def overtaken_by_its_delete(form: Stations) -> MobileWorld:
    """a at s1 writes to b at s2. b has it, and s3 is told to delete it before it comes there."""
    scene = _world(form, {"a": "s1", "b": "s2", "c": "s3"})
    message = scene.send("a", {"b"})

    def message_to_s3(_: str, to: str, packet: Packet) -> bool:
        return to == "s3" and carries(packet, message)

    flush(scene, message_to_s3)
    assert scene.counts[f"wire {Delete.__name__}"] > 0
    flush(scene)
    return scene


def after_a_move(form: Stations) -> MobileWorld:
    """a writes to h at s2; h moves to s3; a writes to h again."""
    scene = _world(form, {"a": "s1", "h": "s2"}, "s3")
    scene.send("a", {"h"})
    flush(scene)
    scene.enter("h", "s3")
    flush(scene)
    scene.send("a", {"h"})
    flush(scene)
    return scene


def unheard_in_a_cell(form: Stations) -> MobileWorld:
    """h moves from s1 to s2 and on to s3, which never hears of it, and from there to s4; then a writes to h again.

    The counts of the scene begin with the move to s3.
    """
    scene = _world(form, {"a": "s1", "h": "s1"}, "s2 s3 s4")
    scene.enter("h", "s2")
    flush(scene)
    scene.send("a", {"h"})
    flush(scene)
    scene.counts.clear()
    scene.enter("h", "s3")
    del scene.frames["h", "s3"]
    scene.enter("h", "s4")
    flush(scene)
    scene.send("a", {"h"})
    flush(scene)
    return scene


def integers_about_the_disconnected(form: Stations) -> list[int]:
    """Everybody has written to everybody, twice. Return how many integers of a's header are about c and d, twice.

    First while all are connected, and then when c and d have been disconnected for some messages of a and b.
    """
    hosts = ("a", "b", "c", "d")
    scene = _world(form, {host: f"s{place}" for place, host in enumerate(hosts, start=1)})
    for sender, to in 2 * list(permutations(hosts, 2)):
        scene.send(sender, {to})
        flush(scene)
    found = []
    for gone in ((), ("c", "d")):
        for host in gone:
            scene.leave(host)
        flush(scene)
        for _ in range(3):
            scene.send("b", {"a"})
            flush(scene)
        scene.send("a", {"b"})
        found.append(_integers_about(scene, {"c", "d"}))
        flush(scene)
    return found


def _integers_about(scene: MobileWorld, hosts: set[str]) -> int:
    """Let the message that a has just sent come to its station, and count the integers of its header about `hosts`."""
    while ("s1", "s2") not in scene.wires:
        scene.frame_arrives(("a", "s1"))
    (packet,) = scene.wires["s1", "s2"]
    assert isinstance(packet.stamp, Carried)
    assert isinstance(packet.stamp.stamp, RstStamp)
    sent = packet.stamp.stamp.sent
    return sum(bool({sender, to} & hosts) for sender, row in sent.items() for to in row)
