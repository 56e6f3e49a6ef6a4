"""Random networks of links, for random executions in which messages go along links only."""

from __future__ import annotations

from itertools import combinations, pairwise
from random import Random

from tests.hierarchies import random_network

Pairs = list[tuple[str, str]]


def random_links(chance: Random, names: list[str]) -> Pairs:
    """Return links in which every process has one: both ways, one way each, or each of them by chance."""
    pairs = _random_pairs(chance, chance.sample(names, len(names)))
    ways = chance.choice(["both", "forwards", "any"])
    links = [*pairs, *((q, p) for p, q in pairs)] if ways == "both" else pairs
    if ways == "any":
        links = [link for p, q in pairs for link in chance.choice([[(p, q)], [(q, p)], [(p, q), (q, p)]])]
    return links


def _random_pairs(chance: Random, names: list[str]) -> Pairs:
    """Return the links of a tree, a ring, a hub, a complete network, rings that are joined, or any sparse network."""
    tree = [(chance.choice(names[:at]), name) for at, name in enumerate(names) if at]
    shape = chance.choice(["tree", "ring", "hub", "complete", "joined", "sparse", "sparse"])
    if shape == "ring":
        return [*pairwise(names), (names[-1], names[0])] if len(names) > 2 else tree
    if shape == "hub":
        return [(names[0], name) for name in names[1:]]
    if shape == "complete":
        return list(combinations(names, 2))
    if shape == "joined" and len(names) > 2:
        return [(p, q) for p, q in random_network(chance, names).links if p < q]
    if shape == "sparse":
        every = list(combinations(names, 2))
        return sorted({*tree, *chance.sample(every, chance.randint(0, min(len(names), len(every))))})
    return tree
