"""The plan picks the cheapest allocation, and says in words what it saves."""

import random
import tracemalloc

import pytest

from antecede.core.locality.graph import Graph
from antecede.core.locality.plan import TITLES, cost, plan, saving
from antecede.core.locality.simple_paths import Method
from antecede.lab.topologies import chain, complete, hierarchical_triangle, ring, star
from tests.core.locality.graphs import maze, random_graph


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("fifo", [True, False])
def test_nothing_tried_is_cheaper_than_what_is_chosen(seed: int, fifo: bool) -> None:
    made = plan(random_graph(random.Random(seed)), fifo=fifo)
    assert made.cost == cost(made.allocation)
    assert made.cost.clock_entries == min(candidate.cost.clock_entries for candidate in made.candidates)
    assert [candidate.name for candidate in made.candidates] == sorted(TITLES)


def test_of_equals_the_simplest_is_chosen() -> None:
    assert plan(complete(4)).allocation.name == "1"
    assert plan(ring(5)).allocation.name == "1"


def test_the_saving_in_words() -> None:
    assert saving(plan(star(9))) == (
        "Clock entries per process: 1 on average (at most 1) instead of 10; per message: 1 (at most 1) instead of 10. "
        "That is 90 % less space and 90 % less on the wire."
    )
    assert saving(plan(complete(4))) == "Nothing is saved: this graph needs the 4 entries of vector clocks."


def test_a_saving_is_never_rounded_up_to_everything() -> None:
    assert "99.9 % less space" in saving(plan(star(5_000)))


def test_a_saving_is_rounded() -> None:
    assert "66.7 % less space and 66.7 % less" in saving(plan(star(2)))
    assert "100 % less space and 100 % less" in saving(plan(ring(3, both_ways=False)))


def test_memory_can_be_ruled_out() -> None:
    graph = hierarchical_triangle(13, 3)
    assert plan(graph).allocation.remembered
    made = plan(graph, memory=False)
    assert made.allocation.name == "3"
    assert not made.notes


def test_the_price_is_told() -> None:
    notes = plan(hierarchical_triangle(13, 3), fifo=False).notes
    assert notes[0] == "Gateways, which note when they first knew of each message to be compared: 3."
    assert "of 6 neighbours on average" in notes[1]
    assert notes[2].startswith("Channels are not FIFO")


def test_a_large_graph_with_one_way_links_is_planned_without_gateways_and_says_so() -> None:
    graph = Graph.of([("a", "b"), ("b", "c"), ("c", "a"), ("a", "c")])
    made = plan(graph, work_max=10)
    assert [candidate.name for candidate in made.candidates] == ["1", "2", "3"]
    assert made.notes[0].startswith("Gateways (Allocations 4 to 6) were not tried")


def test_a_plan_that_may_be_too_large_says_so() -> None:
    said = "Simple paths were too many to enumerate in some block, so some processes keep clocks they may not need."
    made = plan(maze(9), memory=False)
    assert made.allocation.method is Method.OVER_APPROXIMATED
    assert made.notes[0] == said
    assert said not in plan(maze(5), memory=False).notes


def test_many_senders_of_one_receiver_take_memory_in_proportion() -> None:
    """Nobody is compared by clock here, so the answer is empty sets: twice the senders, about twice the memory."""
    peaks = []
    for senders in (500, 1_000, 2_000):
        graph = Graph.of((f"s{number}", "hub") for number in range(senders))
        tracemalloc.start()
        assert plan(graph).cost.clock_entries == 0
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 3 * peaks[1] < 9 * peaks[0]


def test_large_two_way_graphs_are_exact() -> None:
    for graph in (hierarchical_triangle(2_000, 9), star(2_000), chain(2_000)):
        assert plan(graph).allocation.method is Method.EXACT
