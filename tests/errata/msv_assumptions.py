"""What paper 004 (Meldal, Sankar, Vera) leaves open."""

from __future__ import annotations

from itertools import permutations

from antecede.core.locality.graph import Graph
from antecede.core.locality.plan import cost, plan
from antecede.lab.printed.allocations import printed_5
from antecede.lab.topologies import ring
from tests.errata.erratum import Assumption, Quotation


def ring_both_ways_round() -> Assumption:
    both, one = ring(5), ring(5, both_ways=False)
    return Assumption(
        "The ring goes both ways round",
        "§5, ring network",
        (
            Quotation(
                "§5",
                "A third kind of network is a ring network. In this case, our algorithm does not save either space or "
                "bandwidth as compared to Algorithm FM. Each process has to maintain a counter set that includes all "
                "processes in the network.",
            ),
        ),
        "The paper does not say which way a ring goes. We take it both ways, as the star and the triangle, and then it "
        "is as the paper says. In a ring that goes one way round no process has two senders, so there is nothing to "
        "compare and nothing to keep.",
        "A ring of five.",
        "How many clock entries are needed in all?",
        (
            ("both ways round", str(plan(both).cost.clock_entries)),
            ("one way round", str(plan(one).cost.clock_entries)),
        ),
    )


def order_of_gateways() -> Assumption:
    graph = Graph.of([("p0", "p1"), ("p0", "p3"), ("p1", "p0"), ("p2", "p3"), ("p3", "p1")])
    costs = sorted({cost(printed_5(graph, order=order)).clock_entries for order in permutations(graph.processes)})
    return Assumption(
        "Allocation 5 visits gateways in some order",
        "§4.4",
        (Quotation("§4.4", "Now visit each gateway process in some order."),),
        "The paper leaves the order open, and with it the result. The numbers are those if arrival times cost nothing, "
        "as in footnote 6; the paper's estimate of the cost has a term for them. Ours is the order of the names, "
        "unless the caller gives another.",
        f"Links {', '.join('->'.join(link) for link in graph.links)}, in all orders.",
        "How many clock entries are there in all?",
        (("in the best order", str(costs[0])), ("in the worst order", str(costs[-1]))),
    )


def paths_that_are_hard_to_find() -> Assumption:
    return Assumption(
        "Which processes are on an acyclic path is hard to tell",
        "§4.2",
        (Quotation("§4.2", "add p_1 to ClockSet_p for every p that is in a acyclic path from p_1 to p_2."),),
        "The paper does not say how to find these processes. In a directed graph that is hard. A process v is on an "
        "acyclic path from a to b if there are a path from a to v and one from v to b that have no process in common "
        "but v: two disjoint paths with given ends. To decide whether there are such paths is NP-complete (Fortune, "
        "Hopcroft and Wyllie, The directed subgraph homeomorphism problem, Theoretical Computer Science 10, 1980). If "
        "all links go both ways it is easy. Otherwise we write out all paths in small graphs, and in large ones take "
        "in every process that is reachable, as Allocation 1 does, which is safe and says so.",
    )
