"""What an allocation costs, in the paper's units: clock entries kept by processes, clock entries on messages.

The figure for a message is that of its link, and the mean over messages takes every link once. Sets are unions of
shared parts, so sizes are found without building the unions: two ends of a link share the part of their block.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from antecede.core.locality.allocation import Allocation, Parts
from antecede.core.locality.graph import Graph


@dataclass(frozen=True, slots=True)
class Cost:
    """Clock entries that processes keep and that messages carry: totals, and maxima over the processes and over the
    links.
    """

    clock_entries: int
    clock_entries_max: int
    message_entries: int
    message_entries_max: int


def cost_of_vectors(graph: Graph) -> Cost:
    """Every process keeps a clock for everyone, and every message carries it."""
    n = len(graph.processes)
    links = sum(len(receivers) for receivers in graph.successors.values())
    return Cost(n * n, n, n * links, n)


def cost(allocation: Allocation) -> Cost:
    kept = {process: size(parts) for process, parts in allocation.clocks.items()}
    sent = list(_message_sizes(allocation, kept))
    return Cost(sum(kept.values()), max(kept.values()), sum(sent), max(sent))


def _message_sizes(allocation: Allocation, kept: dict[str, int]) -> Iterable[int]:
    for sender, receivers in allocation.graph.successors.items():
        keeps = allocation.clocks[sender]
        for receiver in receivers:
            numbers = 0 if allocation.fifo else int(allocation.is_numbered(sender, receiver))
            if allocation.observed is None:
                yield kept[sender] + numbers
            else:
                yield overlap(keeps, allocation.observed[receiver]) + numbers


def size(parts: Parts) -> int:
    """Of the union. Parts do not overlap."""
    return sum(map(len, parts))


def overlap(keeps: Parts, wants: Parts) -> int:
    """Of the intersection of the two unions. The same object on both sides is not looked into."""
    return sum(len(part) if part is other else len(part & other) for part in keeps for other in wants)
