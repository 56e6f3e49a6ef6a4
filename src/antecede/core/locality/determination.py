"""Comparing two messages that arrived at one process: Determinations 2 to 4 of paper 004 (1 is `vector.compare`).

Each is the same question asked both ways, "was the sending of m1 before that of m2?", and differs in the evidence it
takes. The paper's test `p1 in ClockSet_p2` is here `p1 in m2.clock`: a receiver observes p1 whenever a sender
of its own keeps p1's clock, so the stamp shows it and the graph need not be asked.
"""

from __future__ import annotations

from collections.abc import Callable

from antecede.core.clocks.stamp import Arrival, Order
from antecede.core.types import ProcessId


def determination_2(first: Arrival, second: Arrival, reaches: Callable[[ProcessId, ProcessId], bool]) -> Order:
    """With full vector clocks: look at an entry only where the graph has a path that could have changed it."""
    return _order(first, second, lambda m1, m2: reaches(m1.sender, m2.sender) and _by_clock(m1, m2))


def determination_3(first: Arrival, second: Arrival) -> Order:
    """With the clocks of Allocations 1 to 3."""
    return _order(first, second, _by_clock)


def determination_4(first: Arrival, second: Arrival, receiver: ProcessId) -> Order:
    """Return how two messages that arrived at `receiver` stand to each other, with the clocks of any allocation."""
    return _order(first, second, lambda m1, m2: _by_gateway(m1, m2, receiver) or _by_clock(m1, m2))


def _order(first: Arrival, second: Arrival, before: Callable[[Arrival, Arrival], bool]) -> Order:
    if first.sender == second.sender:
        return Order.BEFORE if first.position < second.position else Order.AFTER
    if before(first, second):
        return Order.BEFORE
    if before(second, first):
        return Order.AFTER
    return Order.CONCURRENT


def _by_clock(m1: Arrival, m2: Arrival) -> bool:
    """m2 knows more of p1 than p1 did when it sent m1."""
    p1 = m1.sender
    return p1 in m2.clock and p1 in m1.clock and m1.clock[p1] < m2.clock[p1]


def _by_gateway(m1: Arrival, m2: Arrival, receiver: ProcessId) -> bool:
    """m2 knows of the receiver at a time when that already knew of m1."""
    return m1.known_at is not None and receiver in m2.clock and m1.known_at < m2.clock[receiver]
