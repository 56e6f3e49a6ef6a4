"""Where the papers are wrong about hosts that move: 000 §9, and 001 §4 and §5, as printed and repaired.

`roaming_scenes` has the small executions that show it. The truth is the oracle's: what causal order asks of the
messages that were sent, and of those that were delivered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from antecede import Packet
from antecede.core.mobile import protocols
from antecede.core.mobile.luggage import Policy
from antecede.lab.printed.roaming import MulticastNotifyingRelay, printed_station
from tests.core.mobile.script import content, order
from tests.errata.erratum import Erratum, Frequency, Quotation
from tests.errata.ordered import asked_of, once
from tests.errata.roaming_scenes import for_somebody_else, in_the_air, one_by_one, two_moves
from tests.mobile_worlds import Calm, MakeStation, MobileWorld
from tests.worlds import Broken

MILD = Calm(drag=0.4, pace=6, roaming=0.3)
"""Nothing lost, repeated or restarted, and hosts that move only when they are settled: all that the papers allow."""

MULTICAST_NOTIFY: MakeStation = partial(printed_station, make_scheme=MulticastNotifyingRelay)
"""Algorithm 2 as printed, read so that the new station's broadcast of notify is one causal multicast."""

Scene = Callable[..., MobileWorld]
Failed = Callable[[MobileWorld], bool]


class Unicasts(MobileWorld):
    """A world in which every message goes to one other host, as in 001."""

    def _send(self) -> None:
        answers = self.answering and self.random.random() < 0.7
        sender = self.answering.pop() if answers else self.random.choice(self.names)
        self.send(sender, {self.random.choice([name for name in self.names if name != sender])})


@dataclass(frozen=True, slots=True)
class Search:
    """Random worlds of a protocol, and what counts as its failure. `size` limits steps, stations and hosts."""

    protocol: str
    failed: Failed
    told: str
    worlds: int = 200
    kind: type[MobileWorld] = MobileWorld
    size: Mapping[str, Any] = field(default_factory=dict)

    def run(self) -> Frequency:
        printed, ours = self.failures(printed_station), self.failures(protocols.station)
        told = f"Of {self.worlds} random worlds, {self.told} in {printed} as printed, and in {ours} with ours."
        return Frequency(self.worlds, printed, ours, told)

    def failures(self, make_station: MakeStation) -> int:
        """Return the number of worlds that fail with stations that `make_station` makes."""
        return sum(self._fails(make_station, seed) for seed in range(self.worlds))

    def _fails(self, make_station: MakeStation, seed: int) -> bool:
        made = self.kind(
            self.protocol, seed, calm=MILD, policy=Policy(), strict=False, make_station=make_station, **dict(self.size)
        )
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


ALGORITHM_2 = Search(
    "av2",
    disordered,
    "a message is delivered before one that precedes it",
    worlds=100,
    kind=Unicasts,
    size={"steps_max": 300, "stations_max": 6, "hosts_max": 6},
)


@once
def out_of_order() -> Frequency:
    """Algorithm 2 in both readings of "broadcasts"."""
    found, at_once = notified_separately(), ALGORITHM_2.failures(MULTICAST_NOTIFY)
    told = (
        f"Of {found.total} random worlds, {ALGORITHM_2.told} in {found.printed} if notify is a separate unicast to "
        f"each station, in {at_once} if it is one causal multicast of the new station, and in {found.ours} with ours."
    )
    return Frequency(found.total, min(found.printed, at_once), found.ours, told)


@once
def notified_separately() -> Frequency:
    found = ALGORITHM_2.run()
    told = (
        f"Of {found.total} random worlds, {ALGORITHM_2.told} in {found.printed} if notify is a separate unicast to "
        f"each station, for this reason or because of a stale notification, and in {found.ours} with ours."
    )
    return Frequency(found.total, found.printed, found.ours, told)


NOTIFY = Quotation(
    "§5.2",
    "On receiving this message, s_j [...] broadcasts the message notify(h_k, s_i, s_j) to all the MSSs.",
)
CAUSALLY_ORDERED = Quotation("§5.2", "(Messages sent as part of handoff module are also causally ordered.)")
OLD_STATION_NOTIFIES = (
    "The old station notifies, not the new one: with one causal multicast to all stations, when it gives away what it "
    "keeps for h. It does so only when its own hand-off of h is over. "
)


def stale_notification() -> Erratum:
    return _erratum(
        two_moves,
        "av2",
        "h",
        title="A stale notification puts the location back",
        section="§5.2, the hand-off",
        says=(
            NOTIFY,
            Quotation(
                "§5.2",
                "An MSS s, on receiving notify(h_k, s_i, s_j) message, updates its local knowledge about the location "
                "of MH h_k and sends a last(h_k) message to s_i.",
            ),
            CAUSALLY_ORDERED,
        ),
        remark=(
            "Two stations notify of two moves of one host, and neither need have heard of the other: the "
            "notifications are concurrent. So it is the same whether a broadcast is one causal multicast or a "
            "separate unicast to each station. (What a station does with a message for a host that it has handed off "
            "for good is not said; here it is passed on.)"
        ),
        execution=(
            "h moves from s1 to s2, which notifies. The notifications to s3 and s4 are slow",
            "h moves on to s3, which notifies. s4 is notified of that",
            "the notifications of the first move arrive at s3 and s4, and both hand-offs end",
            "x, at s4, sends x:1 to h, and then x:2 to y, who is at s1",
            "x:1 is slow; x:2 arrives at y, and y sends y:1 to h",
            "x:1 arrives",
        ),
        printed_as="as printed, notify sent as separate unicasts",
        other_reading=("as printed, notify sent as one causal multicast", MULTICAST_NOTIFY),
        why=(
            "s4 believes h at s2 and sends x:1 there, from where it is sent on; between x:2 and y:1, which go straight "
            "to s1 and s3, and x:1, which makes a detour, nothing keeps the order."
        ),
        repair=OLD_STATION_NOTIFIES
        + "So all notifications of one host are ordered by causality itself, and none can be stale.",
        often=out_of_order,
    )


def notified_one_by_one() -> Erratum:
    return _erratum(
        one_by_one,
        "av2",
        "h",
        title="A broadcast of notify must not be separate unicasts",
        section="§5.2, the hand-off",
        says=(
            NOTIFY,
            CAUSALLY_ORDERED,
            Quotation(
                "§5.3",
                "During handoff, a notify message has to be sent to all the MSSs, and all the MSSs send last messages. "
                "Hence, the handoff module uses O(n_s) messages.",
            ),
        ),
        remark=(
            "This is a question of reading. The paper does not say what a broadcast is, and has no multicast: its "
            "causal ordering is that of unicasts between stations. The hand-off fails if the broadcast is n_s separate "
            "causal unicasts; in this execution it does not fail if the broadcast is one causal multicast."
        ),
        execution=(
            "h moves from s1 to s2. s3 is notified; the notification to s4 is slow",
            "x, at s3, sends x:1 to h, and then x:2 to y, at s4",
            "x:2 arrives at y, and y sends y:1 to h",
            "everything else arrives",
        ),
        printed_as="notify sent as separate unicasts",
        other_reading=("notify sent as one causal multicast", MULTICAST_NOTIFY),
        why=(
            "With separate unicasts, x:1 goes to the new station, which keeps it until the hand-off is over; y:1 goes "
            "to the old one, and is passed on as a message from before the hand-off, ahead of x:1. With one causal "
            "multicast x:2, which follows the notification, does not reach s4 before it."
        ),
        repair=OLD_STATION_NOTIFIES + "All of the hand-off goes through the causal layer.",
        often=notified_separately,
    )


def not_without_inhibition() -> Erratum:
    return _erratum(
        in_the_air,
        "av1",
        "c",
        title="Algorithm 1 does hold messages back for nothing",
        section="§4.1",
        says=(
            Quotation(
                "§4.1",
                "If so, s_k transmits m to h_i, increments MH_DELIV_i[j], and MH_SENT_i[j, k] is set to "
                "max(ST[j, k], MH_SENT_i[j, k]) for all j, k.",
            ),
            Quotation(
                "§5.3",
                "There is an inhibition in delivering a message to an MH if it is queued in MSS_PENDING even though "
                "the delivery of the message does not violate causal ordering.",
            ),
        ),
        remark=(
            "Table 1 has for Algorithm 1, in the column of inhibition: No. The definition names MSS_PENDING, the queue "
            "of Algorithm 2; Algorithm 1 queues messages in MH_PENDING. So the table is right by the letter of the "
            "definition. It is not right if it is read to say that no message waits although its delivery would not "
            "violate causal ordering."
        ),
        execution=(
            "a sends a:1 to c, which is slow, and then a:2 to b, which is transmitted and still in the air",
            "b, who does not have a:2, sends b:1 to c",
            "b:1 arrives at c's station",
        ),
        why=(
            "The station of b counts a:2, and with it that a:1 was sent to c, as known to b while a:2 is in the air. "
            "So b:1 says that a:1 precedes it, which is not so."
        ),
        repair="Merge when the host acknowledges, or with the host's next message that says what it had by then.",
        often=once(Search("av1", inhibited, "a message is held back for nothing", kind=Unicasts).run),
    )


def counter_that_stands() -> Erratum:
    return _erratum(
        for_somebody_else,
        "prs-mobile",
        "c",
        title="The counters of a host stop at the first message for somebody else",
        section="§9.1",
        says=(
            Quotation(
                "§9.1",
                "For an MH, say h, any message sent by MSS_j with sequence number less than h_RECD[j] has been "
                "delivered to h if h is a destination of the message.",
            ),
            Quotation(
                "§9.1",
                "When an MSS receives the message, it sends the message over a wireless channel to an MH, say h, in "
                "its cell provided all of the following conditions are satisfied: 1. h_RECD_h[M_init] = M_seq",
            ),
            Quotation(
                "§9.1",
                "The mobile host h notifies the MSS on the delivery of M. At this point of time the MSS increments "
                "h_RECD_h[M_init] by 1 and sends an Acknowledge(h) message to M_init.",
            ),
        ),
        remark=(
            "The first sentence would allow h_RECD to pass a message that is not for h. But nothing increments it "
            "except a delivery to h, so it never does. The counters come from the multicast algorithm of Acharya and "
            "Badrinath, on which the paper builds and which we do not have. That algorithm may say more; this entry is "
            "about the text of this paper."
        ),
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
    says: tuple[Quotation, ...],
    execution: tuple[str, ...],
    why: str,
    repair: str,
    often: Callable[[], Frequency],
    remark: str,
    printed_as: str = "as printed",
    other_reading: tuple[str, MakeStation] | None = None,
) -> Erratum:
    """Return an erratum about what `host` delivers, in order, in `scene`.

    `other_reading` has the name of another reading of the paper, and what makes stations that read it so.
    """
    printed, ours = scene(protocol, printed_station), scene(protocol)
    others = () if other_reading is None else (other_reading,)
    return Erratum(
        title,
        section,
        says,
        execution,
        _said(order(printed, host)),
        _said(due(ours, host)),
        _said(order(ours, host)),
        asked=asked_of(host),
        why=why,
        repair=repair,
        often=often,
        remark=remark,
        printed_as=printed_as,
        other_readings=tuple(
            (name, _said(order(scene(protocol, make_station), host))) for name, make_station in others
        ),
    )


def due(scene: MobileWorld, host: str) -> list[str]:
    """What causal order lets `host` have by now: what has come to its station, or to it, and misses nothing."""
    oracle = scene.oracle
    late = {str(content(packet).message.id) for packet in _in_flight(scene) if content(packet).message is not None}  # type: ignore[union-attr]  # it is there in this scene
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
