"""Allocations 4 and 5 as paper 004 prints them (section 4.4). They are wrong: for the errata, never for use.

They give up p1's clock on all paths through a gateway R, and take R's time of arrival of m1 instead, though R may have
heard of m1 by another way before m1 itself came. `local_clock.determination_4` is right as printed, so the
wrong answers are the allocations' alone. Loops and simple paths are enumerated; graphs that are too large for that are
refused. Two processes that answer each other are a loop: by footnote 5 no part of a loop is closed "other than the
complete path itself". So `shortest_loop` is 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from antecede.core.errors import LimitReached
from antecede.core.locality.allocation import (
    Allocation,
    Holders,
    ProcessSet,
    add_holders,
    clock_sets,
    entries_added,
    union,
)
from antecede.core.locality.graph import Adjacency, Graph, reachable, without
from antecede.core.locality.simple_paths import Budget, Method, SimplePaths
from antecede.core.types import ProcessId

WALKS_MAX = 200_000


def printed_4(graph: Graph, *, shortest_loop: int = 2) -> Allocation:
    """Return Allocation 4. Step 3 gives the gateway's clock to every loop that some process outside it writes to."""
    holders = _holders_without_receiver(graph)
    asked = [
        (gateway, loop)
        for loop in loops(graph.successors, shortest_loop)
        for gateway in sorted(loop)
        if _is_lacking(graph, holders, gateway, loop)
    ]
    for gateway, loop in asked:
        holders[gateway] |= loop
    return _allocation("printed 4", graph, holders, frozenset(gateway for gateway, _ in asked))


def printed_5(graph: Graph, *, order: Sequence[ProcessId] | None = None, arrival_price: int = 0) -> Allocation:
    """Return Allocation 5. Step 3 visits each gateway and does the cheaper of 4's step and 3's."""
    holders = _holders_without_receiver(graph)
    all_loops = list(loops(graph.successors, 2))
    gateways = set()
    for gateway in order or graph.processes:
        own = [loop for loop in all_loops if gateway in loop]
        asked = [loop for loop in own if _is_lacking(graph, holders, gateway, loop)]
        if not any(set(graph.predecessors[gateway]) - loop for loop in own):
            continue
        by_arrival = {gateway: set().union(*asked)}
        by_clock = _through(graph, gateway)
        if entries_added(holders, by_arrival) + arrival_price <= entries_added(holders, by_clock):
            gateways.add(gateway)
            add_holders(holders, by_arrival)
        else:
            add_holders(holders, by_clock)
    return _allocation("printed 5", graph, holders, frozenset(gateways))


def loops(links: Adjacency, shortest: int) -> Iterator[ProcessSet]:
    """Yield all closed paths that meet no process twice, each once per starting direction, as sets."""
    for first in links:
        later = {p: tuple(q for q in qs if q >= first) for p, qs in links.items()}
        for path in simple_paths(later, first, first):
            if len(path) >= shortest:
                yield frozenset(path)


def simple_paths(links: Adjacency, source: ProcessId, target: ProcessId) -> Iterator[list[ProcessId]]:
    """Yield all simple paths without their target; they are simple loops if source and target are the same."""
    path, rest, walks = [source], [iter(links[source])], 0
    while rest:
        after = next(rest[-1], None)
        walks += 1
        if walks > WALKS_MAX:
            raise LimitReached(f"more than {WALKS_MAX} steps of enumeration: the printed forms are for small graphs")
        if after is None:
            rest.pop()
            path.pop()
        elif after == target:
            yield list(path)
        elif after not in path:
            path.append(after)
            rest.append(iter(links[after]))


def _holders_without_receiver(graph: Graph) -> Holders:
    """Return the holders of step 2 of both: p1's clock to all on simple paths from p1 to p2 without p_R."""
    holders: Holders = {p: set() for p in graph.processes}
    for receiver, senders in graph.predecessors.items():
        paths = SimplePaths(without(graph.successors, receiver), Budget())
        for sender in senders:
            holders[sender] |= paths.through(sender, [p for p in senders if p != sender])
    return holders


def _is_lacking(graph: Graph, holders: Holders, gateway: ProcessId, loop: ProcessSet) -> bool:
    """Return whether a process outside the loop writes to the gateway, and some process in the loop lacks its clock."""
    return any(loop - holders[p] for p in graph.predecessors[gateway] if p not in loop)


def _through(graph: Graph, gateway: ProcessId) -> Holders:
    """Return the holders of p1's clock: all on simple paths from p1 to p2 by way of the gateway both write to."""
    wanted: Holders = {}
    senders = graph.predecessors[gateway]
    for sender in senders:
        for other in senders:
            if other != sender:
                for path in simple_paths(graph.successors, sender, other):
                    if gateway in path:
                        wanted.setdefault(sender, set()).update(path, [other])
    return wanted


def _allocation(name: str, graph: Graph, holders: Holders, gateways: ProcessSet) -> Allocation:
    """Return the allocation with the observation sets of step 4.

    p1 is observed wherever there is a path from p1 to another sender.
    """
    clocks = clock_sets(graph, holders)
    observed = {
        receiver: (
            union(clocks[receiver])
            | {p1 for p1 in senders if (reachable(graph.successors, [p1]) & set(senders)) - {p1}},
        )
        for receiver, senders in graph.predecessors.items()
    }
    return Allocation(name, graph, True, Method.ENUMERATED, clocks, observed, gateways)
