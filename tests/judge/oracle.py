"""The definition of causal delivery, spelled out with plain sets and no thought for speed.

Written from the definitions alone, as a second opinion for the tests: happened-before is built as a set of pairs
and closed by following it; every count is a comprehension over that. It shares no code with the judge but the event.
"""

from collections import deque
from functools import cached_property

from antecede.judge.events import Event

Pairs = set[tuple[Event, Event]]


def sifted(events: list[Event]) -> list[Event]:
    """Of rows with one position the first, and of sends of one message among those the first."""
    once = [e for i, e in enumerate(events) if not any(same_position(e, f) for f in events[:i])]
    return [
        e
        for i, e in enumerate(once)
        if e.kind != "send" or not any((f.run, f.kind, f.message) == (e.run, "send", e.message) for f in once[:i])
    ]


def same_position(e: Event, f: Event) -> bool:
    return (e.run, e.process, e.index) == (f.run, f.process, f.index)


class Oracle:
    """One run, after sifting."""

    def __init__(self, events: list[Event]) -> None:
        self.events = events
        self.sends = [e for e in events if e.kind == "send"]
        kind = "deliver" if any(e.kind == "deliver" for e in events) else "receive"
        self.delivers = [e for e in events if e.kind == kind]
        self.firsts = [
            e
            for e in self.delivers
            if not any((f.message, f.process) == (e.message, e.process) and f.index < e.index for f in self.delivers)
        ]
        self.before = self.closure()
        self.cyclic = any((e, e) in self.before for e in events)

    def closure(self) -> Pairs:
        direct = {e: {f for f in self.events if self.leads(e, f)} for e in self.events}
        return {(e, f) for e in self.events for f in reachable(direct, e)}

    def leads(self, e: Event, f: Event) -> bool:
        in_process = e.process == f.process and e.index < f.index
        return in_process or (e in self.sends and f in self.delivers and e.message == f.message)

    def send_of(self, message: str | None) -> Event | None:
        return next((e for e in self.sends if e.message == message), None)

    def addressed(self, deliver: Event) -> bool:
        send = self.send_of(deliver.message)
        return send is not None and deliver.process in (send.dests or ())

    @cached_property
    def triples(self) -> list[tuple[Event, Event, Event]]:
        """(send of m1, send of m2, first deliver of m2): m2 overtook m1 there."""
        if self.cyclic:
            return []
        return [
            (m1, m2, at)
            for at in self.firsts
            for m2 in self.sends
            if m2.message == at.message and self.addressed(at)
            for m1 in self.sends
            if (m1, m2) in self.before
            for late in self.firsts
            if late.message == m1.message and late.process == at.process and self.addressed(late)
            if late.index > at.index
        ]

    def verdict(self) -> str:
        paired = any(self.send_of(e.message) for e in self.delivers)
        if self.triples:
            return "violated"
        return "holds" if paired and not self.cyclic else "undecidable"

    def counts(self) -> dict[str, int]:
        pairs = {(e.message, d) for e in self.sends for d in e.dests or ()}
        return {
            "runs": 1,
            "processes": len({e.process for e in self.events}),
            "events": len(self.events),
            "messages": len(self.sends),
            "deliveries": len(self.delivers),
            "violations": len({at for _, _, at in self.triples}),
            "overtaken": len(self.triples),
            "lost": len(pairs - {(e.message, e.process) for e in self.delivers}),
            "duplicates": len(self.delivers) - len(self.firsts),
            "spurious": len([e for e in self.firsts if not self.addressed(e)]),
        }

    @cached_property
    def links(self) -> dict[Event, set[Event]]:
        """From each send to the sends that are one link after it."""
        return {
            m1: {
                m2
                for m2 in self.sends
                if any(
                    at.message == m1.message and at.process == m2.process and at.index < m2.index
                    for at in [m1, *self.delivers]
                )
            }
            for m1 in self.sends
        }

    def chain_length(self, m1: Event, m2: Event) -> int:
        """The number of messages on the shortest chain from m1 to m2, or round to m1 where they are the same."""
        links = self.links
        ahead = deque([(m1, 1)])
        seen: set[Event] = set()
        while ahead:
            send, length = ahead.popleft()
            for after in links[send] - seen:
                if after == m2:
                    return length + 1
                seen.add(after)
                ahead.append((after, length + 1))
        raise AssertionError(f"{m1} does not lead to {m2}")

    def cycle_length(self) -> int:
        """The number of messages on the shortest cycle."""
        return min(self.chain_length(send, send) for send in self.sends if (send, send) in self.before) - 1


def reachable(direct: dict[Event, set[Event]], start: Event) -> set[Event]:
    found: set[Event] = set()
    ahead = [start]
    while ahead:
        new = direct[ahead.pop()] - found
        found |= new
        ahead.extend(new)
    return found


def runs_of(events: list[Event]) -> dict[str, Oracle]:
    kept = sifted(events)
    return {name: Oracle([e for e in kept if e.run == name]) for name in sorted({e.run for e in kept})}


def verdict_of(events: list[Event]) -> dict[str, str | int]:
    """What `Verdict.as_dict` has to say of these events."""
    runs = runs_of(events).values()
    verdicts = {run.verdict() for run in runs}
    names = ["runs", "processes", "events", "messages", "deliveries", "violations", "overtaken"]
    names += ["lost", "duplicates", "spurious"]
    counts = {name: sum(run.counts()[name] for run in runs) for name in names}
    refused = len(events) - len(sifted(events))
    if not events or 100 * refused > len(events):
        verdicts.add("undecidable")
    overall = next((verdict for verdict in ("violated", "undecidable") if verdict in verdicts), "holds")
    return {"verdict": overall, "complete": not refused, **counts, "quarantined": refused}
