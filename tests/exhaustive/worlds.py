"""The worlds that are explored: for each algorithm and protocol the largest that takes about three minutes or less.

Three processes with 4 messages are the aim. Some algorithms have smaller worlds only. These larger ones were tried, and
stopped at a number of states without a violation until then:

    serial-broadcast   4 messages                          15,000,000 states, 246 s of one core, 5.5 GB
    serial-multicast   4 messages                          12,000,000 states, 187 s, 4.6 GB
    mr                 4 messages, FIFO channels           15,000,000 states, 228 s, 5.7 GB

Not tried: `mr` and `mr-scalar` with more than 2 messages on channels that reorder, and `mr-scalar` with 4 messages on
FIFO channels: with 3 it has three times as many states as `mr`.
"""

from __future__ import annotations

from dataclasses import replace

import antecede
from tests.exhaustive.ordering import OrderingWorld
from tests.exhaustive.roaming import RoamingWorld
from tests.exhaustive.search import Explored, explore

FIFO = 1
ORDERING: dict[str, tuple[tuple[int, ...], ...]] = {
    "history": ((3, 1), (4, 0)),
    "hierarchy": ((3, 1), (4, 0)),
    "isis": ((3, 1), (4, 0)),
    "ks": ((3, 1), (4, 0)),
    "mf": ((3, 1), (4, 0)),
    "mr": ((2, 1), (3, 1, FIFO)),
    "mr-broadcast": ((2, 1), (3, 1, FIFO), (4, 0, FIFO)),
    "mr-scalar": ((2, 1), (3, 1, FIFO)),
    "prs": ((3, 1), (4, 0)),
    "prs-broadcast": ((3, 1), (4, 0)),
    "psync": ((3, 1), (4, 0)),
    "rendezvous": ((3, 1), (4, 0)),
    "rst": ((3, 1), (4, 0)),
    "serial-broadcast": ((3, 1),),
    "serial-multicast": ((3, 1),),
    "ses": ((3, 1), (4, 0)),
    "sps": ((3, 1), (4, 0)),
    "vector": ((3, 1), (4, 0)),
}
"""For each causal algorithm, worlds of three processes: so many messages, and packets that come twice. Channels reorder
unless they are said to be FIFO."""
ROAMING = {
    "roam": ((2, 2, 1),),
    "av1": ((2, 2, 1),),
    "av2": ((2, 2, 0),),
    "av2-ks": ((2, 2, 0),),
    "av3": ((1, 2, 0), (2, 1, 0)),
    "prs-mobile": ((2, 2, 1),),
}
"""For each protocol, worlds of two stations and two hosts: so many messages, moves, and packets on wires that come
twice."""


def explore_limited(name: str, limits: tuple[int, ...]) -> Explored:
    """Explore a world of an algorithm, with the options that the runtime uses, or of a protocol."""
    if name in ROAMING:
        messages, moves, repeats = limits
        roaming = RoamingWorld(name, messages, moves, repeats)
        explored = explore(roaming)
        return explore(replace(roaming, thorough=True)) if explored.violation else explored
    messages, repeats, *rest = limits
    fifo = rest == [FIFO]
    offered = antecede.algorithms()[name].options
    options: dict[str, object] = {option: True for option in ("multicast",) if option in offered}
    if "numbered" in offered:
        options["numbered"] = not fifo
    world = OrderingWorld(name, messages, repeats, fifo, options=options)
    explored = explore(world)
    return explore(replace(world, thorough=True)) if explored.violation else explored


def describe_limits(name: str, limits: tuple[int, ...]) -> str:
    """Return in words how large a world is."""
    if name in ROAMING:
        return ", ".join(_count(*pair) for pair in zip(limits, ("message", "move", "repetition"), strict=True))
    messages, repeats, *rest = limits
    channels = ", FIFO channels" if rest else ""
    return f"{_count(messages, 'message')}, {_count(repeats, 'repetition')}{channels}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def worlds() -> list[tuple[str, tuple[int, ...]]]:
    """Return all worlds, each by the name of its algorithm or protocol and its limits."""
    every: dict[str, tuple[tuple[int, ...], ...]] = {**ORDERING, **ROAMING}
    return [(name, limits) for name, each in every.items() for limits in each]
