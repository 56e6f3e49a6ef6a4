"""Lamport, vector and differential clocks on random executions."""

import random

import pytest

from antecede.core.clocks.differential import DifferentialClock
from antecede.core.clocks.lamport import LamportClock, LamportTime
from antecede.core.clocks.stamp import ClockStamp
from antecede.core.clocks.vector import VectorClock, compare
from antecede.core.errors import Misuse, RemoteViolation
from tests.core.locality.executions import Internal, Send, pasts, random_execution
from tests.core.locality.graphs import random_graph
from tests.core.locality.judge import differential, vectors


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
        VectorClock("a", ["a", "b"]).receive(ClockStamp("z", {"z": 1}))


BAD_VALUES = (-1, 2.5, 10**30, 2**63, True, "7", None, float("inf"), float("nan"))


@pytest.mark.parametrize("value", [*BAD_VALUES, 0, 2**63 - 1], ids=repr)
def test_lamport_refuses_what_is_no_time(value: object) -> None:
    clock = LamportClock("a")
    with pytest.raises(RemoteViolation, match="must be a whole number from 1"):
        clock.receive(LamportTime(value, "b"))  # type: ignore[arg-type]  # nonsense on purpose
    assert clock.time == 0


def strange_stamps() -> list[ClockStamp]:
    """Of b, for a, who has told nobody anything."""
    entries = [ClockStamp("b", {"a": 0, "b": 1, "c": value}) for value in BAD_VALUES]  # type: ignore[dict-item]  # nonsense on purpose
    own = [
        ClockStamp("b", {"a": 10**9, "b": 1, "c": 0}),
        ClockStamp("b", {"a": 0, "b": 0, "c": 0}),
        ClockStamp("b", {"a": 0, "c": 1}),
    ]
    return [*entries, *own, ClockStamp("a", {"a": 1, "b": 0, "c": 0}), ClockStamp("b", None)]  # type: ignore[arg-type]  # nonsense on purpose


@pytest.mark.parametrize("stamp", strange_stamps(), ids=repr)
def test_vector_and_differential_clocks_refuse_what_no_clock_says(stamp: ClockStamp) -> None:
    vector, differential = VectorClock("a", "abc"), DifferentialClock("a", "abc")
    for clock in (vector, differential):
        with pytest.raises(RemoteViolation):
            clock.receive(stamp)
    assert vector.clock == {"a": 0, "b": 0, "c": 0}
    assert differential.event().clock == {"a": 1, "b": 0, "c": 0}
    assert differential.receive(ClockStamp("b", {"b": 1})).clock == {"a": 0, "b": 1, "c": 0}


def test_a_stranger_does_not_send_and_is_not_remembered() -> None:
    vector, differential = VectorClock("a", "ab"), DifferentialClock("a", "ab")
    with pytest.raises(Misuse, match="has no entry for z"):
        vector.receive(ClockStamp("z", {"b": 1}))
    with pytest.raises(Misuse, match="has no entry for zz"):
        differential.receive(ClockStamp("b", {"b": 1, "zz": 7}))
    assert differential.receive(ClockStamp("b", {"b": 1})).clock == {"a": 0, "b": 1}
    assert vector.clock == {"a": 0, "b": 0}


def test_a_differential_stamp_is_for_one_receiver_once_and_in_order() -> None:
    a, b = DifferentialClock("a", "abc"), DifferentialClock("b", "abc")
    first, second = a.send("b"), a.send("b")
    with pytest.raises(RemoteViolation, match="'b' got a stamp that 'a' made for 'c'"):
        b.receive(a.send("c"))
    b.receive(second)
    for again in (first, second):
        with pytest.raises(RemoteViolation, match="it is a duplicate, or was overtaken"):
            b.receive(again)
    b.receive(ClockStamp("a", {"a": 8, "c": 5}))
    with pytest.raises(RemoteViolation, match="clocks never go back"):
        b.receive(ClockStamp("a", {"a": 9, "c": 4}))
    assert b.event().clock == {"a": 9, "b": 3, "c": 5}
    for nobody in ("b", "z"):
        with pytest.raises(Misuse, match="name another of the processes"):
            b.send(nobody)


def test_partial_stamps_are_not_compared() -> None:
    with pytest.raises(Misuse, match="compare whole stamps"):
        compare(ClockStamp("a", {"a": 1}), ClockStamp("b", {"a": 0, "b": 1}))
