"""What a report says, as plain values: frozen, comparable, and JSON by `as_json`.

The pipeline fills the tree in and `report.render` draws it. Nothing here is trusted to be small or polite: names
and texts come out of other people's logs, so the page cuts and escapes them and bounds every list (`report.Limits`).
Where a list is only a part of the whole, the whole is counted beside it, and the page says so.

Seconds are floats on the source's own clock. `None` means that the source does not say; it is never drawn as zero.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Literal

Verdict = Literal["holds", "violated", "undecidable"]
Role = Literal["overtaken", "overtaking", "witness", "context"]


@dataclass(frozen=True, slots=True)
class Counts:
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
    """One event of a space-time diagram; (process, index) names it."""

    process: str
    index: int
    kind: str
    message: str | None = None
    time: float | None = None


@dataclass(frozen=True, slots=True)
class MessageArrow:
    """One message of a diagram: drawn from its send to each of `delivers`, pairs of (process, index)."""

    id: str
    sender: str
    send_index: int
    delivers: tuple[tuple[str, int], ...]
    role: Role = "context"


@dataclass(frozen=True, slots=True)
class Violation:
    """One violating deliver, explained.

    `chain` is the witness: events from the send of the overtaken message to the send of the overtaking one, each a
    direct cause of the next (the next event of the same process, or the deliver of the message just sent).
    `events` and `messages` are those around it that a reader needs to see, the chain's own among them.
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
class Bucket:
    """How many values lie in [start_seconds, end_seconds)."""

    start_seconds: float
    end_seconds: float
    count: int


@dataclass(frozen=True, slots=True)
class Distribution:
    """A histogram and its percentiles, as (percent, seconds)."""

    count: int
    mean_seconds: float | None
    max_seconds: float | None
    percentiles: tuple[tuple[float, float], ...]
    buckets: tuple[Bucket, ...]


@dataclass(frozen=True, slots=True)
class HoldBack:
    """The wait between receive and deliver; the needless part is the wait that no missing cause explains."""

    held: int
    needless: int
    wait: Distribution
    needless_wait: Distribution | None = None


@dataclass(frozen=True, slots=True)
class StampSize:
    """Control information on the messages that carry any."""

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
class Link:
    """Everything sent by one process and delivered by another."""

    sender: str
    receiver: str
    messages: int
    mean_delay_seconds: float | None
    violations: int


@dataclass(frozen=True, slots=True)
class LinkMatrix:
    """The links among `processes`, the busiest of `processes_total`; an absent pair had no message."""

    processes: tuple[str, ...]
    processes_total: int
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class ProcessRow:
    """One process: what it did, and what went wrong where it delivered."""

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
    """Some quarantined rows, and all of them counted by reason."""

    rows: tuple[QuarantineRow, ...] = ()
    by_reason: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Computation:
    """How the answer was computed: windows between consistent cuts, and seconds per stage."""

    windows: int
    stages: tuple[tuple[str, float], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """Some events of a run that shows no violation, and the messages among them, to see what the trace is like."""

    run: str
    words: str
    events: tuple[EventPoint, ...]
    messages: tuple[MessageArrow, ...]


@dataclass(frozen=True, slots=True)
class ReportData:
    """One report. `violations` are the worst of `counts.violations`; `runs`, `processes` and the rows of
    `quarantine` may likewise be the first of as many as `counts` says. If `complete` is false, some rows of the input
    were refused, and the verdict is about the others."""

    title: str
    source: str
    format: str
    verdict: Verdict
    reason: str
    counts: Counts
    runs: tuple[RunRow, ...] = ()
    violations: tuple[Violation, ...] = ()
    delay: Distribution | None = None
    hold_back: HoldBack | None = None
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
    picture: Picture | None = None


def as_json(data: ReportData) -> str:
    """The report's data as one JSON object; numbers that JSON has no word for become null."""
    return json.dumps(_finite(asdict(data)), ensure_ascii=True, allow_nan=False)


def _finite(value: object) -> object:
    match value:
        case float() if not isfinite(value):
            return None
        case dict():
            return {key: _finite(item) for key, item in value.items()}
        case list() | tuple():
            return [_finite(item) for item in value]
    return value
