r"""Causal separators: the clusters of `hierarchy`, from the articulation points of a network (paper 000, section 3).

An articulation point is a process without which the network falls apart. A message from one side of it to another
passes it, so it need not carry the dependencies that exist on the side of its origin, if the articulation point puts
messages in order that pass it. In `hierarchy` a representative does just that. With `ks` or `prs` inside, its stamps
also shrink by what traffic teaches: "topology and communication pattern can be combined".

Here each representative is an articulation point, and its cluster is what it separates from all others. A block (see
`components`) with one articulation point is a side of it: the others of the block join its cluster. What is left of the
network is treated in the same way: that is the next level, until nobody separates what is left.

    a \       / d \              level 1: c represents a and b, e represents g, d and f represent themselves
       c ----        ---- e - g
    b /       \ f /              c, d, e and f are left: one block, without an articulation point

So every articulation point is a representative on some level, unless there are more levels than a hierarchy can have.
The order of messages does not depend on any of this. A hierarchy forwards through representatives and is right for
every traffic; that the links are as the graph says is only why the way through a representative is no detour.
"""

from __future__ import annotations

from antecede.core.clocks.stamp import is_value
from antecede.core.errors import Misuse
from antecede.core.locality.components import blocks
from antecede.core.locality.graph import Adjacency, Graph
from antecede.core.ordering.representatives import LEVELS_MAX
from antecede.core.types import ProcessId


def separate(graph: Graph, *, levels_max: int = LEVELS_MAX) -> list[dict[ProcessId, list[ProcessId]]]:
    """Return the option `representatives` of `hierarchy` for the processes of `graph`, the lowest level first.

    `graph` has the links of the network; their directions do not matter. Each level maps every representative to the
    processes that it separates from all others; they are none if it stands for itself only. A message takes up to two
    more hops for each level: `levels_max` limits them. Raise `Misuse` if no process separates others.
    """
    if not is_value(levels_max, 1, LEVELS_MAX):
        raise Misuse(f"{levels_max!r} levels: give a whole number from 1 to {LEVELS_MAX}")
    links: Adjacency = {p: tuple(sorted({*graph.successors[p], *graph.predecessors[p]})) for p in graph.processes}
    levels: list[dict[ProcessId, list[ProcessId]]] = []
    while len(levels) < levels_max and (sides := _sides(links)):
        beyond = {process for side in sides.values() for process in side}
        levels.append({process: sides.get(process, []) for process in links if process not in beyond})
        links = {p: tuple(q for q in qs if q not in beyond) for p, qs in links.items() if p not in beyond}
    if not levels:
        raise Misuse(
            f"no process separates others: the network of {len(links)} processes has no articulation point, so every "
            f"process would represent itself only; use ks or prs, or choose the representatives yourself"
        )
    return levels


def _sides(links: Adjacency) -> dict[ProcessId, list[ProcessId]]:
    """Return for each articulation point the processes of all blocks in which there is no other one, if there are
    any.
    """
    found = blocks(links)
    sides: dict[ProcessId, set[ProcessId]] = {}
    for block in found.members:
        points = [process for process in block if found.is_cut_vertex(process)]
        if len(points) == 1:
            sides.setdefault(points[0], set()).update(block)
    return {point: sorted(side - {point}) for point, side in sides.items()}
