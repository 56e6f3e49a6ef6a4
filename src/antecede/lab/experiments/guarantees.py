"""Every algorithm of the registry on random executions: does one break causal order, lose, or deliver twice?

Processes send what the algorithm can carry, over channels that reorder unless it asks for FIFO ones. `history` gets
channels that lose, for which it is made: there, only order is asked of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from antecede.core.registry import AlgorithmInfo, algorithms
from antecede.core.types import ProcessId
from antecede.judge.events import Event
from antecede.judge.judge import judge
from antecede.sim import Distribution, Groups, Network, Parameters, RunRecorder, Workload, World
from antecede.sim.chance import stream
from antecede.sim.trace import TraceRow, as_event
from antecede.sim.world import Endpoint

UNORDERED = {"none": "registry", "chain2": "002 Lemma 8, Theorem 8"}

LOSSY = "history, lossy"


def verdict(parameters: Parameters, stand_ins: Mapping[ProcessId, Endpoint] | None = None) -> Mapping[str, object]:
    """Run it to its end, and judge what was recorded."""
    rows: list[TraceRow] = []
    World(parameters, RunRecorder(rows.extend), stand_ins=stand_ins).run()
    events: list[Event] = [as_event("run", row) for row in rows]
    return judge(events).as_dict()


def small(algorithm: str, seed: int, *, fifo: bool, workload: Workload, processes_min: int = 3) -> Parameters:
    """3 to 5 processes, 6 to 30 messages, and latencies about as long as the time between sends."""
    chance = stream(seed, "errata")
    return Parameters(
        algorithm=algorithm,
        processes=chance.randint(processes_min, 5),
        seed=seed,
        messages=chance.randint(6, 30),
        network=Network(latency=Distribution("exponential", chance.choice((0.5, 1.0, 3.0))), fifo=fifo),
        workload=workload,
        weigh_bytes=False,
    )


def fails(info: AlgorithmInfo, seed: int) -> bool:
    groups = Groups(3, 1 + seed % 2) if info.addressing == "group" else None
    found = verdict(small(info.name, seed, fifo=info.needs_fifo, workload=Workload(groups=groups)))
    return any(found[what] for what in ("violations", "lost", "duplicates", "spurious"))


def breaks_order_when_lossy(seed: int) -> bool:
    parameters = small("history", seed, fifo=False, workload=Workload())
    return bool(verdict(replace(parameters, network=replace(parameters.network, loss=0.2)))["violations"])


ALGORITHMS: Mapping[str, Callable[[int], bool]] = {
    **{name: partial(fails, info) for name, info in algorithms().items()},
    LOSSY: breaks_order_when_lossy,
}
