"""Properties of the allocations on random graphs: sizes, equalities, assumptions."""

import random
from itertools import pairwise

import pytest

from antecede.core.errors import Misuse
from antecede.core.locality.allocation import Allocation, allocation_1, allocation_2, allocation_3
from antecede.core.locality.gateways import KEPT_MAX, Gateways, allocation_4, allocation_5, allocation_6
from antecede.core.locality.graph import Graph
from antecede.core.locality.plan import cost
from antecede.core.locality.simple_paths import Method
from antecede.core.locality.two_way_links import BlockAllocations
from antecede.lab.topologies import hierarchical_triangle, star
from tests.core.locality.graphs import random_graph, random_two_way


def sets(allocation: Allocation) -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    return {p: (allocation.clock_set(p), allocation.observation_set(p)) for p in allocation.graph.processes}


@pytest.mark.parametrize("seed", range(80))
@pytest.mark.parametrize("fifo", [True, False])
def test_rooms_give_the_same_sets_as_the_general_way(seed: int, fifo: bool) -> None:
    graph = random_two_way(random.Random(seed), 10)
    allocations = BlockAllocations(graph, fifo=fifo)
    everywhere = Gateways(graph, fifo=fifo, memory=True)
    demands = {p: everywhere.demand(p, gateway=True) for p in graph.processes}
    for quick, general in (
        (allocations.allocation_1(), allocation_1(graph, fifo=fifo)),
        (allocations.allocation_2(), allocation_2(graph, fifo=fifo)),
        (allocations.allocation_3(), allocation_3(graph, fifo=fifo)),
        (allocations.allocation_4(), allocation_4(graph, fifo=fifo)),
        (
            allocations.allocation_6(),
            everywhere.allocation("6", demands),
        ),
    ):
        assert sets(quick) == sets(general), (quick.name, graph.links)
        assert quick.method is general.method is Method.EXACT


@pytest.mark.parametrize("seed", range(60))
def test_each_allocation_is_no_larger_than_the_one_before(seed: int) -> None:
    """1, 2 and 3 on any graph; with links both ways also 4 and 6."""
    graph = random_graph(random.Random(seed))
    costs = [cost(made) for made in (allocation_1(graph), allocation_2(graph), allocation_3(graph))]
    if graph.is_two_way:
        costs += [
            cost(made) for made in (BlockAllocations(graph).allocation_4(), BlockAllocations(graph).allocation_6())
        ]
    for larger, smaller in pairwise(costs):
        assert smaller.clock_entries <= larger.clock_entries
        assert smaller.message_entries <= larger.message_entries


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("fifo", [True, False])
def test_the_cost_is_what_the_sets_say(seed: int, fifo: bool) -> None:
    graph = random_graph(random.Random(seed))
    made = [allocation_2(graph, fifo=fifo), allocation_6(graph, fifo=fifo)]
    if graph.is_two_way:
        made += [BlockAllocations(graph, fifo=fifo).allocation_3(), BlockAllocations(graph, fifo=fifo).allocation_6()]
    for allocation in made:
        kept = [len(allocation.clock_set(p)) for p in graph.processes]
        sent = [len(allocation.link_set(p, q)) + allocation.is_numbered(p, q) for p, q in graph.links]
        found = cost(allocation)
        assert (found.clock_entries, found.clock_entries_max) == (sum(kept), max(kept))
        assert (found.message_entries, found.message_entries_max) == (sum(sent), max(sent))


@pytest.mark.parametrize("seed", range(40))
def test_no_stamp_is_larger_than_a_vector(seed: int) -> None:
    """But for the sequence number that memory needs on channels that are not FIFO."""
    graph = random_graph(random.Random(seed))
    for fifo in (True, False):
        for make in (allocation_1, allocation_2, allocation_3, allocation_4, allocation_5):
            assert cost(make(graph, fifo=fifo)).message_entries_max <= len(graph.processes)
        assert cost(allocation_6(graph, fifo=fifo)).message_entries_max <= len(graph.processes) + (not fifo)


def test_without_fifo_arrival_times_are_not_used() -> None:
    for graph in (star(4), hierarchical_triangle(7, 2)):
        assert sets(allocation_4(graph, fifo=False)) == sets(allocation_3(graph, fifo=False))
        assert not BlockAllocations(graph, fifo=False).allocation_4().gateways


def test_a_gateway_that_costs_more_than_it_saves_is_not_used() -> None:
    """Allocation 5's price of arrival times: the star of 4 saves 20 - 5 entries."""
    assert allocation_5(star(4), arrival_price=14).gateways == {"centre"}
    assert allocation_5(star(4), arrival_price=15).gateways == frozenset()
    assert BlockAllocations(star(4)).allocation_5(arrival_price=11).gateways == frozenset()


def test_the_order_of_visiting_gateways_matters_and_must_be_whole() -> None:
    graph = Graph.of([("p0", "p2"), ("p0", "p3"), ("p1", "p0"), ("p1", "p2"), ("p3", "p0")])
    sizes = [cost(allocation_5(graph, order=order.split())).clock_entries for order in ("p3 p1 p0 p2", "p3 p2 p1 p0")]
    assert sizes == [4, 3]
    with pytest.raises(Misuse, match="must name every process"):
        allocation_5(graph, order=["p0"])


def test_more_processes_than_paths_are_kept_for_give_the_same_sets() -> None:
    graph = star(KEPT_MAX + 5)
    everywhere = Gateways(graph, fifo=True, memory=True)
    demands = {p: everywhere.demand(p, gateway=True) for p in graph.processes}
    assert sets(everywhere.allocation("6", demands)) == sets(BlockAllocations(graph).allocation_6())


def test_the_worst_method_counts_even_if_its_paths_are_no_longer_kept() -> None:
    """Only the paths that avoid p3 or p5 are enumerated here, and a star of many processes comes after them."""
    knot = "p0 p4, p1 p4, p2 p4, p3 p1, p3 p2, p4 p0, p4 p1, p4 p3, p4 p5, p5 p1, p5 p2"
    links = [(sender, receiver) for sender, receiver in map(str.split, knot.split(", "))]
    rays = [("z", f"z{number}") for number in range(KEPT_MAX + 5)]
    graph = Graph.of([*links, *rays, *((ray, z) for z, ray in rays)])
    gateways = Gateways(graph, fifo=True, memory=True)
    demands = {p: gateways.demand(p, gateway=True) for p in graph.processes if p.startswith("p")}
    assert gateways.allocation("6", demands).method is Method.ENUMERATED
    of_star = {p: gateways.demand(p, gateway=True) for p in graph.processes if p.startswith("z")}
    assert gateways.allocation("6", demands | of_star).method is Method.ENUMERATED
    alone = Gateways(graph, fifo=True, memory=True)
    for p in of_star:
        alone.demand(p, gateway=True)
    assert alone.allocation("6", of_star).method is Method.EXACT
