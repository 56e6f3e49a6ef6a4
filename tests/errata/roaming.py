"""Where 001 is wrong or contradicts itself about hosts that move, and what it leaves open.

`roaming_scenes` has the small executions that show it. The truth is the oracle's: what causal order asks of the
messages that were sent, and of those that were delivered.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from antecede import Packet
from antecede.lab.printed.roaming import MulticastNotifyingRelay, SelfAskingStation, printed_station
from tests.core.mobile.script import content, order
from tests.errata.erratum import Erratum, Failures, Frequency, Quotation
from tests.errata.executions import told_of
from tests.errata.ordered import asked_of, once
from tests.errata.roaming_scenes import (
    after_a_move,
    in_the_air,
    integers_about_the_disconnected,
    one_by_one,
    two_moves,
)
from tests.errata.roaming_search import Search, Stations, as_printed, is_inhibited, tell_readings
from tests.mobile_worlds import MakeStation, MobileWorld

MULTICAST_NOTIFY: MakeStation = partial(printed_station, make_scheme=MulticastNotifyingRelay)
"""Algorithm 2 as printed, read so that the new station's broadcast of notify is one causal multicast."""
PRINTED, MULTICAST, OURS = as_printed("av2"), as_printed("av2", MULTICAST_NOTIFY), Stations("av2")
ALGORITHM_2 = Search(worlds=100, size={"steps_max": 300, "stations_max": 6, "hosts_max": 6})
MODEL = (
    "The model of §2: wires that reorder, air that is FIFO, nothing lost; a host may move at any time, and names the "
    "station of the cell that it left; each message goes to one other host."
)

Scene = Callable[[Stations], MobileWorld]


@cache
def failures_of_algorithm_2(form: Stations) -> Failures:
    """Search once for each form: it takes seconds, and two entries ask for it."""
    return ALGORITHM_2.failures(form)


@once
def out_of_order() -> Frequency:
    """Algorithm 2 in both readings of its broadcast."""
    separate, at_once, ours = map(failures_of_algorithm_2, (PRINTED, MULTICAST, OURS))
    readings = {
        "with notify a separate unicast to each station": separate,
        "with notify one causal multicast of the new station": at_once,
        "with ours": ours,
    }
    printed = min(separate, at_once, key=lambda found: found.order)
    return Frequency(ALGORITHM_2.worlds, printed, ours, tell_readings(ALGORITHM_2.worlds, readings))


@once
def notified_separately() -> Frequency:
    """Algorithm 2 with separate unicasts, which fail for this reason or because of a stale notification."""
    found = told_of(ALGORITHM_2.worlds, "worlds", *map(failures_of_algorithm_2, (PRINTED, OURS)))
    told = f"{found.told} Some of them fail because of a stale notification: see the entry before."
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
    return about_order(
        two_moves,
        PRINTED,
        OURS,
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
            Quotation(
                "§5.2",
                "Observe that no messages for h_k sent to s_i will be in transition after s_i receives last(h_k) from "
                "all the MSSs.",
            ),
        ),
        remark=(
            "Two stations notify of two moves of one host, and neither need have heard of the other, nor the host of "
            "either: the notifications are concurrent. So it is the same whether a broadcast is one causal multicast "
            "or a separate unicast to each station. The last sentence is not so here: x:1 is sent to s2 after s2 has "
            "the answers of all stations."
        ),
        assumes=MODEL + " What a station does with a message for a host that it has handed off for good is not said; "
        "here it is passed on. The answers to two moves are told apart by the number of the move, which helps the "
        "paper.",
        defence=(
            "One may read the third sentence as saying that the notifications of one host are ordered by its moves; "
            "then none is stale. But causal order says nothing of messages that are concurrent. One may also assume "
            "that a host does not move on before all stations have been notified; the paper lets it move at any time."
        ),
        execution=(
            "h moves from s1 to s2, which notifies. The notifications to s3 and s4 are slow",
            "h hears nothing from s2, and moves on to s3, which notifies. s4 is notified of that",
            "the notifications of the first move arrive at s3 and s4, and both hand-offs end",
            "x, at s4, sends x:1 to h, and then x:2 to y, who is at s1",
            "x:1 is slow; x:2 arrives at y, and y sends y:1 to h",
            "x:1 arrives",
        ),
        printed_as="as printed, notify sent as separate unicasts",
        other_reading=("as printed, notify sent as one causal multicast", MULTICAST),
        why=(
            "s4 believes h at s2 and sends x:1 there, from where it is sent on; between x:2 and y:1, which go straight "
            "to s1 and s3, and x:1, which makes a detour, nothing keeps the order."
        ),
        repair=OLD_STATION_NOTIFIES
        + "So all notifications of one host are ordered by causality itself, and none can be stale.",
        often=out_of_order,
    )


def notified_one_by_one() -> Erratum:
    return about_order(
        one_by_one,
        PRINTED,
        OURS,
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
            "causal ordering is that of unicasts between stations."
        ),
        assumes=MODEL,
        defence=(
            "One may read a broadcast that is causally ordered as one causal multicast; then this execution is right, "
            "as the answers show. The paper would need a causal multicast, which RST of §3 does not have."
        ),
        execution=(
            "h moves from s1 to s2. s3 is notified; the notification to s4 is slow",
            "x, at s3, sends x:1 to h, and then x:2 to y, at s4",
            "x:2 arrives at y, and y sends y:1 to h",
            "everything else arrives",
        ),
        printed_as="notify sent as separate unicasts",
        other_reading=("notify sent as one causal multicast", MULTICAST),
        why=(
            "With separate unicasts, x:1 goes to the new station, which keeps it until the hand-off is over; y:1 goes "
            "to the old one, and is passed on as a message from before the hand-off, ahead of x:1. With one causal "
            "multicast x:2, which follows the notification, does not reach s4 before it."
        ),
        repair=OLD_STATION_NOTIFIES + "All of the hand-off goes through the causal layer.",
        often=notified_separately,
    )


def begin_sent_to_itself() -> Erratum:
    literal = as_printed("av2", partial(printed_station, kind=SelfAskingStation))
    return about_order(
        after_a_move,
        literal,
        OURS,
        "h",
        title="A misprint sends handoff_begin to its own sender",
        section="§5.2, the hand-off",
        says=(
            Quotation("§5.2", "On receiving this message, s_j sends the message handoff_begin(h_k) to s_j"),
            Quotation("§5.2", "MSS s_i, after receiving the message handoff_begin(h_k) from s_j, sends"),
        ),
        remark=(
            "The second sentence needs s_i in the first. The slip is of one index, and it may be of our copy of the "
            "paper."
        ),
        assumes=MODEL,
        defence="One may read s_i, as the second sentence does; then nothing is wrong, and all other entries do so.",
        execution=("a sends a:1 to h, who delivers it", "h moves from s2 to s3", "a sends a:2 to h, and all arrives"),
        why="s2 is never asked for h, and s3 waits for ever for it.",
        repair="Read s_i.",
        other_reading=("read s_i", PRINTED),
    )


def graceful() -> Erratum:
    before, after = integers_about_the_disconnected(Stations("av1"))
    answer = f"no: {before} integers before, {after} after"
    return Erratum(
        "Is Algorithm 1 graceful to disconnections?",
        "§1.1 against the abstract and §4.3",
        (
            Quotation("§1.1", "Also, the algorithm is graceful to hosts disconnections and connections."),
            Quotation(
                "abstract",
                "But the system is not easily scalable and is not graceful to host disconnections and connections.",
            ),
            Quotation("§4.3", "But factors F3-F4 are not satisfied."),
        ),
        (
            "a, b, c and d have all written to each other",
            "c and d disconnect",
            "a and b go on; a sends a message to b",
        ),
        "yes",
        answer,
        answer,
        asked="Does the header of Algorithm 1 get rid of hosts that are disconnected?",
        remark=(
            "§1.1 lacks a word: the sentence before it and the one after it speak of problems of Algorithm 1. F4 is "
            "that algorithms handle disconnections easily. The slip may be of our copy of the paper."
        ),
        assumes="The model of §2; everything that was sent is delivered before c and d disconnect.",
        defence="One may read a not into §1.1; then the paper agrees with itself and with what is measured.",
        printed_as="§1.1",
        other_readings=(("abstract and §4.3", "no"),),
        repair="Read not graceful.",
    )


def not_without_inhibition() -> Erratum:
    printed, ours = as_printed("av1"), Stations("av1")
    return about_order(
        in_the_air,
        printed,
        ours,
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
        remark="Table 1 has for Algorithm 1, in the column of inhibition: No.",
        assumes=MODEL,
        defence=(
            "One may read the definition to the letter: it names MSS_PENDING, the queue of Algorithm 2, and Algorithm "
            "1 queues messages in MH_PENDING; then the table is right. It is not right if it is read to say that no "
            "message waits although its delivery would not violate causal ordering."
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
        often=once(
            lambda: Search(other=is_inhibited).compare(printed, ours, other="a message is held back for nothing")
        ),
    )


def about_order(
    scene: Scene,
    printed_form: Stations,
    our_form: Stations,
    host: str,
    *,
    title: str,
    section: str,
    says: tuple[Quotation, ...],
    execution: tuple[str, ...],
    why: str,
    repair: str,
    assumes: str,
    defence: str,
    often: Callable[[], Frequency] | None = None,
    remark: str = "",
    printed_as: str = "as printed",
    other_reading: tuple[str, Stations] | None = None,
) -> Erratum:
    """Return an erratum about what `host` delivers, in order, in `scene`.

    `other_reading` has the name of another reading of the paper, and the form that reads it so.
    """
    printed, ours = scene(printed_form), scene(our_form)
    others = () if other_reading is None else (other_reading,)
    return Erratum(
        title,
        section,
        says,
        execution,
        said(order(printed, host)),
        said(due(ours, host)),
        said(order(ours, host)),
        assumes=assumes,
        defence=defence,
        asked=asked_of(host),
        why=why,
        repair=repair,
        often=often,
        remark=remark,
        printed_as=printed_as,
        other_readings=tuple((name, said(order(scene(form), host))) for name, form in others),
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


def said(names: list[str]) -> str:
    return ", ".join(names) or "nothing"
