"""Hold a window of a trace in memory: its events by run, and the direct causes of each.

An event is a mapping with the columns of the trace. A window is bounded, because its causes must be known before its
first line can be written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any

from antecede.core.errors import LimitReached, Misuse

Event = Mapping[str, Any]
Key = tuple[str, int]
EVENTS_MAX = 200_000


class WindowTooLarge(LimitReached):
    """An error for a window with more events than may be held."""


def group_by_run(events: Iterable[Event], events_max: int) -> dict[str, dict[Key, Event]]:
    """Return the events of each run by process and index, in order."""
    found: dict[str, dict[Key, Event]] = defaultdict(dict)
    for count, event in enumerate(events, 1):
        if count > events_max:
            raise WindowTooLarge(f"the window has more than {events_max:,} events: narrow it, or raise events_max")
        run = event.get("run") or ""
        here = (event["process"], event["index"])
        if here in found[run]:
            raise Misuse(f"run {run!r} has two events {here}: export events that were checked, not raw input")
        found[run][here] = event
    return {run: {key: found[run][key] for key in sorted(found[run])} for run in sorted(found)}


def direct_causes(found: Mapping[Key, Event]) -> dict[Key, list[Key]]:
    """Return the direct causes of each event: the event before it in its process, and the send of the message it
    delivers.
    """
    ends = "deliver" if any(event["kind"] == "deliver" for event in found.values()) else "receive"
    sends = {event["message"]: key for key, event in found.items() if event["kind"] == "send"}
    direct: dict[Key, list[Key]] = {}
    before: Key | None = None
    for key, event in found.items():
        direct[key] = [before] if before is not None and before[0] == key[0] else []
        if event["kind"] == ends and event["message"] in sends:
            direct[key].append(sends[event["message"]])
        before = key
    return direct


def causal_order(run: str, before: Mapping[Key, Sequence[Key]]) -> list[Key]:
    """Return the events in an order in which each comes after its causes, or raise `Misuse` if there is a cycle."""
    try:
        return list(TopologicalSorter(before).static_order())
    except CycleError as error:
        some = ", ".join(f"{process} {index}" for process, index in error.args[1][:6])
        raise Misuse(
            f"run {run!r}: happened-before has a cycle ({some}), so it has no vector clocks; export another window, "
            "or OTLP, which needs none"
        ) from error
