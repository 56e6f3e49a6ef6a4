"""Every clock's verdict on every pair of random executions, against explicit causal pasts.

`tests.fuzz_locality` does the same for as long as one likes; here are enough to notice a mistake, and the proof that a
mistake is noticed: the paper's printed forms, and Allocation 6 with its memory taken away, are found out.
"""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from antecede.core.errors import LimitReached
from antecede.core.locality.allocation import Allocation
from antecede.core.locality.gateways import allocation_6
from antecede.core.locality.graph import Graph
from antecede.lab.printed.allocations import printed_4, printed_5
from antecede.lab.topologies import hierarchical_triangle, star
from tests.core.locality.executions import random_execution
from tests.core.locality.judge import local
from tests.fuzz_locality import execute, fuzz


@pytest.mark.parametrize("number", range(40))
def test_no_verdict_is_wrong(number: int) -> None:
    report = execute(seed=4, number=number)
    assert not report.failures, "\n".join(report.failures)
    assert report.pairs > 0


def test_the_report_counts_what_was_judged() -> None:
    report = fuzz(pairs=1, seed=7)
    assert report.executions == 1
    assert report.verdicts >= 10 * report.pairs
    assert str(report).startswith("locality: seed 7: ")


def wrong_on(make: Callable[[Graph], Allocation], graph: Graph, *, fifo: bool = True) -> int:
    chance = random.Random(1)
    runs = (random_execution(chance, graph, 60, fifo=fifo) for _ in range(30))
    return sum(1 for steps in runs for _ in local(make(graph)).wrong_verdicts(steps))


def test_the_printed_forms_are_found_out() -> None:
    triangle = hierarchical_triangle(7, 2)
    assert wrong_on(printed_4, triangle) > 0
    assert wrong_on(printed_5, triangle) > 0
    assert wrong_on(allocation_6, triangle) == 0


def test_the_printed_form_holds_on_the_star_only_while_fifo() -> None:
    assert wrong_on(printed_5, star(4)) == 0
    assert wrong_on(lambda graph: replace(printed_5(graph), fifo=False), star(4), fifo=False) > 0


def test_arrival_in_place_of_memory_is_found_out() -> None:
    triangle = hierarchical_triangle(7, 2)
    assert wrong_on(lambda graph: replace(allocation_6(graph), remembered={}), triangle) > 0


def test_printed_forms_are_refused_on_large_graphs() -> None:
    with pytest.raises(LimitReached, match="for small graphs"):
        printed_4(hierarchical_triangle(12, 11))
