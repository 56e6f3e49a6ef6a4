"""Clusters of `hierarchy`, and its processes that leave and come, for random executions."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import antecede
from antecede import Misuse
from antecede.core.locality.graph import Graph
from antecede.core.locality.separators import separate


def random_levels(chance: random.Random, names: Sequence[str], *, many: bool) -> list[dict[str, list[str]]]:
    """Return clusters without any reason, of one level, or of `many`."""
    heads = list(names[: chance.randint(1, len(names))])
    levels = [{head: list(names[at :: len(heads)]) for at, head in enumerate(heads)}]
    while many and len(heads) > 1 and chance.random() < 0.6:
        below, heads = heads, chance.sample(heads, chance.randint(1, len(heads) - 1))
        rest = [name for name in below if name not in heads]
        levels.append({head: rest[at :: len(heads)] for at, head in enumerate(heads)})
    return levels


def separated_levels(chance: random.Random, names: Sequence[str]) -> list[dict[str, list[str]]]:
    """Return the clusters that the articulation points of a random network make, of any number of levels."""
    return separate(random_network(chance, names), levels_max=chance.choice([1, 2, 6]))


def random_network(chance: random.Random, names: Sequence[str]) -> Graph:
    """Return a network of three processes or more that has an articulation point: rings and pairs, joined at random."""
    order = chance.sample(list(names), len(names))
    inside, outside = order[:1], order[1:]
    links: list[tuple[str, str]] = []
    while outside:
        most = len(outside) - (not links)
        block = [chance.choice(inside), *(outside.pop() for _ in range(chance.randint(1, min(4, most))))]
        links += [*pairwise(block), (block[-1], block[0])][: len(block) if len(block) > 2 else 1]
        inside += block[1:]
    return Graph.both_ways(links)


def is_handing_over(node: Any) -> bool:
    return bool(node.is_handing_over)


def may_leave(node: Any) -> bool:
    """Whether a process of `hierarchy` may: not if it represents others above, and nobody of its cluster is left."""
    try:
        antecede.restore(node.snapshot()).leave(node.process)
    except Misuse as refusal:
        if "on a higher level" not in str(refusal):
            raise
        return False
    return True


def present_clusters(levels: list[dict[str, list[str]]], nodes: Mapping[str, Any]) -> dict[str, Any]:
    """The options for a newcomer to a `hierarchy`: the clusters without those who left, and who plays their roles."""
    players = {node.inner.inner.process: name for name, node in nodes.items() if node.inner.inner is not None}
    through = nodes[min(players.values())].inner.representative
    lowest = {role: [name for name in nodes if through[name] == role and name != role] for role in players}
    above = [
        {head: [role for role in members if role in players] for head, members in level.items() if head in players}
        for level in levels[1:]
    ]
    successors = {role: player for role, player in players.items() if role != player}
    return {"representatives": [lowest, *above], "successors": successors or None}
