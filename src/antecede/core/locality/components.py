"""Strongly connected components, by Tarjan's algorithm with an explicit stack.

A path that leaves a component never comes back to it. So a path is simple when its part inside each component is,
and the search for simple paths can be done one component at a time.
"""

from __future__ import annotations

from collections.abc import Iterator

from antecede.core.locality.graph import Adjacency
from antecede.core.types import ProcessId


def strongly_connected(links: Adjacency) -> dict[ProcessId, tuple[ProcessId, ...]]:
    """Each process with the members of its component."""
    found: dict[ProcessId, int] = {}
    component: dict[ProcessId, tuple[ProcessId, ...]] = {}
    for root in links:
        if root not in found:
            _explore(links, root, found, component)
    return component


def _explore(
    links: Adjacency,
    root: ProcessId,
    found: dict[ProcessId, int],
    component: dict[ProcessId, tuple[ProcessId, ...]],
) -> None:
    """Depth-first from `root`; `low[p]` is the earliest process that p's subtree leads back to."""
    open_: list[ProcessId] = [root]
    found[root] = len(found)
    low = {root: found[root]}
    walk: list[tuple[ProcessId, Iterator[ProcessId]]] = [(root, iter(links[root]))]
    while walk:
        process, rest = walk[-1]
        fresh = None
        for after in rest:
            if after not in found:
                fresh = after
                break
            if after not in component:
                low[process] = min(low[process], found[after])
        if fresh is not None:
            found[fresh] = low[fresh] = len(found)
            open_.append(fresh)
            walk.append((fresh, iter(links[fresh])))
            continue
        walk.pop()
        if walk:
            low[walk[-1][0]] = min(low[walk[-1][0]], low[process])
        if low[process] == found[process]:
            start = _position(open_, process)
            members = tuple(open_[start:])
            del open_[start:]
            component.update(dict.fromkeys(members, members))


def _position(stack: list[ProcessId], process: ProcessId) -> int:
    """Where `process` lies, looked for from the top: the cost is the size of the component that closes."""
    place = len(stack) - 1
    while stack[place] != process:
        place -= 1
    return place
