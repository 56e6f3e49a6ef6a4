"""Where paper 003 (Mostefaoui, Raynal) is wrong, each shown by running its printed form beside ours."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

from antecede import Packet
from antecede.core.ordering.mr import Resynch
from tests.errata.erratum import Assumption, Erratum, Quotation
from tests.errata.executions import SEEDS, Traffic, everyone, execution, failures, in_words
from tests.errata.forms import Form, Groups, core
from tests.errata.ordered import order_at
from tests.errata.printed import by_the_rules, inferred_phases, phases
from tests.errata.stage import diagram, perform
from tests.group_trees import tree_of_groups

PHASES = Quotation(
    "§3.1",
    "in each phase each process broadcasts exactly one message, and a phase begins only when messages sent in the "
    "previous one have been delivered [...] The principle of the proposed protocol is to create such sequential "
    "phases at the implementation layer",
)
SENDS = Quotation("§3.2", "BS1: When P_i sends m broadcast (m, expected_i[i]); expected_i[i] := expected_i[i] + 1;")
THREE = {"all": ["P1", "P2", "P3"]}
FELL_BEHIND = (
    "P3 sends m0 to all",
    "the rest arrives",
    "P1 sends m1 to all",
    "P1 sends m2 to all",
    "P2 hears P1",
    "P2 sends m3 to all",
    "P3 hears P2",
    "the rest arrives",
)


@cache
def counterexamples() -> tuple[Erratum, ...]:
    return inferred_timestamps(), simulated_fifo(), acyclic_groups(), liveness_of_another_group()


def assumptions() -> tuple[Assumption, ...]:
    return ()


ALONE, REORDERED = Traffic(fifo=True, groups=everyone), Traffic(groups=everyone)
"""One group of all processes, on FIFO channels and on others."""


FOLLOWING = core("mr", own_count=False, bare_resynch=True)


def in_random_executions(form: Form, traffic: Traffic) -> str:
    """Say how a form fares in random executions."""
    return f"of {len(SEEDS)} random executions ({traffic}), {in_words(failures(form, traffic))}"


def waiting_told(form: Form, traffic: Traffic) -> str:
    """Say how a form with senders that wait fares in random executions."""
    return f"Of {len(SEEDS)} random executions ({traffic}) with such senders, {in_words(failures(form, traffic))}."


def rules_alone_told(form: Form, traffic: Traffic) -> str:
    """Say in how many of the random executions that fail no process begins with a resynch that the rules cannot give.

    The rules say nothing of the first packet of a process.
    """
    stages = [execution(form, traffic, seed) for seed in SEEDS]
    failed = [stage for stage in stages if stage.broken]
    alone = sum(not any(map(_is_late, stage.first_packets.values())) for stage in failed)
    return (
        "Of the first packet of a process the rules say nothing; here it is taken to be a message with timestamp 0 or "
        f"resynch(1), as it is in this execution. Of the {len(failed)} random executions that fail, in {alone} no "
        "process begins with a resynch(k) that has k > 1: there the rules fail by themselves."
    )


def _is_late(packet: Packet) -> bool:
    return isinstance(packet.stamp, Resynch) and packet.stamp.phase > 1


def inferred_timestamps() -> Erratum:
    return order_at(
        "P1",
        title="With BS1 as printed, timestamps cannot be inferred",
        section="§3.3",
        says=(
            PHASES,
            Quotation(
                "§3.1",
                "As the sending of messages is governed by application processes that do not always progress "
                "synchronously it is possible that some P_j does not send messages during several phases.",
            ),
            SENDS,
            Quotation(
                "§3.3",
                "If at some phase β, CTL_j does not send a message, it will send resynch(β) (statement BS2). But it is "
                "shown in [2,3] that in that case we have necessarily as a consequence of the phase-based "
                "synchronization β = α + 1, where α is the last timestamp of a message sent by P_i",
            ),
            Quotation(
                "§3.3",
                "it follows that timestamp values carried by consecutive messages and resynch sent by CTL_i obey a "
                "regular increase defined by the following rules:",
            ),
            Quotation(
                "§3.3",
                "+1 between two consecutive messages [...] +2 between a message and a resynch that follows it "
                "immediately [...] +1 between to successive resynch [...] 0 between a resynch and a message that "
                "follows it immediately.",
            ),
            Quotation(
                "§4.1",
                "If channels are FIFO resynch do not have to carry timestamp and a message multicast has not to carry "
                "the field K[x], as these ones can be processed by destination processes (Section 3.3).",
            ),
            Quotation(
                "§3.3",
                "As a consequence of these rules, timestamp values need not to be carried: any CTL_i can locally "
                "compute the timestamp associated to any message or resynch when it receives it.",
            ),
        ),
        names="P1 P2 P3",
        groups=THREE,
        script=FELL_BEHIND,
        printed=inferred_phases(),
        ours=core("mr-broadcast"),
        traffic=ALONE,
        why=(
            "m0 has timestamp 0, m1 and m2 have 1 and 2, and m3 has 3. P3 hears P2 before P1. Its first packet after "
            "m0 is resynch(4), for m3; the rule of +2 makes it resynch(2). P1 then waits for ever for P3 to reach "
            "phase 3. As BS2 and BS3 are printed, a process may fall behind by any number of phases at once, not by "
            "one."
        ),
        repair=(
            "A resynch carries its timestamp; messages still carry none. Or a process follows a resynch as it follows "
            "a message, which BS3 does not say: then it never skips more than one phase, the rules hold, and no packet "
            "needs a timestamp on channels that never duplicate. `mr` with `own_count=False` and `bare_resynch=True` "
            f"is that. Then, {in_random_executions(FOLLOWING, ALONE)}."
        ),
        remark=(
            "By BS2 the resynch that answers a message of phase β is resynch(β + 1), which is what the rule of +2 "
            "counts on; the first sentence of item ii of §3.3 has resynch(β)."
        ),
        assumes="One group of all processes, FIFO channels that lose nothing (§3.2). "
        + rules_alone_told(inferred_phases(), ALONE),
        defence=(
            "One may read §3.3 so that a process sends a resynch for each phase in which it does not send; then the "
            "rules hold. BS2 sends one resynch, however many phases it skips. One may "
            "also read the first sentence quoted as binding senders: a process sends with timestamp t only when it "
            "expects t or more of all; then the rules hold, and timestamps can be inferred. "
            f"{waiting_told(inferred_phases(waiting=True), ALONE)} But BS1 does not wait, and sends whenever P_i "
            "does: m2 here has timestamp 2 when P1 expects 1 of P2 and P3; and by §3.1 a process may be silent for "
            "several phases. One may also trust [2,3], which we do not have, for β = α + 1; then what they show does "
            "not carry over to BS1 as printed."
        ),
    )


def simulated_fifo() -> Erratum:
    return order_at(
        "P1",
        title="Nor, by these rules, the order of arrival",
        section="§3.4",
        says=(
            Quotation(
                "§3.4",
                "If channels are not FIFO it is possible for a process to simulate a FIFO arrival order (for each "
                "channel) if messages and resynch carry timestamps. Those timestamps are then used to trigger arrival "
                "events according to the preceding rules.",
            ),
        ),
        names="P1 P2 P3",
        groups=THREE,
        script=FELL_BEHIND,
        printed=by_the_rules(),
        ours=core("mr-broadcast", numbered=True),
        traffic=REORDERED,
        why=(
            "The same execution. resynch(4) of P3, after m0 with timestamp 0, is set aside until a message with "
            "timestamp 1 or a resynch(2) of P3 has come, and there is none."
        ),
        repair="Number the packets of each channel, which is one count as well, and process them in that order.",
        assumes="One group of all processes, channels that may reorder and lose nothing (§3.4). "
        + rules_alone_told(by_the_rules(), REORDERED),
        defence=(
            "One may read the preceding rules as asking only for rising timestamps on a channel, and not for the next "
            "one; then nothing waits for ever, but FIFO order is not restored either: a gap may be a message under "
            "way, or nothing. One may also read that senders wait for the phase before, as in the entry before; then "
            f"§3.4 is right too. {waiting_told(by_the_rules(waiting=True), REORDERED)} BS1 does not wait."
        ),
    )


def acyclic_groups() -> Erratum:
    return order_at(
        "B",
        title="No cycle of groups is not enough",
        section="§4.3",
        says=(
            Quotation(
                "§4.3",
                "If there is no cycle in the graph of groups, each vector K_i can be reduced to only entries K_i[x] "
                "for groups g_x ∈ G_i",
            ),
            Quotation(
                "§2.1",
                "two groups are immediate neighbors if there is a process that is member of these two groups",
            ),
        ),
        remark=(
            "Two groups are joined by one edge however many processes they share, so a graph of two groups never has a "
            "cycle."
        ),
        names="A B C D",
        groups={"g1": ["A", "B", "C"], "g2": ["A", "B", "D"]},
        script=(
            "D sends m0 to g2",
            "A hears D",
            "A sends m1 to g1",
            "C hears A",
            "C sends m2 to g1",
            "B hears C",
            "the rest arrives",
        ),
        printed=phases(own_groups=True),
        ours=core("mr"),
        traffic=Traffic(fifo=True, processes_min=4, groups=sharing_two),
        why=(
            "g1 = {A, B, C} and g2 = {A, B, D} share two processes. m1 says that g2 is in phase 1, and waits at B for "
            "m0. C is not in g2: its m2 has no entry for g2, does not wait, and overtakes m1 and m0. The graph of two "
            "groups has no cycle, but between A and B there are two ways."
        ),
        repair=(
            "Carry the entries of all groups, as `mr` does. The entries of the sender's own groups are enough if three "
            "things are so: the graph of groups has no cycle, no two groups share more than one process, and two "
            "timestamps are compared only on the entries that both carry. `mr` with `acyclic=True` is that, and is "
            "refused among other groups. " + own_groups_told()
        ),
        assumes="FIFO channels that lose nothing, static groups, and a graph of groups without a cycle (§2.1, §4.3).",
        defence=(
            "One may read a cycle so that two groups with two processes in common form one, with an edge for each "
            "shared process; then the case is excluded, and §4.3 is right. By §2.1 there is one edge between two "
            "groups."
        ),
    )


def own_groups_told() -> str:
    """Say how §4.3 fares where groups share one process at most, without cycles and in a cycle."""
    tree, cycle = (failures(phases(own_groups=True), traffic) for traffic in (TREE, CYCLE))
    return (
        f"Then, of {len(SEEDS)} random executions ({TREE}, trees of groups), {in_words(tree)}. In a cycle of three "
        f"groups that share one process each, as in Figure 1, {in_words(cycle)}, of {len(SEEDS)} ({CYCLE})."
    )


def liveness_of_another_group() -> Erratum:
    script = (
        "P1 sends m1 to g1",
        "P1 sends m2 to g3",
        "P3 hears P1",
        "P3 sends m3 to g2",
        "P2 hears P3",
        "P2 hears P1",
    )
    groups = cycle_of_groups(random.Random(0), [])
    printed, ours = (_raised_by(form, script, groups) for form in (phases(), core("mr")))
    return Erratum(
        "The proof of liveness waits for the wrong message",
        "§4.4.2, case 2",
        (
            Quotation(
                "§4.4.2",
                "Case 2: expected_j^x[j] < K(m)[x]. From the monotonicity of expected_j^x[j] and the test in line 6, "
                "CTL_j has not yet received m. As channels are reliable m will eventually arrive at CTL_j. When m "
                "arrives, CTL_j updates expected_j^x[j] to K(m)[x]+1 (line 6)",
            ),
        ),
        script,
        "m3",
        printed,
        ours,
        asked="m3 has arrived at P2 and waits, as expected[g1] of P2 for itself is 0. What raises it to K(m3)[g1] = 1?",
        printed_as="by the proof, with m = m3",
        assumes="FIFO channels that lose nothing; the three groups and the execution of the paper's Figure 5 (§4.2).",
        defence=(
            "One may read case 2 as about a message to g_x itself; then it is right, but messages of other groups are "
            "not covered. What is proved is true all the same: K(m)[x] comes from a message to g_x, which does arrive "
            "at every member of g_x and raises the entry."
        ),
        why=(
            "The couple (g_x, P_j) of the proof is here g1 and P2, which is also P_i: the case j = i. Line 6 looks at "
            "the entry of the group to which the message was sent. m3 was sent to g2, and says of g1 "
            "only what P3 had heard. It has been received, and changes nothing for g1; a member of g1 that is not in "
            "g2, such as P1, never receives it."
        ),
        repair="Take, in case 2, the message to g_x that gave K(m)[x] its value: m1 here.",
        diagram=diagram(perform(phases(), "P1 P2 P3", script, groups)),
    )


def _raised_by(form: Form, script: Sequence[str], groups: Groups) -> str:
    """Return the label of the message whose arrival raises what P2 expects of itself in g1."""
    before = 0
    for place, step in enumerate(script, start=1):
        party = perform(form, "P1 P2 P3", script[:place], groups).parties["P2"]
        now = party.expected.get("g1", {}).get("P2", 0)  # type: ignore[attr-defined]  # both forms have this variable
        if now > before:
            return {"P2 hears P3": "m3", "P2 hears P1": "m1"}[step]
    return "nothing"


def sharing_two(chance: random.Random, names: list[str]) -> Groups:
    """Two groups that share two or more, and of which neither is all."""
    shared = chance.sample(names, chance.randint(2, len(names) - 2))
    rest = [name for name in names if name not in shared]
    cut = chance.randint(1, len(rest) - 1)
    return {"g1": sorted(shared + rest[:cut]), "g2": sorted(shared + rest[cut:])}


def cycle_of_groups(chance: random.Random, names: list[str]) -> Groups:
    """The three groups of Figure 1."""
    return {"g1": ["P1", "P2"], "g2": ["P2", "P3"], "g3": ["P1", "P3"]}


TREE = Traffic(fifo=True, processes_max=8, sends_max=24, groups=tree_of_groups)
CYCLE = Traffic(fifo=True, processes_max=3, sends_max=24, groups=cycle_of_groups)
