"""Clusters by articulation points: what separates what is asked of the network itself, by walking it."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from antecede.core.errors import Misuse
from antecede.core.locality.graph import Graph, reachable
from antecede.core.locality.separators import blocks_around, separate, useful_at
from antecede.core.ordering.representatives import LEVELS_MAX, levels_of
from antecede.lab.topologies import complete, ring, star
from tests.core.locality.graphs import random_graph, random_two_way
from tests.hierarchies import random_network
from tests.worlds import run


def network(seed: int) -> Graph:
    """Any graph; many have an articulation point, some have several parts, some have links one way only."""
    chance = random.Random(f"separators {seed}")
    processes = chance.choice([6, 9, 16])
    kind = chance.choice(["any", "two-way", "blocks"])
    if kind == "blocks":
        return random_network(chance, [f"p{number}" for number in range(processes)])
    return random_graph(chance, processes) if kind == "any" else random_two_way(chance, processes)


def both_ways(graph: Graph) -> dict[str, tuple[str, ...]]:
    return {p: (*graph.successors[p], *graph.predecessors[p]) for p in graph.processes}


def articulation_points(graph: Graph) -> set[str]:
    """The processes between two neighbours of which there is no other way."""
    links = both_ways(graph)
    return {p for p, near in links.items() if near and not reachable(links, near[:1], avoiding=p) >= set(near)}


SEPARABLE = [seed for seed in range(200) if articulation_points(network(seed))]
INSEPARABLE = [seed for seed in range(200) if seed not in SEPARABLE]


def everyone_below(levels: list[dict[str, list[str]]], level: int, process: str) -> set[str]:
    """The process, and all that go through it up to `level`, which is not counted."""
    found = {process}
    for clusters in reversed(levels[:level]):
        found |= {member for head in sorted(found) for member in clusters.get(head, ())}
    return found


def test_the_random_networks_are_of_both_kinds_and_of_several_levels() -> None:
    assert len(INSEPARABLE) > 20
    assert {len(separate(network(seed))) for seed in SEPARABLE} >= {1, 2, 3}


@pytest.mark.parametrize("seed", INSEPARABLE)
def test_a_network_without_articulation_points_is_refused(seed: int) -> None:
    with pytest.raises(Misuse, match="has no articulation point, so every process would represent itself only"):
        separate(network(seed))


@pytest.mark.parametrize("seed", SEPARABLE)
def test_a_representative_separates_its_cluster_from_all_others(seed: int) -> None:
    graph = network(seed)
    links, levels = both_ways(graph), separate(graph)
    for number, clusters in enumerate(levels):
        for head, members in clusters.items():
            cluster = set().union(*(everyone_below(levels, number, member) for member in members))
            assert reachable(links, cluster, avoiding=head) == cluster


@pytest.mark.parametrize("seed", SEPARABLE)
def test_every_process_is_in_one_cluster_of_each_level_as_a_hierarchy_wants_it(seed: int) -> None:
    graph = network(seed)
    levels = separate(graph)
    through = levels_of(graph.processes, levels, {})
    assert [{p for p, head in level.items() if p == head} for level in through] == [level.keys() for level in levels]
    assert [level.keys() for level in through] == [set(graph.processes), *(level.keys() for level in levels[:-1])]
    assert all(any(members for members in level.values()) for level in levels)


@pytest.mark.parametrize("seed", SEPARABLE)
def test_every_articulation_point_is_a_representative_of_others_on_some_level(seed: int) -> None:
    graph = network(seed)
    points, levels = articulation_points(graph), separate(graph)
    heads = {head for level in levels for head, members in level.items() if members}
    assert heads == points or (len(levels) == LEVELS_MAX and heads < points)


def test_networks_known_by_heart() -> None:
    assert separate(star(3)) == [{"centre": ["p0", "p1", "p2"]}]
    line = Graph.of(pairwise("abcdefg"))
    assert separate(line) == [
        {"b": ["a"], "c": [], "d": [], "e": [], "f": ["g"]},
        {"c": ["b"], "d": [], "e": ["f"]},
        {"d": ["c", "e"]},
    ]
    assert separate(line, levels_max=1) == separate(line)[:1]
    apart = Graph.both_ways([("a", "b"), ("b", "c"), ("x", "y")], "abcxyz")
    assert separate(apart) == [{"b": ["a", "c"], "x": [], "y": [], "z": []}]


def test_there_are_not_more_levels_than_a_hierarchy_can_have() -> None:
    line = Graph.of(pairwise(f"p{number:02}" for number in range(40)))
    assert len(separate(line)) == LEVELS_MAX
    assert len(levels_of(line.processes, separate(line), {})) == LEVELS_MAX


@pytest.mark.parametrize("graph", [ring(5, both_ways=True), ring(5, both_ways=False), complete(4)])
def test_a_network_that_nobody_separates_is_refused(graph: Graph) -> None:
    with pytest.raises(Misuse, match="use ks or prs, or choose the representatives yourself"):
        separate(graph)


@pytest.mark.parametrize("levels", [0, LEVELS_MAX + 1, True, 1.5, None])
def test_a_number_of_levels_that_a_hierarchy_cannot_have_is_refused(levels: int) -> None:
    with pytest.raises(Misuse, match="give a whole number from 1 to"):
        separate(star(3), levels_max=levels)


@pytest.mark.parametrize("inner", ["ks", "prs", "rst"])
@pytest.mark.parametrize("seed", range(30))
def test_any_traffic_is_in_causal_order(seed: int, inner: str) -> None:
    """Also traffic between processes that have no link in the network; processes come and go."""
    world = run("hierarchy", seed, options={"representatives": "separators", "inner": inner})
    assert any(members for members in world.levels[0].values())


@pytest.mark.parametrize("seed", range(200))
def test_an_entry_is_of_use_where_a_path_leads_to_its_destination_without_its_sender(seed: int) -> None:
    links = network(seed).successors
    for at in links:
        expected = {
            sender: {d for d in dests if sender == at or d in reachable(links, [at], avoiding=sender)}
            for sender, dests in links.items()
        }
        assert useful_at(links, at) == expected


@pytest.mark.parametrize("seed", range(0, 200, 5))
def test_the_blocks_around_a_process_have_every_link_on_a_simple_path_back_to_it(seed: int) -> None:
    """Two members of a block are connected without any third process, and its links lead to no other process."""
    graph = network(seed)
    for process in graph.processes:
        around = blocks_around(graph, process)
        near = {*graph.successors[process], *graph.predecessors[process]}
        assert sorted(p for links in around for p in links if p in near) == sorted(near)
        for links in around:
            assert links == {p: tuple(q for q in graph.successors[p] if q in links) for p in links}
            inside = both_ways(Graph.of([(p, q) for p, qs in links.items() for q in qs]))
            for third in links if len(links) > 2 else ():
                one, *others = (p for p in links if p != third)
                assert reachable(inside, [one], avoiding=third) >= set(others)
        for one in near:
            for other in near:
                together = any(one in links and other in links for links in around)
                assert together == (other in reachable(both_ways(graph), [one], avoiding=process))


def test_blocks_and_uses_of_a_thousand_processes_are_found_at_once() -> None:
    names = [f"p{number:04}" for number in range(1000)]
    chance = random.Random("large")
    graph = Graph.of({(p, q) for p in names for q in chance.sample(names, 3) if p != q})
    (links,) = blocks_around(graph, names[0])
    assert len(links) == 1000
    found = useful_at(links, names[0])
    assert all(found[p] <= set(links[p]) for p in names)
    some = chance.sample(names[1:], 20)
    assert {p: found[p] for p in some} == {
        p: {q for q in links[p] if q in reachable(links, [names[0]], avoiding=p)} for p in some
    }
