"""Forged, repeated and misdirected stamps among honest ones: a local clock takes each or refuses it unchanged."""

import random
from dataclasses import replace
from typing import Any

import pytest

from antecede.core.clocks.stamp import ClockStamp
from antecede.core.errors import LimitReached, RemoteViolation
from antecede.core.locality.allocation import allocation_1, allocation_3
from antecede.core.locality.gateway_memory import Memory
from antecede.core.locality.gateways import allocation_4, allocation_6
from antecede.core.locality.local_clock import LocalClock
from tests.core.locality.graphs import random_graph

VALUES: tuple[Any, ...] = (-5, -1, 0, 1, 2, 3, 7, 2.5, 2**62, 2**63 - 2, 2**63 - 1, 2**63, 10**30, "x", None, True, [])


@pytest.mark.parametrize("seed", range(60))
def test_a_refusal_changes_nothing_and_nothing_else_is_raised(seed: int) -> None:
    chance = random.Random(seed)
    graph = random_graph(chance)
    make = chance.choice([allocation_1, allocation_3, allocation_4, allocation_6, allocation_6])
    allocation = make(graph, fifo=chance.random() < 0.5)
    clocks = {p: LocalClock(allocation, p, memory_max=6) for p in graph.processes}
    made: list[ClockStamp] = []
    taken = refused = 0
    for _ in range(200):
        sender, receiver = chance.choice(graph.links)
        made.append(clocks[sender].send(receiver))
        offered = chance.choice([made[-1], made[-1], chance.choice(made), forged(chance, chance.choice(made))])
        clock = clocks[chance.choice(graph.processes) if chance.random() < 0.1 else str(offered.receiver)]
        before = state(clock)
        try:
            clock.receive(offered)
            taken += 1
        except (RemoteViolation, LimitReached):
            refused += 1
            assert state(clock) == before
    assert taken
    assert refused


def forged(chance: random.Random, stamp: ClockStamp) -> ClockStamp:
    """With one thing changed."""
    value = chance.choice(VALUES)
    choice = chance.randrange(4)
    if choice == 0 or not stamp.clock:
        return replace(stamp, sequence=value)
    name = chance.choice(sorted(stamp.clock))
    if choice == 1:
        return replace(stamp, clock={p: time for p, time in stamp.clock.items() if p != name})
    return replace(stamp, clock={**stamp.clock, name: value})


def state(clock: LocalClock) -> str:
    """All that a clock remembers, but for what it looked up in its allocation."""
    looked_up = ("allocation", "_links")
    return repr([shown(value) for name, value in sorted(vars(clock).items()) if name not in looked_up])


def shown(value: object) -> object:
    if isinstance(value, dict):
        return {key: shown(inner) for key, inner in value.items()}
    return [getattr(value, slot) for slot in Memory.__slots__] if isinstance(value, Memory) else value
