"""Find the arrows of a diagram among some events of a trace: its messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from antecede.judge.events import Event
from antecede.pipeline.report.model import MessageArrow, Role


def violation_arrows(
    events: Iterable[Event], chain: Iterable[Event], *, overtaken: str, overtaking: str
) -> Iterator[MessageArrow]:
    """Yield the messages that have both ends among `events`, each with its role in the violation.

    `chain` is the witness chain of the violation. `overtaken` and `overtaking` are its two messages.
    """
    roles: dict[str | None, Role] = {event.message: "witness" for event in chain}
    roles |= {overtaking: "overtaking", overtaken: "overtaken"}
    return message_arrows(events, roles)


def message_arrows(events: Iterable[Event], roles: Mapping[str | None, Role]) -> Iterator[MessageArrow]:
    """Yield the messages that have both ends among `events`. A message that is not in `roles` is context."""
    ordered = sorted(events, key=lambda event: (event.process, event.index))
    ends = "deliver" if any(event.kind == "deliver" for event in ordered) else "receive"
    sends = {event.message: event for event in ordered if event.kind == "send"}
    delivers: dict[str | None, list[tuple[str, int]]] = {}
    for event in ordered:
        if event.kind == ends:
            delivers.setdefault(event.message, []).append((event.process, event.index))
    for message, send in sends.items():
        if message in delivers and message is not None:
            role = roles.get(message, "context")
            yield MessageArrow(message, send.process, send.index, tuple(delivers[message]), role)
