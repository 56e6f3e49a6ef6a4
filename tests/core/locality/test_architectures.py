"""Synchronous messages and shared variables: random executions against explicit causal pasts."""

from __future__ import annotations

import random
from typing import Any

import pytest

from antecede.core.clocks.stamp import Order
from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.locality.allocation import Allocation
from antecede.core.locality.architectures import SynchronousClock, architecture
from antecede.core.locality.graph import BadGraph, Graph
from antecede.core.locality.local_clock import LocalClock, determination_4
from antecede.core.locality.pairs import compare_events
from antecede.core.locality.plan import plan
from tests.core.locality.machines import NAMES, Machine, judge_machine


def test_random_executions_are_judged_rightly() -> None:
    judged = dict.fromkeys(Order, 0)
    for seed in range(120):
        for verdict in judge_machine(Machine(random.Random(f"architectures {seed}")).run(60)):
            assert verdict.said is verdict.true, f"seed {seed}: {verdict}"
            judged[verdict.said] += 1
    assert min(judged[Order.BEFORE], judged[Order.CONCURRENT]) > 1000


def test_both_parts_of_a_synchronous_message_are_one_event() -> None:
    """What b does next is after a's part, which a vector clock of the two messages would call concurrent."""
    allocation = plan(architecture(synchronous=[("a", "b")]), pairs=[("a", "b")]).allocation
    a, b = (SynchronousClock(LocalClock(allocation, name)) for name in "ab")
    b.event()
    before = b.timestamp()
    a.conclude(b.accept(a.propose("b")))
    meeting = a.timestamp()
    b.event()
    assert compare_events(before, meeting, allocation) is Order.BEFORE
    assert compare_events(meeting, b.timestamp(), allocation) is Order.BEFORE
    with pytest.raises(Misuse, match="no link from 'a' to 'z'"):
        a.send("z")
    assert a.timestamp() == meeting, "what was refused has changed the latest event"
    a.event()
    assert compare_events(meeting, a.timestamp(), allocation) is Order.BEFORE
    assert compare_events(a.timestamp(), b.timestamp(), allocation) is Order.CONCURRENT


def test_a_read_is_after_every_earlier_write_and_two_reads_are_compared() -> None:
    """r reads v and w. b read v before it wrote w, so what r has of v is older."""
    graph = architecture(variables={"v": (["a"], ["b", "r"]), "w": (["b"], ["r"])})
    allocation: Allocation = plan(graph).allocation
    clocks = {name: LocalClock(allocation, name) for name in graph.processes}
    clocks["v"].receive(clocks["a"].send("v"))
    old = clocks["r"].receive(clocks["v"].send("r"))
    clocks["b"].receive(clocks["v"].send("b"))
    clocks["w"].receive(clocks["b"].send("w"))
    new = clocks["r"].receive(clocks["w"].send("r"))
    again = clocks["r"].receive(clocks["v"].send("r"))
    assert determination_4(old, new, "r") is Order.BEFORE
    assert determination_4(new, again, "r") is Order.CONCURRENT


def test_a_tree_of_synchronous_links_needs_fewer_clocks_than_vectors() -> None:
    found = plan(architecture(synchronous=[("hub", name) for name in NAMES]))
    assert found.cost.clock_entries < found.vectors.clock_entries


def test_who_has_proposed_does_nothing_else() -> None:
    allocation = plan(architecture(synchronous=[("a", "b"), ("a", "c")]), pairs=[("a", "b")]).allocation
    a, b, c = (SynchronousClock(LocalClock(allocation, name)) for name in "abc")
    from_c = c.propose("a")
    proposed = a.propose("b")
    calls = (a.event, a.timestamp, lambda: a.propose("c"), lambda: a.send("c"), lambda: a.accept(from_c))
    for call in (*calls, lambda: a.receive(from_c)):
        with pytest.raises(Misuse, match="'a' has proposed a synchronous message to 'b': conclude it first"):
            call()
    with pytest.raises(RemoteViolation, match="'a' got an answer of 'c', and proposed to 'b'"):
        a.conclude(from_c)
    a.conclude(b.accept(proposed))
    c.conclude(a.accept(from_c))


def test_a_synchronous_message_needs_a_link_in_each_direction() -> None:
    allocation = plan(Graph.of([("a", "b"), ("c", "b")])).allocation
    a, b = (SynchronousClock(LocalClock(allocation, name)) for name in "ab")
    with pytest.raises(Misuse, match="'a' and 'b' have no synchronous link: plan with one"):
        a.propose("b")
    with pytest.raises(Misuse, match="'b' and 'a' have no synchronous link: plan with one"):
        b.accept(a.send("b"))


def test_a_variable_is_not_a_process() -> None:
    for wrong in ({"a": (["b"], ["c"])}, {"v": (["v"], ["c"])}, {"v": (["a"], ["w"]), "w": (["a"], ["b"])}):
        with pytest.raises(BadGraph, match="is the name of a shared variable and of a process"):
            architecture(messages=[("a", "b")], variables=wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"variables": {"v": ("writer", ["reader"])}},  # this made processes w, r, i, t and e
        {"variables": {"v": (["writer"], "reader")}},
        {"variables": {"v": ([["writer"]], ["reader"])}},
        {"synchronous": ["ab"]},
        {"synchronous": [None]},
        {"synchronous": [("a", "b", "c")]},
        {"messages": ["ab"]},
        {"messages": [5]},
    ],
)
def test_a_name_is_not_taken_for_the_names_of_its_letters(wrong: Any) -> None:
    with pytest.raises(Misuse):
        architecture(**wrong)
