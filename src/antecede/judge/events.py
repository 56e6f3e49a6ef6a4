"""One event of a trace: what it is, how a row becomes one, and why a row does not.

A trace is JSON Lines with the columns of `Event`. `parse` is the border: it takes one decoded row and returns
an event, or a sentence that names the field and the value that kept it from being one. `read_jsonl` does so for
every line and loses none: a line is an event or it is `Quarantined`. Blank lines are no rows. Inside the border
nothing is validated again, so whoever builds an `Event` directly owes what `parse` would have asked for.

A column that is absent and a column that is null mean the same; columns the trace does not know are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields

from antecede.judge.row import FIELD_CHARS_MAX, Invalid, Row

KINDS = ("send", "receive", "deliver", "internal", "move", "connect", "disconnect")
WITH_MESSAGE = frozenset({"send", "receive", "deliver"})
QUARANTINED_CHARS_MAX = 1_000


@dataclass(frozen=True, slots=True)
class Event:
    """What happened at one position of one process's own order. The fields are the columns of the trace."""

    run: str
    process: str
    index: int
    kind: str
    time: float | None = None
    message: str | None = None
    dests: tuple[str, ...] | None = None
    group: str | None = None
    payload_bytes: int | None = None
    control_bytes: int | None = None
    control_entries: int | None = None
    attributes: Mapping[str, str] | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A row that takes no part, kept with the reason. `row` is its text, cut to 1,000 characters; `line` is
    its line, counted from 1, where it was read from lines."""

    reason: str
    row: str
    line: int | None = None


def parse(row: object, *, field_chars_max: int = FIELD_CHARS_MAX) -> Event | str:
    """The event that a decoded row stands for, or the reason why it stands for none."""
    try:
        return _event(Row(row, field_chars_max))
    except Invalid as invalid:
        return str(invalid)


def read_jsonl(
    lines: Iterable[str | bytes], *, field_chars_max: int = FIELD_CHARS_MAX
) -> tuple[list[Event], list[Quarantined]]:
    """The events of JSON Lines in their order, and every line that is not one."""
    events: list[Event] = []
    quarantine: list[Quarantined] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            events.append(_event(Row(_decoded(line), field_chars_max)))
        except Invalid as invalid:
            quarantine.append(quarantined(str(invalid), line, number))
    return events, quarantine


def to_json(event: Event) -> str:
    """One line of the trace, without its line end; null columns are left out. ASCII, whatever the names hold."""
    values = {column: getattr(event, column) for column in _COLUMNS}
    return json.dumps({column: value for column, value in values.items() if value is not None}, separators=(",", ":"))


def quarantined(reason: str, row: str | bytes, line: int | None = None) -> Quarantined:
    """`row` with the reason why it takes no part, cut to what is kept of it."""
    head = row[: 4 * QUARANTINED_CHARS_MAX]
    text = head.decode(errors="replace") if isinstance(head, bytes) else head
    return Quarantined(reason, text.rstrip("\r\n")[:QUARANTINED_CHARS_MAX], line)


_COLUMNS = tuple(column.name for column in fields(Event))


def _decoded(line: str | bytes) -> object:
    try:
        return json.loads(line.decode() if isinstance(line, bytes) else line)
    except UnicodeDecodeError as error:
        raise Invalid(f"the line is not UTF-8: byte {error.start} cannot be read") from error
    except RecursionError as error:
        raise Invalid("the line is not JSON that can be read: it is nested too deeply") from error
    except ValueError as error:
        raise Invalid(f"the line is not JSON: {error}") from error


def _event(row: Row) -> Event:
    kind = row.one_of("kind", KINDS)
    return Event(
        run=row.text("run") or "",
        process=row.name("process"),
        index=row.index(),
        kind=kind,
        time=row.time(),
        message=row.name("message", f" on {kind}") if kind in WITH_MESSAGE else row.text("message"),
        dests=row.dests(required=kind == "send"),
        group=row.text("group"),
        payload_bytes=row.integer("payload_bytes"),
        control_bytes=row.integer("control_bytes"),
        control_entries=row.integer("control_entries"),
        attributes=row.attributes(),
    )
