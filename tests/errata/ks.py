"""Where paper 002 (Kshemkalyani, Singhal) is wrong, each shown by running its printed form beside ours.

And one thing that is not an error: sequence numbers, which the paper offers for channels that are not FIFO.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial

import antecede
from antecede import MessageId
from antecede.core.fifo import Numbered
from tests.errata.constraints import Dot, carried
from tests.errata.erratum import Assumption, Erratum, Frequency, Quotation
from tests.errata.executions import SEEDS, Traffic, counted, execution, failures, found_otherwise, in_words
from tests.errata.forms import Form, Groups, Party, core
from tests.errata.ordered import once, order_at, side_by_side
from tests.errata.printed import learn_ahead as printed_learn_ahead
from tests.errata.printed import look_ahead as printed_look_ahead
from tests.errata.printed import rcv4 as printed_rcv4
from tests.errata.stage import Stage, perform

KS, LOOK_AHEAD, RCV4 = core("ks"), printed_look_ahead(), printed_rcv4()
LEARN_AHEAD, HARDWARE = printed_learn_ahead(), printed_look_ahead(hardware=True)
ANY, FEWER, IN_ORDER = Traffic(sends_max=16), Traffic(fifo=True, sends_max=16), Traffic(fifo=True, sends_max=24)


@cache
def counterexamples() -> tuple[Erratum, ...]:
    return look_ahead(), first_test_of_rcv4(), complement_encoding()


@cache
def assumptions() -> tuple[Assumption, ...]:
    return (sequence_numbers(),)


LOOKED_AHEAD = (
    "i sends M1 to j, x",
    "k sends M0 to i, j",
    "M1 arrives at j",
    "M0 arrives at i",
    "i sends M2 to j, x",
    "M2 arrives at j",
    "j sends M3 to x",
    "M3 arrives at x",
    "the rest arrives",
)


def _order_with_hardware_multicast() -> str:
    return perform(HARDWARE, "i j k x", LOOKED_AHEAD).order("x")


def look_ahead() -> Erratum:
    unpruned, ahead = (failures(form, IN_ORDER) for form in (HARDWARE, LEARN_AHEAD))
    return order_at(
        "x",
        title="Looking ahead breaks causal order when the sender prunes (§4.3)",
        section="§4.5, second note",
        says=(
            Quotation(
                "§4.5",
                "When a message M is received by process j but the message cannot be delivered, process j can perform "
                "a lookahead and execute RCV(4) and RCV(5) using O_M. This lookahead eliminates redundant information "
                "from LOG_j, thus preventing its propagation on multicasts that occur after M arrives and before M "
                "gets delivered.",
            ),
            Quotation(
                "§4.5",
                "the algorithm steps could be reordered so that steps RCV(4) and RCV(5) also occur before RCV(1)",
            ),
            Quotation(
                "§4.3",
                "/* Do not propagate information about indirect dependencies that are guaranteed to be transitively "
                "satisfied when dependencies of M are satisfied. */",
            ),
            Quotation("§4.5", "The logic in step SND(2) can be performed at the start of step RCV(3)."),
            Quotation(
                "§6.2", "In practice, the algorithm is implemented using hardware multicast, as noted in Sect. 4.5."
            ),
        ),
        remark=(
            "The third quotation is of step SND(2), in which the sender prunes what it sends to d: it leaves out all "
            "destinations of the message itself but d. The fourth is the first note of §4.5, by which each receiver "
            "does that instead, so that all destinations are sent the same."
        ),
        names="i j k x",
        script=LOOKED_AHEAD,
        printed=LOOK_AHEAD,
        ours=KS,
        traffic=IN_ORDER,
        why=(
            "M2 no longer says that x is owed M1, because M2 itself goes to x and M1 is guaranteed to come before it. "
            "That guarantee holds for what is sent after M2 is delivered. j has only received M2, which waits for M0; "
            "M3 is not in the causal future of M2, and having looked ahead j has forgotten M1. All channels are FIFO."
        ),
        repair=(
            "Leave the look-ahead out: a message changes nothing before it is delivered. Or look ahead only with "
            "hardware multicast, before anything is pruned. `ks` does the former."
        ),
        assumes="The model of §2.1: FIFO channels that lose nothing, multicasts to any set of other processes.",
        defence=(
            "One may read the note together with hardware multicast, which §6.2 says is what is used in practice; "
            "then it is right. O_M arrives as it was in the log of i, and is pruned only in RCV(3): M2 says that j "
            "and x are owed M1, the look-ahead leaves M1 owed to x in the log of j, and x delivers "
            f"{_order_with_hardware_multicast()}. Of {len(SEEDS)} random executions ({IN_ORDER}), "
            f"{in_words(unpruned)} in that form. The note does not say that it needs it, and the algorithm of §4.3, "
            "to which it refers by its steps, prunes before it sends. One may also execute RCV(3) ahead, which the "
            "second quotation leaves out; then M3 says that x is owed M2, which does not precede it, and waits for "
            f"it. But then a log says that its process has what it still waits for: of {len(SEEDS)} random executions "
            f"({IN_ORDER}), {in_words(ahead)}, in each of the two forms, with the pruning of §4.3 and with hardware "
            "multicast."
        ),
    )


def first_test_of_rcv4() -> Erratum:
    script = (
        "i sends M1 to d",
        "i sends M2 to a",
        "M2 arrives at a",
        "a sends M3 to i",
        "i sends M4 to d",
        "M3 arrives at i",
        "i sends M5 to a",
        "the rest arrives",
    )
    printed, ours = (perform(form, "i a d", script) for form in (RCV4, KS))
    return Erratum(
        "A misprint in RCV(4) keeps what is no longer owed",
        "§4.3, RCV(4), first test",
        (
            Quotation(
                "§4.3",
                "for all o_{m,t} ∈ O_M and l_{s,t'} ∈ LOG_j such that s = m do "
                "if t < t' ∧ l_{s,t'} ∉ LOG_j then mark o_{m,t} for deletion; "
                "/* l_{s,t} had been deleted or never inserted, as l_{s,t}.Dests = ∅ in the causal past */",
            ),
            Quotation("§4.4", "All o_{i,a'} ∈ O_M, where a' < a and l_{i,a'} ∉ LOG_j, can be deleted."),
        ),
        script,
        _named(printed, carried(printed.packets["M5", "a"])),
        _named(ours, ours.knowledge.required(MessageId("i", 4), "a")),
        _named(ours, carried(ours.packets["M5", "a"])),
        asked="Which messages does M5 say are still owed, and to whom?",
        why=(
            "When i sends M4 to d it drops the entry for M1, which M4 cannot overtake. The answer M3 of a, sent "
            "before, still has that entry, and nothing deletes it any more. d is now owed two messages of i in one "
            "log, which Lemma 1 excludes, and the optimality of Theorem 7 is gone. Order is kept: too much is known, "
            "never too little."
        ),
        repair="Read l_{s,t}: what the log knew and dropped stays dropped.",
        remark=(
            "The test asks whether l_{s,t'} is not in the log, from which it was just taken: as it stands it can never "
            "be true. The comment beside it, the explanation and the example of §4.4 ask for l_{s,t}, and are right. "
            "So the slip is of one prime, and it may be of our copy of the paper."
        ),
        assumes="The model of §2.1: FIFO channels that lose nothing, multicasts to any set of other processes.",
        defence=(
            "One may read l_{s,t} in the test, as the comment beside it does; then nothing is wrong, and that is the "
            "algorithm that we implement."
        ),
        diagram=side_by_side(printed, ours),
        often=once(_redundant_dots),
    )


def _redundant_dots() -> Frequency:
    printed, ours = (replace(failures(form, FEWER), other=_count(form, FEWER, _excess)) for form in (RCV4, KS))
    return counted(len(SEEDS), printed, ours, FEWER, "have a packet that carries more than PC1 and PC2 demand")


def _excess(stage: Stage, label: str) -> bool:
    return any(
        carried(packet) != stage.knowledge.required(packet.message.id, to)
        for (sent, to), packet in stage.packets.items()
        if sent == label and packet.message is not None
    )


def complement_encoding() -> Erratum:
    script = ("i sends M1 to a", "i sends M2 to b", "i sends M3 to b")
    stage = perform(KS, "i a b", script)
    names = len(stage.names)
    largest = _encoded(carried(stage.packets["M3", "b"]), names)
    return Erratum(
        "The complement halves an entry, not a sender",
        "§6.2, control information overhead",
        (
            Quotation(
                "§6.2",
                "In an entry o_{i,a} ∈ O_M carried in a message M, field Dests can be substituted by PROC - Dests if "
                "|PROC - Dests| < |Dests|. (PROC is the set of node identifiers.) This optimization ensures the "
                "following bound: 0 ≤ nd_i ≤ n/2, 1 ≤ i ≤ n.",
            ),
            Quotation("§6.2", "Let Φ_i = o_{i,t_1}.Dests ∪ o_{i,t_2}.Dests ∪ [...] Let nd_i = |Φ_i|."),
        ),
        script,
        f"{names // 2}",
        f"{len(stage.knowledge.required(MessageId('i', 3), 'b'))}",
        f"{largest}",
        asked=(
            f"How many destinations does M3 carry for the sender i, with n = {names}? (By the bound: at most n/2, "
            f"which is {names / 2}, rounded down.)"
        ),
        printed_as="by the bound of §6.2",
        why=(
            "Each of the two entries has one destination, and its complement two. Neither gets smaller, and together "
            "they exceed n/2. A sender with n - 1 entries of one destination each has n - 1."
        ),
        repair="Claim the bound for an entry, where it holds. Our wire form decides set by set.",
        remark="nd_i counts the destinations of all entries of the sender i together.",
        assumes="The model of §2.1; nobody has delivered anything yet.",
        defence=(
            "One may read nd_i in the bound as the number of destinations of one entry, and not of all entries of a "
            "sender; then the bound holds, as the random search shows. By its definition it is the latter."
        ),
        often=once(_sender_bound),
    )


def _sender_bound() -> Frequency:
    sender, entry = (_count(KS, FEWER, partial(_beyond, size)) for size in (_encoded, _largest))
    told = (
        f"Of {len(SEEDS)} random executions ({FEWER}), {sender} have a packet with more than n/2 destinations for a "
        f"sender, {entry} one with more for an entry. Ours carries the same: it is the claim that is repaired."
    )
    return found_otherwise(len(SEEDS), sender, None, told)


def _beyond(size: Callable[[set[Dot], int], int], stage: Stage, label: str) -> bool:
    names = len(stage.names)
    packets = [packet for (sent, _), packet in sorted(stage.packets.items()) if sent == label]
    return any(2 * size(carried(packet), names) > names for packet in packets)


def _encoded(dots: set[Dot], names: int) -> int:
    """The most destinations sent for one sender, each entry as itself or as its complement."""
    by_sender: dict[str, int] = {}
    for message, size in _entry_sizes(dots, names).items():
        by_sender[message.sender] = by_sender.get(message.sender, 0) + size
    return max(by_sender.values(), default=0)


def _largest(dots: set[Dot], names: int) -> int:
    return max(_entry_sizes(dots, names).values(), default=0)


def _entry_sizes(dots: set[Dot], names: int) -> dict[MessageId, int]:
    sizes: dict[MessageId, int] = {}
    for message, _ in sorted(dots):
        sizes[message] = sizes.get(message, 0) + 1
    return {message: min(size, names - size) for message, size in sizes.items()}


def sequence_numbers() -> Assumption:
    script = ("i sends M1 to j", "i sends M2 to j", "M2 arrives at j", "M1 arrives at j")
    numbered, ours = (perform(form, "i j", script) for form in (_numbered(), KS))
    needed = len(ours.knowledge.required(MessageId("i", 2), "j"))
    unchanged, broken = needless_numbers()
    return Assumption(
        "FIFO channels, or sequence numbers on others",
        "§7.1",
        (
            Quotation("§1", "between a pair of sites, messages may be delivered out of order."),
            Quotation("§2.1", "We assume that for any pair of sites, messages are delivered in order (FIFO delivery)"),
            Quotation(
                "§7.1",
                "The algorithm was presented assuming FIFO channels because most known communication networks provide "
                "FIFO support. The algorithm can be easily converted into one for non-FIFO channels by requiring "
                "sequence numbers in messages on a per channel basis",
            ),
        ),
        "§1 describes distributed systems in general, and §2.1 has the model. Sequence numbers are a sufficient way, "
        "and the paper does not say that they are necessary. We observe that they are not: two messages on one "
        "channel are causally related and have a common destination, so what M2 carries already says that j is owed "
        "M1, or that j is owed a later message that itself waits for M1, or nothing of M1 because j is known to have "
        "it; a number on the channel says it again. The algorithm of §4.3 is right on any channel that loses nothing. "
        f"In {unchanged} of {len(SEEDS)} random executions ({ANY}) the numbers changed at no arrival what was "
        f"delivered; {broken} broke causal order without them.",
        script,
        "How many integers that count messages does M2 carry, to wait for M1 which it overtook?",
        (
            ("with sequence numbers", f"{_counts(numbered)} (j delivers {numbered.order('j')})"),
            ("needed", f"{needed} (j delivers {ours.order('j')})"),
            ("ours, without", f"{_counts(ours)} (j delivers {ours.order('j')})"),
        ),
        side_by_side(numbered, ours, "with sequence numbers"),
    )


def _counts(stage: Stage) -> int:
    return stage.packets["M2", "j"].control_entries


def _numbered() -> Form:
    def make(names: Sequence[str], groups: Groups) -> dict[str, Party]:
        return {name: Numbered(antecede.create("ks", process=name, processes=names)) for name in names}

    return Form("002 with sequence numbers", make)


@cache
def needless_numbers() -> tuple[int, int]:
    """Count the executions that numbers do not change, and those that break causal order without them.

    The same packets are in flight with and without numbers, so that a seed is one execution for both.
    """
    unchanged = broken = 0
    for seed in SEEDS:
        numbered, bare = (execution(form, ANY, seed) for form in (_numbered(), KS))
        unchanged += numbered.progress == bare.progress
        broken += bool(bare.oracle.violations or bare.oracle.lost())
    return unchanged, broken


def _count(form: Form, traffic: Traffic, fails: Callable[[Stage, str], bool]) -> int:
    """Executions with a message for which `fails`, at the moment it was sent."""

    def one(seed: int) -> bool:
        found: list[str] = []
        execution(form, traffic, seed, lambda stage, label: found.extend([label] if fails(stage, label) else []))
        return bool(found)

    return sum(map(one, SEEDS))


def _named(stage: Stage, dots: set[Dot]) -> str:
    messages = stage.oracle.messages
    return ", ".join(f"{messages[message].payload.decode()} to {dest}" for message, dest in sorted(dots))
