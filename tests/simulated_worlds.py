"""Hold a run of the simulator to its oracle and to the judge, and draw it if it fails."""

from __future__ import annotations

from antecede.judge.judge import judge
from antecede.sim.measure.metrics import RunResult
from antecede.sim.trace import TraceRow, as_event
from tests.oracle import Broken
from tests.replay import Drawing, describe_event


def start_drawing() -> list[TraceRow]:
    """Return an empty list for the rows of a trace, and begin the drawing of what will be in it."""
    rows: list[TraceRow] = []
    Drawing(lambda: [describe_event(as_event("r", row)) for row in rows])
    return rows


def check_run(result: RunResult, rows: list[TraceRow], *, dropped: int, inhibits: bool) -> None:
    """Raise `Broken` if the oracle of a run or the judge of its trace objects.

    `dropped` deliveries may be missing. If the algorithm `inhibits`, messages may wait for nothing.
    """
    if result.violations or result.undelivered:
        raise Broken(f"{result.violations} deliveries before a predecessor, {result.undelivered} never delivered")
    if result.needless_share and not inhibits:
        raise Broken(f"{result.needless_share:.1%} of the deliveries waited for nothing")
    verdict = judge([as_event("r", row) for row in rows])
    if verdict.duplicates or verdict.spurious or verdict.quarantined or verdict.violations:
        raise Broken(f"the judge sees {verdict.as_dict()}, and the oracle nothing")
    if verdict.lost != dropped:
        raise Broken(f"the judge sees {verdict.lost} lost, where {dropped} were dropped")
