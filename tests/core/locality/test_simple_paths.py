"""Simple paths, blocks and components against their definitions, on random graphs."""

import random
from itertools import pairwise, permutations

import networkx as nx
import pytest

from antecede.core.locality.components import blocks, strongly_connected
from antecede.core.locality.graph import Graph
from antecede.core.locality.simple_paths import (
    WALK_STEPS_MAX,
    Budget,
    Method,
    SimplePaths,
    enumerate_simple_paths,
    worst,
)
from antecede.lab.topologies import complete, figure_4, hierarchical_triangle
from tests.core.locality.graphs import maze, random_graph, random_two_way


def by_definition(graph: Graph, source: str, target: str) -> set[str]:
    """All processes on any simple path, each path written out."""
    drawn = nx.DiGraph(graph.links)
    return {p for path in nx.all_simple_paths(drawn, source, target) for p in path}


@pytest.mark.parametrize("seed", range(150))
def test_membership_of_simple_paths_is_exact(seed: int) -> None:
    graph = random_graph(random.Random(seed), 7)
    paths = SimplePaths(graph.successors, Budget())
    for source, target in permutations(graph.processes, 2):
        assert paths.through(source, [target]) == by_definition(graph, source, target), (graph.links, source, target)
    assert paths.method is not Method.OVER_APPROXIMATED


@pytest.mark.parametrize("seed", range(60))
def test_several_targets_are_the_union_of_each(seed: int) -> None:
    chance = random.Random(seed)
    graph = random_graph(chance, 8)
    paths = SimplePaths(graph.successors, Budget())
    for source in graph.processes:
        targets = chance.choices([p for p in graph.processes if p != source], k=2)
        apart = [by_definition(graph, source, target) for target in targets]
        assert paths.through(source, targets) == apart[0] | apart[1]


@pytest.mark.parametrize("seed", range(60))
def test_without_a_budget_no_process_is_missed(seed: int) -> None:
    graph = random_graph(random.Random(seed), 7)
    paths = SimplePaths(graph.successors, Budget(0))
    for source, target in permutations(graph.processes, 2):
        assert paths.through(source, [target]) >= by_definition(graph, source, target)


def test_the_method_is_reported() -> None:
    there_and_back = Graph.of([("a", "d"), ("b", "d"), ("c", "a"), ("c", "b"), ("d", "b"), ("d", "c")])
    one_way_square = Graph.of([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("a", "c")])
    for graph, budget, method in (
        (hierarchical_triangle(10, 3), 0, Method.EXACT),
        (figure_4(), 0, Method.EXACT),
        (Graph.of([("a", "b"), ("b", "c"), ("a", "c")]), 0, Method.EXACT),
        (one_way_square, 1_000, Method.EXACT),
        (one_way_square, 0, Method.OVER_APPROXIMATED),
        (there_and_back, 10_000, Method.ENUMERATED),
    ):
        paths = SimplePaths(graph.successors, Budget(budget))
        for source, target in permutations(graph.processes, 2):
            paths.through(source, [target])
        assert paths.method is method


def test_the_worst_method_counts() -> None:
    assert worst([]) is Method.EXACT
    assert worst([Method.ENUMERATED, Method.OVER_APPROXIMATED, Method.EXACT]) is Method.OVER_APPROXIMATED


def test_enumeration_ends_early_when_all_have_been_seen() -> None:
    graph = complete(30)
    everyone = frozenset(graph.processes)
    assert enumerate_simple_paths(graph.successors, everyone, "p00", "p01", Budget(100)) == everyone


def test_a_dead_end_is_found_by_writing_out_every_path() -> None:
    paths = SimplePaths(maze(5).successors, Budget())
    assert paths.through("r0", ["out"]) == {"r0", "r1", "r2", "r3", "r4", "out"}
    assert paths.method is Method.ENUMERATED


def test_where_the_paths_are_too_many_to_write_out_the_dead_end_is_taken_in() -> None:
    """A search of one source and target has its own limit: it must not spend what the others need."""
    budget = Budget()
    before = budget.left
    paths = SimplePaths(maze(9).successors, budget)
    assert paths.through("r0", ["out"]) == {*maze(9).processes}
    assert paths.method is Method.OVER_APPROXIMATED
    assert WALK_STEPS_MAX <= before - budget.left < 2 * WALK_STEPS_MAX


@pytest.mark.parametrize("seed", range(60))
def test_blocks_are_those_of_networkx(seed: int) -> None:
    graph = random_two_way(random.Random(seed), 14)
    found = blocks(graph.successors)
    drawn = nx.Graph(graph.links)
    assert sorted(map(sorted, found.members)) == sorted(map(sorted, nx.biconnected_components(drawn)))
    assert {p for p in graph.processes if found.is_cut_vertex(p)} == set(nx.articulation_points(drawn))


@pytest.mark.parametrize("seed", range(60))
def test_components_are_those_of_networkx(seed: int) -> None:
    graph = random_graph(random.Random(seed), 14)
    found = {tuple(sorted(members)) for members in strongly_connected(graph.successors).values()}
    assert found == {tuple(sorted(members)) for members in nx.strongly_connected_components(nx.DiGraph(graph.links))}


def test_a_long_chain_needs_no_deep_stack() -> None:
    names = [str(number) for number in range(5_000)]
    chain = Graph.both_ways(pairwise(names))
    assert len(blocks(chain.successors).members) == 4_999
    assert len(set(strongly_connected(chain.successors).values())) == 1
