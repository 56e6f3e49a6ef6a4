"""Runs for the tests: a result with its events."""

from antecede.judge.events import Event
from antecede.sim import Distribution, Mobility, Network, Parameters, Result, RunRecorder, Workload, simulate
from antecede.sim.mobile import StationlessParameters
from antecede.sim.trace import TraceRow, as_event


def recorded(parameters: Parameters) -> tuple[Result, list[Event]]:
    rows: list[TraceRow] = []
    result = simulate(parameters, RunRecorder(rows.extend))
    return result, [as_event("r", row) for row in rows]


def sends(events: list[Event]) -> list[tuple[str, float | None, str | None, tuple[str, ...] | None]]:
    """Who sent what to whom, and when."""
    return [(event.process, event.time, event.message, event.dests) for event in events if event.kind == "send"]


def times(events: list[Event], kind: str) -> dict[tuple[str | None, str], float | None]:
    """When each message was first received, or delivered, at each process."""
    found: dict[tuple[str | None, str], float | None] = {}
    for event in events:
        if event.kind == kind:
            found.setdefault((event.message, event.process), event.time)
    return found


STATIONLESS = StationlessParameters(
    processes=8,
    messages=300,
    workload=Workload(Distribution("exponential", 0.02), dests=(1, 4)),
    network=Network(latency=Distribution("exponential", 0.02), retransmit_after_s=0.1),
    mobility=Mobility(Distribution("exponential", 0.1)),
    oracle=True,
)
"""Hosts without fixed stations that move often, and send many messages at the same time."""
