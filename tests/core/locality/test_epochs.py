"""Plans that change while processes run: random executions with links added in the middle, against causal pasts."""

import random

import pytest

from antecede.core.clocks.stamp import Order
from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.locality.epochs import ChangingClock, ClockChange, EpochStamp, add_links, clock_changes
from antecede.core.locality.graph import BadGraph, Graph
from antecede.core.locality.local_clock import determination_4
from antecede.core.locality.plan import plan
from antecede.lab.topologies import star
from tests.core.locality.changing_plans import Run, random_run
from tests.core.locality.executions import pasts, truth

LINE = Graph.of([("a", "b"), ("b", "c")])


def runs(seed: int, *, fifo: bool, pairs: bool = False) -> Run:
    return random_run(random.Random(seed), fifo=fifo, pairs=pairs)


@pytest.mark.parametrize("fifo", [True, False])
@pytest.mark.parametrize("seed", range(40))
def test_messages_of_one_epoch_are_compared_rightly_at_once(seed: int, fifo: bool) -> None:
    judged = list(runs(seed, fifo=fifo).verdicts())
    assert judged
    assert all(said is true for said, true in judged)


@pytest.mark.parametrize("fifo", [True, False])
@pytest.mark.parametrize("seed", range(40))
def test_events_of_a_pair_in_one_epoch_are_compared_rightly_at_once(seed: int, fifo: bool) -> None:
    judged = list(runs(seed, fifo=fifo, pairs=True).event_verdicts())
    assert judged
    assert all(said is true for said, true in judged)


def test_the_random_executions_have_what_matters() -> None:
    """Messages of every epoch, plans that a message made somebody adopt, and messages that came late."""
    made = [runs(seed, fifo=True) for seed in range(40)]
    assert {m.epoch for run in made for messages in run.arrivals.values() for _, m in messages} == {1, 2, 3}
    assert sum(run.forced for run in made) > 20
    assert sum(run.late for run in made) > 20


def test_messages_of_different_epochs_would_be_compared_wrongly() -> None:
    """So they are refused."""
    wrong = 0
    for seed in range(20):
        run = runs(seed, fifo=True)
        past = pasts(run.steps)
        for receiver, arrived in run.arrivals.items():
            for first, m1 in arrived:
                for second, m2 in arrived:
                    if m1.epoch < m2.epoch:
                        said = determination_4(m1.arrival, m2.arrival, receiver)
                        wrong += said is not truth(past, first, second)
                        assert truth(past, first, second) is not Order.AFTER
                        with pytest.raises(Misuse, match=f"the one of epoch {m2.epoch} is not before the other"):
                            run.clocks[receiver].compare(m1, m2)
    assert wrong > 0


def test_what_changes_for_whom() -> None:
    """On the line no two processes write to the same one. With a link from a to c, a and b do, and b hears from a."""
    before = plan(LINE)
    after = add_links(before, [("a", "c"), ("d", "a")])
    assert clock_changes(before.allocation, after.allocation) == {
        "a": ClockChange(frozenset("a"), frozenset()),
        "b": ClockChange(frozenset("a"), frozenset()),
    }
    assert clock_changes(after.allocation, before.allocation)["a"] == ClockChange(frozenset(), frozenset("a"))
    assert after.allocation.graph.processes == ("a", "b", "c", "d")
    wider = add_links(plan(star(2)), [("x", "centre"), ("centre", "x")])
    changes = clock_changes(plan(star(2)).allocation, wider.allocation)
    assert changes == {"x": ClockChange(frozenset(["centre"]), frozenset())}


def test_channels_pairs_kept_timestamps_and_lonely_processes_stay() -> None:
    graph = Graph.of(LINE.links, ["a", "b", "c", "lonely"])
    made = add_links(plan(graph, fifo=False, pairs=[("c", "a")], kept=3), [("c", "a")])
    assert (made.allocation.fifo, made.kept) == (False, 3)
    assert made.allocation.partners == {"a": {"c"}, "c": {"a"}}
    assert "lonely" in made.allocation.graph.processes
    assert made.allocation.clock_set("a") == {"a", "c"}
    with pytest.raises(BadGraph, match="is not a link"):
        add_links(made, ["abc"])  # type: ignore[list-item]  # the wrong type is the test


class TestRefusals:
    ALLOCATION = plan(LINE).allocation

    def test_plans_are_adopted_one_after_the_other(self) -> None:
        clock = ChangingClock(self.ALLOCATION, "a")
        with pytest.raises(Misuse, match="'a' is in epoch 1: adopt epoch 2 next, not 3"):
            clock.adopt(3, self.ALLOCATION)

    def test_only_what_is_over_is_released(self) -> None:
        a, b = (ChangingClock(self.ALLOCATION, p) for p in "ab")
        late = a.send("b")
        b.adopt(2, self.ALLOCATION)
        with pytest.raises(Misuse, match="only earlier epochs can be released, not 2"):
            b.release(2)
        b.release(1)
        b.release(1)
        with pytest.raises(RemoteViolation, match="of epoch 1, which it has released"):
            b.receive(late)

    @pytest.mark.parametrize("epoch", [0, True, "1", None])
    def test_an_epoch_that_never_was_is_refused(self, epoch: int) -> None:
        a, b = (ChangingClock(self.ALLOCATION, p) for p in "ab")
        with pytest.raises(RemoteViolation, match="which it has released or never was in"):
            b.receive(EpochStamp(epoch, a.send("b").stamp))

    def test_a_link_that_is_not_in_the_plan_yet_is_refused(self) -> None:
        clock = ChangingClock(self.ALLOCATION, "a")
        with pytest.raises(Misuse, match="the graph has no link from 'a' to 'c'"):
            clock.send("c")
        clock.adopt(2, add_links(plan(LINE), [("a", "c")]).allocation)
        assert clock.send("c").epoch == 2
