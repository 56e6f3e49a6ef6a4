"""What goes wrong with the notifications of 001 §5.2, and how a broadcast of them is read.

The executions are in `roaming_scenes`.
"""

from __future__ import annotations

from functools import partial

from antecede.lab.printed.roaming import ChainingRelay, MulticastNotifyingRelay, StayingRelay, printed_station
from tests.errata.erratum import Assumption, Erratum, Failures, Frequency, Further, Quotation
from tests.errata.ordered import asked_of, once
from tests.errata.roaming import ANSWERED_LATER, MODEL, OURS, PRINTED, about_order, answers_of
from tests.errata.roaming_scenes import one_by_one, there_and_back, two_moves
from tests.errata.roaming_search import Search, as_printed, tell_readings

MULTICAST = as_printed("av2", partial(printed_station, make_scheme=MulticastNotifyingRelay))
"""Algorithm 2 as printed, read so that the new station's broadcast of notify is one causal multicast."""
CHAINED = as_printed("av2", partial(printed_station, make_scheme=ChainingRelay))
"""The same, read so that a station puts the moves that it was notified of one after the other."""
STAYING = as_printed("av2", partial(printed_station, make_scheme=StayingRelay))
"""The same, and if that can be done in two ways, a station stays with the place that it has."""
ALGORITHM_2 = Search(worlds=100, size={"steps_max": 300, "stations_max": 6, "hosts_max": 6})
NOTIFY = Quotation(
    "§5.2",
    "On receiving this message, s_j [...] broadcasts the message notify(h_k, s_i, s_j) to all the MSSs.",
)
CAUSALLY_ORDERED = Quotation("§5.2", "(Messages sent as part of handoff module are also causally ordered.)")


@once
def out_of_order() -> Frequency:
    """Algorithm 2 in the readings of its broadcast, and of what a station makes of two moves."""
    separate, at_once, chained, staying, ours = map(ALGORITHM_2.failures, (PRINTED, MULTICAST, CHAINED, STAYING, OURS))
    readings: dict[str, Failures] = {
        "with notify one causal multicast of the new station": at_once,
        "with that, and moves put one after the other, the last told first": chained,
        "with that, and a station that stays with the place it has": staying,
        "with notify a separate unicast to each station, which may fail for that reason alone": separate,
        "with ours": ours,
    }
    return Frequency(ALGORITHM_2.worlds, at_once, ours, tell_readings(ALGORITHM_2, readings))


def stale_notification() -> Erratum:
    return about_order(
        two_moves,
        MULTICAST,
        OURS,
        "h",
        title="A stale notification puts the location back",
        section="§5.2, the hand-off",
        says=(
            NOTIFY,
            Quotation(
                "§5.2",
                "The message notify(h_k, s_i, s_j) signifies that MH h_k has switched from MSS s_i to MSS s_j. An MSS "
                "s, on receiving notify(h_k, s_i, s_j) message, updates its local knowledge about the location of MH "
                "h_k and sends a last(h_k) message to s_i. After receiving notify(h_k, s_i, s_j), MSS s will send "
                "messages meant for MH h_k only to s_j (the new MSS of h_k) and not to s_i (the previous MSS of h_k).",
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
            "or a separate unicast to each station. A station that has the second before the first has two "
            "instructions that conflict: to send only to s3 and not to s2, and then to send only to s2. Here it "
            "follows the one that came last, to the letter. Then the sentence about messages in transition is not so: "
            "x:1 is sent to s2 after s2 has the answers of all stations."
        ),
        assumes=MODEL + " What a station does with a message for a host that it has handed off for good is not said; "
        "here it is passed on. The moves of a host are numbered, which is ours and not the paper's: answers to two "
        "moves are told apart by the number, which helps the paper. A station follows the notification that came last.",
        defence=DEFENCE,
        execution=(
            "h moves from s1 to s2, which notifies. The notifications to s3 and s4 are slow",
            "h hears nothing but its beacon from s2, and moves on to s3, which notifies. s1, s2 and s4 are notified of "
            "that: s1 and s2 have both notifications, in the order of the moves",
            "the notifications of the first move arrive at s3 and s4, and both hand-offs end",
            "x, at s4, sends x:1 to h, and then x:2 to y, who is at s1",
            "x:1 is slow; x:2 arrives at y, and y sends y:1 to h",
            "x:1 arrives",
        ),
        printed_as="as printed, notify sent as one causal multicast",
        other_readings=(
            ("as printed, notify sent as separate unicasts", PRINTED),
            ("one causal multicast, and moves put one after the other, the last told first", CHAINED),
            ("the same, and a station stays with the place it has", STAYING),
        ),
        why=(
            "s4 believes h at s2 and sends x:1 there, from where it is sent on; between x:2 and y:1, which go straight "
            "to s1 and s3, and x:1, which makes a detour, nothing keeps the order."
        ),
        repair=(
            "The old station notifies, not the new one: with one causal multicast to all stations, when it gives away "
            "what it keeps for h. It does so only when its own hand-off of h is over. So all notifications of one host "
            "are ordered by causality itself, and none can be stale."
        ),
        often=out_of_order,
        further=host_that_returns(),
    )


DEFENCE = (
    "One may read, by what a notification signifies, that a station puts the moves of which it was notified one after "
    "the other, from s1 to s2 and from s2 to s3; then s4 sends to s3, though it was told last to send only to s2, and "
    "this execution is right, as the answers show. The paper does not say what a station does if the moves can be put "
    "together in two ways, as they can if a host returns to a cell: in the execution below, when s4 has heard of the "
    "third move and of the first, h may have left s1 for s3 first or for s2 first. If s4 then follows what it was told "
    "last, x:2 goes to s2, from where it is sent on as old, and comes before x:1, which waits at s3. If s4 stays with "
    "the place that it has until the host is known to have left it for good, this execution is right too, and so are "
    "all random worlds; but then a station does not do what it is told by the sentence on where messages are sent "
    "after notify. One may also read that messages of the hand-off are causally ordered as saying that the "
    "notifications of one host are ordered by its moves; then none is stale. But causal order says nothing of messages "
    "that are concurrent. One may also expect that no hand-off begins before the last one is completed, as §4.2 says "
    "of Algorithm 1; then notifications are ordered. §5.2 does not carry it over: it says which message waits for the "
    "end of a hand-off, and that is the answer to handoff_begin. The new station broadcasts notify on receiving "
    "register, which a host sends at any time."
)


def host_that_returns() -> Further:
    return Further(
        "The execution in which the host returns.",
        (
            "h moves from s1 to s2, back to s1, and on to s3. The notifications to s3 and s4 are slow",
            "s4 is notified of the third move; x, at s4, sends x:1 to h",
            "s4 is notified of the first move; x sends x:2 to h",
            "s4 is notified of the second move, and everything arrives",
        ),
        asked_of("h"),
        answers_of(
            there_and_back,
            "h",
            (
                ("as printed, notify sent as one causal multicast", MULTICAST),
                ("the same, and moves put one after the other, the last told first", CHAINED),
                ("the same, and a station stays with the place it has", STAYING),
                ("ours", OURS),
            ),
        ),
    )


def broadcast_as_unicasts() -> Assumption:
    return Assumption(
        "A broadcast is one causal multicast",
        "§5.2, the hand-off",
        (
            NOTIFY,
            CAUSALLY_ORDERED,
            Quotation(
                "§5.3",
                "During handoff, a notify message has to be sent to all the MSSs, and all the MSSs send last messages. "
                "Hence, the handoff module uses O(n_s) messages.",
            ),
            Quotation("§5.2", "Any messages for h_k that are not marked old will be queued in MSS_PENDING_j."),
            Quotation(
                "§5.1",
                "The value of MSS_DELIV_i[j] indicates the number of messages (whose destination can be different MHs) "
                "received from MSS s_j by MSS s_i.",
            ),
        ),
        "The paper does not say what a broadcast is, and its causal ordering is that of unicasts between stations. We "
        "read a broadcast that is causally ordered as one causal multicast. If it were a separate unicast to each "
        "station, order would break in this execution. x:1 goes to the new station, which keeps it until the hand-off "
        "is over; y:1 goes to the old one, and is passed on as a message from before the hand-off, ahead of x:1. With "
        "one causal multicast x:2, which follows the notification, does not reach s4 before it. It also depends on the "
        "order of the unicasts: the one to s3 is sent before the one to s4. In the other order the one to s3, and so "
        "x:2, says that a message to s4 was sent before, and RST itself holds x:2 back until s4 is notified. What is "
        "queued in MSS_PENDING for a host counts as received by the station, as MSS_DELIV does. If it did not, y:1 "
        "and handoff_over would wait for x:1, and x:1 for handoff_over, and nothing would be delivered. In ours the "
        "old station notifies, with one causal multicast.",
        (
            "h moves from s1 to s2, which notifies s1, s2, s3 and s4, in this order. s3 is notified; the notification "
            "to s4 is slow",
            "x, at s3, sends x:1 to h, and then x:2 to y, at s4",
            "x:2 arrives at y, and y sends y:1 to h",
            "everything else arrives",
        ),
        asked_of("h"),
        answers_of(
            one_by_one,
            "h",
            (
                ("notify sent as separate unicasts", PRINTED),
                ("notify sent as one causal multicast", MULTICAST),
                ("ours", OURS),
            ),
        ),
    )
