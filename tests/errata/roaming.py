"""Where 001 is wrong or contradicts itself about hosts that move, and what it leaves open.

`roaming_scenes` has the small executions that show it. The truth is the oracle's: what causal order asks of the
messages that were sent, and of those that were delivered.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from antecede import Packet
from antecede.lab.printed.roaming import ChainingRelay, MulticastNotifyingRelay, SelfAskingStation, printed_station
from tests.core.mobile.script import content, order
from tests.errata.erratum import Assumption, Erratum, Failures, Frequency, Quotation
from tests.errata.executions import told_of
from tests.errata.ordered import asked_of, once
from tests.errata.roaming_scenes import (
    after_a_move,
    in_the_air,
    integers_about_the_disconnected,
    one_by_one,
    there_and_back,
    two_moves,
)
from tests.errata.roaming_search import Search, Stations, as_printed, is_inhibited, tell_readings
from tests.mobile_worlds import MakeStation, MobileWorld

MULTICAST_NOTIFY: MakeStation = partial(printed_station, make_scheme=MulticastNotifyingRelay)
"""Algorithm 2 as printed, read so that the new station's broadcast of notify is one causal multicast."""
CHAINED_MOVES: MakeStation = partial(printed_station, make_scheme=ChainingRelay)
"""The same, read so that a station puts the moves that it was notified of one after the other."""
PRINTED, MULTICAST, OURS = as_printed("av2"), as_printed("av2", MULTICAST_NOTIFY), Stations("av2")
CHAINED = as_printed("av2", CHAINED_MOVES)
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
    separate, at_once, chained, ours = map(failures_of_algorithm_2, (PRINTED, MULTICAST, CHAINED, OURS))
    readings = {
        "with notify a separate unicast to each station": separate,
        "with notify one causal multicast of the new station": at_once,
        "with that, and moves put one after the other": chained,
        "with ours": ours,
    }
    told = tell_readings(ALGORITHM_2, readings)
    return Frequency(ALGORITHM_2.worlds, separate, ours, told, other_reading=at_once)


@once
def notified_separately() -> Frequency:
    """Algorithm 2 with separate unicasts, which fail for this reason or because of a stale notification."""
    what = f"worlds ({ALGORITHM_2})"
    found = told_of(ALGORITHM_2.worlds, what, *map(failures_of_algorithm_2, (PRINTED, OURS)))
    told = (
        f"{found.told} These are the runs of the entry before, with separate unicasts. Some of them fail because of a "
        "stale notification."
    )
    return Frequency(found.total, found.printed, found.ours, told)


NOTIFY = Quotation(
    "§5.2",
    "On receiving this message, s_j [...] broadcasts the message notify(h_k, s_i, s_j) to all the MSSs.",
)
ANSWERED_LATER = Quotation(
    "§5.2",
    "If s_j receives the message handoff_begin(h_k) from some other MSS before the current handoff terminates (this "
    "can happen if h_k switches its cell), s_j will respond to the message only after the handoff terminates.",
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
                "of MH h_k and sends a last(h_k) message to s_i. After receiving notify(h_k, s_i, s_j), MSS s will "
                "send messages meant for MH h_k only to s_j (the new MSS of h_k) and not to s_i (the previous MSS of "
                "h_k).",
            ),
            CAUSALLY_ORDERED,
            Quotation(
                "§5.2",
                "Observe that no messages for h_k sent to s_i will be in transition after s_i receives last(h_k) from "
                "all the MSSs.",
            ),
            ANSWERED_LATER,
            Quotation(
                "§4.2",
                "If MH h_i switches to some other cell before the handoff is completed, the current handoff is "
                "completed before a new handoff begins.",
            ),
        ),
        remark=(
            "Two stations notify of two moves of one host, and neither need have heard of the other, nor the host of "
            "either: the notifications are concurrent. So it is the same whether a broadcast is one causal multicast "
            "or a separate unicast to each station. A station that has both, in whatever order, has two instructions "
            "that conflict: to send only to s3 and not to s2, and to send only to s2. Here it follows the later one. "
            "Then the sentence about messages in transition is not so: x:1 is sent to s2 after s2 has the answers of "
            "all stations."
        ),
        assumes=MODEL + " What a station does with a message for a host that it has handed off for good is not said; "
        "here it is passed on. The moves of a host are numbered, which is ours and not the paper's: answers to two "
        "moves are told apart by the number, which helps the paper. A station follows the notification that came last.",
        defence=(
            "One may read that a station puts the moves of which it was notified one after the other, from s1 to s2 "
            "and from s2 to s3; then s4 sends to s3, though it was told last to send only to s2, and this execution is "
            "right, as the answers show. But the paper does not say how, and if a host returns to a cell, its moves "
            "can be put together in two ways. h moves from s1 to s2, back to s1 and on to s3, and s4 hears of the "
            "third move, then of the first, and of the second last. After the third, x:1 goes to s3, where it waits. "
            "After the first, h may have left s1 for s3 first or for s2 first. If s4 then follows what it was told "
            "last, x:2 goes to s2, from where it is sent on as old, and h delivers "
            f"{said(order(there_and_back(CHAINED), 'h'))}. One may also read that messages of the hand-off are "
            "causally ordered as saying that the notifications of one host are ordered by its moves; then none is "
            "stale. But causal order says nothing of messages that are concurrent. One may also expect that no "
            "hand-off begins before the last one is completed, as §4.2 says of Algorithm 1; then notifications are "
            "ordered. §5.2 does not carry it over: it says which message waits for the end of a hand-off, and that is "
            "the answer to handoff_begin. The new station broadcasts notify on receiving register, which a host sends "
            "at any time."
        ),
        execution=(
            "h moves from s1 to s2, which notifies. The notifications to s3 and s4 are slow",
            "h hears nothing but its beacon from s2, and moves on to s3, which notifies. s1, s2 and s4 are notified of "
            "that: s1 and s2 have both notifications, in the order of the moves",
            "the notifications of the first move arrive at s3 and s4, and both hand-offs end",
            "x, at s4, sends x:1 to h, and then x:2 to y, who is at s1",
            "x:1 is slow; x:2 arrives at y, and y sends y:1 to h",
            "x:1 arrives",
        ),
        printed_as="as printed, notify sent as separate unicasts",
        other_readings=(
            ("as printed, notify sent as one causal multicast", MULTICAST),
            ("the same, and moves put one after the other", CHAINED),
        ),
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
            "causal ordering is that of unicasts between stations. It also depends on the order of the unicasts: the "
            "one to s3 is sent before the one to s4. In the other order the one to s3, and so x:2, says that a message "
            "to s4 was sent before, and RST itself holds x:2 back until s4 is notified."
        ),
        assumes=MODEL,
        defence=(
            "One may read a broadcast that is causally ordered as one causal multicast; then this execution is right, "
            "as the answers show. The paper would need a causal multicast, which RST of §3 does not have."
        ),
        execution=(
            "h moves from s1 to s2, which notifies s1, s2, s3 and s4, in this order. s3 is notified; the notification "
            "to s4 is slow",
            "x, at s3, sends x:1 to h, and then x:2 to y, at s4",
            "x:2 arrives at y, and y sends y:1 to h",
            "everything else arrives",
        ),
        printed_as="notify sent as separate unicasts",
        other_readings=(("notify sent as one causal multicast", MULTICAST),),
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
        execution=(
            "a, at s1, sends a:1 to h, at s2, who delivers it",
            "h moves from s2 to s3",
            "a sends a:2 to h, and all arrives",
        ),
        why="s2 is never asked for h, and s3 waits for ever for it.",
        repair="Read s_i.",
        other_readings=(("read s_i", PRINTED),),
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
            "a, b, c and d have all written to each other, twice",
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
        why=(
            "MH_SENT has an entry for each of the 12 pairs of a sender and another receiver, of which 10 have c or d. "
            "These are counted, as far as they are not 0, in the header of a message of a to b."
        ),
        defence="One may read a not into §1.1; then the paper agrees with itself and with what is measured.",
        printed_as="§1.1",
        other_readings=(("abstract and §4.3", "no"),),
        repair="Read not graceful.",
    )


def known_while_in_the_air() -> Assumption:
    printed, ours = as_printed("av1"), Stations("av1")
    search = Search(other=is_inhibited)
    found = search.compare(printed, ours, other="a message waits although nothing that precedes it is missing")
    return Assumption(
        "What is in the air to a host counts as known to it",
        "§4.1",
        (
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
            Quotation("§1.1", "the algorithm is executed by the MSSs on behalf of the MHs."),
            Quotation("§2", "(i) e and e' are two events in the same host and e occurs before e'"),
        ),
        "Table 1 has for Algorithm 1, in the column of inhibition: No. That is right, because inhibition is defined by "
        "MSS_PENDING, the queue of Algorithm 2, and Algorithm 1 queues messages in MH_PENDING; and no sentence says "
        "that a message never waits needlessly in Algorithm 1. It may: the station of b counts a:2, and with it that "
        "a:1 was sent to c, as known to b while a:2 is in the air. So b:1 says that a:1 precedes it. If the station "
        "stands for the host, as §1.1 may be read and as §4.1 takes what it transmits for delivered, that is so. By "
        "§2, where events are those of hosts, it is not, and b:1 waits for nothing. Order is kept either way. Here "
        "what a host knows is merged when the host acknowledges, or with its next message, which says what it had by "
        f"then. {found.told}",
        (
            "a, at s1, sends a:1 to c, at s3, which is slow, and then a:2 to b, at s2, which is transmitted and still "
            "in the air",
            "b, who does not have a:2, sends b:1 to c",
            "b:1 arrives at s3",
        ),
        asked_of("c"),
        tuple((who, said(order(in_the_air(form), "c"))) for who, form in (("as printed", printed), ("ours", ours))),
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
    other_readings: tuple[tuple[str, Stations], ...] = (),
) -> Erratum:
    """Return an erratum about what `host` delivers, in order, in `scene`.

    `other_readings` has the names of other readings of the paper, each with the form that reads it so.
    """
    printed, ours = scene(printed_form), scene(our_form)
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
        other_readings=tuple((name, said(order(scene(form), host))) for name, form in other_readings),
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
