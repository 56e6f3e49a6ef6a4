"""Clocks for chosen pairs of processes: what they keep, and that any two events of a pair are compared rightly.

`tests.fuzz_locality` judges random pairs on random graphs; here are all small executions of small graphs, that no clock
could be left out, and what is refused.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, pairwise, permutations
from typing import Any

import pytest

from antecede.core.clocks.stamp import ClockStamp, Order
from antecede.core.errors import Misuse
from antecede.core.locality.allocation import Allocation
from antecede.core.locality.graph import Graph
from antecede.core.locality.local_clock import LocalClock, determination_4
from antecede.core.locality.pairs import Pair, PairAllocations, compare_events
from antecede.core.locality.plan import Cost, cost, plan, saving
from antecede.core.locality.simple_paths import Method
from antecede.lab.topologies import complete, ring, star
from tests.core.locality.executions import Internal, Receive, Send, Step, random_execution, script
from tests.core.locality.graphs import maze, random_graph
from tests.core.locality.judge import event_verdicts
from tests.fuzz_locality import execute

LINE = Graph.of([("a", "b"), ("b", "c"), ("c", "d")])


def clock_sets(allocation: Allocation) -> dict[str, str]:
    return {p: "".join(sorted(allocation.clock_set(p))) for p in allocation.graph.processes}


def is_right(allocation: Allocation, steps: list[Step]) -> bool:
    return all(verdict.said is verdict.true for verdict in event_verdicts(allocation, steps))


def executions(graph: Graph, length: int) -> Iterator[list[Step]]:
    """All executions of `length` steps: sends, and arrivals in any order."""
    yield from _continue(graph, [], [], length)


def _continue(graph: Graph, steps: list[Step], transit: list[int], left: int) -> Iterator[list[Step]]:
    if left == 0:
        yield steps
        return
    number = len(steps)
    for sender, receiver in graph.links:
        yield from _continue(graph, [*steps, Send(number, sender, receiver)], [*transit, number], left - 1)
    for message in transit:
        rest = [other for other in transit if other != message]
        yield from _continue(graph, [*steps, Receive(message)], rest, left - 1)


def simple_paths(graph: Graph, path: list[str], target: str) -> Iterator[list[str]]:
    if path[-1] == target:
        yield path
        return
    for after in graph.successors[path[-1]]:
        if after not in path:
            yield from simple_paths(graph, [*path, after], target)


def along(path: list[str]) -> list[Step]:
    """One message along each link of a path, each sent when the one before has arrived."""
    steps: list[Step] = [Internal(path[-1])]
    for number, (sender, receiver) in enumerate(pairwise(path)):
        steps += [Send(number, sender, receiver), Receive(number)]
    return steps


class TestClocks:
    def test_a_line_keeps_the_clock_of_its_first_process_as_far_as_the_second(self) -> None:
        made = PairAllocations(LINE, [("c", "a")]).allocation_3()
        assert clock_sets(made) == {"a": "a", "b": "a", "c": "ac", "d": ""}
        assert [made.link_set(*link) for link in LINE.links] == [{"a"}, {"a"}, frozenset()]
        assert made.timestamp_set("a") == {"a"}
        assert made.timestamp_set("c") == {"a", "c"}

    def test_all_paths_keep_more_than_simple_paths(self) -> None:
        graph = Graph.of([("a", "b"), ("b", "c"), ("b", "d"), ("d", "b")])
        made = PairAllocations(graph, [("a", "c")])
        assert clock_sets(made.allocation_1())["d"] == "a"
        assert clock_sets(made.allocation_2())["d"] == clock_sets(made.allocation_3())["d"] == ""
        assert made.allocation_2().link_set("a", "b") == {"a"}

    def test_without_a_path_only_the_own_clock_is_kept(self) -> None:
        graph = Graph.of([("a", "hub"), ("b", "hub")])
        made = plan(graph, pairs=[("a", "b")])
        assert clock_sets(made.allocation) == {"a": "a", "b": "b", "hub": ""}
        assert made.cost.message_entries == 0

    def test_a_timestamp_has_no_clock_that_is_only_passed_on(self) -> None:
        graph = ring(5, both_ways=False)
        made = PairAllocations(graph, [("p0", "p3"), ("p1", "p2")]).allocation_3()
        assert made.clock_set("p2") == {"p0", "p1", "p2"}
        assert made.timestamp_set("p2") == {"p1", "p2"}

    def test_without_fifo_nothing_is_numbered(self) -> None:
        made = plan(LINE, fifo=False, pairs=[("a", "c")])
        assert made.cost == Cost(4, 2, 2, 1, 0, 0, 4, 1)
        assert not any(made.allocation.is_numbered(*link) for link in LINE.links)
        assert made.notes == (
            "Events of pairs of processes can be compared: 1. Messages that arrive at one process cannot.",
        )

    def test_a_plan_for_all_pairs_of_a_dense_graph_saves_nothing_in_the_processes(self) -> None:
        graph = complete(4)
        made = plan(graph, pairs=combinations(graph.processes, 2))
        assert made.cost.clock_entries == made.vectors.clock_entries
        assert made.cost.message_entries_max == 3
        assert "0 % less space and 25 % less on the wire" in saving(made)

    def test_too_many_simple_paths_are_told(self) -> None:
        made = plan(maze(9), pairs=[("r0", "out")])
        assert made.allocation.method is Method.OVER_APPROXIMATED
        assert len(made.notes) == 2

    @pytest.mark.parametrize("seed", range(30))
    def test_no_clock_could_be_left_out(self, seed: int) -> None:
        """For each process that keeps another's clock there is an execution that is judged wrongly without it."""
        chance = random.Random(seed)
        graph = random_graph(chance, processes_max=6)
        p, q = chance.sample(graph.processes, 2)
        made = PairAllocations(graph, [(p, q)]).allocation_3()
        needed = 0
        for owner, other in ((p, q), (q, p)):
            paths = list(simple_paths(graph, [owner], other))
            for holder in graph.processes:
                if holder not in (owner, other) and owner in made.clock_set(holder):
                    path = next(path for path in paths if holder in path)
                    assert is_right(made, along(path))
                    assert not is_right(without_clock(made, holder, owner), along(path))
                    needed += 1
        assert needed == cost(made).clock_entries - len(made.timestamp_set(p)) - len(made.timestamp_set(q))


def without_clock(made: Allocation, holder: str, owner: str) -> Allocation:
    assert made.observed is not None
    clocks = {**made.clocks, holder: (made.clock_set(holder) - {owner},)}
    observed = {**made.observed, holder: (made.observation_set(holder) - {owner},)}
    return replace(made, clocks=clocks, observed=observed)


class TestVerdicts:
    @pytest.mark.parametrize(
        ("links", "pair", "length"),
        [
            ("a b, b c", ("a", "c"), 7),
            ("a b, b a", ("a", "b"), 7),
            ("a b, b c, c a", ("a", "c"), 6),
            ("a b, a c, b c", ("a", "c"), 6),
            ("a c, b c", ("a", "b"), 6),
        ],
    )
    def test_all_small_executions_are_judged_rightly(self, links: str, pair: Pair, length: int) -> None:
        graph = Graph.of((sender, receiver) for sender, receiver in map(str.split, links.split(", ")))
        made = PairAllocations(graph, [pair], fifo=False).allocation_3()
        assert all(is_right(made, steps) for steps in executions(graph, length))

    @pytest.mark.parametrize("number", range(100, 130))
    def test_random_pairs_of_random_graphs_are_judged_rightly(self, number: int) -> None:
        report = execute(seed=20, number=number)
        assert not report.failures, "\n".join(report.failures)

    def test_every_verdict_is_among_those_judged(self) -> None:
        chance, graph = random.Random(1), star(4)
        made = plan(graph, pairs=[("p0", "p1")]).allocation
        steps = random_execution(chance, graph, 60, fifo=True)
        assert {verdict.said for verdict in event_verdicts(made, steps)} == set(Order)

    def test_clocks_for_receivers_would_not_do(self) -> None:
        """Without a common receiver they keep nothing: what the paper's section 7 says needs the pair to be named."""
        assert plan(LINE).cost.clock_entries == 0
        made = plan(LINE, pairs=[("a", "d")]).allocation
        steps = script("a; m1: a>b; m1; m2: b>c; m2; d; m3: c>d; m3")
        judged = {(verdict.first, verdict.second): verdict.said for verdict in event_verdicts(made, steps)}
        assert judged[0, 7] is judged[1, 7] is Order.BEFORE
        assert judged[0, 5] is Order.CONCURRENT
        assert judged[5, 7] is Order.BEFORE
        assert judged[7, 5] is Order.AFTER


class TestRefusals:
    @pytest.mark.parametrize(
        ("pairs", "complaint"),
        [
            ([], "no pair of processes is named"),
            ([("a", "a")], "'a' is paired with itself"),
            ([("a", "x")], "names 'x', which is not a process"),
        ],
    )
    def test_pairs_that_are_not_pairs(self, pairs: list[Pair], complaint: str) -> None:
        with pytest.raises(Misuse, match=complaint):
            plan(LINE, pairs=pairs)

    def test_events_that_were_not_planned_for(self) -> None:
        made = plan(LINE, pairs=[("a", "b"), ("c", "d")]).allocation
        stamps = {p: LocalClock(made, p).timestamp() for p in LINE.processes}
        with pytest.raises(Misuse, match="events of 'a' and 'd' cannot be compared: plan with this pair"):
            compare_events(stamps["a"], stamps["d"], made)
        with pytest.raises(Misuse, match="events of 'a' cannot be compared by timestamps: plan with it"):
            LocalClock(plan(LINE).allocation, "a").timestamp()

    def test_a_stamp_of_a_message_is_not_a_timestamp(self) -> None:
        made = plan(LINE, pairs=[("a", "c")]).allocation
        stamp, timestamp = ClockStamp("c", {"c": 1}), LocalClock(made, "a").timestamp()
        for first, second in permutations([stamp, timestamp]):
            with pytest.raises(Misuse, match=r"a stamp of 'c' has the clocks \['c'\], not \['a', 'c'\]"):
                compare_events(first, second, made)

    @pytest.mark.parametrize("fifo", [True, False])
    def test_arrivals_are_not_compared(self, fifo: bool) -> None:
        made = plan(LINE, fifo=fifo, pairs=[("a", "b")]).allocation
        clocks = {p: LocalClock(made, p) for p in LINE.processes}
        first, second = (clocks["d"].receive(clocks["c"].send("d")) for _ in range(2))
        with pytest.raises(Misuse, match="does not order arrivals: use `compare_events`"):
            determination_4(first, second, "d")


@pytest.mark.parametrize("pairs", ["ab", ["ab"], [("a",)], [5], [("a", ["b"])]])
def test_a_pair_is_two_names_and_not_two_letters(pairs: Any) -> None:
    with pytest.raises(Misuse):
        plan(Graph.of([("a", "b")]), pairs=pairs)
