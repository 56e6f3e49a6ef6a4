"""Lamport, vector and differential clocks on random executions."""

import random

import pytest

from antecede.core.clocks.differential import DifferentialClock
from antecede.core.clocks.lamport import LamportClock, LamportTime
from antecede.core.clocks.stamp import Stamp
from antecede.core.clocks.vector import VectorClock
from antecede.core.errors import Misuse
from tests.core.clocks.executions import Internal, Send, pasts, random_execution
from tests.core.clocks.graphs import random_graph
from tests.core.clocks.judge import differential, vectors


@pytest.mark.parametrize("seed", range(20))
def test_lamport_times_agree_with_happened_before(seed: int) -> None:
    chance = random.Random(seed)
    graph = random_graph(chance)
    steps = random_execution(chance, graph, 40, fifo=False)
    clocks = {p: LamportClock(p) for p in graph.processes}
    sent: dict[int, tuple[str, LamportTime]] = {}
    for step in steps:
        if isinstance(step, Internal):
            clocks[step.process].event()
        elif isinstance(step, Send):
            sent[step.message] = (step.receiver, clocks[step.sender].event())
        else:
            receiver, stamp = sent[step.message]
            assert clocks[receiver].receive(stamp).time > stamp.time
    past = pasts(steps)
    for second, known in past.items():
        for first in past:
            if known >> first & 1:
                assert sent[first][1] < sent[second][1]


def test_lamport_ties_are_broken_by_name() -> None:
    assert sorted([LamportClock("b").event(), LamportClock("a").event()]) == [(1, "a"), (1, "b")]


@pytest.mark.parametrize("seed", range(20))
def test_differential_stamps_rebuild_the_vector_stamps(seed: int) -> None:
    chance = random.Random(seed)
    graph = random_graph(chance)
    steps = random_execution(chance, graph, 60, fifo=True)
    assert differential(graph).run(steps) == vectors(graph).run(steps)


def test_a_differential_stamp_carries_what_changed() -> None:
    a, b, c = (DifferentialClock(name, "abc") for name in "abc")
    assert a.send("b").clock == {"a": 1}
    b.receive(c.send("b"))
    assert b.send("a").clock == {"b": 2, "c": 2}
    assert b.send("a").clock == {"b": 3}
    assert b.send("c").clock == {"b": 4, "c": 2}


def test_clocks_of_different_processes_do_not_mix() -> None:
    with pytest.raises(Misuse, match="'c' is not among the processes"):
        VectorClock("c", ["a", "b"])
    with pytest.raises(Misuse, match="has no entry for z"):
        VectorClock("a", ["a", "b"]).receive(Stamp("z", {"z": 1}))
