"""What a causal barrier of 000 contains besides the direct predecessors of its message.

§8.1 says that a message carries nothing else. §5.3 says what the row of the sender contains, and not what it does not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from antecede import MessageId
from antecede.core.ordering.prs import Prs
from antecede.lab.printed.ordering import Bare
from tests.errata.constraints import Dot, Knowledge, carried
from tests.errata.erratum import Assumption, Erratum, Frequency, Quotation
from tests.errata.executions import Traffic, counted, execution, failures
from tests.errata.forms import Form, core
from tests.errata.ordered import once, side_by_side
from tests.errata.printed import prs
from tests.errata.stage import Stage, diagram, perform

ANY = Traffic(sends_max=60)
ONE = Traffic(sends_max=60, unicast=True)
TO_ALL = Traffic(sends_max=60, broadcast=True)
LONG = range(60)
"""Fewer seeds, for executions that are longer."""
ONLY_CONCURRENT = Quotation(
    "§8.2",
    "By definition, the causal barrier set CB_M[i] carried by a message M contains information only about the mutually "
    "concurrent messages destined for P_i whose SEND events are direct causal predecessors of M's SEND.",
)


def indirect_predecessors() -> Erratum:
    script = (
        "a sends M1 to i, d",
        "a sends M2 to i",
        "M1 arrives at i",
        "i sends M3 to d",
        "M2 arrives at i",
        "i sends M4 to d",
        "the rest arrives",
    )
    printed, ours = (perform(form, "a i d", script) for form in (prs(), core("ks")))
    return Erratum(
        "A message may carry indirect predecessors",
        "§8.1",
        (
            Quotation(
                "§8.1",
                "In the proposed algorithm, a message carries information only about its direct predecessors with "
                "respect to each destination process.",
            ),
            Quotation(
                "§4",
                "To ensure causal ordering, a message M needs to carry information about only those messages M' on "
                "which its delivery is directly dependent, i.e., if M and M' are sent to the same process P_i and "
                "SEND(M') → SEND(M) and there does not exist a message M̄, destined for the same process, such that "
                "SEND(M') → SEND(M̄) and SEND(M̄) → SEND(M).",
            ),
            Quotation("§5.2", "CB_i[k] is P_i's knowledge of the direct predecessors of M"),
            Quotation(
                "§8.3",
                "However, there are situations in the generalized multicasting case where dependence information that "
                "is over and above the minimum required to maintain causal ordering is sent with messages. This is "
                "because in its present form, the Delivered_i matrix at process P_i can store information about all "
                "messages delivered in the causal past to P_i and the most recent mutually concurrent messages "
                "delivered to the processes from which P_i has received messages. Thus, if a message delivery is more "
                "than one message hop away from P_i, Delivered_i does not have information about it.",
            ),
        ),
        script,
        _tuples(carried(printed.packets["M4", "d"]), "d"),
        _tuples(direct_predecessors(printed.knowledge, MessageId("i", 2), "d"), "d"),
        _tuples(carried(ours.packets["M4", "d"]), "d"),
        asked="Which tuples does M4 carry for d? (Ours: `ks`.)",
        truth_as="direct predecessors, by the definition of §4",
        remark=(
            "M1, M3 and M4 are all sent to d, M1 precedes M3, and M3 precedes M4. So M1 is not a direct predecessor of "
            "M4 with respect to d, and M4 carries it. Causal order is kept: too much is known, never too little. What "
            "§4 says that a message needs is right; what §8.1 says that a message carries is not."
        ),
        why=(
            "i forgets M1 when it sends M3 to d, since M3 cannot be delivered before M1; then step 6 takes it back "
            "from the barrier of M2, which a sent without knowing of M3. §8.3 says that more than the minimum is sent "
            "in some situations, and explains another kind of redundant tuple: of a message whose delivery the sender "
            "has not heard of. In the example of Figure 8 that is a direct predecessor: M1 there is the only message "
            "to P2. Here M1 has not been delivered at d, and news of deliveries, however far it travels, would not "
            "remove it. " + share_of_superseded()
        ),
        repair=(
            "None within the paper's data that removes all such tuples. Here the data of i still show it: "
            "Delivered_i[a, i] is 1, so i has had M1, and (a, 1) is not in CB_i[d]. But where i has heard of M1 "
            "through others alone, no trace is left: a sends M1 to r and d, and M2 to i; r delivers M1 and sends to p, "
            "p delivers that and sends to i, i delivers that and sends M3 to d. Had r sent before M1 arrived, i would "
            "be in the same state and be sent the same M2, and M1 would be a direct predecessor of M4. `ks` records "
            "what is missing, as the highest count known of each sender, and sends the least there is."
        ),
        assumes=(
            "Nothing is lost; no sender is a destination (§5.1). Messages take a finite but arbitrary time (§1), and "
            "the paper does not say whether channels are FIFO: this execution is, and the random ones are not."
        ),
        defence=(
            "One may read §8.1 together with §8.3, which grants that more than the minimum is sent in some situations; "
            "then the sentence holds elsewhere. But the reason that §8.3 gives for all of them is not the one here. "
            "One may also read it as the comment of §5.2, of the direct predecessors as far as P_i knows; then what "
            "P_i has not heard of is excused. But i had M1 when it sent M3, dropped M1 for that reason, and its data "
            "still show both. One may also read it as a contrast to the algorithms before, which send all transitive "
            "predecessors; then it is right that fewer are sent."
        ),
        diagram=side_by_side(printed, ours),
        often=once(_executions_with_indirect_predecessors),
    )


HEARD_THROUGH_OTHERS = (
    "a sends M1 to r, d",
    "a sends M2 to i",
    "M1 arrives at r",
    "r sends R to p",
    "R arrives at p",
    "p sends P to i",
    "P arrives at i",
    "i sends M3 to d",
)
"""M1 precedes M3, which i sends without having had M1."""
NOT_HEARD = (*HEARD_THROUGH_OTHERS[:2], "r sends R to p", "M1 arrives at r", *HEARD_THROUGH_OTHERS[4:])
"""The same, but r sends before M1 arrives: M1 does not precede M3."""


def direct_predecessors(knowledge: Knowledge, message: MessageId, dest: str) -> set[Dot]:
    """Return the direct predecessors of a message with respect to `dest`, by the definition of §4."""
    known = {dot for dot in knowledge.known_sent(message) if dot[1] == dest}
    return {dot for dot in known if not knowledge.superseded(message, dot)}


@dataclass(frozen=True, slots=True)
class Found:
    """What a form carries too much in random executions.

    `redundant` are the tuples that PC1 and PC2 do not ask the sender to know. Of these, `undelivered` are of messages
    whose delivery is not in the causal past, so that only a later message to the same destination makes them redundant.
    `indirect` are the executions in which a message carries, for one of its destinations, an indirect predecessor.
    """

    redundant: int
    undelivered: int
    indirect: int


@cache
def find_redundant(form: Form, traffic: Traffic) -> Found:
    undelivered: list[bool] = []
    indirect: set[int] = set()

    def run(seed: int) -> None:
        def watch(stage: Stage, label: str) -> None:
            packets = [packet for (sent, _), packet in stage.packets.items() if sent == label]
            message, known = packets[0].message, stage.knowledge
            assert message is not None
            dots = set().union(*map(carried, packets))
            for dot in sorted(dots - known.owed(message.id)):
                assert known.has_delivered(message.id, dot) or known.superseded(message.id, dot)
                undelivered.append(not known.has_delivered(message.id, dot))
            if any(dest in message.dests and known.superseded(message.id, (before, dest)) for before, dest in dots):
                indirect.add(seed)

        execution(form, traffic, seed, watch)

    for seed in LONG:
        run(seed)
    return Found(len(undelivered), sum(undelivered), len(indirect))


PRINTED, KS = prs(), core("ks")


def share_of_superseded() -> str:
    """Say how many redundant tuples in random executions no delivery in the causal past explains."""
    multicast, unicast, broadcast = (find_redundant(PRINTED, traffic) for traffic in (ANY, ONE, TO_ALL))
    return (
        f"In {len(LONG)} random executions ({ANY}) with any number of destinations, {_share(multicast)} are of "
        "messages whose delivery is not in the causal past: they were superseded, and came back as here, or were never "
        "dropped, because step 6 unites two sets and leaves in one what precedes a message in the other. In the same "
        f"number of executions ({ONE}) with one destination for each message, {_share(unicast)}. In the same number of "
        f"executions ({TO_ALL}) of broadcasts to all others, {broadcast.redundant} of the tuples for destinations were "
        "redundant, as §8.3 says; the row of the sender, which is not a constraint on a destination, is not counted."
    )


def _share(found: Found) -> str:
    return f"{found.undelivered} of {found.redundant} redundant tuples ({found.undelivered / found.redundant:.0%})"


def _executions_with_indirect_predecessors() -> Frequency:
    printed, ours = (
        replace(failures(form, ANY, LONG), other=find_redundant(form, ANY).indirect) for form in (PRINTED, KS)
    )
    fail = "have a message that carries, for one of its destinations, an indirect predecessor"
    return counted(len(LONG), printed, ours, ANY, fail)


def row_of_related_messages() -> Assumption:
    script = (
        "P1 sends M1 to P4",
        "M1 arrives at P4",
        "P4 sends M2 to P2",
        "M2 arrives at P2",
        "P2 sends M3 to P4",
        "M3 arrives at P4",
    )
    printed = perform(PRINTED, "P1 P2 P4", script)
    return Assumption(
        "A row contains the latest messages, and may contain more",
        "§5.3",
        (
            Quotation(
                "§5.3",
                "CB_j[j] is a set of tuples containing the most recent mutually concurrent messages delivered to P_j "
                "from other processes.",
            ),
            ONLY_CONCURRENT,
        ),
        "The first sentence says what the set contains, and not that it contains nothing else. It does contain all "
        "latest messages delivered there, which is what the algorithm needs; and it may contain a message that "
        "precedes one of them. P4 tells P2 of M1 with M2, in the row of P4, which step 6 at P2 leaves out as that of "
        "the sender. So CB_2[4] does not get M1, and M3 does not mention it for P4. Step 5 at P4 then adds M3 and has "
        "nothing to subtract: M1 stays. The surplus tuple is about a delivery that did take place. At the end of "
        f"{related(PRINTED, ANY)} of {len(LONG)} random executions ({ANY}) some row j of a process j has messages of "
        f"which one precedes the other. {_rows_of_broadcasts()}",
        script,
        "Are the messages in CB_4[4] mutually concurrent after M3?",
        (("as printed, and ours", _related(printed, "P4")),),
        diagram(printed),
    )


BROADCASTS = (
    "P1 sends M1 to {all}",
    "M1 arrives at P3",
    "P3 sends M2 to {all}",
    "M1 arrives at P2",
    "M2 arrives at P2",
    "P2 sends M3 to {all}",
    "M3 arrives at P3",
)
"""P3 delivers M1, sends M2, and delivers M3 of P2, who had both. `{all}` is with the sender or without it."""


def broadcast_row(*, to_oneself: bool) -> str:
    """Return CB_3[3] after `BROADCASTS`, with the sender among the destinations (§8.2) or not (§5.1)."""
    names = ["P1", "P2", "P3"]
    steps = [
        step.format(all=", ".join(name for name in names if to_oneself or name != step[:2])) for step in BROADCASTS
    ]
    stage = perform(prs(at_once=to_oneself), " ".join(names), steps)
    return "{" + _tuples({(message, "P3") for message in _row(stage, "P3")}, "P3") + "}"


def _rows_of_broadcasts() -> str:
    to_everybody = replace(TO_ALL, own=True)
    return (
        "§8.2 says of broadcasts that a row contains information only about mutually concurrent messages. That is so "
        f"if the sender is a destination, as there: at the end of {related(prs(at_once=True), to_everybody)} of "
        f"{len(LONG)} random executions ({to_everybody}) of broadcasts a row has messages of which one precedes the "
        "other. With the assumption of §5.1 it is not so of the row of the sender: P1 broadcasts M1, P3 delivers it "
        "and broadcasts M2, P2 delivers both and broadcasts M3, and P3 delivers that. Then CB_3[3] is "
        f"{broadcast_row(to_oneself=False)}, which the next broadcast of P3 carries, though M1 precedes M3; with the "
        f"sender as a destination it is {broadcast_row(to_oneself=True)}. At the end of {related(PRINTED, TO_ALL)} of "
        f"{len(LONG)} random executions ({TO_ALL}) of broadcasts to all others some row j of a process j has such a "
        "pair."
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


def related(form: Form, traffic: Traffic) -> int:
    """Return how many random executions end with a row of messages of which one precedes another."""
    stages = [execution(form, traffic, seed) for seed in LONG]
    return sum(any(_related(stage, name) != "yes" for name in stage.names) for stage in stages)


def _tuples(dots: set[Dot], dest: str) -> str:
    return ", ".join(f"({message.sender}, {message.seq})" for message, to in sorted(dots) if to == dest)
