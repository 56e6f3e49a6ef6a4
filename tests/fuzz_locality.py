"""Random graphs, random executions, every allocation: every verdict against explicit causal pasts.

    python -m tests.fuzz_locality --pairs 1000000 --seed 1
    python -m tests.fuzz_locality --seed 1 --execution 417      # one of them again

A pair is two messages with one receiver; it is counted once, and judged by every clock there is for the graph and the
channels. In every execution, any two events of some pairs of processes are judged too, by the clocks for those pairs,
and so are those of a machine with synchronous messages and shared variables, and the arrivals and events of processes
whose plan changes while they run, twice, with links that come and go. So are messages to several processes, also by the
texts of their arrivals, and the deliveries of a simulated run with local clocks, by the texts in its trace.
Each execution has its own stream of chance, made of the seed and its number, so any can be run alone.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from antecede.core.locality import allocation, gateways
from antecede.core.locality.allocation import Allocation
from antecede.core.locality.graph import Graph
from antecede.core.locality.pairs import PairAllocations
from antecede.core.locality.plan import plan
from antecede.core.locality.two_way_links import BlockAllocations
from tests.core.locality.changing_plans import random_run
from tests.core.locality.executions import Step, draw_steps, random_execution
from tests.core.locality.graphs import random_graph
from tests.core.locality.judge import (
    AnyAccused,
    EventVerdict,
    Wrong,
    differential,
    event_verdicts,
    local,
    pairs,
    vectors,
    vectors_and_paths,
)
from tests.core.locality.machines import Machine, judge_machine
from tests.core.locality.multicasts import multicast_verdicts, random_multicasts
from tests.replay import Drawing, describe_event, explain_failure
from tests.sim.local_clock_traces import draw_parameters, trace_verdicts
from tests.sim.runs import recorded


@dataclass(frozen=True, slots=True)
class Report:
    """What was judged, and for each wrong verdict what it was and the command that shows it again."""

    seed: int
    executions: int
    pairs: int
    verdicts: int
    failures: tuple[str, ...]

    def __str__(self) -> str:
        judged = f"{self.pairs:,} pairs in {self.executions:,} executions, {self.verdicts:,} verdicts"
        return "\n".join([f"locality: seed {self.seed}: {judged}, {len(self.failures)} wrong", *self.failures])


def fuzz(pairs: int, seed: int) -> Report:
    """Judge at least `pairs` pairs; stops at the tenth wrong verdict."""
    number = judged = verdicts = 0
    failures: list[str] = []
    while judged < pairs and len(failures) < 10:
        one = execute(seed, number)
        judged += one.pairs
        verdicts += one.verdicts
        failures.extend(one.failures)
        number += 1
    return Report(seed, number, judged, verdicts, tuple(failures))


def execute(seed: int, number: int) -> Report:
    """One execution of one graph, judged by every clock."""
    graph, fifo, steps = scenario(seed, number)
    found = pairs(steps)
    verdicts = 0
    failures: list[str] = []
    for accused in everyone(graph, fifo):
        verdicts += found
        failures.extend(_explain(accused.name, wrong, seed, number) for wrong in accused.wrong_verdicts(steps))
    for made in pair_allocations(seed, number, graph, fifo):
        for verdict in event_verdicts(made, steps):
            verdicts += 1
            if verdict.said is not verdict.true:
                failures.append(_explain_events(made, verdict, seed, number))
    for judged in judge_machine(Machine(random.Random(f"machine {seed}/{number}")).run(40)):
        verdicts += 1
        if judged.said is not judged.true:
            failures.append(explain_failure(f"a machine: {judged}", _command(seed, number)))
    for count, wrong_ones in (
        judge_multicasts(seed, number, graph, fifo),
        judge_changing_plans(seed, number, fifo),
        judge_simulation(seed, number),
    ):
        verdicts += count
        failures.extend(wrong_ones)
    return Report(seed, 1, found, verdicts, tuple(failures))


def judge_multicasts(seed: int, number: int, graph: Graph, fifo: bool) -> tuple[int, list[str]]:
    """Judge one execution with messages to several processes, by every allocation, and by one of them also by the texts
    of the arrivals. Return how many verdicts there were, and what failed.
    """
    verdicts, failures = 0, []
    chance = random.Random(f"multicasts {seed}/{number}")
    sent, dests = random_multicasts(chance, graph, fifo=fifo)
    everything = list(allocations(graph, fifo))
    for made, by_texts in [*((made, False) for made in everything), (chance.choice(everything), True)]:
        for verdict in multicast_verdicts(made, sent, dests, by_texts=by_texts):
            verdicts += 1
            if verdict.said is not verdict.true:
                what = f"{'texts of ' if by_texts else ''}multicasts, Allocation {made.name}: {verdict}"
                failures.append(explain_failure(what, _command(seed, number)))
    return verdicts, failures


def judge_simulation(seed: int, number: int) -> tuple[int, list[str]]:
    """Judge a simulated run with local clocks by its trace. Return how many verdicts there were, and what failed."""
    verdicts, failures = 0, []
    parameters = draw_parameters(f"{seed}/{number}")
    _, events = recorded(parameters)
    for verdict in trace_verdicts(events):
        verdicts += 1
        if verdict.said is not verdict.true:
            drawing = Drawing(map(describe_event, events))
            what = f"a trace of {parameters.algorithm}: {verdict}"
            failures.append(explain_failure(what, _command(seed, number), drawing))
    return verdicts, failures


def judge_changing_plans(seed: int, number: int, fifo: bool) -> tuple[int, list[str]]:
    """Judge two executions in which `ChangingClock` goes from plan to plan: one for arrivals, one for a
    pair. Return how many verdicts there were, and what failed.
    """
    verdicts, failures = 0, []
    for of_pair in (False, True):
        chance = random.Random(f"changing plans {of_pair} {seed}/{number}")
        run = random_run(chance, fifo=fifo, pairs=of_pair, remove=True, messages=50)
        for said, true in run.event_verdicts() if of_pair else run.verdicts():
            verdicts += 1
            if said is not true:
                draw_steps(run.steps)
                what = f"changing plans, {'events of a pair' if of_pair else 'arrivals'}: {true.value} was {said.value}"
                failures.append(explain_failure(what, _command(seed, number)))
    return verdicts, failures


def scenario(seed: int, number: int) -> tuple[Graph, bool, list[Step]]:
    chance = random.Random(f"{seed}/{number}")
    graph = random_graph(chance, processes_max=9)
    fifo = chance.random() < 0.5
    return graph, fifo, random_execution(chance, graph, chance.randint(20, 120), fifo=fifo)


def everyone(graph: Graph, fifo: bool) -> Iterator[AnyAccused]:
    yield vectors(graph)
    yield vectors_and_paths(graph)
    if fifo:
        yield differential(graph)
    for made in allocations(graph, fifo):
        yield local(made)


def allocations(graph: Graph, fifo: bool) -> Iterator[Allocation]:
    yield allocation.allocation_1(graph, fifo=fifo)
    yield allocation.allocation_2(graph, fifo=fifo)
    yield allocation.allocation_3(graph, fifo=fifo)
    yield allocation.allocation_3(graph, fifo=fifo, budget=0)
    yield gateways.allocation_4(graph, fifo=fifo)
    yield gateways.allocation_5(graph, fifo=fifo, arrival_price=3)
    yield gateways.allocation_6(graph, fifo=fifo)
    everywhere = gateways.Gateways(graph, fifo=fifo, memory=True)
    yield everywhere.allocation("6 everywhere", {p: everywhere.demand(p, gateway=True) for p in graph.processes})
    yield plan(graph, fifo=fifo).allocation
    if graph.is_two_way:
        allocations = BlockAllocations(graph, fifo=fifo)
        yield from (allocations.allocation_3(), allocations.allocation_4(), allocations.allocation_5(arrival_price=3))
        yield allocations.allocation_6()


def pair_allocations(seed: int, number: int, graph: Graph, fifo: bool) -> Iterator[Allocation]:
    """Clocks for some pairs of processes: few, or many."""
    chance = random.Random(f"pairs {seed}/{number}")
    chosen = [chance.sample(graph.processes, 2) for _ in range(chance.choice([1, 1, 2, 3, 6]))]
    named = [(p, q) for p, q in chosen]
    made = PairAllocations(graph, named, fifo=fifo)
    yield from (made.allocation_1(), made.allocation_2(), made.allocation_3())
    yield PairAllocations(graph, named, fifo=fifo, budget=0).allocation_3()
    yield plan(graph, fifo=fifo, pairs=named).allocation


def _explain_events(made: Allocation, verdict: EventVerdict, seed: int, number: int) -> str:
    named = ", ".join(f"{p} with {' '.join(sorted(others))}" for p, others in made.partners.items())
    what = (
        f"{made.name} for {named}: event {verdict.first} is {verdict.true.value} {verdict.second} but was said to be "
        f"{verdict.said.value}"
    )
    return explain_failure(what, _command(seed, number))


def _explain(name: str, wrong: Wrong, seed: int, number: int) -> str:
    what = (
        f"{name}: at {wrong.receiver}, message {wrong.first} is {wrong.true.value} {wrong.second} but was said to be "
        f"{wrong.said.value}"
    )
    return explain_failure(what, _command(seed, number))


def _command(seed: int, number: int) -> list[str]:
    return ["tests.fuzz_locality", "--seed", str(seed), "--execution", str(number)]


def main() -> int:
    parser = argparse.ArgumentParser(description="Judge random pairs of messages by every clock.")
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--execution", type=int, help="run this one alone, and print its graph")
    options = parser.parse_args()
    if options.execution is None:
        report = fuzz(options.pairs, options.seed)
    else:
        graph, fifo, _ = scenario(options.seed, options.execution)
        print("channels:", "FIFO" if fifo else "not FIFO", "\nlinks:", *(f"{p}->{q}" for p, q in graph.links))
        report = execute(options.seed, options.execution)
    print(report)
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
