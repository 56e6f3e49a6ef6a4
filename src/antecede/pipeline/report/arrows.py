"""Find the arrows of a diagram among some events of a trace: its messages, or the edges that vector clocks show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from antecede.judge.events import Event
from antecede.pipeline.report.model import MessageArrow, Role


def violation_arrows(
    events: Iterable[Event], chain: Iterable[Event], *, overtaken: str, overtaking: str
) -> Iterator[MessageArrow]:
    """Yield the messages that have both ends among `events`, each with its role in the violation."""
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


def edge_arrows(events: Iterable[Event], edges: Iterable[Mapping[str, Any]]) -> Iterator[MessageArrow]:
    """Yield the edges of vector clocks that have both ends among `events`.

    An edge has the columns sender, sent_index, process and index of `tables.clock_edges`.
    """
    shown = {(event.process, event.index) for event in events}
    ends: dict[tuple[str, int], list[tuple[str, int]]] = {}
    for edge in edges:
        start, end = (edge["sender"], edge["sent_index"]), (edge["process"], edge["index"])
        if start in shown and end in shown:
            ends.setdefault(start, []).append(end)
    for (process, index), reached in sorted(ends.items()):
        yield MessageArrow(f"{process} {index}", process, index, tuple(sorted(reached)))
