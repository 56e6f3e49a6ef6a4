"""Where paper 000 (Prakash, Raynal, Singhal) is wrong or contradicts itself, shown by running it as printed.

The mobile part, §9, is in `flooding`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from antecede import MessageId
from antecede.core.ordering.prs import Prs
from antecede.lab.printed.ordering import Bare
from tests.errata import flooding
from tests.errata.constraints import Dot, carried
from tests.errata.erratum import Assumption, Erratum, Frequency, Quotation
from tests.errata.executions import SEEDS, Traffic, counted, execution, failures, in_words
from tests.errata.forms import IDEAL, Form, core
from tests.errata.ordered import asked_of, once, side_by_side
from tests.errata.printed import prs
from tests.errata.stage import Stage, diagram, perform

NOT_A_DESTINATION = Quotation("§5.1", "We assume that the process sending message M does not belong to destination(M).")
ANY = Traffic(sends_max=60)
ONE = Traffic(sends_max=60, unicast=True)
TO_ALL = Traffic(sends_max=60, broadcast=True)
LONG = range(60)
"""Fewer seeds, for executions that are longer."""


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
        superseded(),
        flooding.counter_that_stands(),
    )


@cache
def assumptions() -> tuple[Assumption, ...]:
    return (
        own_destination(),
        row_of_related_messages(),
        flooding.numbered_before_it_is_counted(),
        flooding.order_of_a_station(),
        flooding.delete_that_overtakes(),
        flooding.hand_off_moves_everything(),
    )


def row_of_related_messages() -> Assumption:
    script = (
        "P1 sends M1 to P4",
        "M1 arrives at P4",
        "P4 sends M2 to P2",
        "M2 arrives at P2",
        "P2 sends M3 to P4",
        "M3 arrives at P4",
    )
    printed = perform(prs(), "P1 P2 P4", script)
    return Assumption(
        "A row contains the latest messages, and may contain more",
        "§5.3",
        (
            Quotation(
                "§5.3",
                "CB_j[j] is a set of tuples containing the most recent mutually concurrent messages delivered to P_j "
                "from other processes.",
            ),
        ),
        "The sentence says what the set contains, and not that it contains nothing else. It does contain all latest "
        "messages delivered there, which is what the algorithm needs; and it may contain a message that precedes one "
        "of them. P4 tells P2 of M1 with M2, in the row of P4, which step 6 at P2 leaves out as that of the sender. "
        "So CB_2[4] does not get M1, and M3 does not mention it for P4. Step 5 at P4 then adds M3 and has nothing to "
        "subtract: M1 stays. The surplus tuple is about a delivery that did take place. At the end of "
        f"{_executions_with_related_messages()} of {len(LONG)} random executions ({ANY}) some row j of a process j "
        "has messages of which one precedes the other.",
        script,
        "Are the messages in CB_4[4] mutually concurrent after M3?",
        (("as printed, and ours", _related(printed, "P4")),),
        diagram(printed),
    )


def _row(stage: Stage, process: str) -> list[MessageId]:
    """Return the messages in row j of process j."""
    party = stage.parties[process]
    ordering = party.paper if isinstance(party, Bare) else getattr(party, "ordering")  # noqa: B009 - a Process has it
    assert isinstance(ordering, Prs)
    return sorted(MessageId(*pair) for pair in ordering.barrier.get(process, {}).items())


def _related(stage: Stage, process: str) -> str:
    """Say whether the messages in the row of a process are concurrent, and name the first pair that is not."""
    row, messages = _row(stage, process), stage.oracle.messages
    for later in row:
        for earlier in row:
            if earlier in stage.oracle.past[later]:
                return f"no: {messages[earlier].payload.decode()} precedes {messages[later].payload.decode()}"
    return "yes"


@cache
def _executions_with_related_messages() -> int:
    """Return how many random executions end with a row of messages of which one precedes another."""
    stages = [execution(prs(), ANY, seed) for seed in LONG]
    return sum(any(_related(stage, name) != "yes" for name in stage.names) for stage in stages)


TO_OTHERS = Traffic(fifo=True, broadcast=True)
TO_EVERYBODY = replace(TO_OTHERS, own=True)
"""The same broadcasts as §5.1 would have them, and as §8.2 has them: with the sender among the destinations."""


def one_row_for_all() -> Erratum:
    others = ("P1 sends M1 to P2", "M1 arrives at P2", "P2 sends M2 to P1", "the rest arrives")
    everybody = ("P1 sends M1 to P1, P2", "M1 arrives at P2", "P2 sends M2 to P1, P2", "the rest arrives")
    literal, truth, ours = (perform(form, "P1 P2", others) for form in (prs(sender_row), IDEAL, core("prs-broadcast")))
    included = perform(prs(sender_row, at_once=True), "P1 P2", everybody)
    each_its_own = perform(prs(receiver_row), "P1 P2", others)
    return Erratum(
        "Is the sender of a broadcast one of its destinations?",
        "§8.2 against §5.1",
        (
            NOT_A_DESTINATION,
            Quotation(
                "§8.2",
                "In the broadcast case, each message is sent to the same group, namely, all the processes in the "
                "system. As a result, message M will have identical delivery constraints for all the processes. So, "
                "CB_M[i] = CB_M[j] for all P_i and P_j. Hence, sending only one component of CB_M, say CB_M[i], will "
                "suffice to enforce causal ordering. By definition, the causal barrier set CB_M[i] carried by a "
                "message M contains information only about the mutually concurrent messages destined for P_i whose "
                "SEND events are direct causal predecessors of M's SEND.",
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
            "are not equal, and one and the same row for all destinations is not enough."
        ),
        assumes=(
            "Broadcasts alone, on FIFO channels that lose nothing, with the assumption of §5.1. The system has two "
            "processes, P1 and P2."
        ),
        defence=(
            "One may read all the processes in the system to include the sender, against §5.1; then §8.2 is right, as "
            "the answers and the random search show. One may also read P_i as the receiver, which it is in §5.2, where "
            "each P_j is sent a copy of its own, and in the last sentence quoted: each P_i is sent its own component "
            "CB_M[i], and takes it for all others; then causal order is kept with the assumption of §5.1 too, as the "
            "answers and the random search show, and only the equality of the rows is wrong, from which §8.2 infers "
            "it. Here CB_M2[1] is empty, and CB_M2[2] is not."
        ),
        asked="What does P1 deliver of the messages of others, in order?",
        printed_as="the row of the sender for all, who is not a destination (§5.1)",
        other_readings=(
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
            "Take the sender for a destination, as §8.2 does. Or send each destination its own row. Or keep one set S "
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
    told = (
        f"Of {len(SEEDS)} random executions ({TO_OTHERS}), with the row of the sender for all and the assumption of "
        f"§5.1, {in_words(excluded)}; with its own row for each destination, {in_words(each_its_own)}; with the row of "
        f"the sender for all, who is a destination, {in_words(included)}; with ours, {in_words(ours)}."
    )
    return Frequency(len(SEEDS), excluded, ours, told)


def superseded() -> Erratum:
    script = (
        "a sends M1 to i, d",
        "a sends M2 to i",
        "M1 arrives at i",
        "i sends M3 to d",
        "M2 arrives at i",
        "i sends M4 to a",
        "the rest arrives",
    )
    printed, ours = (perform(form, "a i d", script) for form in (prs(), core("ks")))
    return Erratum(
        "The explanation of redundant tuples is incomplete",
        "§8.3",
        (
            Quotation(
                "§8.3",
                "However, there are situations in the generalized multicasting case where dependence information that "
                "is over and above the minimum required to maintain causal ordering is sent with messages. This is "
                "because in its present form, the Delivered_i matrix at process P_i can store information about all "
                "messages delivered in the causal past to P_i and the most recent mutually concurrent messages "
                "delivered to the processes from which P_i has received messages. Thus, if a message delivery is more "
                "than one message hop away from P_i, Delivered_i does not have information about it.",
            ),
            Quotation(
                "§8.3",
                "So, at the time of sending a message, a process will be aware of every message delivered to all the "
                "processes in the causal past. This information is stored in its Delivered matrix. So, all the "
                "redundant dependency constraints will be deleted making the algorithm optimal in terms of message "
                "overheads.",
            ),
        ),
        script,
        _tuples(carried(printed.packets["M4", "a"]), "d"),
        _tuples(ours.knowledge.owed(MessageId("i", 2)), "d"),
        _tuples(carried(ours.packets["M4", "a"]), "d"),
        asked="Which tuples does M4 carry for d? (Ours: `ks`.)",
        why=(
            "M1 has not been delivered at d at all. i forgets it when it sends M3 to d, since M3 cannot be delivered "
            "before M1; then step 6 takes it back from the barrier of M2, sent before. " + share_of_superseded()
        ),
        remark=(
            "The explanation is right, and it is that of the example in Figure 8. It is incomplete: there is a second "
            "kind of redundant tuple, which news of deliveries, however far it travels, would not remove. The second "
            "quotation, of broadcasts, infers from news of all deliveries that all redundant constraints are deleted, "
            "as if there were no other kind. What it says of broadcasts is right all the same: "
            f"{redundant_tuples(TO_ALL)[0]} redundant tuples in {len(LONG)} random executions of broadcasts ({TO_ALL})."
        ),
        repair=(
            "None within the paper's data: that a tuple was dropped is not recorded. `ks` records it, as the highest "
            "count known of each sender, and sends the least there is."
        ),
        assumes="Channels that lose nothing and may reorder (§2); no sender is a destination (§5.1).",
        defence=(
            "One may read that there are such situations, and that the example is one of them; then the explanation is "
            "right, and this entry only adds to it. The inference of the second quotation holds only if news of "
            "deliveries is all that is lacking."
        ),
        diagram=side_by_side(printed, ours),
        often=once(_executions_with_redundancy),
    )


def share_of_superseded() -> str:
    """Of the redundant tuples in random executions, how many no delivery in the causal past explains."""
    multicast, unicast = redundant_tuples(ANY), redundant_tuples(ONE)
    return (
        f"In {len(LONG)} random executions ({ANY}) with any number of destinations, {multicast[1]} of {multicast[0]} "
        f"redundant tuples ({multicast[1] / multicast[0]:.0%}) are of messages whose delivery is not in the causal "
        f"past: they were superseded and came back. With one destination each, {unicast[1]} of {unicast[0]} "
        f"({unicast[1] / unicast[0]:.0%})."
    )


@cache
def redundant_tuples(traffic: Traffic) -> tuple[int, int]:
    """Redundant tuples, and those among them that only a later message to the same destination makes redundant."""
    undelivered: list[bool] = []

    def watch(stage: Stage, label: str) -> None:
        message, redundant = _redundant(stage, label)
        for dot in sorted(redundant):
            assert stage.knowledge.has_delivered(message, dot) or stage.knowledge.superseded(message, dot)
            undelivered.append(not stage.knowledge.has_delivered(message, dot))

    for seed in LONG:
        execution(prs(), traffic, seed, watch)
    return len(undelivered), sum(undelivered)


def _executions_with_redundancy() -> Frequency:
    def redundant(form: Form, seed: int) -> bool:
        found: list[Dot] = []
        execution(form, ANY, seed, lambda stage, label: found.extend(_redundant(stage, label)[1]))
        return bool(found)

    printed, ours = (sum(redundant(form, seed) for seed in LONG) for form in (prs(), core("ks")))
    return counted(len(LONG), printed, ours, ANY, "have a message that carries a redundant tuple")


def _redundant(stage: Stage, label: str) -> tuple[MessageId, set[Dot]]:
    """What the packets with this message carry that PC1 and PC2 do not ask of its sender to know."""
    packets = [packet for (sent, _), packet in stage.packets.items() if sent == label]
    message = packets[0].message
    assert message is not None
    return message.id, set().union(*map(carried, packets)) - stage.knowledge.owed(message.id)


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


def _tuples(dots: set[Dot], dest: str) -> str:
    return ", ".join(f"({message.sender}, {message.seq})" for message, to in sorted(dots) if to == dest)
