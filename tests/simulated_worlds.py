"""Random worlds of the simulator in which resynchronisations ride on acknowledgements (003 §3.1).

`tests.worlds` has no transport, so its packets are not acknowledged. Here channels lose, duplicate and reorder packets
and acknowledgements, and sometimes a partition cuts them. Each run is held to the simulator's oracle and to the judge.
All choices come from one seeded generator. `tests.simulated_mobile_worlds` holds runs with roaming hosts to the same.
"""

from __future__ import annotations

import random
from collections import Counter

from antecede.judge.events import Event
from antecede.judge.judge import judge
from antecede.judge.orders import judge_orders
from antecede.judge.rule import HOLDS
from antecede.judge.trace import arrange
from antecede.sim import Distribution, Groups, Network, Parameters, Partition, RunRecorder, Workload, simulate
from antecede.sim.measure.metrics import RunResult
from antecede.sim.parameters import numbered_names
from antecede.sim.trace import TraceRow, as_event
from tests.oracle import Broken
from tests.replay import Drawing, describe_event

LATENCIES = (
    Distribution(),
    Distribution("uniform", 1.0, 0.9),
    Distribution("lognormal", 1.0, 1.5),
    Distribution("constant"),
)
"""Latencies with a mean of a second. All but the last reorder packets."""


def run_with_riders(algorithm: str, seed: int) -> Counter[str]:
    """Simulate one world with riders, and return what happened. `Broken` if the oracle or the judge objects."""
    chance = random.Random(f"riders {algorithm} {seed}")
    rows = start_drawing()
    result = simulate(draw_with_riders(algorithm, chance, seed), RunRecorder(rows.extend))
    check_run(result, rows, dropped=0, inhibits=True)
    if result.control_rides > result.control_answers:
        raise Broken(f"{result.control_rides} riders, and {result.control_answers} answers that can ride")
    return Counter({"deliveries": result.deliveries, "out of order": 0, "riders": result.control_rides})


def draw_with_riders(algorithm: str, chance: random.Random, seed: int) -> Parameters:
    """Draw the parameters of a world with riders. With `numbered`, most channels are not FIFO."""
    processes = chance.randint(2, 6)
    options: dict[str, object] = {"numbered": chance.random() < 0.6}
    if algorithm == "mr":
        options["own_count"] = chance.random() < 0.7
        options["bare_resynch"] = not options["own_count"] and seed % 2 == 0
    if chance.random() < 0.2:
        options["resynch_after_s"] = chance.choice((0.3, 3.0))
    return Parameters(
        algorithm=algorithm,
        seed=seed,
        processes=processes,
        messages=chance.randint(5, 30),
        workload=Workload(
            Distribution(mean_s=chance.choice((0.2, 1.0, 5.0))),
            ratio=chance.choice((1.0, 1.0, 10.0)),
            groups=None if algorithm == "mr-broadcast" else draw_groups(chance, processes),
            pattern=chance.choice(("open", "open", "request", "conversation")),
        ),
        network=Network(
            chance.choice(LATENCIES),
            fifo=chance.random() < 0.2,
            loss=chance.choice((0.0, 0.2, 0.5)),
            duplicate=chance.choice((0.0, 0.1, 0.5)),
            partitions=draw_partitions(chance, processes),
            retransmit_after_s=chance.choice((0.5, 1.5, 4.0)),
            answers_ride=True,
        ),
        options=options,
        oracle=True,
        weigh_bytes=False,
    )


def draw_groups(chance: random.Random, processes: int) -> Groups:
    """Draw how large groups are, and how much they overlap."""
    size = chance.randint(2, processes)
    return Groups(size, chance.randint(0, size - 1))


def draw_partitions(chance: random.Random, processes: int) -> tuple[Partition, ...]:
    """Draw a partition between some processes and all others in a quarter of the worlds, and none in the others."""
    if chance.random() >= 1 / 4:
        return ()
    names, start_s = numbered_names("p", processes), chance.uniform(0.0, 5.0)
    side = frozenset(chance.sample(names, chance.randint(1, processes - 1)))
    return (Partition(start_s, start_s + chance.uniform(0.5, 10.0), side),)


def start_drawing() -> list[TraceRow]:
    """Return an empty list for the rows of a trace, and begin the drawing of what will be in it."""
    rows: list[TraceRow] = []
    Drawing(lambda: [describe_event(as_event("r", row)) for row in rows])
    return rows


def check_run(result: RunResult, rows: list[TraceRow], *, dropped: int, inhibits: bool, is_causal: bool = True) -> None:
    """Raise `Broken` if the oracle of a run or the judge of its trace objects.

    `dropped` deliveries may be missing. If the algorithm `inhibits`, messages may wait for nothing. Unless it
    `is_causal`, messages may come before their causes.
    """
    if (result.violations and is_causal) or result.undelivered:
        raise Broken(f"{result.violations} deliveries before a predecessor, {result.undelivered} never delivered")
    if result.needless_share and not inhibits:
        raise Broken(f"{result.needless_share:.1%} of the deliveries waited for nothing")
    verdict = judge([as_event("r", row) for row in rows])
    if verdict.duplicates or verdict.spurious or verdict.quarantined or verdict.violations != (result.violations or 0):
        raise Broken(f"the judge sees {verdict.as_dict()}, and the oracle {result.violations} violations")
    if verdict.lost != dropped:
        raise Broken(f"the judge sees {verdict.lost} lost, where {dropped} were dropped")


def check_synchronous(events: list[Event]) -> None:
    """Raise `Broken` if messages that take no time could not have led to these events of one run."""
    for run in arrange(events):
        found = judge_orders(run)["synchronous"]
        if found.verdict != HOLDS:
            raise Broken(f"the judge sees a crown: {' '.join(found.messages)}{found.reason or ''}")
