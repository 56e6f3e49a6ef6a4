"""Reports to draw in tests: one violation known by heart, and a busy one found in a random execution.

The known one: a sends m1 to b and then m2 to c; c delivers m2 and sends m3 to b; b delivers m3 before m1.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import replace
from itertools import pairwise
from typing import Any

from antecede.judge.events import Event
from antecede.judge.judge import COUNTS
from antecede.pipeline.report.model import (
    Answer,
    ExplainedViolation,
    Figures,
    Histogram,
    HistogramBucket,
    LinkTotals,
    MessageArrow,
    ProcessTotals,
    QuarantinedRow,
    Report,
    RunAnswer,
    StampSizes,
    TimeBucket,
)


def event(
    process: str, index: int, kind: str, message: str | None = None, time: float | None = None, *, run: str = "run-1"
) -> Event:
    return Event(run, process, index, kind, time, message)


KNOWN_EVENTS = (
    event("a", 0, "send", "m1", 0.000),
    event("a", 1, "send", "m2", 0.010),
    event("c", 0, "deliver", "m2", 0.031),
    event("c", 1, "send", "m3", 0.033),
    event("b", 0, "deliver", "m3", 0.052),
    event("b", 1, "deliver", "m1", 0.120),
)
KNOWN = ExplainedViolation(
    run="run-1",
    process="b",
    index=0,
    overtaken="m1",
    overtaking="m3",
    overtaken_count=1,
    words="b delivered m3 before m1, m1 being first: a sent m1, then m2 to c, and c sent m3 after delivering m2",
    chain=KNOWN_EVENTS[:4],
    events=KNOWN_EVENTS,
    messages=(
        MessageArrow("m1", "a", 0, (("b", 1),), "overtaken"),
        MessageArrow("m2", "a", 1, (("c", 0),), "witness"),
        MessageArrow("m3", "c", 1, (("b", 0),), "overtaking"),
    ),
    late_seconds=0.068,
)


def answer(verdict: str, reason: str, *counts: int, complete: bool = True, runs: tuple[RunAnswer, ...] = ()) -> Answer:
    """Return an answer with the counts of `COUNTS` up to `spurious`; nothing is early, and there are eight windows."""
    names = [name for name in COUNTS if name != "quarantined"]
    named = dict(zip(names, counts, strict=True))
    return Answer(verdict, reason, complete, named.pop("runs"), {**named, "early": 0, "windows": 8}, runs)


def run_answer(run: str, verdict: str, *counts: int, reason: str | None = None) -> RunAnswer:
    """Return a run with these numbers of processes, events, messages, deliveries, violations, overtaken and lost."""
    names = ("processes", "events", "messages", "deliveries", "violations", "overtaken", "lost")
    others: dict[str, Any] = {"duplicates": 0, "spurious": 0, "early": 0, "windows": 1} | dict(
        zip(names, counts, strict=True)
    )
    return RunAnswer(run, verdict, reason, one_task=None, **others)


def known_report() -> Report:
    """The report of the known violation; everything the trace does not tell is left out."""
    return Report(
        paths=("three.jsonl",),
        format="antecede",
        notes=(),
        answer=answer("violated", "1 of 3 deliveries came before one of its causes.", 1, 3, 6, 3, 3, 1, 1, 0, 0, 0),
        quarantined=0,
        explained=(KNOWN,),
    )


def small(verdict: str, reason: str, *, complete: bool = True) -> Report:
    """Return a report without violations."""
    found = answer(verdict, reason, 1, 3, 6, 3, 3, 0, 0, 0, 0, 0, complete=complete)
    return replace(known_report(), answer=found, explained=())


class Execution:
    """A random execution without any ordering, from a seed: processes, messages to several, delays that reorder."""

    def __init__(self, seed: int, processes: int, sends: int) -> None:
        chance = random.Random(seed)
        self.names = [f"shop-{number:02d}" for number in range(processes)]
        self.lines: dict[str, list[Event]] = {name: [] for name in self.names}
        self.sent: dict[str, tuple[str, int]] = {}
        self.delivered: dict[str, list[tuple[str, int]]] = {}
        agenda: list[tuple[float, str, str]] = []
        clock = 0.0
        for serial in range(sends):
            clock += chance.expovariate(200)
            agenda.sort(reverse=True)
            while agenda and agenda[-1][0] <= clock:
                self._deliver(*agenda.pop())
            sender, message = chance.choice(self.names), f"order-{serial:04x}"
            self.sent[message] = (sender, self._add(sender, "send", message, clock))
            self.delivered[message] = []
            others = chance.sample([name for name in self.names if name != sender], chance.choice((1, 1, 2, 3)))
            agenda.extend((clock + 0.004 + chance.expovariate(22), to, message) for to in others)
        for item in sorted(agenda):
            self._deliver(*item)

    def _add(self, process: str, kind: str, message: str, time: float) -> int:
        line = self.lines[process]
        line.append(event(process, len(line), kind, message, round(1_760_000_000 + time, 6)))
        return len(line) - 1

    def _deliver(self, time: float, process: str, message: str) -> None:
        self.delivered[message].append((process, self._add(process, "deliver", message, time)))

    def chains(self, start: tuple[str, int]) -> dict[tuple[str, int], tuple[str, int] | None]:
        """For every event that `start` happened before: its parent on a shortest chain from `start`."""
        parent: dict[tuple[str, int], tuple[str, int] | None] = {start: None}
        queue = deque([start])
        while queue:
            process, index = here = queue.popleft()
            event = self.lines[process][index]
            after = list(self.delivered[str(event.message)]) if event.kind == "send" else []
            if index + 1 < len(self.lines[process]):
                after.append((process, index + 1))
            for name in after:
                if name not in parent:
                    parent[name] = here
                    queue.append(name)
        return parent

    def violations(self) -> list[ExplainedViolation]:
        found = []
        for overtaken, start in self.sent.items():
            parent = self.chains(start)
            for at, late in self.delivered[overtaken]:
                for event in self.lines[at][:late]:
                    origin = self.sent[str(event.message)]
                    if event.kind == "deliver" and origin in parent and origin != start:
                        found.append(self._violation(overtaken, event, late, parent))
        return sorted(found, key=lambda violation: -(violation.late_seconds or 0))

    def _violation(
        self, overtaken: str, first: Event, late: int, parent: dict[tuple[str, int], tuple[str, int] | None]
    ) -> ExplainedViolation:
        overtaking, at = str(first.message), first.process
        chain: list[Event] = []
        step: tuple[str, int] | None = self.sent[overtaking]
        while step is not None:
            chain.insert(0, self.lines[step[0]][step[1]])
            step = parent[step]
        around = {(event.process, event.index) for event in chain} | {(at, first.index), (at, late)}
        near = sorted({(p, i + d) for p, i in around for d in (-1, 0, 1) if 0 <= i + d < len(self.lines[p])})
        events = tuple(self.lines[process][index] for process, index in near)
        wait = (self.lines[at][late].time or 0) - (first.time or 0)
        via = " to ".join(dict.fromkeys(event.process for event in chain))
        words = f"{at} delivered {overtaking} before {overtaken}, although {overtaken} came first: from {via}"
        arrows = tuple(self._arrow(message, set(near), chain, overtaken, overtaking) for message in self._drawn(events))
        return ExplainedViolation(
            run="run-1",
            process=at,
            index=first.index,
            overtaking=overtaking,
            overtaken=overtaken,
            overtaken_count=1,
            words=words,
            chain=tuple(chain),
            events=events,
            messages=arrows,
            late_seconds=round(wait, 6),
        )

    def _drawn(self, events: tuple[Event, ...]) -> list[str]:
        return sorted({str(event.message) for event in events})

    def _arrow(
        self, message: str, near: set[tuple[str, int]], chain: list[Event], overtaken: str, overtaking: str
    ) -> MessageArrow:
        sender, index = self.sent[message]
        ends = tuple(end for end in self.delivered[message] if end in near)
        on_chain = {event.message for event in chain if event.kind == "deliver"}
        if message == overtaken:
            return MessageArrow(message, sender, index, ends, "overtaken")
        if message == overtaking:
            return MessageArrow(message, sender, index, ends, "overtaking")
        return MessageArrow(message, sender, index, ends, "witness" if message in on_chain else "context")


def distribution(values: list[float]) -> Histogram:
    """Buckets that grow by a quarter, as the pipeline's do."""
    ordered = sorted(values)
    edges = [ordered[0]]
    while edges[-1] <= ordered[-1]:
        edges.append(edges[-1] * 1.26)
    buckets = tuple(
        HistogramBucket(low, high, sum(low <= value < high for value in ordered)) for low, high in pairwise(edges)
    )
    percentiles = tuple((float(part), ordered[len(ordered) * part // 100]) for part in (50, 90, 99))
    return Histogram(len(ordered), sum(ordered) / len(ordered), ordered[-1], percentiles, buckets)


def busy_report(seed: int = 7) -> Report:
    """A report with every part filled in; its figures come from the execution or from the same seed."""
    world = Execution(seed, 20, 400)
    violations = world.violations()
    chance = random.Random(seed)
    delivers = sum(map(len, world.delivered.values()))
    sends = {message: world.lines[where][index].time or 0.0 for message, (where, index) in world.sent.items()}
    ends = {end: message for message, found in world.delivered.items() for end in found}
    waits = {(where, index): (world.lines[where][index].time or 0.0) - sends[m] for (where, index), m in ends.items()}
    delay = distribution(list(waits.values()))
    hold = distribution([wait / 5 for wait in waits.values() if wait > 0.08])
    needless = distribution([wait / 5 for wait in waits.values() if wait > 0.12])
    links = tuple(
        LinkTotals(one, two, chance.randrange(1, 1400), chance.choice((0, 0, 0, 1, 3)), chance.uniform(0.004, 0.05))
        for one in world.names
        for two in world.names
        if one != two and chance.random() < 0.7
    )
    rows = tuple(
        ProcessTotals(name, len(line), 20, len(line) - 20, chance.randrange(9), 0, chance.uniform(0.01, 0.03), 0.006)
        for name, line in world.lines.items()
    )
    start = 1_760_000_000.0
    found = len(violations)
    return Report(
        paths=("/var/log/orders/2026-05-12/*.jsonl.gz",),
        format="antecede",
        notes=("Read as antecede JSON Lines.",),
        answer=answer(
            "violated",
            f"{found:,} of {delivers:,} deliveries came before one of their causes.",
            *(2, 20, delivers + 400, 400, delivers, found, found + 31, 3, 1, 0),
            runs=(
                run_answer("run-1", "violated", 20, delivers, 350, delivers - 40, found, found + 31, 3),
                run_answer("run-2", "undecidable", 20, 80, 50, 40, 0, 0, 0, reason="happened-before has a cycle"),
            ),
        ),
        quarantined=12_345,
        explained=tuple(violations),
        stages=(("read", 1.2), ("normalise", 0.8), ("stamp", 2.1), ("verify", 1.9), ("explain", 0.4)),
        figures=Figures(
            histograms={"delay_s": delay, "hold_s": hold, "needless_s": needless},
            timeline=tuple(
                TimeBucket(
                    start + step / 20,
                    start + (step + 1) / 20,
                    chance.randrange(20, 40),
                    chance.randrange(8),
                    chance.random() / 50,
                    chance.random() / 90,
                    90 + step,
                )
                for step in range(40)
            ),
            stamps=StampSizes(400, 32_600, 410, 3_700),
            links=links,
            processes=rows,
            process_count=20,
            held=hold.count,
            locality="11 of 20 processes talk to at most 3 others; local clocks need 31 % of a full vector.",
            skew=("shop-03 is behind shop-07 by at least 12 ms: 41 delivers precede their sends.",),
            quarantined=tuple(
                QuarantinedRow("orders-eu.jsonl.gz", 17 * n, "unknown kind", '{"kind": "sent", "process": 3}')
                for n in range(80)
            ),
            reasons=(("unknown kind", 12_000), ("index is negative", 345)),
        ),
    )


def poisoned(text: str) -> Report:
    """Return a report in which every string is `text`."""
    violation = replace(
        KNOWN,
        run=text,
        process=text,
        overtaken=text,
        words=text,
        events=(event(text, 0, text, text, run=text), event(text, 1, "deliver", text, run=text)),
        chain=(event(text, 0, "send", text, run=text),),
        messages=(MessageArrow(text, text, 0, ((text, 1),), "overtaken"),),
    )
    data = busy_report()
    assert data.figures is not None
    figures = replace(
        data.figures,
        locality=text,
        notes=(text,),
        skew=(text,),
        links=(LinkTotals(text, text, 3, 1, None),),
        processes=tuple(replace(row, process=text) for row in data.figures.processes),
        process_count=1,
        quarantined=(QuarantinedRow(text, 1, text, text),),
        reasons=((text, 1),),
    )
    runs = (replace(run_answer(text, "violated", 1, 1, 1, 1, 1, 1, 1, reason=text), one_task=text),)
    return replace(
        data,
        paths=(text,),
        format=text,
        notes=(text,),
        answer=replace(data.answer, reason=text, runs=runs),
        explained=(violation,) * 3,
        stages=((text, 1.0),),
        figures=figures,
    )


def long_chain(hops: int) -> ExplainedViolation:
    """Return a violation: a chain of `hops` messages, through as many processes, overtakes the message m0."""
    events, arrows = [event("p0", 0, "send", "m0")], []
    for hop in range(1, hops + 1):
        sender = f"p{hop - 1}"
        events += [event(sender, 1, "send", f"m{hop}"), event(f"p{hop}", 0, "deliver", f"m{hop}")]
        arrows.append(MessageArrow(f"m{hop}", sender, 1, ((f"p{hop}", 0),), "witness"))
    end = f"p{hops}"
    late = event(end, 1, "deliver", "m0")
    arrows = [
        MessageArrow("m0", "p0", 0, ((end, 1),), "overtaken"),
        *arrows[:-1],
        replace(arrows[-1], role="overtaking"),
    ]
    return ExplainedViolation(
        run="",
        process=end,
        index=0,
        overtaking=f"m{hops}",
        overtaken="m0",
        overtaken_count=1,
        words="",
        chain=tuple(events[:-1]),
        events=(*events, late),
        messages=tuple(arrows),
    )
