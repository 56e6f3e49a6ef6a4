"""Arrange the events of a trace for the judge and its explanations: one `Run` per execution.

`sift` removes the rows that contradict an earlier row of the same trace. `arrange` groups the other rows into runs.
`walk` goes through a run along happened-before: no event comes before an event that it depends on. If that relation has
a cycle, the walk ends early. The events that it did not reach are those on the cycle and those that depend on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from antecede.core.errors import Misuse
from antecede.judge.events import Event, RefusedRow, refuse_row, to_json

DUPLICATE_INDEX = "duplicate index"
DUPLICATE_MESSAGE = "duplicate message id"


@dataclass(frozen=True, slots=True)
class Run:
    """One execution. `arrange` derives every field from `events`, and nothing changes afterwards."""

    name: str
    events: tuple[Event, ...]  # in input order
    processes: dict[str, list[Event]]  # each in the order of its index
    sends: dict[str, Event]  # by message
    dests: dict[str, frozenset[str]]  # by message
    deliver_kind: str  # `receive` if the run has no deliver at all
    firsts: dict[tuple[str, str], Event]  # the first deliver by (message, process)

    def is_deliver(self, event: Event) -> bool:
        """Return whether `event` is a deliver, or a receive that stands for one because the run has no delivers."""
        return event.kind == self.deliver_kind

    def is_first(self, event: Event) -> bool:
        """Return whether `event` is the first deliver of its message at its process. Only this one counts for order."""
        return self.is_deliver(event) and self.firsts[message_of(event), event.process] is event

    def is_addressed(self, message: str, process: str) -> bool:
        """Return whether `message` was sent to `process`."""
        return process in self.dests.get(message, ())


def message_of(event: Event) -> str:
    """Return the message of an event, or raise `Misuse` if it has none."""
    if event.message is None:
        raise Misuse(
            f"the {event.kind} at index {event.index} of process {event.process!r} has no message: "
            f"build events with `antecede.judge.events.parse`, which refuses such rows"
        )
    return event.message


def sift(events: Iterable[Event]) -> tuple[list[Event], list[RefusedRow]]:
    """Return the events that stand, and the rows that contradict an earlier row.

    Of several rows for one position, the first in input order stays. Of several sends of one message among those, the
    first stays too. A row that is removed takes no part in anything else.
    """
    kept: list[Event] = []
    quarantine: list[RefusedRow] = []
    positions: set[tuple[str, str, int]] = set()
    sent: set[tuple[str, str]] = set()
    for event in events:
        position = (event.run, event.process, event.index)
        if position in positions:
            quarantine.append(refuse_row(DUPLICATE_INDEX, to_json(event)))
            continue
        positions.add(position)
        if event.kind == "send":
            identity = (event.run, message_of(event))
            if identity in sent:
                quarantine.append(refuse_row(DUPLICATE_MESSAGE, to_json(event)))
                continue
            sent.add(identity)
        kept.append(event)
    return kept, quarantine


def arrange(events: Iterable[Event]) -> list[Run]:
    """Return the runs of sifted events, by name."""
    by_run: dict[str, list[Event]] = {}
    for event in events:
        by_run.setdefault(event.run, []).append(event)
    return [_build_run(name, by_run[name]) for name in sorted(by_run)]


def walk(run: Run) -> Iterator[Event]:
    """Yield the events of a run, each after all events that happened before it, and otherwise close to input order.

    Every row gives its process one turn. A process that must wait for a send keeps its turns until that send.
    """
    ahead = {process: iter(events) for process, events in run.processes.items()}
    turns = dict.fromkeys(run.processes, 0)
    waiting: dict[str, list[tuple[str, Event]]] = {}  # by the message whose send is awaited
    blocked: set[str] = set()
    sent: set[str] = set()
    for row in run.events:
        turns[row.process] += 1
        if row.process in blocked:
            continue
        ready = [(row.process, next(ahead[row.process]))]
        while ready:
            process, event = ready.pop()
            if run.is_deliver(event) and event.message in run.sends and event.message not in sent:
                waiting.setdefault(message_of(event), []).append((process, event))
                blocked.add(process)
                continue
            blocked.discard(process)
            yield event
            turns[process] -= 1
            if turns[process]:
                ready.append((process, next(ahead[process])))
            if event.kind == "send":
                sent.add(message_of(event))
                ready.extend(waiting.pop(message_of(event), ()))


def _build_run(name: str, events: list[Event]) -> Run:
    processes: dict[str, list[Event]] = {}
    for event in events:
        processes.setdefault(event.process, []).append(event)
    for own in processes.values():
        own.sort(key=lambda event: event.index)
    sends = {message_of(event): event for event in events if event.kind == "send"}
    deliver_kind = "deliver" if any(event.kind == "deliver" for event in events) else "receive"
    firsts: dict[tuple[str, str], Event] = {}
    for process, own in processes.items():
        for event in own:
            if event.kind == deliver_kind:
                firsts.setdefault((message_of(event), process), event)
    dests = {message: frozenset(send.dests or ()) for message, send in sends.items()}
    return Run(name, tuple(events), processes, sends, dests, deliver_kind, firsts)
