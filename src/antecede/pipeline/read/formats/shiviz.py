r"""Read ShiViz and GoVector logs: texts with a vector clock for each event, searched with a regular expression.

The expression has the named groups `host`, `clock` and `event`. The groups `message`, `kind` and `dests` fill the
columns of the same names, and `timestamp` (nanoseconds) or `date` fills the time. Other named groups become attributes.
A log may open with a line that holds its own expression, and a line that holds the delimiter between executions. If
neither the log nor the caller has an expression, the known expressions are tried, and the one that finds the most
events is taken.

    a {"a":2, "b":1}         process a, index 2, attributes clock and event
    got it from b

A clock is a JSON object from host to integer, and the host's own entry is the index. Most such logs name no messages.
Their events are `internal`, and a group `kind` becomes an attribute, so that `clock_events` can find the receives.
The whole file is searched, so it has at most 256 MB. Text between matches is skipped, as ShiViz does, and counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from antecede.judge.events import Event, RefusedRow, parse, refuse_row
from antecede.judge.times import to_seconds
from antecede.pipeline.errors import BadPattern, UnreadableInput
from antecede.pipeline.read import content
from antecede.pipeline.read.blocks import Block
from antecede.pipeline.read.files import InputFile, check_version
from antecede.pipeline.read.formats.expressions import SearchBudget, SearchStopped, compile_expression, find_matches
from antecede.pipeline.read.formats.jsonl import event_table
from antecede.pipeline.read.rows import ReadRows, Wanted, encode_names, refused_table, with_file

LOG_BYTES_MAX = 256 << 20
SAMPLE_BYTES = 64 << 10
LOG_BATCH_ROWS = 10_000
REQUIRED_GROUPS = ("host", "clock", "event")
COLUMN_GROUPS = ("host", "timestamp", "message", "kind", "dests")
DELIMITER = r"^=== (?<trace>.*) ===$"
KNOWN = {
    "default": r"(?<event>.*)\n(?<host>\S*) (?<clock>{.*})",
    "GoVector": r"(?<host>\S*) (?<clock>{.*})\n(?<event>.*)",
    "TSViz": r"(?<timestamp>(\d*)) (?<event>.*)\n(?<host>\w*) (?<clock>.*)",
    "akka": r"\[\w+\] \[(?<date>([^ ]+ [^ ]+))\] [^ ]+ \[akka://Broadcast/user/(?<host>\w+)\] (?<clock>.*\}) "
    r"(?<event>.*)",
    "voldemort": r"\[(?<date>\d{4}-\d{2}-\d{2} (\d{2}:){2}\d{2},\d{3}) (?<path>\S*)\] (?<priority>(INFO|WARN)) "
    r"(?<event>.*)\n(?<host>\S*) (?<clock>{.*})",
    "facebook": r"(?<ip>(\d{1,3}\.){3}\d{1,3}) (?<date>(\d{1,2}/){2}\d{4} (\d{2}:){2}\d{2} (AM|PM)) "
    r"(?<action>(INFO|GET|POST)) (?<event>.*)\n(?<host>\w*) (?<clock>.*)",
}
DATE_FORMATS = ("%m/%d/%Y %H:%M:%S.%f", "%m/%d/%Y %I:%M:%S %p")
NOT_UTF8_MARK = "\ufdd0"
"""A character that stands for bytes that are not UTF-8 while a log is searched. Unicode keeps it out of texts."""
STOPPED = "the search for events took too long and was stopped"


@dataclass(frozen=True, slots=True)
class LogLayout:
    """How a log is read, and the name to report it under."""

    name: str
    event: Any
    delimiter: Any
    header_lines: int = 0


@dataclass(frozen=True, slots=True)
class FoundEvent:
    """An event and the line where it begins."""

    event: Event
    line: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """Lines between two matches that are not blank."""

    lines: int


def read(
    block: Block,
    wanted: Wanted,
    regex: str | None = None,
    delimiter: str | None = None,
    *,
    budget: SearchBudget | None = None,
) -> Iterator[ReadRows]:
    """Yield the rows of a log, which is a whole file. A note with the last rows says how the log was read."""
    check_version(block.path, block.version)
    data, damage = content.read_whole(block.path, LOG_BYTES_MAX)
    text = clean(data)
    budget = budget or SearchBudget.for_text(len(text))
    events: list[FoundEvent] = []
    refused: list[RefusedRow] = []
    notes: tuple[str, ...] = ()
    skipped = 0
    try:
        layout = choose_layout(text, regex, delimiter, budget)
        for found in find_events(text, layout, budget):
            if isinstance(found, FoundEvent):
                events.append(found)
            elif isinstance(found, RefusedRow):
                refused.append(found)
            else:
                skipped += found.lines
            if len(events) + len(refused) >= LOG_BATCH_ROWS:
                yield _rows(block, wanted, events, refused)
                events, refused = [], []
        notes = (_note(block.name, layout.name, skipped),)
    except BadPattern as error:  # the log's own expression
        refused.append(refuse_row(str(error), text[:4_000], 1))
    if damage is not None:
        refused.append(RefusedRow(damage, "", text.count(b"\n") + 1))
    yield replace(_rows(block, wanted, events, refused), notes=notes)


def refuse_bad_expressions(regex: str | None, *others: str | None) -> None:
    """Raise `BadPattern` if the expression of an event, or one of the others that are given, cannot be used."""
    for expression, groups in ((regex, REQUIRED_GROUPS), *((other, ()) for other in others)):
        if expression is not None:
            compile_expression(expression, groups)


def refuse_large_files(files: Sequence[InputFile]) -> None:
    """Raise `UnreadableInput` if a file is too large to be searched."""
    for file in files:
        if file.bytes > LOG_BYTES_MAX:
            raise UnreadableInput(
                f"{file.name}: {file.bytes} bytes, and a ShiViz log is searched whole, up to {LOG_BYTES_MAX}; "
                "split it between executions or processes, or convert it to JSON Lines"
            )


def clean(data: bytes) -> bytes:
    """Return the text of a file with line ends of one kind, and with `NOT_UTF8_MARK` for bytes that are not UTF-8."""
    text = data.removeprefix(content.BYTE_ORDER_MARK).replace(b"\r\n", b"\n")
    try:
        text.decode()
    except UnicodeDecodeError:
        return content.NOT_UTF8.sub(NOT_UTF8_MARK, text.decode(errors="surrogateescape")).encode()
    return text


def choose_layout(text: bytes, regex: str | None, delimiter: str | None, budget: SearchBudget) -> LogLayout:
    """Return the layout of a log: with the caller's expression, else with its own, else with the best known one.

    Raise `BadPattern` if the expression of the caller or of the log cannot be used.
    """
    own_regex, own_delimiter, header_lines = _read_header(text)
    cut = compile_expression(delimiter or own_delimiter or DELIMITER)
    if regex is not None:
        return LogLayout("the given expression", compile_expression(regex, REQUIRED_GROUPS), cut, header_lines)
    if own_regex is not None:
        return LogLayout("the log's own expression", compile_expression(own_regex, REQUIRED_GROUPS), cut, header_lines)
    known = [LogLayout(f"the {name} expression", compile_expression(one), cut) for name, one in KNOWN.items()]
    return max(known, key=lambda one: _fitness(text[:SAMPLE_BYTES], one, budget))


def recognise(head: bytes) -> str | None:
    """Return the name of the layout by which the beginning of a file has events, or None."""
    text, budget = clean(head)[:SAMPLE_BYTES], SearchBudget()
    try:
        found = choose_layout(text, None, None, budget)
    except BadPattern:
        return None
    return found.name if _fitness(text, found, budget)[0] else None


def find_events(text: bytes, layout: LogLayout, budget: SearchBudget) -> Iterator[FoundEvent | RefusedRow | Skipped]:
    """Yield the events of a log, the matches that are not events, and how many lines are skipped, in their order."""
    groups = layout.event.groupindex
    line, at = 1, 0
    try:
        for run, start, end in _find_executions(text, layout, budget):
            line, at = line + text.count(b"\n", at, start), start
            for match in find_matches(layout.event, text, start, end, budget):
                yield Skipped(_count_lines_with_text(text[at : match.start()]))
                line += text.count(b"\n", at, match.start())
                found = _to_event(match, groups, run)
                yield FoundEvent(found, line) if isinstance(found, Event) else RefusedRow(found, _show(match[0]), line)
                line, at = line + text.count(b"\n", match.start(), match.end()), match.end()
            yield Skipped(_count_lines_with_text(text[at:end]))
    except SearchStopped:
        reason = f"{STOPPED}, and nothing from here on was read; simplify the regular expression"
        yield RefusedRow(reason, _show(text[at : at + 4_000]), line)


def _rows(block: Block, wanted: Wanted, found: Sequence[FoundEvent], refused: Sequence[RefusedRow]) -> ReadRows:
    events = event_table([one.event for one in found], [one.line for one in found], wanted)
    return ReadRows(encode_names(with_file(events, block.name)), refused_table(block.name, refused))


def _note(file: str, layout: str, skipped: int) -> str:
    what = f"; lines skipped because the expression does not match them: {skipped}" if skipped else ""
    return f"{file}: read as a ShiViz log by {layout}{what}"


def _read_header(text: bytes) -> tuple[str | None, str | None, int]:
    """Return the expression and the delimiter that a log opens with, and how many lines they take."""
    first, _, rest = text.partition(b"\n")
    if not all(f"(?<{name}>".encode() in first for name in REQUIRED_GROUPS):
        return None, None, 0
    second = rest.partition(b"\n")[0].strip().decode()
    has_delimiter = second.startswith("^") or "(?<trace>" in second
    return first.strip().decode(), second if has_delimiter else None, 2 if has_delimiter or not second else 1


def _find_executions(text: bytes, layout: LogLayout, budget: SearchBudget) -> Iterator[tuple[str, int, int]]:
    """Yield the run, the start and the end of each execution.

    A log without delimiters is one execution, and its run has an empty name.
    """
    start, run = 0, ""
    for _ in range(layout.header_lines):
        start = text.find(b"\n", start) + 1 or len(text)
    named = "trace" in layout.delimiter.groupindex
    for number, cut in enumerate(find_matches(layout.delimiter, text, start, len(text), budget), start=1):
        if text[start : cut.start()].strip():
            yield run, start, cut.start()
        start, run = cut.end(), (cut["trace"] or b"").decode(errors="replace") if named else str(number)
    yield run, start, len(text)


def _to_event(match: Any, groups: Mapping[str, int], run: str) -> Event | str:
    """Return the event that the groups of a match describe, or the reason why they do not describe one."""
    parts = {name: match[place] for name, place in groups.items()}
    fields = {name: part.decode(errors="replace") for name, part in parts.items() if part is not None}
    if NOT_UTF8_MARK.encode() in match[0]:
        return "the text is not UTF-8"
    try:
        clock = _parse_clock(fields["clock"], fields["host"])
    except ValueError as error:
        return str(error)
    attributes = {name: value for name, value in fields.items() if name not in COLUMN_GROUPS}
    attributes["clock"] = json.dumps(clock)
    kind = fields.get("kind", "").strip().lower() or "internal"
    if "message" not in groups and "kind" in fields:
        attributes["kind"], kind = kind, "internal"
    dests = _split_names(fields.get("dests"))
    is_open = kind == "send" and dests is None  # the destinations of this send are inferred later
    found = parse(
        {
            "run": run,
            "process": fields["host"],
            "index": clock[fields["host"]],
            "kind": kind,
            "time": _read_time(fields),
            "message": fields.get("message") or None,
            "dests": [] if is_open else dests,
            "attributes": attributes,
        }
    )
    return replace(found, dests=None) if isinstance(found, Event) and is_open else found


def _parse_clock(text: str, host: str) -> Mapping[str, int]:
    """Return a clock. Raise `ValueError` with the reason if the text is not a clock of this host."""
    try:
        clock = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the clock of {host} is not JSON: {error}") from None
    if not isinstance(clock, dict):
        raise ValueError(f"the clock of {host} is not an object from host to integer")
    for name, value in clock.items():
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 63:
            raise ValueError(
                f"the clock of {host} has {str(value)[:60]} for {name}, which is not an integer of 0 or more"
            )
    if not clock.get(host):
        raise ValueError(f"the clock of {host} has no entry for {host}")
    return clock


def _split_names(text: str | None) -> list[str] | None:
    """Return the names in a JSON list, or between commas, semicolons or blanks."""
    if text is None:
        return None
    try:
        listed = json.loads(text)
    except (ValueError, RecursionError):
        listed = None
    if isinstance(listed, list):
        return [str(name) for name in listed]
    return [name for name in re.split(r"[\s,;]+", text.strip("[](){} ")) if name]


def _read_time(fields: Mapping[str, str]) -> float | None:
    """Return the seconds in `timestamp`, which counts nanoseconds, or in `date`, which is UTC if it has no zone."""
    stamp, date = fields.get("timestamp", ""), fields.get("date", "")
    if stamp.isascii() and stamp.isdigit() and len(stamp) <= 20:
        return int(stamp) / 1e9
    seconds = to_seconds(date)
    for form in DATE_FORMATS if date and seconds is None else ():
        try:
            return datetime.strptime(date, form).replace(tzinfo=UTC).timestamp()
        except ValueError:
            continue
    return seconds


def _fitness(sample: bytes, layout: LogLayout, budget: SearchBudget) -> tuple[int, int, int]:
    """Return how well a layout fits, as numbers of which greater is better: events, groups, minus the skipped lines."""
    found = list(find_events(sample, layout, budget))
    events = sum(isinstance(one, FoundEvent) for one in found)
    return events, len(layout.event.groupindex), -sum(one.lines for one in found if isinstance(one, Skipped))


def _count_lines_with_text(text: bytes) -> int:
    return sum(1 for line in text.split(b"\n") if line.strip())


def _show(text: bytes) -> str:
    return refuse_row("", text.decode(errors="replace").replace(NOT_UTF8_MARK, "?")).row
