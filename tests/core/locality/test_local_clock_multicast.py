"""A message to several processes is one event: every allocation, random executions, against explicit causal pasts.

Paper 004 has messages to one process only. If the copies were stamped one after the other, what a process sends after
it has received the first copy would seem to be concurrent with a copy that was stamped later.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from antecede.core.clocks.stamp import Order
from antecede.core.errors import Misuse
from antecede.core.locality.graph import Graph
from antecede.core.locality.local_clock import LocalClock, determination_4
from antecede.core.locality.plan import plan
from tests.core.locality.graphs import random_graph
from tests.core.locality.multicasts import multicast_verdicts, random_multicasts
from tests.fuzz_locality import allocations


@pytest.mark.parametrize("fifo", [True, False])
@pytest.mark.parametrize("seed", range(40))
def test_every_allocation_compares_multicasts_rightly(seed: int, fifo: bool) -> None:
    chance = random.Random(f"multicasts {seed}")
    graph = random_graph(chance, processes_max=7)
    steps, dests = random_multicasts(chance, graph, fifo=fifo)
    for made in allocations(graph, fifo):
        for by_texts in (False, True):
            judged = multicast_verdicts(made, steps, dests, by_texts=by_texts)
            assert [one for one in judged if one.said is not one.true] == []


def test_a_copy_is_before_what_follows_from_another_copy() -> None:
    allocation = plan(Graph.of([("a", "b"), ("a", "c"), ("b", "c")])).allocation
    a, b, c = (LocalClock(allocation, name) for name in "abc")
    stamps = a.multicast(["b", "c"])
    b.receive(stamps["b"])
    later, sooner = c.receive(b.send("c")), c.receive(stamps["c"])
    assert determination_4(sooner, later, "c") is Order.BEFORE


def test_a_message_to_nobody_and_one_without_a_link_are_refused_and_change_nothing() -> None:
    clock = LocalClock(plan(Graph.both_ways([("a", "b"), ("b", "c"), ("c", "a")])).allocation, "a")
    before = dict(clock.clock)
    with pytest.raises(Misuse, match="a message of 'a' has no receiver"):
        clock.multicast([])
    with pytest.raises(Misuse, match="no link from 'a' to 'd'"):
        clock.multicast(["b", "d"])
    assert clock.clock == before


@pytest.mark.parametrize("receivers", ["bc", 5, None, ["b", 1]])
def test_receivers_that_are_not_names_are_refused(receivers: Any) -> None:
    clock = LocalClock(plan(Graph.of([("a", "b"), ("a", "c")])).allocation, "a")
    before = dict(clock.clock)
    with pytest.raises(Misuse):
        clock.multicast(receivers)
    assert clock.clock == before
