"""What `antecede simulate` says at the end: the verdict, and what causal order cost, on one screen or as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from antecede.check.events import Event
from antecede.check.explain import explain
from antecede.check.judge import Verdict, judge
from antecede.sim import Parameters, Result
from antecede.sim.trace import Row, as_event


class Events:
    """The events of a run, as far as the judge is to see them: beyond the limit none are kept."""

    def __init__(self, run: str, limit: int) -> None:
        self.run, self.limit, self.count = run, limit, 0
        self.kept: list[Event] = []

    def __call__(self, rows: Sequence[Row]) -> None:
        self.count += len(rows)
        if self.count > self.limit:
            self.kept = []
        else:
            self.kept += [as_event(self.run, row) for row in rows]

    def judge(self) -> Verdict | None:
        return judge(self.kept) if self.count <= self.limit else None


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that came to its end. `verdict` is None where there were too many events to judge."""

    parameters: Parameters
    result: Result
    events: Events
    verdict: Verdict | None
    replay: str
    out: str | None

    @property
    def broke_its_promise(self) -> bool:
        return self.parameters.info.causal and self.verdict is not None and self.verdict.violations > 0


def as_json(run: Finished) -> str:
    judged: dict[str, object] = {"verdict": None} if run.verdict is None else dict(run.verdict.as_dict())
    info = run.parameters.info
    told = {"causal": info.causal, "unit": info.unit, "trace": run.out, "replay": run.replay}
    return json.dumps({**judged, **told, "trace_events": run.events.count, "result": run.result.as_dict()}, indent=1)


def as_text(run: Finished) -> str:
    parameters, result, events, verdict = run.parameters, run.result, run.events, run.verdict
    info = parameters.info
    paper = "" if info.paper == "-" else f" ({info.paper})"
    lines = [
        f"{info.name}: {info.title}{paper}; {parameters.processes} processes, seed {parameters.seed}",
        "",
        f"  verdict    {_verdict(parameters, events, verdict)}",
        f"  sent       {result.messages:,} messages, {_number(result.deliveries / result.messages)} deliveries each, "
        f"in {_number(result.duration_s)} s of simulated time",
        f"  delivered  {result.deliveries:,}" + _undelivered(parameters, result),
        f"  delay      mean {_number(result.delay_mean_s)} s, median {_number(result.delay_median_s)}, "
        f"99 % within {_number(result.delay_99_s)}, longest {_number(result.delay_max_s)}",
        f"  held back  {_percent(result.held_share)} of deliveries; mean over all {_number(result.held_mean_s)} s, "
        f"longest {_number(result.held_max_s)}" + _needless(result),
        f"  stamp      {_number(result.entries_mean)} entries (most {result.entries_max:,}), "
        f"{_number(result.bytes_mean)} bytes (most {result.bytes_max or 0:,}); an entry is {info.unit}",
        f"  packets    {result.packets:,}, of them {result.control_packets:,} control packets" + _faults(result),
    ]
    if result.state_bytes_mean is not None:
        lines.append(
            f"  state      {_number(result.state_bytes_mean)} bytes a process (most {result.state_bytes_max:,})"
        )
    if run.out is not None:
        size = Path(run.out).stat().st_size
        lines.append(f"  trace      {run.out}: {events.count:,} events, {size:,} bytes; next: antecede check {run.out}")
    if verdict is not None and verdict.found:
        lines += ["", f"  {explain(events.kept, verdict.found[0]).words}", f"  To replay this run: {run.replay}"]
    return "\n".join(lines)


def _verdict(parameters: Parameters, events: Events, verdict: Verdict | None) -> str:
    if verdict is None:
        return f"not judged: {events.count:,} events are more than the limit (--judge-max {events.limit})"
    if not verdict.violations:
        return "holds: no message was delivered before one that may have caused it"
    promise = "" if parameters.info.causal else f"; {parameters.algorithm} does not promise causal order"
    return f"violated: {verdict.violations:,} of {verdict.deliveries:,} deliveries overtook a cause{promise}"


def _undelivered(parameters: Parameters, result: Result) -> str:
    if not result.undelivered:
        return "; nothing is left undelivered"
    why = " when the run was ended" if parameters.deliveries is not None else ", though the network is at rest"
    return f"; {result.undelivered:,} still to be delivered{why}"


def _needless(result: Result) -> str:
    if result.needless_share is None:
        return ""
    return f"; {_percent(result.needless_share)} needlessly, mean over all {_number(result.needless_mean_s)} s"


def _faults(result: Result) -> str:
    counted = (
        (result.lost, "lost"),
        (result.duplicated, "doubled by the network"),
        (result.retransmitted, "sent again"),
        (result.acknowledgements, "acknowledgements of the transport"),
    )
    return "".join(f"; {count:,} {what}" for count, what in counted if count)


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.4g}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"
