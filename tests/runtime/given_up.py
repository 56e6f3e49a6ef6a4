"""Which violations of order are due to a process that was given up, and which are not.

An algorithm need not name every message that must come first: if x precedes m, and both go to p, it is enough that m
names x, and x names what precedes x. If the sender of x is given up before p has x, nobody waits for x any more, nor
for what only x named. So m may overtake x, and what precedes x. A process counts what it has delivered of each sender,
so it does not wait for what was overtaken. Nothing else may be overtaken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from antecede.judge.events import Event
from antecede.judge.judge import Violation


def unexplained(events: Sequence[Event], found: Iterable[Violation], gone: str) -> list[tuple[Violation, str]]:
    """Return the violations, each with an overtaken message, that are not due to a missing message of `gone`."""
    past = pasts(events)
    of_gone = {
        str(event.message): event.dests or () for event in events if (event.process, event.kind) == (gone, "send")
    }
    left: list[tuple[Violation, str]] = []
    explained: set[tuple[str, str]] = set()
    for violation in sorted(found, key=lambda violation: violation.index):
        at = violation.process
        had = {event.message for event in events if _is_delivery_before(event, at, violation.index)}
        missing = {
            message for message in past[violation.message] - had if message in of_gone and at in of_gone[message]
        }
        stood_for = missing.union(*(past[message] for message in missing))
        explained |= {(at, overtaken) for overtaken in violation.overtaken if overtaken in stood_for}
        left += [(violation, overtaken) for overtaken in violation.overtaken if (at, overtaken) not in explained]
    return left


def _is_delivery_before(event: Event, process: str, index: int) -> bool:
    return event.kind == "deliver" and event.process == process and event.index < index


def pasts(events: Iterable[Event]) -> Mapping[str, set[str]]:
    """Return the messages that precede each message."""
    by_process: dict[str, list[Event]] = {}
    for event in sorted(events, key=lambda event: event.index):
        if event.kind in ("send", "deliver"):
            by_process.setdefault(event.process, []).append(event)
    known: dict[str, set[str]] = {process: set() for process in by_process}
    past: dict[str, set[str]] = {}
    moved = True
    while moved:
        moved = False
        for process, waiting in by_process.items():
            while waiting and (waiting[0].kind == "send" or waiting[0].message in past):
                message = str(waiting[0].message)
                if waiting.pop(0).kind == "send":
                    past[message] = set(known[process])
                known[process] |= past[message] | {message}
                moved = True
    assert not any(by_process.values()), "a message was delivered that nobody sent"
    return past
