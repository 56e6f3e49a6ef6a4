"""Define the content of a report as plain values: frozen, comparable, and JSON by `as_json`.

`fill` builds these values and `report.render` draws them. Names and texts come from other people's logs and can be long
or hostile, so the page cuts and escapes them and bounds every list (`report.PageLimits`). If a list is only a part of
the whole, a count of the whole is beside it, and the page says so.

Seconds are floats on the source's own clock. `None` means that the source does not give the value. It is never drawn as
zero.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Literal

Verdict = Literal["holds", "violated", "undecidable"]
Role = Literal["overtaken", "overtaking", "witness", "context"]


@dataclass(frozen=True, slots=True)
class CheckCounts:
    """The numbers of `antecede check --json`, with the same names."""

    runs: int
    processes: int
    events: int
    messages: int
    deliveries: int
    violations: int
    overtaken: int
    lost: int
    duplicates: int
    spurious: int
    quarantined: int


@dataclass(frozen=True, slots=True)
class RunRow:
    """One execution and its own verdict."""

    run: str
    verdict: Verdict
    processes: int
    events: int
    messages: int
    deliveries: int
    violations: int
    overtaken: int
    lost: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class EventPoint:
    """One event of a space-time diagram, identified by (process, index)."""

    process: str
    index: int
    kind: str
    message: str | None = None
    time: float | None = None


@dataclass(frozen=True, slots=True)
class MessageArrow:
    """One message of a diagram, drawn from its send to each of `delivers`, which are pairs of (process, index)."""

    id: str
    sender: str
    send_index: int
    delivers: tuple[tuple[str, int], ...]
    role: Role = "context"


@dataclass(frozen=True, slots=True)
class ExplainedViolation:
    """One violating deliver, with its explanation.

    `chain` is the witness: events from the send of the overtaken message to the send of the overtaking one. Each is a
    direct cause of the next (the next event of the same process, or the deliver of the message just sent). `events` and
    `messages` are those that the diagram shows, including those of the chain.
    """

    run: str
    process: str
    overtaken: str
    overtaking: str
    words: str
    chain: tuple[EventPoint, ...]
    events: tuple[EventPoint, ...]
    messages: tuple[MessageArrow, ...]
    overtaken_count: int = 1
    late_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class HistogramBucket:
    """The number of values in [start_seconds, end_seconds)."""

    start_seconds: float
    end_seconds: float
    count: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """A histogram and its percentiles, as (percent, seconds)."""

    count: int
    mean_seconds: float | None
    max_seconds: float | None
    percentiles: tuple[tuple[float, float], ...]
    buckets: tuple[HistogramBucket, ...]


@dataclass(frozen=True, slots=True)
class HoldBackSummary:
    """The wait between receive and deliver. No missing cause explains the needless part of the wait."""

    held: int
    needless: int
    wait: Histogram
    needless_wait: Histogram | None = None


@dataclass(frozen=True, slots=True)
class StampSize:
    """The size of the control information on the messages that carry any."""

    messages: int
    mean_bytes: float
    max_bytes: int
    total_bytes: int
    mean_entries: float | None = None


@dataclass(frozen=True, slots=True)
class TimeBucket:
    """Deliveries and violations whose deliver lies in [start_seconds, end_seconds), and means of what is known."""

    start_seconds: float
    end_seconds: float
    deliveries: int
    violations: int
    delay_seconds: float | None = None
    hold_seconds: float | None = None
    stamp_bytes: float | None = None


@dataclass(frozen=True, slots=True)
class LinkTotals:
    """The totals of the messages from one process to another."""

    sender: str
    receiver: str
    messages: int
    mean_delay_seconds: float | None
    violations: int


@dataclass(frozen=True, slots=True)
class LinkMatrix:
    """The links among `processes`, the busiest of `processes_total`. A pair that is missing had no message."""

    processes: tuple[str, ...]
    processes_total: int
    links: tuple[LinkTotals, ...]


@dataclass(frozen=True, slots=True)
class ProcessRow:
    """One process: its events, and the violations and losses among its deliveries."""

    process: str
    events: int
    sends: int
    deliveries: int
    violations: int
    lost: int
    mean_delay_seconds: float | None = None
    mean_hold_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class QuarantineRow:
    """One row of the input that is not a valid event."""

    file: str
    line: int
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class Quarantine:
    """Some of the quarantined rows, and the number of all of them by reason."""

    rows: tuple[QuarantineRow, ...] = ()
    by_reason: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Computation:
    """The way in which the answer was computed: windows between consistent cuts, and seconds per stage."""

    windows: int
    stages: tuple[tuple[str, float], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TracePicture:
    """Some events of a run without a violation, and the messages among them, as an example of the trace."""

    run: str
    words: str
    events: tuple[EventPoint, ...]
    messages: tuple[MessageArrow, ...]


@dataclass(frozen=True, slots=True)
class ReportData:
    """The content of one report.

    `violations` are the worst of `counts.violations`. `runs`, `processes` and the rows of `quarantine` may also be only
    the first of as many as `counts` says. If `complete` is false, some rows of the input were refused, and the verdict
    is about the others.
    """

    title: str
    source: str
    format: str
    verdict: Verdict
    reason: str
    counts: CheckCounts
    runs: tuple[RunRow, ...] = ()
    violations: tuple[ExplainedViolation, ...] = ()
    delay: Histogram | None = None
    hold_back: HoldBackSummary | None = None
    stamp: StampSize | None = None
    timeline: tuple[TimeBucket, ...] = ()
    links: LinkMatrix | None = None
    processes: tuple[ProcessRow, ...] = ()
    quarantine: Quarantine = Quarantine()
    complete: bool = True
    skew: tuple[str, ...] = ()
    locality: str = ""
    computation: Computation | None = None
    written: str = ""
    picture: TracePicture | None = None


def as_json(data: ReportData) -> str:
    """Return the report's data as one JSON object. A number that JSON cannot express becomes null."""
    return json.dumps(_replace_non_finite(asdict(data)), ensure_ascii=True, allow_nan=False)


def _replace_non_finite(value: object) -> object:
    """Return the value with every infinite or undefined number replaced by None."""
    match value:
        case float() if not isfinite(value):
            return None
        case dict():
            return {key: _replace_non_finite(item) for key, item in value.items()}
        case list() | tuple():
            return [_replace_non_finite(item) for item in value]
    return value
