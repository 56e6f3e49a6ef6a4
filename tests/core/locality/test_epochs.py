"""Plans that change while processes run: random executions with links added in the middle, against causal pasts."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest

from antecede.core.clocks.stamp import Order
from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.locality.allocation import Allocation
from antecede.core.locality.epochs import (
    ChangingClock,
    ClockChange,
    EpochArrival,
    EpochStamp,
    PlanMissing,
    add_links,
    clock_changes,
    compare_epoch_events,
)
from antecede.core.locality.graph import BadGraph, Graph
from antecede.core.locality.local_clock import determination_4
from antecede.core.locality.plan import Plan, plan
from antecede.lab.topologies import star
from tests.core.locality.executions import Internal, Receive, Send, Step, event_pasts, pasts, truth
from tests.core.locality.graphs import random_graph

LINE = Graph.of([("a", "b"), ("b", "c")])


@dataclass
class Run:
    """An execution in which each process adopts each plan at a time of its own, or when a message makes it."""

    plans: Sequence[Allocation]
    chance: random.Random
    steps: list[Step] = field(default_factory=list)
    arrivals: dict[str, list[tuple[int, EpochArrival]]] = field(default_factory=dict)
    timestamps: list[EpochStamp | None] = field(default_factory=list)
    transit: dict[tuple[str, str], list[tuple[int, EpochStamp]]] = field(default_factory=dict)
    forced: int = 0
    late: int = 0

    def __post_init__(self) -> None:
        self.clocks = {p: ChangingClock(self.plans[0], p) for p in self.plans[0].graph.processes}

    def go(self, messages: int) -> None:
        sent = 0
        while sent < messages or self.transit:
            if self.chance.random() < 0.02:
                self.adopt(self.chance.choice(list(self.clocks)))
            if sent < messages and self.chance.random() < 0.5:
                sent += self.send(self.chance.choice(list(self.clocks)), sent)
            elif self.transit:
                self.receive(*self.chance.choice(list(self.transit)))
            if self.chance.random() < 0.05:
                process = self.chance.choice(list(self.clocks))
                self.clocks[process].event()
                self.note(process, Internal(process))

    def note(self, process: str, step: Step) -> None:
        self.steps.append(step)
        self.timestamps.append(self.clocks[process].timestamp() if process in self.plans[0].partners else None)

    def adopt(self, process: str) -> None:
        """Adopt the next plan, if there is one. A process that is new in it starts with it."""
        epoch = self.clocks[process].epoch + 1
        if epoch > len(self.plans):
            return
        allocation = self.plans[epoch - 1]
        self.clocks[process].adopt(epoch, allocation)
        for new in allocation.graph.processes:
            if new not in self.clocks:
                self.clocks[new] = ChangingClock(allocation, new, epoch=epoch)

    def send(self, process: str, number: int) -> int:
        clock = self.clocks[process]
        receivers = self.plans[clock.epoch - 1].graph.successors[process]
        if not receivers:
            return 0
        to = self.chance.choice(receivers)
        self.transit.setdefault((process, to), []).append((number, clock.send(to)))
        self.note(process, Send(number, process, to))
        return 1

    def receive(self, sender: str, receiver: str) -> None:
        waiting = self.transit[sender, receiver]
        number, stamp = waiting.pop(0 if self.plans[0].fifo else self.chance.randrange(len(waiting)))
        if not waiting:
            del self.transit[sender, receiver]
        while self.clocks[receiver].epoch < stamp.epoch:
            with pytest.raises(PlanMissing):
                self.clocks[receiver].receive(stamp)
            self.adopt(receiver)
            self.forced += 1
        self.late += stamp.epoch < self.clocks[receiver].epoch
        self.arrivals.setdefault(receiver, []).append((number, self.clocks[receiver].receive(stamp)))
        self.note(receiver, Receive(number))

    def verdicts(self) -> Iterator[tuple[Order, Order]]:
        """What is said of each two messages of one epoch and one receiver, and what is true."""
        past = pasts(self.steps)
        for receiver, arrived in self.arrivals.items():
            for first, m1 in arrived:
                for second, m2 in arrived:
                    if first != second and m1.epoch == m2.epoch:
                        yield self.clocks[receiver].compare(m1, m2), truth(past, first, second)

    def event_verdicts(self) -> Iterator[tuple[Order, Order]]:
        """What is said of each two events of one epoch and one pair, or one process of it, and what is true."""
        past = {number: before for number, (_, before) in enumerate(event_pasts(self.steps))}
        stamped = [(number, made) for number, made in enumerate(self.timestamps) if made is not None]
        for first, e1 in stamped:
            for second, e2 in stamped:
                p, q = e1.stamp.sender, e2.stamp.sender
                if first != second and e1.epoch == e2.epoch and (p == q or q in self.plans[0].partners[p]):
                    said = compare_epoch_events(e1, e2, self.plans[e1.epoch - 1])
                    yield said, truth(past, first, second)


def grow(chance: random.Random, first: Plan) -> list[Allocation]:
    """Two more plans, each with some links more, one of them to a new process."""
    names = [*first.allocation.graph.processes, "new"]
    plans = [first]
    for _ in range(2):
        links = [(p, q) for p, q in (chance.sample(names, 2) for _ in range(chance.randint(1, 2)))]
        plans.append(add_links(plans[-1], links))
    return [made.allocation for made in plans]


def runs(seed: int, *, fifo: bool, pairs: bool = False) -> Run:
    chance = random.Random(seed)
    graph = random_graph(chance, processes_max=6)
    p, q = chance.sample(graph.processes, 2)
    run = Run(grow(chance, plan(graph, fifo=fifo, pairs=[(p, q)] if pairs else None)), chance)
    run.go(messages=120)
    return run


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
