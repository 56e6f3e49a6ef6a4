"""Where paper 004 (Meldal, Sankar, Vera) is wrong, each shown by running its printed form beside ours.

`counterexamples()` gives them all as data, `assumptions()` what the paper leaves open. The errata here are about
verdicts on two messages that arrive at one process; the truth is taken from explicit causal pasts. Ours is the
allocation that `plan` chooses. Those about the sets that an allocation gives are in `msv_sets`.
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache, partial

from antecede.core.clocks.stamp import Arrival, Order
from antecede.core.locality.allocation import Allocation
from antecede.core.locality.graph import Graph
from antecede.core.locality.local_clock import determination_3
from antecede.core.locality.plan import plan
from antecede.core.types import ProcessId
from antecede.lab.printed.allocations import printed_4, printed_5
from antecede.lab.printed.locality import misjudges
from antecede.lab.topologies import hierarchical_triangle, star
from tests.core.locality.executions import Step, pasts, random_execution, script, truth
from tests.core.locality.judge import Accused, local
from tests.errata.erratum import Assumption, Erratum, Frequency, Quotation
from tests.errata.executions import found_otherwise
from tests.errata.msv_assumptions import order_of_gateways, paths_that_are_hard_to_find, ring_both_ways_round
from tests.errata.msv_sets import (
    EXECUTIONS,
    KNOWN,
    MESSAGES,
    kept_for_another_receiver,
    observation_set_of_the_star,
    values_of_allocation_2,
)
from tests.errata.ordered import once


@cache
def counterexamples() -> list[Erratum]:
    return [
        overtaken_on_the_way_round(),
        overtaken_in_the_triangle(),
        overtaken_on_the_link(),
        misprinted_gateway(),
        kept_for_another_receiver(),
        observation_set_of_the_star(),
        values_of_allocation_2(),
    ]


@cache
def assumptions() -> list[Assumption]:
    return [ring_both_ways_round(), order_of_gateways(), paths_that_are_hard_to_find()]


SERIALIZED = Quotation(
    "§4.4",
    "Since communication between the two sides of the gateway are serialized at the gateway, processes on one side of "
    "the gateway do not have to maintain local clock information of processes on the other side of the gateway.",
)
ONLY_PATH = (
    "Take the arrival of m1 for the time when the gateway first knew of m1 only if the link is the sender's only path "
    "to the gateway, and is FIFO. Otherwise keep the sender's clock on the way, as Allocation 3 does, or let the "
    "gateway remember when each value of that clock came, which is our Allocation 6."
)


def overtaken_on_the_way_round() -> Erratum:
    graph = Graph.of([("p1", "R"), ("p1", "x"), ("x", "R"), ("R", "p2"), ("p2", "R")])
    steps = script("m1: p1>R; m2: p1>x; m2; m3: x>R; m3; m4: R>p2; m4; m5: p2>R; m5; m1")
    return _verdicts(
        title="A gateway may hear of a message before the message comes",
        section="§4.4, Allocation 4 with Determination 4",
        says=(
            Quotation(
                "§4.4",
                "The idea behind the optimization presented in this section is that if we maintain the arrival times "
                "of the messages from A, B, and C at D, we can still determine the potential causality relationships "
                "between messages arriving at D.",
            ),
            SERIALIZED,
            Quotation(
                "§4.4",
                "We formally define gateway as a process p_G such that there is a loop [...] in the graph that "
                "contains p_G, and that there is at least one process p not in this loop such that p → p_G.",
            ),
        ),
        repair=ONLY_PATH,
        remark=(
            "That is so in Figure 4, and Lemma 9, which says only when m1 precedes m2, is right. But R is a gateway by "
            "the paper's definition here too, and a second way leads from p1 to it."
        ),
        execution=(
            "Links p1->R, p1->x, x->R, R->p2, p2->R, all FIFO. p1 sends m1 to R, which is slow. p1 writes to x, x "
            "to R, R to p2, p2 sends m5 to R. Then m1 arrives. How do m1 and m5 stand?"
        ),
        assumes=KNOWN + " All channels are FIFO.",
        defence=(
            "One may read serialized at the gateway as an assumption, that nothing of what p1 caused reaches the "
            "gateway before m1 itself; then the answers are right. It holds if the link is the only path from p1 to "
            "the gateway, which the definition of a gateway does not ask for."
        ),
        printed=printed_4(graph),
        steps=steps,
    )


def overtaken_in_the_triangle() -> Erratum:
    graph = hierarchical_triangle(5, 2)
    steps = script("m1: p0>p1; m2: p0>p2; m2; m3: p2>p1; m3; m4: p1>p3; m4; m5: p3>p1; m5; m1")
    return _verdicts(
        title="The hierarchical triangle's saving gives wrong answers",
        section="§5, Allocation 5",
        says=(
            Quotation(
                "§5",
                "Using Allocation Algorithm 5, the counter set and observation set of a process p are the set of all "
                "processes in the triangles it is part of.",
            ),
            Quotation(
                "§5",
                "Every inner process (processes other than the root and the leaves) is a gateway between the two "
                "triangles it is part of and therefore maintains arrival times of all messages coming to it.",
            ),
        ),
        repair=ONLY_PATH,
        execution=(
            "Triangles {p0, p1, p2} and {p1, p3, p4}, all FIFO. p0 sends m1 to p1, which is slow. p0 writes to p2, "
            "p2 to p1, p1 to p3, p3 sends m5 to p1. Then m1 arrives. How do m1 and m5 stand?"
        ),
        assumes=KNOWN + " All channels are FIFO.",
        defence=(
            "One may expect that within a triangle news travels on the direct link alone; then the sets of §5 are "
            "enough. But within a triangle all processes communicate with all others, so there is a second way."
        ),
        printed=printed_5(graph),
        steps=steps,
    )


def overtaken_on_the_link() -> Erratum:
    graph = star(2)
    steps = script("m1: p0>centre; m2: p0>centre; m2; m3: centre>p1; m3; m4: p1>centre; m4; m1")
    return _verdicts(
        title="Arrival times need FIFO channels",
        section="§4.4, Allocations 4 and 5",
        says=(
            SERIALIZED,
            Quotation(
                "§4.4, footnote 6",
                "Arrival times of messages can be used to determine the order of messages sent by the same process if "
                "communications channels are assumed to be FIFO (Section 3). In this case, maintaining arrival times "
                "is not an added cost.",
            ),
        ),
        remark=(
            "The algorithms do not ask for FIFO channels: footnote 6 and §3 name them as one case, in which arrival "
            "times cost nothing more."
        ),
        execution=(
            "A star of two satellites, channels not FIFO. p0 sends m1, then m2, to the centre; m2 comes first. The "
            "centre writes to p1, p1 sends m4 to the centre. Then m1 arrives. How do m1 and m4 stand?"
        ),
        assumes=KNOWN + " Channels need not be FIFO: the paper names that as one case.",
        defence=(
            "One may read footnote 6 as asking for FIFO channels wherever arrival times are used; then this execution "
            "is excluded, and the two entries before it are not. One may also read serialized at the gateway as an "
            "assumption, that nothing of what p0 caused reaches the gateway before m1 itself; then this execution is "
            "excluded too, because m2 does."
        ),
        repair=ONLY_PATH + " So on channels that reorder there are no arrival times.",
        printed=printed_5(graph),
        steps=steps,
        second=4,
        fifo=False,
    )


def misprinted_gateway() -> Erratum:
    graph = star(2)
    steps = script("m1: p0>centre; m1; m2: centre>p1; m2; m3: p1>centre; m3")
    allocation = printed_5(graph)

    def by_sender(receiver: ProcessId, m1: Arrival, m2: Arrival) -> Order:
        for first, second, order in ((m1, m2, Order.BEFORE), (m2, m1, Order.AFTER)):
            known_at = first.known_at
            if second.sender in allocation.gateways and known_at is not None and known_at < second.clock[receiver]:
                return order
        return determination_3(m1, m2)

    accused, sound = Accused("printed 5", local(allocation).start, by_sender), plan(graph).allocation
    return Erratum(
        "The receiver must be the gateway, not the sender",
        "§4.4, after Allocation 5",
        (
            Quotation(
                "§4.4",
                "Also, the tests (p_R ∈ ClockSet_{p_i}) in Determination Algorithm 4 should be replaced by a test to "
                "check that p_i is a gateway and has been handled by the first option of step 3 of Allocation "
                "Algorithm 5.",
            ),
            Quotation(
                "§4.4",
                "In Determination Algorithm 4, the first two elsif clauses handle the case where p_R is a gateway.",
            ),
        ),
        "A star of two satellites. p0 sends m1 to the centre, which writes to p1, which sends m3 to the centre. How do "
        "m1 and m3 stand?",
        accused.verdict(steps, 1, 3).value,
        truth(pasts(steps), 1, 3).value,
        local(sound).verdict(steps, 1, 3).value,
        remark=(
            "The test must be about p_R, as the second sentence says. The slip is of one index, and it may be of our "
            "copy of the paper."
        ),
        assumes=KNOWN + " All channels are FIFO.",
        defence="One may read p_R, as the second sentence does; then this execution is judged right.",
        repair="Read p_R.",
        ours_as=_named(sound),
        often=once(partial(_judged_wrong, accused, local(sound), graph)),
    )


def _named(allocation: Allocation) -> str:
    return f"ours (`plan`: Allocation {allocation.name})"


def _judged_wrong(printed: Accused[Arrival], ours: Accused[Arrival], graph: Graph) -> Frequency:
    """Count the random executions on one graph in which two messages are misjudged, on FIFO channels."""
    runs = [random_execution(random.Random(seed), graph, MESSAGES, fifo=True) for seed in range(EXECUTIONS)]
    found = [sum(any(True for _ in one.wrong_verdicts(steps)) for steps in runs) for one in (printed, ours)]
    return _misjudged_told(*found)


def _misjudged_told(printed: int, ours: int) -> Frequency:
    told = (
        f"Of {EXECUTIONS} random executions with {MESSAGES} messages on the same links, two messages are misjudged in "
        f"{printed} as printed, and in {ours} with ours."
    )
    return found_otherwise(EXECUTIONS, printed, ours, told)


def _verdicts(
    *,
    title: str,
    section: str,
    says: tuple[Quotation, ...],
    execution: str,
    printed: Allocation,
    steps: list[Step],
    assumes: str,
    defence: str,
    repair: str,
    remark: str = "",
    second: int = 5,
    fifo: bool = True,
) -> Erratum:
    """An erratum about how message 1 and message `second` stand."""
    sound = plan(printed.graph, fifo=fifo).allocation
    return Erratum(
        title,
        section,
        says,
        execution,
        local(printed).verdict(steps, 1, second).value,
        truth(pasts(steps), 1, second).value,
        local(sound).verdict(steps, 1, second).value,
        assumes=assumes,
        defence=defence,
        repair=repair,
        remark=remark,
        ours_as=_named(sound),
        often=once(partial(_misjudged, printed, sound, fifo)),
    )


def _misjudged(printed: Allocation, sound: Allocation, fifo: bool) -> Frequency:
    """Count the random executions on one graph in which two messages that arrive at one process are misjudged."""
    found = [
        sum(misjudges(allocation, seed, messages=MESSAGES, fifo=fifo) for seed in range(EXECUTIONS))
        for allocation in (replace(printed, fifo=fifo), sound)
    ]
    return _misjudged_told(*found)
