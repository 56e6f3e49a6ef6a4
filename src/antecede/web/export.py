"""Export a window of a trace for other viewers: as a ShiViz log, or as OpenTelemetry OTLP/JSON.

Both functions take the window's events in any order, as mappings with the columns of the trace, and yield text to be
written piece by piece. A window must fit in memory, because its causes must be known before its first line. Reading
stops at `events_max`, with an error that says to narrow the window.

ShiViz draws vector clocks, so this module computes them. Each process counts its own events in the window from one, and
a deliver merges the clock of its send if the window has it. A `receive` counts as a deliver if no event of the run is a
deliver, as in the trace itself. The log opens with the regular expression that reads it. Its groups `kind`, `message`
and `dests` keep the identities, so that `antecede check` can read the log back. Characters that a ShiViz name must not
have (blanks, commas, brackets, controls) are written as %XX.

In OTLP an event is a span without length. Sends are producers; delivers and receives are consumers with a link to the
send's span. The process is the service, and the run is the trace id. Start times keep each process's order even if its
clock stood still, went back or is missing. The clock's own reading is kept as an attribute.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from antecede.core.errors import LimitReached, Misuse

EventRow = Mapping[str, Any]
Key = tuple[str, int]
EVENTS_MAX = 200_000
SPANS_PER_LINE = 1000
SHIVIZ_REGEX = r"(?<host>\S+) (?<clock>\{.*\})\n(?<kind>\S+) (?<message>\S+) (?<dests>\S+) (?<event>.*)"
SHIVIZ_RUN = r"^=== (?<trace>.*) ===$"
_APART = ' ,"[]{}%\\'


class WindowTooLarge(LimitReached):
    """An error for a window with more events than may be held."""


def shiviz(events: Iterable[EventRow], *, events_max: int = EVENTS_MAX) -> Iterator[str]:
    """Yield a log for ShiViz: two header lines, then each run with its events in causal order."""
    runs = _group_by_run(events, events_max)
    yield f"{SHIVIZ_REGEX}\n{SHIVIZ_RUN}\n"
    for run, found in runs.items():
        yield f"=== {_one_line(run) or 'run'} ===\n"
        for event, clock in _stamp_events(found, _direct_causes(found), run):
            yield _shiviz_event(event, clock)


def _stamp_events(
    found: Mapping[Key, EventRow], before: Mapping[Key, Sequence[Key]], run: str
) -> Iterator[tuple[EventRow, dict[str, int]]]:
    """Yield each event with its vector clock. A clock is forgotten after its last effect, so few are held at a time."""
    effects = Counter(cause for direct in before.values() for cause in direct)
    clocks: dict[Key, dict[str, int]] = {}
    for here in _causal_order(run, before):
        clock: dict[str, int] = {}
        for cause in before[here]:
            clock = _join(clock, clocks[cause])
            effects[cause] -= 1
            if effects[cause] == 0:
                del clocks[cause]
        clock[here[0]] = clock.get(here[0], 0) + 1
        if effects[here]:
            clocks[here] = clock
        yield found[here], clock


def _join(one: dict[str, int], two: dict[str, int]) -> dict[str, int]:
    """Return the pointwise maximum of two clocks, as a new clock."""
    joined = one | two
    joined.update((process, count) for process, count in one.items() if count > joined[process])
    return joined


def _shiviz_event(event: EventRow, clock: Mapping[str, int]) -> str:
    host = _escape_name(event["process"])
    shown = json.dumps({_escape_name(process): count for process, count in sorted(clock.items())})
    message = _escape_name(event["message"]) if event.get("message") else "-"
    dests = ",".join(_escape_name(dest) for dest in event.get("dests") or ()) or "-"
    words = f"{event['kind']} {event.get('message') or ''}".strip()
    return f"{host} {shown}\n{_escape_name(event['kind'])} {message} {dests} {_one_line(words)}\n"


def otlp(events: Iterable[EventRow], *, events_max: int = EVENTS_MAX) -> Iterator[str]:
    """Yield OTLP/JSON, one export request per line. A window of up to a thousand events is one line, and so one
    document.
    """
    spans: list[tuple[str, dict[str, Any]]] = []
    for run, found in _group_by_run(events, events_max).items():
        sends = {event["message"]: event for event in found.values() if event["kind"] == "send"}
        latest: dict[str, int] = defaultdict(int)  # a start of 0 would mean that it is not known
        for event in found.values():
            process = event["process"]
            latest[process] = start = max(latest[process] + 1, _nanoseconds(event.get("time")))
            spans.append((process, _span(run, event, start, sends.get(event.get("message")))))
    for first in range(0, len(spans), SPANS_PER_LINE):
        yield json.dumps(_request(spans[first : first + SPANS_PER_LINE]), separators=(",", ":")) + "\n"


def _request(spans: Sequence[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    by_process: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for process, span in spans:
        by_process[process].append(span)
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": [_attribute("service.name", process)]},
                "scopeSpans": [{"scope": {"name": "antecede"}, "spans": found}],
            }
            for process, found in by_process.items()
        ]
    }


def _span(run: str, event: EventRow, start_ns: int, send: EventRow | None) -> dict[str, Any]:
    kind, message = event["kind"], event.get("message")
    span: dict[str, Any] = {
        "traceId": _hex(16, run),
        "spanId": _span_id(run, event),
        "name": f"{kind} {message}" if message else kind,
        "kind": {"send": 4, "receive": 5, "deliver": 5}.get(kind, 1),
        "startTimeUnixNano": str(start_ns),
        "endTimeUnixNano": str(start_ns),
        "attributes": list(_attributes(run, event)),
    }
    if send is not None and kind in ("receive", "deliver"):
        span["links"] = [{"traceId": span["traceId"], "spanId": _span_id(run, send)}]
    return span


def _attributes(run: str, event: EventRow) -> Iterator[dict[str, Any]]:
    """Yield the attributes of the messaging conventions if there is one, and other columns of the trace under
    `antecede.`.
    """
    operation = {"send": "send", "receive": "receive", "deliver": "process"}.get(event["kind"])
    if operation:
        yield _attribute("messaging.system", "antecede")
        yield _attribute("messaging.operation.type", operation)
        yield _attribute("messaging.message.id", event["message"])
    if event.get("group") is not None:
        yield _attribute("messaging.destination.name", event["group"])
    if event.get("payload_bytes") is not None:
        yield _attribute("messaging.message.body.size", event["payload_bytes"])
    yield _attribute("antecede.run", run)
    for column in ("index", "kind", "time", "dests", "control_bytes", "control_entries"):
        if event.get(column) is not None:
            yield _attribute(f"antecede.{column}", event[column])
    for name, value in sorted((event.get("attributes") or {}).items()):
        yield _attribute(name, value)


def _attribute(name: str, value: object) -> dict[str, Any]:
    return {"key": name, "value": _value(value)}


def _value(value: object) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case str():
            return {"stringValue": value}
        case None:
            return {}
    assert isinstance(value, Iterable), value
    return {"arrayValue": {"values": [_value(item) for item in value]}}


@lru_cache(maxsize=1024)
def _escape_name(name: str) -> str:
    """Return a name with blanks, commas, quotes, brackets, % and characters that do not print written as %XX."""
    return "".join(
        char if char.isprintable() and char not in _APART else quote(char, safe="", errors="backslashreplace")
        for char in name
    )


def _one_line(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)


def _nanoseconds(seconds: float | None) -> int:
    return max(0, round(seconds * 1e9)) if seconds is not None else 0


def _span_id(run: str, event: EventRow) -> str:
    return _hex(8, run, event["process"], str(event["index"]))


def _hex(size: int, *parts: str) -> str:
    """Return an identity of `size` bytes that depends on its parts alone."""
    return sha256(json.dumps(parts).encode()).hexdigest()[: 2 * size]


def _group_by_run(events: Iterable[EventRow], events_max: int) -> dict[str, dict[Key, EventRow]]:
    """Return the events of each run by process and index, in order."""
    found: dict[str, dict[Key, EventRow]] = defaultdict(dict)
    for count, event in enumerate(events, 1):
        if count > events_max:
            raise WindowTooLarge(f"the window has more than {events_max:,} events: narrow it, or raise events_max")
        run = event.get("run") or ""
        here = (event["process"], event["index"])
        if here in found[run]:
            raise Misuse(f"run {run!r} has two events {here}: export events that were checked, not raw input")
        found[run][here] = event
    return {run: {key: found[run][key] for key in sorted(found[run])} for run in sorted(found)}


def _direct_causes(found: Mapping[Key, EventRow]) -> dict[Key, list[Key]]:
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


def _causal_order(run: str, before: Mapping[Key, Sequence[Key]]) -> list[Key]:
    """Return the events in an order in which each comes after its causes, or raise `Misuse` if there is a cycle."""
    try:
        return list(TopologicalSorter(before).static_order())
    except CycleError as error:
        some = ", ".join(f"{process} {index}" for process, index in error.args[1][:6])
        raise Misuse(
            f"run {run!r}: happened-before has a cycle ({some}), so it has no vector clocks; export another window, "
            "or OTLP, which needs none"
        ) from error
