"""Random groups that overlap without a cycle."""

from __future__ import annotations

import random


def tree_of_groups(chance: random.Random, names: list[str]) -> dict[str, list[str]]:
    """Groups of which each but the first shares one process with one group before it, and no process is in three."""
    rest = chance.sample(names, len(names))
    groups, rest = [rest[:2]], rest[2:]
    free = list(groups[0])
    while rest:
        count = chance.randint(1, len(rest))
        shared = free.pop(chance.randrange(len(free)))
        groups.append([shared, *rest[:count]])
        free, rest = free + rest[:count], rest[count:]
    return {f"g{number}": sorted(group) for number, group in enumerate(groups, start=1)}


def wide_tree_of_groups(chance: random.Random, names: list[str]) -> dict[str, list[str]]:
    """Groups of which each but the first shares some processes with one group before it, and no process is in three."""
    rest = chance.sample(names, len(names))
    cut = chance.randint(2, len(rest))
    groups, rest = [rest[:cut]], rest[cut:]
    free = [list(groups[0])]
    while rest:
        among = chance.choice([members for members in free if members])
        shared = [among.pop() for _ in range(chance.randint(1, len(among)))]
        cut = chance.randint(1, len(rest))
        groups.append(shared + rest[:cut])
        free.append(rest[:cut])
        rest = rest[cut:]
    return {f"g{number}": sorted(group) for number, group in enumerate(groups, start=1)}
