"""Write the summary of `antecede simulate`: the verdict, and the cost of causal order, on one screen or as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from antecede.judge.events import Event
from antecede.judge.explain import explain
from antecede.judge.judge import Verdict, judge
from antecede.sim import MobileParameters, MobileResult, Parameters, Result
from antecede.sim.trace import TraceRow, as_event


class JudgedEvents:
    """The events of a run for the judge. If there are more than the limit, none are kept."""

    def __init__(self, run: str, limit: int) -> None:
        self.run, self.limit, self.count = run, limit, 0
        self.kept: list[Event] = []

    def __call__(self, rows: Sequence[TraceRow]) -> None:
        self.count += len(rows)
        if self.count > self.limit:
            self.kept = []
        else:
            self.kept += [as_event(self.run, row) for row in rows]

    def judge(self) -> Verdict | None:
        """Return the verdict, or None if there were too many events to judge."""
        return judge(self.kept) if self.count <= self.limit else None


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run that has ended. `verdict` is None if there were too many events to judge."""

    parameters: Parameters | MobileParameters
    result: Result | MobileResult
    events: JudgedEvents
    verdict: Verdict | None
    replay: str
    out: str | None

    @property
    def is_causal(self) -> bool:
        """Return whether the algorithm promises causal order. All roaming protocols do."""
        return isinstance(self.parameters, MobileParameters) or self.parameters.info.causal

    @property
    def has_broken_promise(self) -> bool:
        """Return whether an algorithm that promises causal order violated it."""
        return self.is_causal and self.verdict is not None and self.verdict.violations > 0


def as_json(run: FinishedRun) -> str:
    """Return the summary as JSON."""
    judged: dict[str, object] = {"verdict": None} if run.verdict is None else dict(run.verdict.as_dict())
    unit = run.parameters.info.unit if isinstance(run.parameters, Parameters) else "an integer of the header"
    told = {"causal": run.is_causal, "unit": unit, "trace": run.out, "replay": run.replay}
    return json.dumps({**judged, **told, "trace_events": run.events.count, "result": run.result.as_dict()}, indent=1)


def as_text(run: FinishedRun) -> str:
    """Return the summary as text for one screen."""
    result, events, verdict = run.result, run.events, run.verdict
    lines = [
        _title(run.parameters),
        "",
        f"  verdict    {_verdict(run)}",
        f"  sent       {result.messages:,} messages, {_amount(result.deliveries / result.messages)} deliveries each, "
        f"in {_amount(result.duration_s)} s of simulated time",
        f"  delivered  {result.deliveries:,}" + _undelivered(run),
        f"  delay      mean {_amount(result.delay_mean_s)} s, median {_amount(result.delay_median_s)}, "
        f"99 % within {_amount(result.delay_99_s)}, longest {_amount(result.delay_max_s)}",
        f"  held back  {_percent(result.held_share)} of deliveries; mean over all {_amount(result.held_mean_s)} s, "
        f"longest {_amount(result.held_max_s)}" + _needless(result),
        *(_roaming(result) if isinstance(result, MobileResult) else _packets(run.parameters, result)),
    ]
    if result.delay_mean_s is None and result.deliveries:
        lines.append(f"  (nothing was measured: all deliveries were part of the warm-up of {run.parameters.warmup:,})")
    if result.state_bytes_mean is not None:
        whose = "process" if isinstance(result, Result) else "station"
        lines.append(
            f"  state      {_amount(result.state_bytes_mean)} bytes per {whose} (most {result.state_bytes_max:,})"
        )
    if run.out is not None:
        size = Path(run.out).stat().st_size
        lines.append(f"  trace      {run.out}: {events.count:,} events, {size:,} bytes; next: antecede check {run.out}")
    if verdict is not None and verdict.found:
        lines += ["", f"  {explain(events.kept, verdict.found[0]).words}", f"  To replay this run: {run.replay}"]
    return "\n".join(lines)


def _title(parameters: Parameters | MobileParameters) -> str:
    info = parameters.info
    paper = "" if info.paper == "-" else f" ({info.paper})"
    among = (
        f"{parameters.processes} processes"
        if isinstance(parameters, Parameters)
        else f"{parameters.hosts} hosts, {parameters.stations} stations"
    )
    return f"{info.name}: {info.title}{paper}; {among}, seed {parameters.seed}"


def _packets(parameters: Parameters | MobileParameters, result: Result) -> list[str]:
    assert isinstance(parameters, Parameters)
    return [
        f"  stamp      {_amount(result.entries_mean)} entries (most {result.entries_max:,}), "
        f"{_amount(result.bytes_mean)} bytes (most {result.bytes_max or 0:,}); an entry is {parameters.info.unit}",
        f"  packets    {result.packets:,}, of them {result.control_packets:,} control packets" + _faults(result),
        *([_control(result)] if result.control_packets or result.control_rides else []),
    ]


def _control(result: Result) -> str:
    ride = f"{result.control_rides:,} others rode" if result.control_rides else f"{result.control_answers:,} can ride"
    return (
        f"  control    {result.control_operations:,} sends of control packets, each to one process or more; "
        f"{ride} on an acknowledgement"
    )


def _roaming(result: MobileResult) -> list[str]:
    """Return the lines of the summary about wires, air and hand-offs."""
    said = [
        f"  header     {_amount(result.entries_mean)} entries (most {result.entries_max:,}), "
        f"{_amount(result.header_bytes_mean)} bytes (most {result.header_bytes_max or 0:,}), between stations",
        f"  wires      {result.wire_packets:,} packets; per message {_amount(result.packets_per_message)} that carry "
        f"it, {_amount(result.passed_on_per_message)} forwarded, {_amount(result.extra_per_message)} others",
        f"  air        {result.air_packets:,} packets; {result.air_lost:,} lost, or too late for a host that had left",
        f"  roaming    {result.moves:,} moves, {result.disconnections:,} disconnections, {result.handoffs:,} hand-offs",
    ]
    said.append(
        f"  hosts      {_amount(result.host_sent_bytes_mean)} bytes sent and {_amount(result.host_received_bytes_mean)}"
        f" received on the air by each; {_amount(result.host_energy_mean)} units of energy (most "
        f"{_amount(result.host_energy_max)}), {_amount(result.host_steps_mean)} steps for a message sent or delivered"
    )
    if result.handoffs:
        said.append(
            f"  hand-off   {_amount(result.handoff_messages)} messages, {_amount(result.handoff_bytes)} bytes, "
            f"{_amount(result.handoff_mean_s)} s from entering to welcome (longest {_amount(result.handoff_max_s)})"
        )
    if result.beacons:
        said.append(
            f"  beacons    {result.beacons:,} of {_amount(result.beacon_bytes / result.beacons)} bytes; a host notices "
            f"its cell after {_amount(result.notice_mean_s)} s (longest {_amount(result.notice_max_s)})"
        )
    if result.dropped:
        said.append(f"  dropped    {result.dropped:,} deliveries to hosts that were away")
    return said


def _verdict(run: FinishedRun) -> str:
    events, verdict = run.events, run.verdict
    if verdict is None:
        return f"not judged: {events.count:,} events exceed the limit (--judge-max {events.limit})"
    if not verdict.deliveries:
        return "undecidable: nothing was delivered"
    if not verdict.violations:
        return "holds: no message was delivered before one that may have caused it"
    promise = "" if run.is_causal else f"; {run.parameters.info.name} does not guarantee causal order"
    return f"violated: {verdict.violations:,} of {verdict.deliveries:,} deliveries overtook a cause{promise}"


def _undelivered(run: FinishedRun) -> str:
    result = run.result
    if not result.undelivered:
        return "; no message is left undelivered"
    why = " when the run ended" if run.parameters.deliveries is not None else ", though the network is at rest"
    return f"; {result.undelivered:,} still to be delivered{why}"


def _needless(result: Result | MobileResult) -> str:
    if result.needless_share is None:
        return ""
    return f"; {_percent(result.needless_share)} needlessly, mean over all {_amount(result.needless_mean_s)} s"


def _faults(result: Result) -> str:
    counted = (
        (result.lost, "lost"),
        (result.duplicated, "duplicated by the network"),
        (result.retransmitted, "sent again"),
        (result.acknowledgements, "acknowledgements of the transport"),
    )
    return "".join(f"; {count:,} {what}" for count, what in counted if count)


def _amount(value: float | None) -> str:
    """Return a number in a short form."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.4g}"


def _percent(share: float | None) -> str:
    """Return a share in percent."""
    return "-" if share is None else f"{100 * share:.1f} %"
