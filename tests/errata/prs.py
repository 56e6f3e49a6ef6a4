"""Where paper 000 (Prakash, Raynal, Singhal) is wrong or contradicts itself, shown by running it as printed.

What a causal barrier contains is in `barrier_contents`, and the mobile part, §9, in `flooding`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from tests.errata import barrier_contents, flooding
from tests.errata.erratum import Assumption, Erratum, Frequency, Quotation
from tests.errata.executions import SEEDS, Traffic, failures, in_words
from tests.errata.forms import IDEAL, core
from tests.errata.ordered import asked_of, once, side_by_side
from tests.errata.printed import prs
from tests.errata.stage import Stage, perform

NOT_A_DESTINATION = Quotation("§5.1", "We assume that the process sending message M does not belong to destination(M).")


def first_row(sender: str, to: str, names: Sequence[str]) -> str:
    return names[0]


def sender_row(sender: str, to: str, names: Sequence[str]) -> str:
    return sender


def receiver_row(sender: str, to: str, names: Sequence[str]) -> str:
    return to


@cache
def counterexamples() -> tuple[Erratum, ...]:
    return (
        one_row_for_all(),
        barrier_contents.indirect_predecessors(),
        flooding.counter_that_stands(),
    )


@cache
def assumptions() -> tuple[Assumption, ...]:
    return (
        own_destination(),
        barrier_contents.row_of_related_messages(),
        flooding.numbered_before_it_is_counted(),
        flooding.order_of_a_station(),
        flooding.delete_that_overtakes(),
        flooding.hand_off_moves_everything(),
    )


TO_OTHERS = Traffic(fifo=True, broadcast=True)
TO_EVERYBODY = replace(TO_OTHERS, own=True)
"""The same broadcasts as §5.1 would have them, and as §8.2 has them: with the sender among the destinations."""


def one_row_for_all() -> Erratum:
    others = ("P1 sends M1 to P2", "M1 arrives at P2", "P2 sends M2 to P1", "the rest arrives")
    everybody = ("P1 sends M1 to P1, P2", "M1 arrives at P2", "P2 sends M2 to P1, P2", "the rest arrives")
    literal, truth, ours = (perform(form, "P1 P2", others) for form in (prs(sender_row), IDEAL, core("prs-broadcast")))
    included = perform(prs(sender_row, at_once=True), "P1 P2", everybody)
    counted = perform(prs(sender_row, counts_own=True), "P1 P2", others)
    each_its_own = perform(prs(receiver_row), "P1 P2", others)
    return Erratum(
        "Is the sender of a broadcast one of its destinations?",
        "§8.2 against §5.1",
        (
            NOT_A_DESTINATION,
            Quotation(
                "§8.2",
                "If all the communication between the processes is through message broadcasts, the algorithm "
                "presented in Section 5 can be easily modified to yield a communication overhead of, in the worst "
                "case, only O(N) integers for each message. In the broadcast case, each message is sent to the same "
                "group, namely, all the processes in the system. As a result, message M will have identical delivery "
                "constraints for all the processes. So, CB_M[i] = CB_M[j] for all P_i and P_j. Hence, sending only "
                "one component of CB_M, say CB_M[i], will suffice to enforce causal ordering. By definition, the "
                "causal barrier set CB_M[i] carried by a message M contains information only about the mutually "
                "concurrent messages destined for P_i whose SEND events are direct causal predecessors of M's SEND.",
            ),
        ),
        others,
        _of_others(literal),
        _of_others(truth),
        _of_others(ours),
        remark=(
            "The two sections contradict each other: the sender is one of the processes in the system. §8.2 is right "
            "if the sender is a destination, its own copy is delivered to it at once, and the steps of §5.2 are run as "
            "they stand: then all rows are equal, and any one of them is enough. With the assumption of §5.1 the rows "
            "are not equal, and one and the same row for all destinations is not enough with step 1 as it stands."
        ),
        assumes=(
            "Broadcasts alone, on channels that lose nothing, with the assumption of §5.1. The paper does not say "
            "whether channels are FIFO; here they are, which helps it. The system has two processes, P1 and P2."
        ),
        defence=(
            "One may read all the processes in the system to include the sender, against §5.1; then §8.2 is right, as "
            "the answers and the random search show. One may also read P_i as the receiver, which it is in §5.2, where "
            "each P_j is sent a copy of its own, and in the last sentence quoted: each P_i is sent its own component "
            "CB_M[i], and takes it for all others; then causal order is kept with the assumption of §5.1 too, as the "
            "answers and the random search show, and only the equality of the rows is wrong, from which §8.2 infers "
            "it. Here CB_M2[1] is empty, and CB_M2[2] is not. One may also read the modification, which §8.2 calls "
            "easy and does not describe, so that a process counts its own messages as delivered to itself: "
            "Delivered_i[i, i] := sent_i when it sends; then the row of the sender for all is enough on FIFO channels, "
            f"as the answers and the random search show. On others it is not: {_counted_on_other_channels()}, because "
            "the row of the sender lacks the messages of the sender itself."
        ),
        asked="What does P1 deliver of the messages of others, in order?",
        printed_as="the row of the sender for all, who is not a destination (§5.1)",
        other_readings=(
            ("the same, and a process counts its own messages as delivered to itself", _of_others(counted)),
            ("to each destination its own row, the sender is not one (§5.1)", _of_others(each_its_own)),
            ("the row of the sender for all, who is a destination (§8.2)", _of_others(included)),
        ),
        why=(
            "Under §5.1, row l has no tuples of l itself: l is never among the destinations of its own messages, so "
            "step 5 does not put them there. Here P2 sends its own row, {(P1, 1)}. P1 takes it for the row of P1, and "
            "by step 1 waits until its own first message is delivered to itself, which never happens. Under §8.2 that "
            "message has been delivered, in the send. The row of another process i for all destinations is no better: "
            "it lacks the messages of P_i itself, for which everybody else has to wait."
        ),
        repair=(
            "Take the sender for a destination, as §8.2 does. Or send each destination its own row. Or, on FIFO "
            "channels, count the own messages as delivered. Or keep one set S "
            "in place of the rows: send S, then S := {(me, c)}; deliver when V[k] >= x for every (k, x) of S_M with k "
            "other than oneself; then S := (S - S_M) + {(j, c)}. `prs-broadcast` does the last; S is exactly the set "
            "of maximal predecessors."
        ),
        diagram=side_by_side(literal, ours, "the row of the sender for all, who is not a destination"),
        often=once(_broken_by_one_row),
    )


def _of_others(stage: Stage) -> str:
    """What P1 delivers, or never will, in order, without its own M1."""
    return ", ".join(label for label in stage.order("P1").split(", ") if label != "M1")


def _broken_by_one_row() -> Frequency:
    excluded, ours = failures(prs(sender_row), TO_OTHERS), failures(core("prs-broadcast"), TO_OTHERS)
    included = failures(prs(sender_row, at_once=True), TO_EVERYBODY)
    each_its_own = failures(prs(receiver_row), TO_OTHERS)
    counted = failures(prs(sender_row, counts_own=True), TO_OTHERS)
    told = (
        f"Of {len(SEEDS)} random executions ({TO_OTHERS}), with the row of the sender for all and the assumption of "
        f"§5.1, {in_words(excluded)}; with that, if a process counts its own messages as delivered to itself, "
        f"{in_words(counted)}; with its own row for each destination, {in_words(each_its_own)}; with the row of the "
        f"sender for all, who is a destination, {in_words(included)}; with ours, {in_words(ours)}."
    )
    return Frequency(len(SEEDS), excluded, ours, told)


def _counted_on_other_channels() -> str:
    reordered = replace(TO_OTHERS, fifo=False)
    found = failures(prs(sender_row, counts_own=True), reordered)
    return f"of {len(SEEDS)} random executions ({reordered}), {in_words(found)}"


def own_destination() -> Assumption:
    script = (
        "P1 sends M1 to P1",
        "P1 sends M2 to P2",
        "M2 arrives at P2",
        "P2 sends M3 to P1",
        "M3 arrives at P1",
        "M1 arrives at P1",
    )
    printed, truth, ours = (perform(form, "P1 P2", script) for form in (prs(), IDEAL, core("prs")))
    return Assumption(
        "The sender is not among its destinations",
        "§5.1",
        (NOT_A_DESTINATION,),
        "With the sender among the destinations, and its copy on the way like any other, causal order breaks. The "
        "sender's row of a barrier is not a constraint but says what was delivered to the sender; step 3 of the send "
        "puts M1 there at once. P2 reads in step 4 that M1 was delivered at P1, and M3 carries nothing. Here the own "
        "copy is delivered within the send: whatever could precede it here has been delivered here. The algorithm then "
        "never sees the sender as a destination.",
        script,
        asked_of("P1"),
        (
            ("§5.2, the own copy on the way", printed.order("P1")),
            ("truth", truth.order("P1")),
            ("ours", ours.order("P1")),
        ),
        side_by_side(printed, ours, "outside the assumption of §5.1"),
    )
