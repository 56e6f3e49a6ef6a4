"""What allocations cost, the cheapest one that is right for a graph, and what it saves against vector clocks, in words.

Costs are in the paper's units: clock entries kept by processes, clock entries on messages. The figure for a message is
that of its link, and the mean over messages takes every link once. Sets are unions of shared parts, so sizes are found
without building the unions: two ends of a link share the part of their block.

Section 3 gives the space of a process p as `(1 + e_p) n`, if it keeps e_p timestamps for comparison. A plan that is
told this number counts them too. A message that is kept takes the clock entries on it, its place among those of its
sender, and at a gateway the note of when it was first known; the largest link counts. The numbers that a clock keeps
for each link are counted apart. What a gateway of Allocation 6 remembers depends on the execution:
`LocalClock.space_entries` counts it while the clock runs.

All allocations are tried. The one with the fewest entries in all processes together wins, those in kept timestamps
included; then the fewest entries on messages; then the simplest. Graphs whose links all go both ways are planned in
nearly linear time (`two_way_links`). In others the gateways of 4 to 6 take about a pass over the graph per link; if
that would be more than `work_max` steps, only 1 to 3 are tried, and the plan says so. For chosen pairs of processes,
only 1 to 3 apply (`pairs`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from antecede.core.clocks.stamp import is_value
from antecede.core.errors import Misuse
from antecede.core.locality.allocation import Allocation, Parts, allocation_1, allocation_2, allocation_3
from antecede.core.locality.gateways import allocation_4, allocation_5, allocation_6
from antecede.core.locality.graph import Graph
from antecede.core.locality.pairs import Pair, PairAllocations
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

    `kept_entries` are the numbers in the timestamps that processes keep for comparison, with the notes of arrivals, and
    `link_entries` those by which a clock tells the messages of its links apart.
    """

    clock_entries: int
    clock_entries_max: int
    message_entries: int
    message_entries_max: int
    kept_entries: int = 0
    kept_entries_max: int = 0
    link_entries: int = 0
    link_entries_max: int = 0

    @property
    def space_entries(self) -> int:
        """Return how many numbers all processes keep together, without those that gateways remember."""
        return self.clock_entries + self.kept_entries + self.link_entries


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
    kept: int = 0


def cost_of_vectors(graph: Graph, kept: int = 0) -> Cost:
    """Return the cost if every process keeps a clock for everyone, and every message carries it."""
    n = len(graph.processes)
    return Cost(n * n, n, n * len(graph.links), n, kept * n * n, kept * n)


def cost(allocation: Allocation, kept: int = 0) -> Cost:
    """Return what an allocation costs if each process keeps `kept` timestamps for comparison."""
    clocks = {process: sum(map(len, parts)) for process, parts in allocation.clocks.items()}
    sent: list[int] = []
    largest = dict.fromkeys(clocks, 0)
    links = {p: 1 + 2 * len(before) * allocation.fifo for p, before in allocation.graph.predecessors.items()}
    for gateway, processes in allocation.remembered.items():
        links[gateway] += 2 * len(processes)
    for sender, receiver, size in _message_sizes(allocation, clocks):
        numbered = 0 if allocation.fifo else int(allocation.is_numbered(sender, receiver))
        sent.append(size + numbered)
        links[sender] += numbered
        largest[receiver] = max(largest[receiver], size + 1 + (receiver in allocation.gateways))
    if allocation.partners:
        largest = {p: len(allocation.timestamp_set(p)) for p in allocation.partners}
    return Cost(
        clock_entries=sum(clocks.values()),
        clock_entries_max=max(clocks.values()),
        message_entries=sum(sent),
        message_entries_max=max(sent),
        kept_entries=kept * sum(largest.values()),
        kept_entries_max=kept * max(largest.values()),
        link_entries=sum(links.values()),
        link_entries_max=max(links.values()),
    )


def _message_sizes(
    allocation: Allocation, clocks: Mapping[ProcessId, int]
) -> Iterator[tuple[ProcessId, ProcessId, int]]:
    """Yield each link with the clock entries of a message on it. `clocks` has those of each process."""
    for sender, receivers in allocation.graph.successors.items():
        keeps = allocation.clocks[sender]
        for receiver in receivers:
            if allocation.observed is None:
                yield sender, receiver, clocks[sender]
            else:
                yield sender, receiver, _overlap(keeps, allocation.observed[receiver])


def _overlap(keeps: Parts, wants: Parts) -> int:
    """Return the size of the intersection of two unions. The same object on both sides is not looked into."""
    return sum(len(part) if part is other else len(part & other) for part in keeps for other in wants)


def plan(
    graph: Graph,
    *,
    fifo: bool = True,
    memory: bool = True,
    work_max: int = WORK_MAX,
    pairs: Iterable[Pair] | None = None,
    kept: int = 0,
) -> Plan:
    """Return the cheapest allocation of clocks that is right for `graph`.

    Messages that arrive at one process can then be compared; or, if `pairs` of processes are given, events of the two
    processes of a pair instead. `kept` is the number of timestamps that each process keeps for that.

    `fifo` says whether channels keep the order of messages. Without `memory`, Allocation 6, in which gateways remember,
    is left out. In a graph with one-way links, allocations with gateways are tried only if they take at most `work_max`
    steps; the notes of the plan say so.
    """
    if not is_value(kept):
        raise Misuse(f"each process keeps {kept!r} timestamps: give a whole number from 0")
    links = len(graph.links)
    considered = pairs is not None or graph.is_two_way or links * (links + len(graph.processes)) <= work_max
    best: tuple[tuple[int, int, str], Allocation, Cost] | None = None
    candidates: list[Candidate] = []
    tried = (
        _allocations(graph, fifo, memory, considered) if pairs is None else _allocations_for_pairs(graph, pairs, fifo)
    )
    for made in tried:
        price = cost(made, kept)
        candidates.append(Candidate(made.name, price))
        rank = (price.clock_entries + price.kept_entries, price.message_entries, made.name)
        if best is None or rank < best[0]:
            best = (rank, made, price)
    assert best is not None
    _, chosen, price = best
    vectors, notes = cost_of_vectors(graph, kept), tuple(_notes(chosen, considered))
    return Plan(chosen, price, vectors, tuple(candidates), notes, kept)


def saving(plan: Plan) -> str:
    """Return in words what the plan saves."""
    processes, links = len(plan.allocation.graph.processes), len(plan.allocation.graph.links)
    kept, sent = plan.cost.clock_entries / processes, plan.cost.message_entries / links
    if (
        plan.cost.clock_entries >= plan.vectors.clock_entries
        and plan.cost.message_entries >= plan.vectors.message_entries
    ):
        return f"Nothing is saved: this graph needs the {processes} entries of vector clocks."
    words = (
        f"Clock entries per process: {_number(kept)} on average (at most {plan.cost.clock_entries_max}) instead of "
        f"{processes}; per message: {_number(sent)} (at most {plan.cost.message_entries_max}) instead of {processes}. "
        f"That is {_percent(kept, processes)} less space and {_percent(sent, processes)} less on the wire."
    )
    return f"{words} {_space_in_words(plan)}" if plan.kept else words


def _space_in_words(plan: Plan) -> str:
    processes = len(plan.allocation.graph.processes)
    numbers, of_vectors = plan.cost.space_entries / processes, plan.vectors.space_entries / processes
    besides = ", besides what gateways remember" if plan.allocation.remembered else ""
    return (
        f"With {plan.kept} timestamp{'' if plan.kept == 1 else 's'} that each process keeps, and what it notes of each "
        f"link, it has at most {_number(numbers)} numbers on average instead of {_number(of_vectors)}{besides}."
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


def _allocations_for_pairs(graph: Graph, pairs: Iterable[Pair], fifo: bool) -> Iterator[Allocation]:
    allocations = PairAllocations(graph, pairs, fifo=fifo)
    yield from (allocations.allocation_1(), allocations.allocation_2(), allocations.allocation_3())


def _notes(chosen: Allocation, considered: bool) -> Iterator[str]:
    if chosen.partners:
        count = sum(map(len, chosen.partners.values())) // 2
        yield f"Events of pairs of processes can be compared: {count}. Messages that arrive at one process cannot."
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
    if not chosen.fifo and not chosen.partners:
        yield "Channels are not FIFO: on some links messages carry a sequence number, which is counted."


def _mean_remembered(chosen: Allocation) -> float:
    return sum(len(processes) for processes in chosen.remembered.values()) / len(chosen.remembered)


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _percent(part: float, whole: int) -> str:
    """Return in percent what is saved, rounded, but not up to 100 % unless everything is."""
    saved = 100 * (1 - part / whole)
    return f"{_number(saved if part == 0 else min(saved, 99.9))} %"
