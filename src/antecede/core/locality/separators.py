r"""Causal separators: what the links of a network say about stamps (paper 000, section 3).

An articulation point is a process without which the network falls apart. A message from one side of it to another
passes it, so it need not carry the dependencies that exist on the side of its origin, if the articulation point puts
messages in order that pass it. `separate` makes the clusters of `hierarchy` of this: any process sends to any other,
and a representative passes messages on. `useful_at` says which entries a stamp of `ks` or `prs` needs if all messages
go along links (`core.known_links`). Both combine with what traffic teaches: "topology and communication pattern can be
combined".

In `separate`, each representative is an articulation point, and its cluster is what it separates from all others. A
block (see `components`) with one articulation point is a side of it: the others of the block join its cluster. What is
left of the network is treated in the same way: that is the next level, until nobody separates what is left.

    a \       / d \              level 1: c represents a and b, e represents g, d and f represent themselves
       c ----        ---- e - g
    b /       \ f /              c, d, e and f are left: one block, without an articulation point

So every articulation point is a representative on some level, unless there are more levels than a hierarchy can have.
The order of messages does not depend on any of this. A hierarchy forwards through representatives and is right for
every traffic; that the links are as the graph says is only why the way through a representative is no detour.

In `useful_at`, an entry says that a message from s to d was sent, and is asked for at a process q. It is of use there
only if a chain of messages leads from q to d without s, because s remembers what it sent. So every path from q to d
must not pass s. The links are those of one block; nothing outside it is on a simple path between two of its members.
"""

from __future__ import annotations

from antecede.core.clocks.stamp import is_value
from antecede.core.errors import Misuse
from antecede.core.locality.components import blocks
from antecede.core.locality.graph import Adjacency, Graph, reversed_links
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


def blocks_around(graph: Graph, process: ProcessId) -> tuple[dict[ProcessId, tuple[ProcessId, ...]], ...]:
    """Return the links of each block that `process` is in. Directions do not matter for what a block is."""
    around = {p: tuple(sorted({*graph.successors[p], *graph.predecessors[p]})) for p in graph.processes}
    found = blocks(around)
    members = [found.members[number] for number in found.of[process]]
    return tuple({p: tuple(q for q in graph.successors[p] if q in block) for p in sorted(block)} for block in members)


def useful_at(links: Adjacency, process: ProcessId) -> dict[ProcessId, frozenset[ProcessId]]:
    """Return, for each sender in a block, the destinations of its links for which an entry is of use at `process`.

    They are all that it reaches without the sender, and so `process` itself. Of its own messages it needs every entry.
    """
    last_stop = _last_stops(links, process)
    return {
        sender: frozenset(d for d in dests if process == sender or last_stop.get(d, sender) != sender)
        for sender, dests in links.items()
    }


def _last_stops(links: Adjacency, start: ProcessId) -> dict[ProcessId, ProcessId]:
    """Return, for each process that `start` reaches, the last one that no path from `start` to it leaves out.

    This is the immediate dominator, by the algorithm of Cooper, Harvey and Kennedy. If a process with a link to d is on
    all paths to d, it is the last such one.
    """
    order = _walk_back_to(links, start)
    place = {process: at for at, process in enumerate(order)}
    backwards = reversed_links(links)
    stops = {start: start}
    changed = True
    while changed:
        changed = False
        for process in order[1:]:
            ways = [p for p in backwards[process] if p in stops]
            stop = ways[0]
            for way in ways[1:]:
                stop = _meet(stop, way, stops, place)
            changed |= stops.get(process) != stop
            stops[process] = stop
    return stops


def _meet(
    one: ProcessId, other: ProcessId, stops: dict[ProcessId, ProcessId], place: dict[ProcessId, int]
) -> ProcessId:
    """Return the last process that both ways back to the start have in common."""
    while one != other:
        if place[one] > place[other]:
            one = stops[one]
        else:
            other = stops[other]
    return one


def _walk_back_to(links: Adjacency, start: ProcessId) -> list[ProcessId]:
    """Return all that `start` reaches, each process before those below it in a depth-first walk (reverse postorder)."""
    found, left = {start}, []
    walk = [(start, iter(links[start]))]
    while walk:
        process, rest = walk[-1]
        after = next((q for q in rest if q not in found), None)
        if after is None:
            left.append(process)
            walk.pop()
        else:
            found.add(after)
            walk.append((after, iter(links[after])))
    return left[::-1]


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
