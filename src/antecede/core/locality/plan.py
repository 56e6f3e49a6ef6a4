"""What allocations cost, the cheapest one that is right for a graph, and what it saves against vector clocks, in words.

Costs are in the paper's units: clock entries kept by processes, clock entries on messages. The figure for a message is
that of its link, and the mean over messages takes every link once. Sets are unions of shared parts, so sizes are found
without building the unions: two ends of a link share the part of their block.

All allocations are tried, and the one with the fewest clock entries in all processes together wins; then the fewest
entries on messages; then the simplest. Graphs whose links all go both ways are planned in nearly linear time
(`two_way_links`). In others the gateways of 4 to 6 take about a pass over the graph per link; if that would be
more than `work_max` steps, only 1 to 3 are tried, and the plan says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from antecede.core.locality.allocation import Allocation, Parts, allocation_1, allocation_2, allocation_3
from antecede.core.locality.gateways import allocation_4, allocation_5, allocation_6
from antecede.core.locality.graph import Graph
from antecede.core.locality.two_way_links import BlockAllocations
from antecede.core.types import ProcessId

WORK_MAX = 2_000_000
"""Steps that the gateways of a graph with one-way links may take: (links) x (processes + links)."""

GENERAL = (allocation_1, allocation_2, allocation_3, allocation_4, allocation_5, allocation_6)
"""What makes each allocation of a graph with one-way links."""
TITLES = {
    "1": "clocks on all paths",
    "2": "clocks on simple paths",
    "3": "the same, sending only what is observed",
    "4": "arrival times at gateways, wherever they are true",
    "5": "arrival times at gateways, where they are cheaper",
    "6": "arrival times and memory at gateways",
}
"""What each allocation does, in words. The first five are paper 004's, 4 and 5 repaired; the last is ours."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Clock entries that processes keep and that messages carry: totals, and maxima over the processes and over the
    links.
    """

    clock_entries: int
    clock_entries_max: int
    message_entries: int
    message_entries_max: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """An allocation that was tried, and its cost."""

    name: str
    cost: Cost


@dataclass(frozen=True, slots=True)
class Plan:
    """The allocation to use, its cost beside that of vector clocks, all allocations that were tried, and remarks."""

    allocation: Allocation
    cost: Cost
    vectors: Cost
    candidates: tuple[Candidate, ...]
    notes: tuple[str, ...]


def cost_of_vectors(graph: Graph) -> Cost:
    """Return the cost if every process keeps a clock for everyone, and every message carries it."""
    n = len(graph.processes)
    return Cost(n * n, n, n * len(graph.links), n)


def cost(allocation: Allocation) -> Cost:
    """Return what an allocation costs."""
    kept = {process: sum(map(len, parts)) for process, parts in allocation.clocks.items()}
    sent = list(_message_sizes(allocation, kept))
    return Cost(sum(kept.values()), max(kept.values()), sum(sent), max(sent))


def _message_sizes(allocation: Allocation, kept: Mapping[ProcessId, int]) -> Iterator[int]:
    """Yield the clock entries of a message on each link. `kept` has those of each process."""
    for sender, receivers in allocation.graph.successors.items():
        keeps = allocation.clocks[sender]
        for receiver in receivers:
            numbers = 0 if allocation.fifo else int(allocation.is_numbered(sender, receiver))
            if allocation.observed is None:
                yield kept[sender] + numbers
            else:
                yield _overlap(keeps, allocation.observed[receiver]) + numbers


def _overlap(keeps: Parts, wants: Parts) -> int:
    """Return the size of the intersection of two unions. The same object on both sides is not looked into."""
    return sum(len(part) if part is other else len(part & other) for part in keeps for other in wants)


def plan(graph: Graph, *, fifo: bool = True, memory: bool = True, work_max: int = WORK_MAX) -> Plan:
    """Return the cheapest allocation of clocks that is right for `graph`.

    `fifo` says whether channels keep the order of messages. Without `memory`, Allocation 6, in which gateways remember,
    is left out. In a graph with one-way links, allocations with gateways are tried only if they take at most `work_max`
    steps; the notes of the plan say so.
    """
    links = len(graph.links)
    considered = graph.is_two_way or links * (links + len(graph.processes)) <= work_max
    best: tuple[tuple[int, int, str], Allocation, Cost] | None = None
    candidates: list[Candidate] = []
    for made in _allocations(graph, fifo, memory, considered):
        price = cost(made)
        candidates.append(Candidate(made.name, price))
        rank = (price.clock_entries, price.message_entries, made.name)
        if best is None or rank < best[0]:
            best = (rank, made, price)
    assert best is not None
    _, chosen, price = best
    return Plan(chosen, price, cost_of_vectors(graph), tuple(candidates), tuple(_notes(chosen, considered)))


def saving(plan: Plan) -> str:
    """Return in words what the plan saves."""
    processes, links = len(plan.allocation.graph.processes), len(plan.allocation.graph.links)
    kept, sent = plan.cost.clock_entries / processes, plan.cost.message_entries / links
    if (
        plan.cost.clock_entries >= plan.vectors.clock_entries
        and plan.cost.message_entries >= plan.vectors.message_entries
    ):
        return f"Nothing is saved: this graph needs the {processes} entries of vector clocks."
    return (
        f"Clock entries per process: {_number(kept)} on average (at most {plan.cost.clock_entries_max}) instead of "
        f"{processes}; per message: {_number(sent)} (at most {plan.cost.message_entries_max}) instead of {processes}. "
        f"That is {_percent(kept, processes)} less space and {_percent(sent, processes)} less on the wire."
    )


def _allocations(graph: Graph, fifo: bool, memory: bool, considered: bool) -> Iterator[Allocation]:
    """Make and yield the allocations that are to be tried, one at a time. Gateways are tried if `considered`."""
    if graph.is_two_way:
        allocations = BlockAllocations(graph, fifo=fifo)
        makers: list[Callable[[], Allocation]] = [
            allocations.allocation_1,
            allocations.allocation_2,
            allocations.allocation_3,
            allocations.allocation_4,
            allocations.allocation_5,
            allocations.allocation_6,
        ]
    else:
        makers = [partial(make, graph, fifo=fifo) for make in GENERAL]
    gateways = 3 if memory else 2
    yield from (make() for make in makers[: 3 + gateways if considered else 3])


def _notes(chosen: Allocation, considered: bool) -> Iterator[str]:
    if not considered:
        yield "Gateways (Allocations 4 to 6) were not tried: the graph has one-way links and is too large for them."
    if chosen.method == "over-approximated":
        yield "Simple paths were too many to enumerate in some block, so some processes keep clocks they may not need."
    if chosen.gateways:
        yield f"Gateways, which note when they first knew of each message to be compared: {len(chosen.gateways)}."
    if chosen.remembered:
        yield (
            f"Gateways that remember steps of neighbours' clocks, of {_number(_mean_remembered(chosen))} neighbours on "
            f"average, each until that neighbour's next message: {len(chosen.remembered)}."
        )
    if not chosen.fifo:
        yield "Channels are not FIFO: on some links messages carry a sequence number, which is counted."


def _mean_remembered(chosen: Allocation) -> float:
    return sum(len(processes) for processes in chosen.remembered.values()) / len(chosen.remembered)


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _percent(part: float, whole: int) -> str:
    """Return in percent what is saved, rounded, but not up to 100 % unless everything is."""
    saved = 100 * (1 - part / whole)
    return f"{_number(saved if part == 0 else min(saved, 99.9))} %"
