"""Where paper 000 (Prakash, Raynal, Singhal) is wrong or must be read with care, shown by running it as printed.

The mobile part, §9, is in `roaming`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from antecede import MessageId
from tests.errata import roaming
from tests.errata.constraints import Dot, carried
from tests.errata.erratum import Erratum, Frequency
from tests.errata.executions import Traffic, counted, execution
from tests.errata.forms import Form, core
from tests.errata.ordered import once, order_at, side_by_side
from tests.errata.printed import prs
from tests.errata.stage import Stage, perform

SAYS_8_2 = (
    "In the broadcast case all destinations have the same delivery constraints, so all rows of the barrier CB_M are "
    "equal, and one of them is enough."
)
ROWS = (
    "They are not equal. Row l has no tuples of l itself: l is never among the destinations of its own messages, so "
    "step 5 does not put them there. "
)
REPAIR_8_2 = (
    "Keep one set S instead: send S, then S := {(me, c)}; deliver when V[k] >= x for every (k, x) of S_M with k other "
    "than oneself; then S := (S - S_M) + {(j, c)}. S is then exactly the set of maximal predecessors."
)
ANY = Traffic(sends_max=60)
ONE = Traffic(sends_max=60, unicast=True)
LONG = range(60)
"""Fewer seeds, for executions that are longer."""

Row = Callable[[str, Sequence[str]], str]
"""Of which process the one row is, given the sender and all names."""


def first_row(me: str, names: Sequence[str]) -> str:
    return names[0]


def own_row(me: str, names: Sequence[str]) -> str:
    return me


@cache
def counterexamples() -> tuple[Erratum, ...]:
    return (
        row_of_the_sender(),
        row_of_the_first(),
        row_of_the_sender_skipping_own(),
        superseded(),
        own_destination(),
        roaming.counter_that_stands(),
    )


def row_of_the_sender() -> Erratum:
    return order_at(
        "P1",
        title="One row for all: a process waits for its own message",
        section="§8.2",
        says=SAYS_8_2,
        names="P1 P2",
        script=("P1 sends M1 to P2", "M1 arrives at P2", "P2 sends M2 to P1", "the rest arrives"),
        printed=prs(own_row),
        ours=core("prs-broadcast"),
        traffic=Traffic(fifo=True, broadcast=True),
        why=ROWS
        + "Here P2 sends its own row, {(P1, 1)}. P1 takes it for the row of P1, and by step 1 waits until its own "
        "first message is delivered to itself, which never happens.",
        repair=REPAIR_8_2,
    )


def row_of_the_first() -> Erratum:
    return order_at(
        "P3",
        title="One fixed row for all: the messages of that process are forgotten",
        section="§8.2",
        says=SAYS_8_2 + " (Read with care: a process skips the tuples of its own messages. Let the row be that of P1.)",
        names="P1 P2 P3",
        script=(
            "P1 sends M1 to P2, P3",
            "M1 arrives at P2",
            "P2 sends M2 to P1, P3",
            "M2 arrives at P3",
            "the rest arrives",
        ),
        printed=prs(first_row, skip_own=True),
        ours=core("prs-broadcast"),
        traffic=Traffic(fifo=True, broadcast=True),
        why=ROWS
        + "P2's row for P1 is empty, so M2 carries nothing, and P3 delivers it before M1. FIFO channels do not help.",
        repair=REPAIR_8_2,
    )


def row_of_the_sender_skipping_own() -> Erratum:
    return order_at(
        "P2",
        title="The sender's row for all: its own messages are forgotten",
        section="§8.2",
        says=SAYS_8_2
        + " (Read with care: a process skips the tuples of its own messages. Let the row be the sender's.)",
        names="P1 P2",
        script=("P1 sends M1 to P2", "P1 sends M2 to P2", "M2 arrives at P2", "M1 arrives at P2"),
        printed=prs(own_row, skip_own=True),
        ours=core("prs-broadcast"),
        traffic=Traffic(broadcast=True),
        why=ROWS + "So M2 does not say that M1 precedes it. Only FIFO channels hide this, and §2 asks for none.",
        repair=REPAIR_8_2,
    )


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
        "Redundant tuples that no delivery explains",
        "§8.3",
        "The barrier is larger than it need be because news of a delivery travels one hop only: a tuple stays although "
        "its message was delivered more than one hop away.",
        script,
        _tuples(carried(printed.packets["M4", "a"]), "d"),
        _tuples(ours.knowledge.owed(MessageId("i", 2)), "d"),
        _tuples(carried(ours.packets["M4", "a"]), "d"),
        asked="Which tuples does M4 carry for d? (Ours: `ks`.)",
        why=(
            "M1 has not been delivered at d at all. i forgets it when it sends M3 to d, since M3 can not be delivered "
            "before M1; then step 6 takes it back from the barrier of M2, sent before. " + share_of_superseded()
        ),
        repair=(
            "None within the paper's data: that a tuple was dropped is not recorded. `ks` records it, as the highest "
            "count known of each sender, and sends the least there is."
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


def own_destination() -> Erratum:
    return order_at(
        "P1",
        title="A sender among its destinations breaks causal order",
        section="§5.1 and §5.2",
        says=(
            "The sender of a message is assumed not to be among its destinations. (An assumption, stated; the errata "
            "has it because the algorithm does not stop, nor wait, where it is not met.)"
        ),
        names="P1 P2",
        script=(
            "P1 sends M1 to P1",
            "P1 sends M2 to P2",
            "M2 arrives at P2",
            "P2 sends M3 to P1",
            "M3 arrives at P1",
            "M1 arrives at P1",
        ),
        printed=prs(),
        ours=core("prs"),
        traffic=Traffic(own=True, processes_min=2, processes_max=3, sends_max=16),
        why=(
            "The sender's row of a barrier is not a constraint but says what was delivered to the sender; step 3 of "
            "the send puts M1 there at once. P2 reads in step 4 that M1 was delivered at P1, and M3 carries nothing."
        ),
        repair=(
            "Deliver the own copy within the send: whatever could precede it here has been delivered here. The "
            "algorithm then never sees the sender as a destination."
        ),
    )


def _tuples(dots: set[Dot], dest: str) -> str:
    return ", ".join(f"({message.sender}, {message.seq})" for message, to in sorted(dots) if to == dest)
