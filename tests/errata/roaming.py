"""Where the papers are wrong about hosts that move: 000 §9, and 001 §4 and §5, as printed and repaired.

A scene is a function that plays one small execution in a world where nothing moves but what it says. The truth is the
oracle's: what causal order asks of the messages that were sent, and of those that were delivered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from antecede import Packet
from antecede.core.mobile.frames import Notify
from antecede.core.mobile.luggage import Policy
from tests.core.mobile.script import carries, content, flush, order, world
from tests.errata.erratum import Erratum, Frequency
from tests.errata.ordered import once
from tests.mobile_worlds import Calm, MobileWorld
from tests.worlds import Broken

PRINTED: Mapping[str, Any] = {"printed": True}
MILD = Calm(drag=0.4, pace=6, roaming=0.3)
"""Nothing lost, repeated or restarted, and hosts that move only when they are settled: all that the papers allow."""

Scene = Callable[..., MobileWorld]
Failed = Callable[[MobileWorld], bool]


@dataclass(frozen=True, slots=True)
class Search:
    """Random worlds of a protocol, and what counts as its failure."""

    protocol: str
    failed: Failed
    told: str
    worlds: int = 200

    def run(self) -> Frequency:
        printed, ours = (sum(map(partial(self._fails, options), range(self.worlds))) for options in (PRINTED, {}))
        told = f"Of {self.worlds} random worlds, {self.told} in {printed} as printed, and in {ours} with ours."
        return Frequency(self.worlds, printed, ours, told)

    def _fails(self, options: Mapping[str, Any], seed: int) -> bool:
        made = MobileWorld(self.protocol, seed, options=dict(options), calm=MILD, policy=Policy(), strict=False)
        try:
            made.run()
        except Broken:
            return True
        return self.failed(made)


def disordered(made: MobileWorld) -> bool:
    return made.oracle.violations > 0


def stuck(made: MobileWorld) -> bool:
    return bool(made.oracle.lost())


def inhibited(made: MobileWorld) -> bool:
    return made.counts["held for nothing"] > 0


OUT_OF_ORDER = once(Search("av2", disordered, "a message is delivered before one that precedes it").run)


def two_moves(protocol: str, **options: Any) -> MobileWorld:
    """h moves from s1 to s2 and on to s3, and s4 hears of the first move last; then x at s4 writes to h, and to y."""
    scene = world(protocol, {"h": "s1", "x": "s4", "y": "s3"}, cells="s2", **options)

    def first_notice(_: str, to: str, packet: Packet) -> bool:
        stamp = content(packet).stamp
        return to == "s4" and isinstance(stamp, Notify) and stamp.move == 1

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


def one_by_one(protocol: str, **options: Any) -> MobileWorld:
    """h moves from s1 to s2; s3 knows and s4 does not. x at s3 writes to h, and to y at s4, which then writes to h."""
    scene = world(protocol, {"h": "s1", "x": "s3", "y": "s4"}, cells="s2", **options)

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


def in_the_air(protocol: str, **options: Any) -> MobileWorld:
    """a writes m1 to b and c. It is in the air to b, and late to c, when b writes m2 to c. It stays so."""
    scene = world(protocol, {"a": "s1", "b": "s2", "c": "s3"}, **options)
    m1 = scene.send("a", {"b", "c"})

    def m1_in_the_air_or_late(sender: str, to: str, packet: Packet) -> bool:
        return carries(packet, m1) and (to == "b" or (sender, to) == ("s1", "s3"))

    flush(scene, m1_in_the_air_or_late)
    scene.send("b", {"c"})
    flush(scene, m1_in_the_air_or_late)
    return scene


def for_somebody_else(protocol: str, **options: Any) -> MobileWorld:
    """a writes to b, then to c; everything arrives."""
    scene = world(protocol, {"a": "s1", "b": "s2", "c": "s3"}, **options)
    scene.send("a", {"b"})
    scene.send("a", {"c"})
    flush(scene)
    return scene


def stale_notification() -> Erratum:
    return _erratum(
        two_moves,
        "av2",
        "h",
        title="A stale notification puts the location back",
        section="§5.2, the hand-off",
        says="At notify(h, s), a station sets its idea of where h is to s, and answers with last.",
        execution=(
            "h moves from s1 to s2. The notification to s4 is slow",
            "h moves on to s3, and s4 is notified of that",
            "the notification of the first move arrives at s4",
            "x, at s4, sends x:1 to h, and then x:2 to y, who is at s3 as h is",
            "x:1 is slow; x:2 arrives at y, and y sends y:1 to h",
            "x:1 arrives",
        ),
        why=(
            "s4 believes h at s2 and sends x:1 there, from where it is sent on; between x:2 and y:1, which go straight "
            "to s3, and x:1, which makes a detour, nothing keeps the order."
        ),
        repair=(
            "The host carries a move number; an older notification does not change the location, and is still answered "
            "by last."
        ),
        often=OUT_OF_ORDER,
    )


def notified_one_by_one() -> Erratum:
    return _erratum(
        one_by_one,
        "av2",
        "h",
        title="A station that is not yet notified is overtaken by one that is",
        section="§5.2, the hand-off",
        says="The new station sends notify to all other stations; each goes by itself.",
        execution=(
            "h moves from s1 to s2. s3 is notified; the notification to s4 is slow",
            "x, at s3, sends x:1 to h, and then x:2 to y, at s4",
            "x:2 arrives at y, and y sends y:1 to h, by way of s1",
            "everything else arrives",
        ),
        why=(
            "x:1 goes to the new station, which keeps it until the hand-off is over; y:1 goes to the old one, and is "
            "passed on as a message from before the hand-off, ahead of x:1."
        ),
        repair=(
            "notify is one causal multicast to all stations, so that x:2, which follows it, does not reach s4 first; "
            "and all of the hand-off goes through the causal layer."
        ),
        often=OUT_OF_ORDER,
    )


def not_without_inhibition() -> Erratum:
    return _erratum(
        in_the_air,
        "av1",
        "c",
        title="Algorithm 1 does hold messages back for nothing",
        section="§4.1",
        says=(
            "A station that has a message for a host merges its matrix into the host's when it sends the message over "
            "the air, and there is no inhibition (Table 1)."
        ),
        execution=(
            "a sends a:1 to b and c. On its way to c it is slow, and to b it is still in the air",
            "b, who does not have a:1, sends b:1 to c",
            "b:1 arrives at c's station",
        ),
        why=(
            "The station of b counts a:1 as known to b while it is in the air, so b:1 says that a:1 precedes it, which "
            "is not so."
        ),
        repair="Merge when the host acknowledges, or with the host's next message that says what it had by then.",
        often=once(Search("av1", inhibited, "a message is held back for nothing").run),
    )


def counter_that_stands() -> Erratum:
    return _erratum(
        for_somebody_else,
        "prs-mobile",
        "c",
        title="The counters of a host stop at the first message for somebody else",
        section="§9.1",
        says="h_RECD counts, for each station, its messages that h has received; the next one to h is the one after.",
        execution=("a sends a:1 to b", "a sends a:2 to c", "everything arrives"),
        why="a:1 is not for c, so c's counter of that station never passes it, and c waits for a:1 for ever.",
        repair=(
            "While the next message of a station is known here and not for the host, or was deleted, step over it."
        ),
        often=once(Search("prs-mobile", stuck, "a message is never delivered").run),
    )


def _erratum(
    scene: Scene,
    protocol: str,
    host: str,
    *,
    title: str,
    section: str,
    says: str,
    execution: tuple[str, ...],
    why: str,
    repair: str,
    often: Callable[[], Frequency],
) -> Erratum:
    printed, ours = scene(protocol, **PRINTED), scene(protocol)
    return Erratum(
        title,
        section,
        says,
        execution,
        _said(order(printed, host)),
        _said(due(ours, host)),
        _said(order(ours, host)),
        asked=f"What does {host} deliver, in order?",
        why=why,
        repair=repair,
        often=often,
    )


def due(scene: MobileWorld, host: str) -> list[str]:
    """What causal order lets `host` have by now: what has come to its station, or to it, and misses nothing."""
    oracle = scene.oracle
    late = {str(content(packet).message.id) for packet in _in_flight(scene) if content(packet).message is not None}  # type: ignore[union-attr]
    mine = sorted((m for m in oracle.messages if host in oracle.messages[m].dests), key=lambda m: len(oracle.past[m]))
    here: list[str] = []
    for message in mine:
        before = {str(m) for m in oracle.past[message] if host in oracle.messages[m].dests}
        if str(message) not in late and before <= set(here):
            here.append(str(message))
    return here


def _in_flight(scene: MobileWorld) -> list[Packet]:
    return [packet for links in (scene.wires, scene.frames) for queue in links.values() for packet in queue]


def _said(names: list[str]) -> str:
    return ", ".join(names) or "nothing"
