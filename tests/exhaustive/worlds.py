"""The worlds that are explored: for each algorithm and protocol the largest that takes a minute or so."""

from __future__ import annotations

import antecede
from tests.exhaustive.ordering import OrderingWorld
from tests.exhaustive.roaming import RoamingWorld

ORDERING = {
    "history": (3, 1),
    "hierarchy": (3, 0),
    "isis": (3, 1),
    "ks": (3, 1),
    "mf": (3, 1),
    "mr": (2, 0),
    "mr-broadcast": (2, 0),
    "prs": (3, 1),
    "prs-broadcast": (3, 1),
    "rst": (3, 1),
    "serial-broadcast": (2, 1),
    "serial-multicast": (2, 1),
    "ses": (3, 1),
    "vector": (3, 1),
}
"""For each causal algorithm, three processes: so many messages, and packets that come twice."""
ROAMING = {
    "roam": (2, 2, 0),
    "av1": (2, 2, 0),
    "av2": (1, 2, 0),
    "av2-ks": (1, 2, 0),
    "av3": (1, 1, 0),
    "prs-mobile": (1, 2, 1),
}
"""For each protocol, two stations and two hosts: so many messages, moves, and packets on wires that come twice."""


def ordering_world(algorithm: str) -> OrderingWorld:
    """Return the world of an algorithm, with the options that the runtime uses."""
    messages, repeats = ORDERING[algorithm]
    offered = antecede.algorithms()[algorithm].options
    options: dict[str, object] = {name: True for name in ("multicast", "numbered") if name in offered}
    return OrderingWorld(algorithm, messages, repeats, options=options)


def roaming_world(protocol: str) -> RoamingWorld:
    """Return the world of a protocol."""
    return RoamingWorld(protocol, *ROAMING[protocol])
