"""Lay out the events of a space-time diagram: a column for each process, time downwards by cause alone, then pixels.

Clocks of different processes are never compared, so the vertical position of an event is not its time. It is the length
of the longest chain of causes before it, inside the diagram. So every arrow points down, and two events at the same
height are not necessarily simultaneous. A cycle (a broken trace) cannot be laid out that way. Its events are put below
the rest, in the order of their processes, and some arrows then point up, as the trace says.

A diagram is bounded. The events of the violation always stay. Of a long witness chain the two ends stay, and the
diagram states the gap. Of all other events, those nearest to the violation in its own process stay.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from antecede.judge.events import Event
from antecede.pipeline.report.model import ExplainedViolation, LoggedEvent, MessageArrow
from antecede.web.diagram.labels import Point

Key = tuple[str, int]
EVENTS_MAX = 120
CHAIN_MAX = 40
PROCESSES_MAX = 24
ENDS_MAX = 8
COLUMN, ROW = 112, 42
LEFT, RIGHT, TOP, BOTTOM = 54, 72, 46, 22
RADIUS = 5.0


@dataclass(frozen=True, slots=True)
class DiagramLayout:
    """A bounded violation with a position for every event: `row` by event, `column` by process."""

    violation: ExplainedViolation
    row: Mapping[Key, int]
    column: Mapping[str, int]
    chain_left_out: int
    events_left_out: int

    @property
    def gap_after(self) -> Key | None:
        """Return the last event drawn before the part of the chain that is left out, or None if nothing is left out."""
        return key(self.violation.chain[CHAIN_MAX // 2 - 1]) if self.chain_left_out else None


def key(event: Event) -> Key:
    """Return the identity of an event."""
    return (event.process, event.index)


def place(violation: ExplainedViolation) -> DiagramLayout:
    """Return the layout of a diagram: the events of `violation` that fit into it, each with a row and a column."""
    chain, chain_left_out = bound_chain(violation.chain)
    events = {key(event): event for event in violation.events}
    for event in chain:
        events.setdefault(key(event), event)
    for cut in set(map(key, violation.chain)) - set(map(key, chain)):
        events.pop(cut, None)
    kept = _bound_events(events, chain, violation)
    messages = tuple(arrow for arrow in (_clip_arrow(arrow, kept) for arrow in violation.messages) if arrow is not None)
    bounded = replace(violation, chain=chain, events=tuple(kept[name] for name in sorted(kept)), messages=messages)
    row = _rows(kept, messages, chain)
    left_out = len(events) - len(kept)
    return DiagramLayout(bounded, row, _columns(bounded, row), chain_left_out, left_out)


def bound_chain(chain: tuple[LoggedEvent, ...]) -> tuple[tuple[LoggedEvent, ...], int]:
    """Return both ends of `chain`, and how many steps between them are left out."""
    if len(chain) <= CHAIN_MAX:
        return chain, 0
    half = CHAIN_MAX // 2
    return chain[:half] + chain[-half:], len(chain) - 2 * half


def _bound_events(
    events: dict[Key, LoggedEvent], chain: tuple[LoggedEvent, ...], violation: ExplainedViolation
) -> dict[Key, LoggedEvent]:
    """Return the events that the diagram shows: those of the violation, then those nearest to it."""
    ends = sorted(
        key(event)
        for event in events.values()
        if event.process == violation.process and event.message in (violation.overtaken, violation.overtaking)
    )
    core = {key(event) for event in chain} | set(ends[:ENDS_MAX])
    anchors: dict[str, list[int]] = defaultdict(list)
    for process, index in core:
        anchors[process].append(index)
    nearest = sorted(
        (min((abs(index - anchor) for anchor in anchors[process]), default=1 << 62), process, index)
        for process, index in events.keys() - core
    )
    names = sorted(core) + [(process, index) for _, process, index in nearest]
    processes = sorted({process for process, _ in core})
    kept: dict[Key, LoggedEvent] = {}
    for name in names:
        if name[0] not in processes and len(processes) < PROCESSES_MAX:
            processes.append(name[0])
        if name in core or (name[0] in processes and len(kept) < EVENTS_MAX):
            kept[name] = events[name]
    return kept


def _clip_arrow(arrow: MessageArrow, kept: Mapping[Key, LoggedEvent]) -> MessageArrow | None:
    """Return the arrow with only the delivers that are shown, or None if one end has no event that is shown."""
    delivers = tuple(end for end in arrow.delivers if end in kept)
    return replace(arrow, delivers=delivers) if (arrow.sender, arrow.send_index) in kept and delivers else None


def _rows(
    events: Mapping[Key, Event], messages: Iterable[MessageArrow], chain: tuple[LoggedEvent, ...]
) -> dict[Key, int]:
    """Return the row of each event: the length of the longest chain of causes before it."""
    after: dict[Key, list[Key]] = defaultdict(list)
    waiting = dict.fromkeys(events, 0)
    for cause, effect in _edges(events, messages, chain):
        after[cause].append(effect)
        waiting[effect] += 1
    row = dict.fromkeys(events, 0)
    ready = sorted(name for name, count in waiting.items() if count == 0)
    placed = set(ready)
    while ready:
        cause = ready.pop()
        for effect in after[cause]:
            row[effect] = max(row[effect], row[cause] + 1)
            waiting[effect] -= 1
            if waiting[effect] == 0:
                ready.append(effect)
                placed.add(effect)
    return _put_below(row, placed)


def _edges(
    events: Mapping[Key, Event], messages: Iterable[MessageArrow], chain: tuple[Event, ...]
) -> list[tuple[Key, Key]]:
    """Return the pairs of events of which the first is a direct cause of the second."""
    line = sorted(events)
    edges = [(one, two) for one, two in pairwise(line) if one[0] == two[0]]
    edges += [((arrow.sender, arrow.send_index), end) for arrow in messages for end in arrow.delivers]
    edges += [(key(one), key(two)) for one, two in pairwise(chain)]
    return sorted(set(edges))


def _put_below(row: dict[Key, int], placed: set[Key]) -> dict[Key, int]:
    """Put the events of a cycle, and those after it, below the rest, each process in its own order."""
    bottom = 1 + max((row[name] for name in placed), default=-1)
    used: dict[str, int] = defaultdict(int)
    for process, index in sorted(row.keys() - placed):
        row[process, index] = bottom + used[process]
        used[process] += 1
    return row


def _columns(violation: ExplainedViolation, row: Mapping[Key, int]) -> dict[str, int]:
    """Return the column of each process.

    The processes of the chain come first, in its order, then the process of the violation, then the others by first
    event.
    """
    order = list(dict.fromkeys(event.process for event in violation.chain if event.process != violation.process))
    order.append(violation.process)
    others = sorted((place, process) for (process, _), place in row.items())
    order += [process for _, process in others]
    return {process: column for column, process in enumerate(dict.fromkeys(order))}


def column_x(placed: DiagramLayout, process: str) -> int:
    """Return the x coordinate of a process."""
    return LEFT + COLUMN * placed.column[process]


def row_y(placed: DiagramLayout, row: int) -> int:
    """Return the y coordinate of a row. The part of a chain that is left out takes two rows of its own."""
    gap = placed.gap_after
    return TOP + ROW * (row + (2 if gap is not None and row > placed.row[gap] else 0))


def point(placed: DiagramLayout, event: Key) -> Point:
    """Return the coordinates of an event."""
    return (column_x(placed, event[0]), row_y(placed, placed.row[event]))


def lifeline_segments(placed: DiagramLayout) -> Iterator[tuple[Event, Event]]:
    """Yield the parts of the witness chain that run along a process."""
    for one, two in pairwise(placed.violation.chain):
        if one.process == two.process and key(one) != placed.gap_after:
            yield one, two
