"""The traffic that the measurements of the core run on, as schedules that any system can be driven by.

A schedule is a list of steps in the order in which they happen, and plain enough to be written as JSON:
`("send", i)` says that process `i` broadcasts, `("send", i, dests)` that it multicasts, and `("receive", j, k)` that
the network hands the `k`-th message sent (counted from 0 over all senders) to process `j`. What a system does on a
receive, deliver or hold back, is its own affair: no send waits for it, so every system sees the very same traffic.

Each process sends at exponentially distributed intervals of mean 1. Each copy of a message travels by itself, for an
exponentially distributed time of mean `propagation`; later copies overtake earlier ones, also on the same link.
Senders, links and destination sets draw from streams of their own, so a schedule depends on its arguments alone.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from itertools import islice
from random import Random
from typing import Literal, TypeAlias, TypeVar

Broadcast: TypeAlias = tuple[Literal["send"], int]
Multicast: TypeAlias = tuple[Literal["send"], int, tuple[int, ...]]
Receive: TypeAlias = tuple[Literal["receive"], int, int]

Step = TypeVar("Step", Broadcast, Multicast)


def broadcast_schedule(n: int, messages: int, seed: int, propagation: float = 1.0) -> list[Broadcast | Receive]:
    """`messages` broadcasts by `n` processes, each received once by every process but its sender."""

    def send(sender: int) -> tuple[Broadcast, list[int]]:
        return ("send", sender), _others(n, sender)

    return _schedule(n, messages, seed, propagation, send)


def subset_schedule(n: int, messages: int, seed: int, propagation: float = 1.0) -> list[Multicast | Receive]:
    """`messages` multicasts by `n` processes, each to a random set of 1 to n - 1 others, every size equally likely."""
    chance = Random(f"{seed}/dests")

    def send(sender: int) -> tuple[Multicast, list[int]]:
        dests = sorted(chance.sample(_others(n, sender), chance.randint(1, n - 1)))
        return ("send", sender, tuple(dests)), dests

    return _schedule(n, messages, seed, propagation, send)


def _schedule(
    n: int, messages: int, seed: int, propagation: float, send: Callable[[int], tuple[Step, list[int]]]
) -> list[Step | Receive]:
    if n < 2:
        raise ValueError(f"traffic needs at least 2 processes to go between, not {n}")
    links = Random(f"{seed}/links")
    timed: list[tuple[float, Step | Receive]] = []
    for message, (time, sender) in enumerate(islice(sends(n, seed), messages)):
        step, dests = send(sender)
        timed.append((time, step))
        timed += [(time + _exponential(links, propagation), ("receive", dest, message)) for dest in dests]
    # The sort is stable, so a message that arrives at the very time of its sending still arrives after it.
    return [step for _, step in sorted(timed, key=lambda entry: entry[0])]


def sends(n: int, seed: int) -> Iterator[tuple[float, int]]:
    """When each process sends, in order of time, for ever."""
    clocks = [Random(f"{seed}/sender/{process}") for process in range(n)]
    next_sends = [(_exponential(clock, 1.0), process) for process, clock in enumerate(clocks)]
    heapq.heapify(next_sends)
    while True:
        time, process = next_sends[0]
        yield time, process
        heapq.heapreplace(next_sends, (time + _exponential(clocks[process], 1.0), process))


def _exponential(chance: Random, mean: float) -> float:
    return chance.expovariate(1.0) * mean


def _others(n: int, process: int) -> list[int]:
    return [other for other in range(n) if other != process]
