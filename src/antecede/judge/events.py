"""Define one event of a trace, how a row becomes an event, and why a row does not.

A trace is JSON Lines with the columns of `Event`. `parse` is the border: it takes one decoded row and returns an event,
or a sentence that names the field and the value that are wrong. `read_jsonl` does so for every line and loses none: a
line becomes an `Event` or a `RefusedRow`. Blank lines are not rows. Code inside the border does not validate again, so
a caller that builds an `Event` directly must meet the conditions that `parse` checks.

A missing column and a column that is null mean the same. Columns that the trace does not define are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields

from antecede.judge.row_refusals import FIELD_CHARS_MAX, Invalid, RowReader

KINDS = ("send", "receive", "deliver", "internal", "move", "connect", "disconnect")
WITH_MESSAGE = KINDS[:3]
QUARANTINED_CHARS_MAX = 1_000


@dataclass(frozen=True, slots=True)
class Event:
    """One event at one position in the order of its process. The fields are the columns of the trace."""

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
class RefusedRow:
    """A row that takes no part in a check, with the reason.

    `row` is its text, cut to 1,000 characters. `line` is its line number, counted from 1, if the row was read from
    lines.
    """

    reason: str
    row: str
    line: int | None = None


def parse(row: object, *, field_chars_max: int = FIELD_CHARS_MAX) -> Event | str:
    """Return the event that a decoded row describes, or the reason why the row is not a valid event."""
    try:
        return _to_event(RowReader(row, field_chars_max))
    except Invalid as invalid:
        return str(invalid)


def read_jsonl(
    lines: Iterable[str | bytes], *, field_chars_max: int = FIELD_CHARS_MAX
) -> tuple[list[Event], list[RefusedRow]]:
    """Return the events of JSON Lines in their order, and every line that is not a valid event."""
    events: list[Event] = []
    quarantine: list[RefusedRow] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            events.append(_to_event(RowReader(_decode(line), field_chars_max)))
        except Invalid as invalid:
            quarantine.append(refuse_row(str(invalid), line, number))
    return events, quarantine


def to_json(event: Event) -> str:
    """Return an event as one line of a trace, without the line end.

    Columns that are null are left out. The line is ASCII, whatever the names contain. A time of 10^11 seconds or more,
    in the year 5138 or later, is read again in a smaller unit.
    """
    values = {column: getattr(event, column) for column in _COLUMNS}
    return json.dumps({column: value for column, value in values.items() if value is not None}, separators=(",", ":"))


def refuse_row(reason: str, row: str | bytes, line: int | None = None) -> RefusedRow:
    """Return a row that takes no part in a check, with the reason, cut to `QUARANTINED_CHARS_MAX` characters."""
    head = row[: 4 * QUARANTINED_CHARS_MAX]
    text = head.decode(errors="replace") if isinstance(head, bytes) else head
    return RefusedRow(reason, text.rstrip("\r\n")[:QUARANTINED_CHARS_MAX], line)


_COLUMNS = tuple(column.name for column in fields(Event))


def _decode(line: str | bytes) -> object:
    """Return the JSON value of a line, or raise `Invalid` if the line is not JSON in UTF-8."""
    try:
        return json.loads(line.decode() if isinstance(line, bytes) else line)
    except UnicodeDecodeError as error:
        raise Invalid(f"the line is not UTF-8: byte {error.start} cannot be read") from error
    except RecursionError as error:
        raise Invalid("the line is not JSON that can be read: it is nested too deeply") from error
    except ValueError as error:
        raise Invalid(f"the line is not JSON: {error}") from error


def _to_event(row: RowReader) -> Event:
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
