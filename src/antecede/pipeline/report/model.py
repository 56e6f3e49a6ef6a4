"""Define the findings of a check, as plain values that a report draws: frozen, comparable, and without Spark.

The pipeline fills these values and `antecede.web` draws them. Names and texts come from other people's logs and can be
long or hostile, so a page must cut and escape them. Every list is bounded. If a list is only a part of the whole, a
count of the whole is beside it.

Seconds are floats on the source's own clock. `None` means that the source does not give the value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from antecede.judge.events import Event
from antecede.judge.rule import VIOLATED

Role = Literal["overtaken", "overtaking", "witness", "context"]


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """One execution and its own verdict: a row of `schema.RUNS`, with the same names."""

    run: str
    verdict: str
    reason: str | None
    events: int
    processes: int
    messages: int
    deliveries: int
    violations: int
    overtaken: int
    lost: int
    duplicates: int
    spurious: int
    early: int
    windows: int
    one_task: str | None
    basis: str = "messages"
    causal_witness: str | None = None
    fifo: str | None = None
    fifo_witness: str | None = None
    agreed: str | None = None
    agreed_witness: str | None = None
    synchronous: str | None = None
    synchronous_witness: str | None = None


@dataclass(frozen=True, slots=True)
class OrderAnswer:
    """The verdict on one order of a trace, and how many runs violate it.

    `words` are a witness of a violation, or the reason why the order is undecidable.
    """

    order: str
    verdict: str
    violated_runs: int
    words: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The verdict on a trace, and the counts. The verdict is about the order `required`.

    `basis` says what the verdict rests on: "messages", "clocks", or "messages and clocks". If it is "clocks",
    deliveries are receives, and violations are the receives that came late by the vector clocks. `sums` adds up the
    counts of all runs. `runs` are some of the runs, the worst first. If `complete` is false, some rows of the input
    were refused, and the verdict is about the others.
    """

    verdict: str
    reason: str
    complete: bool
    run_count: int
    sums: Mapping[str, int]
    runs: tuple[RunAnswer, ...]
    basis: str = "messages"
    required: str = "causal"
    orders: tuple[OrderAnswer, ...] = ()

    def verdict_on(self, order: str) -> str:
        """Return the verdict on one of the orders, whichever is required."""
        return next(one.verdict for one in self.orders if one.order == order)

    def witness_of(self, order: str) -> str | None:
        """Return words that say how an order is violated, or None if it is not."""
        return next((one.words for one in self.orders if one.order == order and one.verdict == VIOLATED), None)


@dataclass(frozen=True, slots=True)
class LoggedEvent(Event):
    """An event, and its place in the input: the name of the file, and the line or row in it, counted from 1."""

    file: str | None = None
    line: int | None = None


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
    direct cause of the next (the next event of the same process, or the deliver of the message just sent). The chain is
    empty if it could not be fetched, and `words` then say why. `events` and `messages` are those that a diagram shows,
    including those of the chain. `sender` sent the overtaking message. `titles` says what messages are about, by id
    (`report.message_names`).
    """

    run: str
    process: str
    index: int
    overtaking: str
    overtaken: str
    overtaken_count: int
    words: str
    chain: tuple[LoggedEvent, ...] = ()
    events: tuple[LoggedEvent, ...] = ()
    messages: tuple[MessageArrow, ...] = ()
    late_seconds: float | None = None
    sender: str = ""
    titles: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def steps(self) -> tuple[LoggedEvent, ...]:
        """Return the events that prove the violation: the chain, and the delivers in the wrong order."""
        return (*self.chain, *self.delivers)

    @property
    def delivers(self) -> tuple[LoggedEvent, ...]:
        """Return the delivers in the wrong order, as far as they are among the events.

        The first is that of the overtaking message, and the second is the next one of the overtaken message.
        """
        here = sorted((event for event in self.events if event.process == self.process), key=lambda event: event.index)
        first = [event for event in here if event.index == self.index]
        late = [event for event in here if event.index > self.index and event.message == self.overtaken]
        of_kind = [event for event in late if first and event.kind == first[0].kind]
        return (*first[:1], *of_kind[:1])


@dataclass(frozen=True, slots=True)
class HistogramBucket:
    """The number of values in [start_s, end_s)."""

    start_s: float
    end_s: float
    count: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """A histogram and its percentiles, as (percent, seconds)."""

    count: int
    mean_s: float | None
    max_s: float | None
    percentiles: tuple[tuple[float, float], ...]
    buckets: tuple[HistogramBucket, ...]


@dataclass(frozen=True, slots=True)
class TimeBucket:
    """The deliveries and violations in [start_s, end_s), by the time of the deliver, and the means that are known."""

    start_s: float
    end_s: float
    deliveries: int
    violations: int
    delay_s_mean: float | None = None
    hold_s_mean: float | None = None
    stamp_bytes_mean: float | None = None


@dataclass(frozen=True, slots=True)
class StampSizes:
    """The size of the control information, added up over all messages that carry any."""

    messages: int
    bytes: int
    bytes_max: int
    entries: int | None


@dataclass(frozen=True, slots=True)
class LinkTotals:
    """The totals of the messages from one process to another, over all runs."""

    sender: str
    process: str
    messages: int
    violations: int
    delay_s_mean: float | None


@dataclass(frozen=True, slots=True)
class ProcessTotals:
    """One process over all runs: its events, and the violations and losses among its deliveries."""

    process: str
    events: int
    sends: int
    deliveries: int
    violations: int
    lost: int
    delay_s_mean: float | None = None
    hold_s_mean: float | None = None


@dataclass(frozen=True, slots=True)
class QuarantinedRow:
    """One row of the input that is not a valid event: a row of `schema.QUARANTINE`."""

    file: str | None
    line: int | None
    reason: str
    row: str | None


@dataclass(frozen=True, slots=True)
class TracePicture:
    """Some events of a run without a violation, and the messages among them, as an example of the trace."""

    run: str
    words: str
    events: tuple[LoggedEvent, ...]
    messages: tuple[MessageArrow, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures that a report shows besides the answer.

    `histograms` are by measure: `delay_s`, `hold_s` and `needless_s`. `links` has the busiest links first.
    `violated_links` has the links with the most violations, and `violated_link_count` is the number of all links with
    violations. `processes` has the worst processes first, then the busiest, and `process_count` is the number of all
    processes. `held` is the number of delivers that were held back after their receive. `reasons` counts all
    quarantined rows by reason.
    """

    histograms: Mapping[str, Histogram] = field(default_factory=dict)
    timeline: tuple[TimeBucket, ...] = ()
    stamps: StampSizes | None = None
    links: tuple[LinkTotals, ...] = ()
    violated_links: tuple[LinkTotals, ...] = ()
    violated_link_count: int = 0
    processes: tuple[ProcessTotals, ...] = ()
    process_count: int = 0
    held: int = 0
    locality: str = ""
    notes: tuple[str, ...] = ()
    skew: tuple[str, ...] = ()
    quarantined: tuple[QuarantinedRow, ...] = ()
    reasons: tuple[tuple[str, int], ...] = ()
    picture: TracePicture | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """The answer of a check, and everything that a page shows besides it.

    `explained` are the worst of all violations, and `stages` are the seconds that each stage of the check took. `plan`
    says in words which tasks read and judged what. `figures` is None if the check had no output folder.
    """

    paths: tuple[str, ...]
    format: str
    notes: tuple[str, ...]
    answer: Answer
    quarantined: int
    explained: tuple[ExplainedViolation, ...]
    stages: tuple[tuple[str, float], ...] = ()
    plan: str = ""
    figures: Figures | None = None

    def as_dict(self) -> dict[str, str | int]:
        """Return the object of `antecede check --json`, which always has at least these keys."""
        found = self.answer
        return {
            "verdict": found.verdict,
            "complete": found.complete,
            "reason": found.reason,
            "basis": found.basis,
            "format": self.format,
            "runs": found.run_count,
            **{name: count for name, count in found.sums.items() if name != "windows"},
            "quarantined": self.quarantined,
            "required": found.required,
            **{one.order: one.verdict for one in found.orders},
            **{f"{one.order}_witness": words for one in found.orders if (words := found.witness_of(one.order))},
        }
