"""Judge whether every message was delivered in causal order, from the events alone.

Happened-before is the order of `index` inside a process, and the order from each send to each deliver of the same
message. The judge walks each run along that relation. It keeps the explicit past of every process and of every message
in flight (`antecede.judge.pasts`). Take the first deliver of a message m2 at a process that m2 was sent to. The judge
asks which messages of m2's past were sent to this process too and are delivered there only later: m2 has overtaken
those messages.

`antecede.judge.rule` says how the verdicts on the runs, and the number of refused rows, become the verdict on the
trace.

The cost is one pass over the events, with a few set operations at each send and at each first deliver. A set has one
bit per message sent so far, so the time is linear in events times messages, with a small factor. The judge holds one
set for each process and for each message in flight.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, islice

from antecede.core.errors import Misuse
from antecede.judge.cycle import describe_cycle
from antecede.judge.events import Event, RefusedRow
from antecede.judge.pasts import Pasts
from antecede.judge.rule import (
    HOLDS,
    NO_DELIVER,
    NO_IDENTITY,
    NO_MESSAGE,
    NO_SEND,
    NO_SHARED_ID,
    QUARANTINE_MAX,
    UNDECIDABLE,
    VIOLATED,
    Coverage,
    check_quarantine_max,
    combine_verdicts,
)
from antecede.judge.trace import Run, arrange, message_of, sift, walk

LISTED_MAX = 1_000
COUNTS = (
    "runs",
    "processes",
    "events",
    "messages",
    "deliveries",
    "violations",
    "overtaken",
    "lost",
    "duplicates",
    "spurious",
    "quarantined",
)


@dataclass(frozen=True, slots=True)
class Violation:
    """A deliver of `message`, at `index` of `process`, that overtook `overtaken_count` other messages.

    `overtaken` names these messages in an order that respects happened-before, up to the limit of the judge.
    """

    run: str
    process: str
    index: int
    message: str
    overtaken: tuple[str, ...]
    overtaken_count: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a run or a trace, with exact counts and the first of the violations.

    `found` lists violations in the order of (run, process, index). `reasons` says why the trace is undecidable: first
    that too little was read, if so, then one reason for each run that cannot be judged. `quarantine` holds the rows
    that contradict an earlier row.
    """

    verdict: str
    runs: int = 0
    processes: int = 0
    events: int = 0
    messages: int = 0
    deliveries: int = 0
    violations: int = 0
    overtaken: int = 0
    lost: int = 0
    duplicates: int = 0
    spurious: int = 0
    quarantined: int = 0
    reasons: tuple[str, ...] = ()
    found: tuple[Violation, ...] = ()
    quarantine: tuple[RefusedRow, ...] = ()

    @property
    def complete(self) -> bool:
        """Return whether every row of the input was a valid event."""
        return not self.quarantined

    def as_dict(self) -> dict[str, str | int]:
        """Return the verdict and the counts by name, as `--json` prints them."""
        counts = {name: getattr(self, name) for name in COUNTS}
        return {"verdict": self.verdict, "complete": self.complete, **counts}


def judge(
    events: Iterable[Event],
    *,
    quarantined: int = 0,
    quarantine_max: float = QUARANTINE_MAX,
    listed_max: int = LISTED_MAX,
) -> Verdict:
    """Return the verdict on a trace.

    `quarantined` is the number of rows that reading refused; rows that judging refuses are added to it. If their share
    of all rows is more than `quarantine_max`, and nothing is violated, the trace is undecidable. At most `listed_max`
    violations, overtaken messages of each, reasons and quarantined rows are listed.
    """
    if quarantined < 0 or listed_max < 0:
        raise Misuse(f"quarantined is {quarantined} and listed_max is {listed_max}: give 0 or more for both")
    check_quarantine_max(quarantine_max)
    kept, quarantine = sift(events)
    each = [judge_run(run, listed_max=listed_max) for run in arrange(kept)]
    totals = {name: sum(getattr(one, name) for one in each) for name in COUNTS}
    totals["quarantined"] = quarantined + len(quarantine)
    too_little = Coverage(totals["events"], totals["quarantined"]).why_too_little(quarantine_max)
    reasons = chain([too_little] if too_little else [], chain.from_iterable(one.reasons for one in each))
    return Verdict(
        verdict=combine_verdicts([one.verdict for one in each], too_little=too_little),
        **totals,
        reasons=tuple(islice(reasons, listed_max)),
        found=tuple(islice(chain.from_iterable(one.found for one in each), listed_max)),
        quarantine=tuple(quarantine[:listed_max]),
    )


def judge_run(run: Run, *, listed_max: int = LISTED_MAX) -> Verdict:
    """Return the verdict on one run of a trace that has been sifted and arranged."""
    outcome = _find_violations(run, listed_max)
    reason = outcome if isinstance(outcome, str) else find_unpaired_reason(run)
    violations, overtaken, found = (0, 0, []) if isinstance(outcome, str) else outcome
    deliveries = sum(run.is_deliver(event) for event in run.events)
    return Verdict(
        verdict=VIOLATED if violations else UNDECIDABLE if reason else HOLDS,
        runs=1,
        processes=len(run.processes),
        events=len(run.events),
        messages=len(run.sends),
        deliveries=deliveries,
        violations=violations,
        overtaken=overtaken,
        lost=sum((message, dest) not in run.firsts for message, dests in run.dests.items() for dest in dests),
        duplicates=deliveries - len(run.firsts),
        spurious=sum(not run.is_addressed(message, process) for message, process in run.firsts),
        reasons=(f"run {run.name!r}: {reason}",) if reason else (),
        found=tuple(found),
    )


def _find_violations(run: Run, listed_max: int) -> tuple[int, int, list[Violation]] | str:
    """Return the number of violations, the number of overtaken messages, and the first violations.

    If happened-before has a cycle, return the words that describe the cycle instead.
    """
    pasts = Pasts(run)
    violations = overtaken = walked = 0
    found: list[Violation] = []
    for event in walk(run):
        walked += 1
        if event.kind == "send":
            pasts.record_send(event)
        elif run.is_first(event):
            late = pasts.record_deliver(event)
            if late:
                violations += 1
                overtaken += late.bit_count()
                _keep_first(found, event, late, pasts, listed_max)
    return (violations, overtaken, found) if walked == len(run.events) else describe_cycle(run)


def _keep_first(found: list[Violation], event: Event, late: int, pasts: Pasts, listed_max: int) -> None:
    """Add the violation at `event` to `found` if it is among the first `listed_max` by process and index.

    The walk does not visit the events in that order, so a violation that was added earlier may be removed again.
    """
    position = (event.process, event.index)
    if len(found) >= listed_max and (not found or position > _position(found[-1])):
        return
    names = tuple(islice(pasts.members(late), listed_max))
    insort(found, Violation(event.run, *position, message_of(event), names, late.bit_count()), key=_position)
    del found[listed_max:]


def _position(violation: Violation) -> tuple[str, int]:
    return violation.process, violation.index


def find_unpaired_reason(run: Run) -> str | None:
    """Return why no message has both a send and a deliver, or None if one has both."""
    if any(message in run.sends for message, _ in run.firsts):
        return None
    if run.sends:
        return NO_SHARED_ID if run.firsts else NO_DELIVER
    if run.firsts:
        return NO_SEND
    return NO_IDENTITY if any(event.kind == "internal" for event in run.events) else NO_MESSAGE
