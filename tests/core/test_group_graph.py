"""The graph of groups, held to a judge that tries every order of every set of groups; and what is refused."""

from __future__ import annotations

from itertools import combinations, permutations, product
from random import Random
from typing import Any

import pytest

import antecede
from antecede import Misuse


def random_groups(seed: int) -> dict[str, list[str]]:
    """Return up to six groups: a process for some pairs of them, one in each alone, and sometimes one in several."""
    chance = Random(seed)
    names = [f"g{number}" for number in range(chance.randint(1, 6))]
    groups = {name: [f"only {name}"] for name in names}
    for pair in combinations(names, 2):
        if chance.random() < 0.4:
            for name in pair:
                groups[name].append(" and ".join(pair))
    if chance.random() < 0.2:
        for name in chance.sample(names, chance.randint(1, len(names))):
            groups[name].append("in several")
    return groups


def shortest_length(groups: dict[str, list[str]]) -> int:
    """Return the length of a shortest cycle by trying all; 0 if there is none."""
    for length in range(3, len(groups) + 1):
        for chosen in combinations(groups, length):
            for ring in permutations(chosen):
                if is_ring(groups, ring):
                    return length
    return 0


def is_ring(groups: dict[str, list[str]], ring: tuple[str, ...]) -> bool:
    return all(set(groups[ring[at - 1]]) & set(groups[ring[at]]) for at in range(len(ring)))


def test_random_groups_have_the_edges_and_a_shortest_cycle() -> None:
    lengths = set()
    for seed in range(300):
        groups = random_groups(seed)
        graph = antecede.group_graph(groups)
        assert graph.groups == tuple(sorted(groups))
        assert graph.edges == {
            (one, other): tuple(sorted(set(groups[one]) & set(groups[other])))
            for one, other in product(sorted(groups), repeat=2)
            if one < other and set(groups[one]) & set(groups[other])
        }, f"seed {seed}"
        assert len(graph.cycle) == len(set(graph.cycle)) == shortest_length(groups), f"seed {seed}"
        assert graph.is_acyclic == (graph.cycle == ())
        assert graph.is_acyclic or is_ring(groups, graph.cycle), f"seed {seed}"
        lengths.add(len(graph.cycle))
    assert lengths >= {0, 3, 4}, "the groups were too much alike"


def rank(cycles: list[tuple[str, ...]]) -> int:
    """Return how many of the cycles are independent as sets of edges, by elimination."""
    kept: list[set[frozenset[str]]] = []
    for cycle in cycles:
        left = {frozenset((cycle[at - 1], cycle[at])) for at in range(len(cycle))}
        for other in kept:
            left = min(left, left ^ other, key=lambda edges: sorted(map(sorted, edges), reverse=True))
        kept += [left] if left else []
    return len(kept)


def test_the_cycles_are_independent_and_as_many_as_a_graph_can_have() -> None:
    """Edges less vertices plus parts: that many independent cycles a graph has, so every cycle is a sum of these."""
    counts = set()
    for seed in range(300):
        groups = random_groups(seed)
        graph = antecede.group_graph(groups)
        cycles = list(graph.cycles())
        parts = {name: {name} for name in groups}
        for one, other in graph.edges:
            joined = parts[one] | parts[other]
            parts.update(dict.fromkeys(joined, joined))
        expected = len(graph.edges) - len(groups) + len({min(part) for part in parts.values()})
        assert len(cycles) == graph.cycle_count == expected == rank(cycles), f"seed {seed}"
        assert all(is_ring(groups, cycle) and len(set(cycle)) == len(cycle) >= 3 for cycle in cycles), f"seed {seed}"
        counts.add(len(cycles))
    assert counts >= {0, 1, 2, 3}, "the groups were too much alike"


def test_of_a_long_and_a_short_cycle_the_short_one_is_found() -> None:
    """The ring of four is met first, by name; the ring of three shares no group with it."""
    four = {"a1": ["p1", "p2"], "a2": ["p2", "p3"], "a3": ["p3", "p4"], "a4": ["p4", "p1"]}
    three = {"b1": ["q1", "q2"], "b2": ["q2", "q3"], "b3": ["q3", "q1"]}
    assert antecede.group_graph(four).cycle == ("a1", "a2", "a3", "a4")
    assert antecede.group_graph({**four, **three}).cycle == ("b1", "b2", "b3")


@pytest.mark.parametrize(
    ("groups", "complaint"),
    [
        ({}, "at least one group"),
        (["g1"], "must be a mapping of each group to its members"),
        ({"g1": "ab"}, "must be a collection of names"),
        ({"g1": [""]}, "a name must be a string that is not empty"),
    ],
)
def test_what_is_not_groups_is_refused(groups: Any, complaint: str) -> None:
    with pytest.raises(Misuse, match=complaint):
        antecede.group_graph(groups)
