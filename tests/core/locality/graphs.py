"""Random communication graphs: sparse, dense, one way, both ways, trees, triangles of triangles, mixtures."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import permutations

from antecede.core.locality.graph import Graph, Link
from antecede.lab.topologies import complete, hierarchical_triangle, ring, star


def random_graph(chance: random.Random, processes_max: int = 8) -> Graph:
    return chance.choice(FAMILIES)(chance, chance.randint(3, processes_max))


def random_two_way(chance: random.Random, processes_max: int = 8) -> Graph:
    n = chance.randint(3, processes_max)
    return Graph.both_ways(_random_links(chance, n, chance.randint(n // 2, 2 * n)))


def maze(rooms: int) -> Graph:
    """Return a graph with a dead end, `end`, that only writing out every path from `r0` to `out` finds to be one.

    All rooms have links to each other. The way out and the way to the dead end and back are both from the last room.
    """
    names = [f"r{number}" for number in range(rooms)]
    last = names[-1]
    return Graph.of(
        [*permutations(names, 2), (last, "out"), (last, "end"), ("end", last), ("out", "end"), ("out", "r0")]
    )


def _directed(chance: random.Random, n: int) -> Graph:
    return Graph.of(_random_links(chance, n, chance.randint(n, 3 * n)))


def _mixed(chance: random.Random, n: int) -> Graph:
    """A tree both ways, and one-way links across it."""
    tree = [(f"p{chance.randrange(child)}", f"p{child}") for child in range(1, n)]
    return Graph.of([*tree, *((q, p) for p, q in tree), *_random_links(chance, n, chance.randint(1, n))])


def _tree(chance: random.Random, n: int) -> Graph:
    return Graph.both_ways((f"p{chance.randrange(child)}", f"p{child}") for child in range(1, n))


def _acyclic(chance: random.Random, n: int) -> Graph:
    return Graph.of((min(link), max(link)) for link in _random_links(chance, n, chance.randint(n, 3 * n)))


def _random_links(chance: random.Random, n: int, count: int) -> list[Link]:
    names = [f"p{number}" for number in range(n)]
    picked = (chance.sample(names, 2) for _ in range(count))
    return [(sender, receiver) for sender, receiver in picked]


FAMILIES: tuple[Callable[[random.Random, int], Graph], ...] = (
    _directed,
    _mixed,
    _mixed,
    _tree,
    _acyclic,
    lambda chance, n: Graph.both_ways(_random_links(chance, n, chance.randint(n // 2, 2 * n))),
    lambda chance, n: hierarchical_triangle(n, chance.choice([2, 3])),
    lambda chance, n: ring(n, both_ways=chance.random() < 0.7),
    lambda chance, n: star(n - 1),
    lambda chance, n: complete(min(n, 5)),
)
