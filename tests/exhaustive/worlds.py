"""The worlds that are explored: for each algorithm and protocol the largest that takes a minute or so."""

from __future__ import annotations

import antecede
from tests.exhaustive.ordering import OrderingWorld
from tests.exhaustive.roaming import RoamingWorld
from tests.exhaustive.search import Explored, explore

ORDERING = {
    "history": ((3, 1),),
    "hierarchy": ((2, 1), (3, 0)),
    "isis": ((3, 1),),
    "ks": ((3, 1), (4, 0)),
    "mf": ((3, 1), (4, 0)),
    "mr": ((2, 0),),
    "mr-broadcast": ((2, 0),),
    "prs": ((3, 1),),
    "prs-broadcast": ((3, 1), (4, 0)),
    "rst": ((3, 1),),
    "serial-broadcast": ((2, 1),),
    "serial-multicast": ((2, 1),),
    "ses": ((3, 1),),
    "vector": ((3, 1), (4, 0)),
}
"""For each causal algorithm, worlds of three processes: so many messages, and packets that come twice."""
ROAMING = {
    "roam": ((2, 2, 0), (1, 2, 1)),
    "av1": ((2, 2, 0),),
    "av2": ((1, 2, 0),),
    "av2-ks": ((1, 2, 0),),
    "av3": ((1, 1, 0),),
    "prs-mobile": ((2, 1, 0), (1, 2, 1)),
}
"""For each protocol, worlds of two stations and two hosts: so many messages, moves, and packets on wires that come
twice."""


def explore_limited(name: str, limits: tuple[int, ...]) -> Explored:
    """Explore a world of an algorithm, with the options that the runtime uses, or of a protocol."""
    if name in ROAMING:
        return explore(RoamingWorld(name, *limits))
    messages, repeats = limits
    offered = antecede.algorithms()[name].options
    options: dict[str, object] = {option: True for option in ("multicast", "numbered") if option in offered}
    return explore(OrderingWorld(name, messages, repeats, options=options))


def worlds() -> list[tuple[str, tuple[int, ...]]]:
    """Return all worlds, by the name of their algorithm or protocol and their limits."""
    every: dict[str, tuple[tuple[int, ...], ...]] = {**ORDERING, **ROAMING}
    return [(name, limits) for name, each in every.items() for limits in each]
