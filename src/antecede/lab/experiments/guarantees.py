"""Check every algorithm of the registry on random executions: does it break causal order, lose, or deliver twice?

Processes send what the algorithm can carry, over channels that reorder unless the algorithm needs FIFO. `history` is
made for channels that lose, so it gets such channels too. On those, only its order is checked.
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


def judge_simulation(
    parameters: Parameters, stand_ins: Mapping[ProcessId, Endpoint] | None = None
) -> Mapping[str, object]:
    """Run a simulation to its end and return the verdict of the judge on its trace."""
    rows: list[TraceRow] = []
    World(parameters, RunRecorder(rows.extend), stand_ins=stand_ins).run()
    events: list[Event] = [as_event("run", row) for row in rows]
    return judge(events).as_dict()


def small_run(algorithm: str, seed: int, *, fifo: bool, workload: Workload, processes_min: int = 3) -> Parameters:
    """Return parameters for 3 to 5 processes and 6 to 30 messages, with latencies about as long as the time between
    sends.
    """
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


def has_failure(info: AlgorithmInfo, seed: int) -> bool:
    """Return whether an execution breaks causal order, loses a message, or delivers one twice or at the wrong
    process.
    """
    groups = Groups(3, 1 + seed % 2) if info.addressing == "group" else None
    found = judge_simulation(small_run(info.name, seed, fifo=info.needs_fifo, workload=Workload(groups=groups)))
    return any(found[what] for what in ("violations", "lost", "duplicates", "spurious"))


def has_violation_when_lossy(seed: int) -> bool:
    """Return whether `history` breaks causal order on channels that lose."""
    parameters = small_run("history", seed, fifo=False, workload=Workload())
    return bool(judge_simulation(replace(parameters, network=replace(parameters.network, loss=0.2)))["violations"])


ALGORITHMS: Mapping[str, Callable[[int], bool]] = {
    **{name: partial(has_failure, info) for name, info in algorithms().items()},
    LOSSY: has_violation_when_lossy,
}
