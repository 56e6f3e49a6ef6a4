"""Random runs with local clocks, and what their traces tell of two deliveries beside what the judge tells."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from antecede import algorithms
from antecede.judge.events import Event
from antecede.judge.trace import arrange, message_of, walk
from antecede.locality import Graph, Order, compare_texts
from antecede.sim import Distribution, Network, Parameters, Workload
from antecede.sim.parameters import numbered_names
from tests.core.locality.graphs import random_graph

PROCESSES = 7
NAMES = numbered_names("p", PROCESSES)
ALGORITHMS = tuple(sorted(name for name, info in algorithms().items() if info.addressing in ("multicast", "unicast")))
"""The algorithms whose messages can keep to the links of a graph."""


@dataclass(frozen=True, slots=True)
class TraceVerdict:
    """How two messages that a process delivered stand to each other: as the trace says, and as it is."""

    process: str
    first: str
    second: str
    said: Order
    true: Order


def graph_of(seed: object) -> Graph:
    """Return a random graph among the processes p1 to p7, some of which may have no link."""
    chance = random.Random(f"local clocks {seed}")
    drawn = random_graph(chance, processes_max=PROCESSES)
    names = dict(zip(drawn.processes, chance.sample(NAMES, len(drawn.processes)), strict=True))
    return Graph.of((names[p], names[q]) for p, q in drawn.links)


def draw_parameters(seed: object) -> Parameters:
    """Draw a run of any algorithm that can have local clocks. Only packets of `none` can get lost for good."""
    chance = random.Random(f"run with local clocks {seed}")
    algorithm = chance.choice(ALGORITHMS)
    retransmits = chance.random() < 0.5
    loss = chance.choice((0.0, 0.2)) if retransmits or algorithm == "none" else 0.0
    unicast = chance.random() < 0.3 or algorithms()[algorithm].addressing == "unicast"
    return Parameters(
        algorithm=algorithm,
        processes=PROCESSES,
        seed=chance.randrange(10**9),
        messages=chance.randint(10, 40),
        local_clocks=graph_of(seed),
        workload=Workload(Distribution(mean_s=chance.choice((0.2, 1.0, 5.0))), dests=(1, 1) if unicast else None),
        network=Network(
            loss=loss,
            duplicate=chance.choice((0.0, 0.3)),
            fifo=chance.random() < 0.3,
            retransmit_after_s=4.0 if retransmits else None,
        ),
    )


def trace_verdicts(events: list[Event]) -> Iterator[TraceVerdict]:
    """Yield what the attributes of each two deliveries of a process tell, and what the judge's happened-before does."""
    past = judged_pasts(events)
    noted = [event for event in events if event.attributes is not None]
    for one, other in combinations(noted, 2):
        if one.process == other.process:
            said = compare_texts(text_of(one), text_of(other))
            first, second = message_of(one), message_of(other)
            true = Order.BEFORE if first in past[second] else Order.AFTER if second in past[first] else Order.CONCURRENT
            yield TraceVerdict(one.process, first, second, said, true)


def judged_pasts(events: list[Event]) -> dict[str, set[str]]:
    """Return, for each message, those sent before it in happened-before, along the walk of the judge."""
    (run,) = arrange(events)
    known: dict[str, set[str]] = {}
    past: dict[str, set[str]] = {}
    for event in walk(run):
        mine = known.setdefault(event.process, set())
        if event.kind == "send":
            past[message_of(event)] = set(mine)
            mine.add(message_of(event))
        elif run.is_deliver(event):
            mine |= past[message_of(event)] | {message_of(event)}
    return past


def text_of(event: Event) -> str:
    """Return the text of an arrival that a deliver has as an attribute."""
    assert event.attributes is not None
    return event.attributes["local_clock"]
