"""Golden traces: what the simulator writes in each of its formats. Those of the runtime are written with the stores."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from antecede.judge.events import Event
from antecede.judge.judge import judge
from antecede.sim import (
    Distribution,
    Groups,
    MobileParameters,
    Mobility,
    Parameters,
    RunRecorder,
    Workload,
    simulate,
    simulate_mobile,
)
from antecede.sim.trace import SUFFIXES, Sink, as_event, open_trace

GROUPED = Parameters(
    algorithm="mr", processes=4, messages=30, workload=Workload(groups=Groups(3, 1), payload_bytes=10), seed=1
)
UNORDERED = Parameters(algorithm="none", processes=4, messages=60, seed=1)
ROAMING = MobileParameters(
    stations=3,
    hosts=4,
    messages=25,
    mobility=Mobility(Distribution("exponential", 2.0), Distribution("exponential", 4.0)),
    seed=1,
)


def write_traces(folder: Path) -> dict[str, Any]:
    """Write each run in each format, and return by run what the judge finds in it."""
    folder.mkdir(parents=True, exist_ok=True)
    return {
        name: _write(folder, name, parameters)
        for name, parameters in (("grouped", GROUPED), ("unordered", UNORDERED), ("roaming", ROAMING))
    }


def find(events: Sequence[Event]) -> dict[str, Any]:
    """Return what the judge finds, as far as a golden file has it, and how many events there are of each kind."""
    verdict = judge(events)
    kinds = sorted({event.kind for event in events})
    counted = ("messages", "deliveries", "overtaken", "lost", "duplicates", "spurious")
    return {
        "verdict": verdict.verdict,
        "events": {kind: sum(event.kind == kind for event in events) for kind in kinds},
        **{name: getattr(verdict, name) for name in counted},
        "first": asdict(events[0]) | {"dests": events[0].dests and list(events[0].dests)},
    }


def _write(folder: Path, name: str, parameters: Parameters | MobileParameters) -> dict[str, Any]:
    rows: list[Any] = []
    with ExitStack() as stack:
        sinks: list[Sink] = [stack.enter_context(open_trace(folder / f"{name}{suffix}", name)) for suffix in SUFFIXES]
        recorder = RunRecorder(rows.extend, *sinks)
        if isinstance(parameters, Parameters):
            simulate(parameters, recorder)
        else:
            simulate_mobile(parameters, recorder)
    return find([as_event(name, row) for row in rows])
