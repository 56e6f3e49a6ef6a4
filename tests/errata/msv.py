"""Where paper 004 (Meldal, Sankar, Vera) is wrong, each shown by running its printed form beside ours.

`counterexamples()` gives them all as data. Verdicts are those on two messages that arrive at one process; the truth is
taken from explicit causal pasts. Ours is the allocation that `plan` chooses, unless said otherwise.
"""

from __future__ import annotations

from antecede.core.clocks.allocation import Allocation, allocation_1, allocation_2
from antecede.core.clocks.determination import determination_3
from antecede.core.clocks.gateways import allocation_5
from antecede.core.clocks.graph import Graph
from antecede.core.clocks.order import Order
from antecede.core.clocks.plan import plan
from antecede.core.clocks.printed import printed_4, printed_5
from antecede.core.clocks.propagation import LocalClock
from antecede.core.clocks.stamp import Arrival
from antecede.core.clocks.topologies import hierarchical_triangle, ring, star
from antecede.core.types import ProcessId
from tests.core.clocks.executions import Step, pasts, script, truth
from tests.core.clocks.judge import Accused, drive, local, local_system
from tests.errata.erratum import Erratum


def counterexamples() -> list[Erratum]:
    return [
        overtaken_on_the_way_round(),
        overtaken_in_the_triangle(),
        overtaken_on_the_link(),
        misprinted_gateway(),
        loops_of_two(),
        observation_set_of_the_star(),
        ring_one_way_round(),
        values_of_allocation_2(),
    ]


def overtaken_on_the_way_round() -> Erratum:
    graph = Graph.of([("p1", "R"), ("p1", "x"), ("x", "R"), ("R", "p2"), ("p2", "R")])
    steps = script("m1: p1>R; m2: p1>x; m2; m3: x>R; m3; m4: R>p2; m4; m5: p2>R; m5; m1")
    return _verdicts(
        title="A gateway may hear of a message before the message comes",
        section="4.4, Allocation 4 with Determination 4",
        says="Arrival times at the gateway replace the senders' clocks on all paths through it (Lemma 9 and Fig. 4).",
        execution=(
            "Links p1->R, p1->x, x->R, R->p2, p2->R, all FIFO. p1 sends m1 to R, which is slow. p1 writes to x, x "
            "to R, R to p2, p2 sends m5 to R. Then m1 arrives. How do m1 and m5 stand?"
        ),
        printed=printed_4(graph),
        steps=steps,
    )


def overtaken_in_the_triangle() -> Erratum:
    graph = hierarchical_triangle(5, 2)
    steps = script("m1: p0>p1; m2: p0>p2; m2; m3: p2>p1; m3; m4: p1>p3; m4; m5: p3>p1; m5; m1")
    return _verdicts(
        title="The hierarchical triangle's saving gives wrong answers",
        section="5, Allocation 5",
        says=(
            "In the hierarchical triangle every inner process is a gateway, and each process needs only the clocks "
            "of its own triangles."
        ),
        execution=(
            "Triangles {p0, p1, p2} and {p1, p3, p4}, all FIFO. p0 sends m1 to p1, which is slow. p0 writes to p2, "
            "p2 to p1, p1 to p3, p3 sends m5 to p1. Then m1 arrives. How do m1 and m5 stand?"
        ),
        printed=printed_5(graph),
        steps=steps,
    )


def overtaken_on_the_link() -> Erratum:
    graph = star(2)
    steps = script("m1: p0>centre; m2: p0>centre; m2; m3: centre>p1; m3; m4: p1>centre; m4; m1")
    return _verdicts(
        title="Arrival times need FIFO channels",
        section="4.4, Allocations 4 and 5",
        says=(
            "FIFO channels are only a way to have arrival times for nothing (footnote 6); the algorithms do not ask "
            "for them."
        ),
        execution=(
            "A star of two satellites, channels not FIFO. p0 sends m1, then m2, to the centre; m2 comes first. The "
            "centre writes to p1, p1 sends m4 to the centre. Then m1 arrives. How do m1 and m4 stand?"
        ),
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

    said = Accused("printed 5", local(allocation).start, by_sender).verdict(steps, 1, 3)
    return Erratum(
        "The receiver must be the gateway, not the sender",
        "4.4, after Allocation 5",
        "In Determination 4 the tests are to be replaced by a check that p_i is a gateway. It must read p_R.",
        "A star of two satellites. p0 sends m1 to the centre, which writes to p1, which sends m3 to the centre. How do "
        "m1 and m3 stand?",
        said.value,
        truth(pasts(steps), 1, 3).value,
        local(plan(graph).allocation).verdict(steps, 1, 3).value,
    )


def loops_of_two() -> Erratum:
    graph = star(2)
    steps = script("m1: p0>centre; m1; m2: centre>p1; m2; m3: p1>centre; m3")
    return _verdicts(
        title="Two processes that answer each other are a loop",
        section="4.4, footnote 5",
        says=(
            "A gateway is on a loop, a closed path of which no part is closed. Read with loops of three or more, "
            "the star and Fig. 4 have no gateway at all; their own examples need loops of two."
        ),
        execution=(
            "A star of two satellites. p0 sends m1 to the centre, which writes to p1, which sends m3 to the centre. "
            "How do m1 and m3 stand?"
        ),
        printed=printed_4(graph, shortest_loop=3),
        steps=steps,
        second=3,
    )


def observation_set_of_the_star() -> Erratum:
    graph = star(3)
    return Erratum(
        "The star's observation set",
        "5, star network",
        "The counter and observation sets of all processes are the centre alone. But step 3 of Allocation 3 adds p1 to "
        "the observation set where there is a path from p1 to p2, kept or not; it should ask whether p2 keeps p1's "
        "clock.",
        "A star of three satellites. What does the centre observe?",
        _names(printed_5(graph).observation_set("centre")),
        _names(frozenset(["centre"])),
        _names(allocation_5(graph).observation_set("centre")),
    )


def ring_one_way_round() -> Erratum:
    graph = ring(5, both_ways=False)
    needed = sum(len(senders) > 1 for senders in graph.predecessors.values())
    return Erratum(
        "The ring must go both ways",
        "5, ring network",
        "In a ring each process has to keep the clocks of all processes. In a ring that goes one way round no process "
        "has two senders, so there is nothing to compare and nothing to keep.",
        "A ring of five, one way round. How many clock entries are needed in all?",
        str(len(graph.processes) ** 2),
        str(needed),
        str(plan(graph).cost.clock_entries),
    )


def values_of_allocation_2() -> Erratum:
    links = "q>R p2>R q>y y>p p>p2 q>w w>p2 p2>z z>p"
    graph = Graph.of((link.split(">")[0], link.split(">")[1]) for link in links.split())
    steps = script("m1: q>w; m1; m2: w>p2; m2; m3: p2>z; m3; m4: z>p; m4")
    in_the_past = pasts([*steps, *script("m5: p>p2")])[5]
    return Erratum(
        "Simple paths keep the verdicts, not the clock values",
        "4.2, Theorem 6 with Allocation 2",
        "Restricting clocks to simple paths retains Theorem 6: every entry kept equals that of the vector clock. "
        "Only the verdicts are retained, which is enough; who wants the values must use Allocation 1.",
        f"Links {links.replace('>', '->')}. p keeps q's clock, being on a simple path from q to p2, but z does not. "
        "News of q goes to w, p2, z and p. How many sendings of q does p's clock show? (Ours: Allocation 1.)",
        str(_events_known(allocation_2(graph), "p", "q", steps)),
        str(sum(in_the_past >> message & 1 for message in [1])),
        str(_events_known(allocation_1(graph), "p", "q", steps)),
    )


def _events_known(allocation: Allocation, process: ProcessId, of: ProcessId, steps: list[Step]) -> int:
    """An entry for another process is one more than the last event of it that is known."""
    clocks = {p: LocalClock(allocation, p) for p in allocation.graph.processes}
    drive(local_system(clocks), steps)
    return max(0, clocks[process].clock[of] - 1)


def _verdicts(
    *,
    title: str,
    section: str,
    says: str,
    execution: str,
    printed: Allocation,
    steps: list[Step],
    second: int = 5,
    fifo: bool = True,
) -> Erratum:
    """An erratum about how message 1 and message `second` stand."""
    return Erratum(
        title,
        section,
        says,
        execution,
        local(printed).verdict(steps, 1, second).value,
        truth(pasts(steps), 1, second).value,
        local(plan(printed.graph, fifo=fifo).allocation).verdict(steps, 1, second).value,
    )


def _names(processes: frozenset[ProcessId]) -> str:
    return ", ".join(sorted(processes))
