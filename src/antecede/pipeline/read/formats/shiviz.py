"""ShiViz and GoVector logs: text that a regular expression is searched in, with a vector clock per event.

The expression has the named groups `host`, `clock` and `event`; other named groups become attributes, except that
`message`, `kind` and `dests` fill the columns of those names and `timestamp` (nanoseconds) or `date` the time. A
log may open with a line that holds its own expression and a line that holds the delimiter between executions. Where
neither the log nor the caller has one, the known expressions are tried and the one that finds the most events is
taken.

A clock is a JSON object from host to integer, and the host's own entry is the index. Most such logs name no
messages: their events are `internal`, and carry the clock among their attributes. The search is a loop over one
text, so this is an Arrow function over whole files, of at most 256 MB each; text between matches is skipped, as
ShiViz does, and counted.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from antecede.pipeline.errors import BadPattern

BYTES_MAX = 256 << 20
SAMPLE_CHARS = 64 << 10
SEARCHED_CHARS_MAX = 4_096
ROW_CHARS_MAX = 1_000
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
DATE_FORMATS = ("%m/%d/%Y %H:%M:%S.%f", "%Y-%m-%d %H:%M:%S,%f", "%m/%d/%Y %I:%M:%S %p", "%Y-%m-%d %H:%M:%S.%f")


@dataclass(frozen=True, slots=True)
class Row:
    """One match: an event, or, where there is a reason, a row for the quarantine."""

    run: str = ""
    process: str | None = None
    index: int | None = None
    kind: str | None = None
    time: float | None = None
    message: str | None = None
    dests: list[str] | None = None
    attributes: dict[str, str] | None = None
    line: int = 1
    reason: str | None = None
    row: str | None = None


@dataclass(frozen=True, slots=True)
class LogPattern:
    """How one log is read, and under what name to report it."""

    name: str
    event: re.Pattern[str]
    delimiter: re.Pattern[str]
    header_lines: int = 0


@dataclass(slots=True)
class Skipped:
    """Lines between matches that are not blank."""

    lines: int = 0


def compiled(expression: str, required: Iterable[str] = ()) -> re.Pattern[str]:
    """A JavaScript expression as Python's, with the flag m. `BadPattern` says where it is wrong."""
    try:
        pattern = re.compile(re.sub(r"\(\?<(?![=!])", "(?P<", expression), re.MULTILINE | re.ASCII)
    except re.error as error:
        where = "" if error.pos is None else f" at character {error.pos + 1}"
        raise BadPattern(
            f"the regular expression {expression!r} is wrong{where}: {error.msg}; correct it, or leave --regex out "
            "to try the known expressions"
        ) from error
    missing = [name for name in required if name not in pattern.groupindex]
    if missing:
        raise BadPattern(
            f"the regular expression {expression!r} has no group {', '.join(f'(?<{name}>...)' for name in missing)}; "
            f"it needs {', '.join(REQUIRED_GROUPS)}, and may have message, kind, dests, timestamp, date"
        )
    return pattern


def layout(text: str, regex: str | None = None, delimiter: str | None = None) -> LogPattern:
    """How to read this log: by the caller's expression, else by its own, else by the best of the known ones."""
    own_regex, own_delimiter, header_lines = _header(text)
    cut = compiled(delimiter or own_delimiter or DELIMITER)
    if regex is not None:
        return LogPattern("the given expression", compiled(regex, REQUIRED_GROUPS), cut, header_lines)
    if own_regex is not None:
        return LogPattern("the log's own expression", compiled(own_regex, REQUIRED_GROUPS), cut, header_lines)
    sample = text[:SAMPLE_CHARS]
    tried = [LogPattern(name, compiled(known, REQUIRED_GROUPS), cut) for name, known in KNOWN.items()]
    return max(tried, key=lambda one: _fitness(sample, one))


def recognised(text: str) -> str | None:
    """The name of the layout in which this text has events, or None."""
    try:
        found = layout(text)
    except BadPattern:
        return None
    return found.name if _fitness(text[:SAMPLE_CHARS], found)[0] else None


def rows(text: str, how: LogPattern, skipped: Skipped) -> Iterator[Row]:
    """The events of a log in its order; and what looked like one and is not, with the reason."""
    for run, start, end in _executions(text, how):
        line = text.count("\n", 0, start) + 1
        at = start
        for match in _matches(how.event, text, start, end):
            skipped.lines += _lines_with_text(text, at, match.start())
            line += text.count("\n", at, match.start())
            yield _row(match, run, line)
            line += text.count("\n", match.start(), match.end())
            at = match.end()
        skipped.lines += _lines_with_text(text, at, end)


def _matches(pattern: re.Pattern[str], text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """What `finditer` gives, but that a long line is tried at its beginning alone.

    An expression that opens with `.*` takes time in the square of the line it does not match; a line of a million
    characters would take days.
    """
    at = start
    while at < end:
        line_end = text.find("\n", at, end)
        line_end = end if line_end < 0 else line_end
        tries = range(at, line_end + 1 if line_end - at <= SEARCHED_CHARS_MAX else at + 1)
        match = next(filter(None, (pattern.match(text, place, end) for place in tries)), None)
        if match is not None and match.end() > match.start():
            yield match
            at = match.end()
        else:
            at = line_end + 1


def decoded(content: bytes) -> tuple[str, str | None]:
    """The text of a file, unpacked where it is gzip; and why it ends early, where it does."""
    why = None
    if content[:2] == b"\x1f\x8b":
        content, why = _unpacked(content)
    # Bytes that are no UTF-8 survive as lone surrogates, by which the event that holds them is known.
    return content.decode("utf-8-sig", "surrogateescape").replace("\r\n", "\n"), why


def _unpacked(content: bytes) -> tuple[bytes, str | None]:
    parts: list[bytes] = []
    while content:
        member = zlib.decompressobj(wbits=31)
        try:
            parts.append(member.decompress(content, BYTES_MAX))
        except zlib.error as error:
            return b"".join(parts), f"the gzip is damaged: {error}"
        if not member.eof:
            return b"".join(parts), f"the gzip ends early, or is larger than {BYTES_MAX} bytes"
        content = member.unused_data
    return b"".join(parts), None


def _header(text: str) -> tuple[str | None, str | None, int]:
    first, _, rest = text.partition("\n")
    if not all(f"(?<{name}>" in first for name in REQUIRED_GROUPS):
        return None, None, 0
    second = rest.partition("\n")[0].strip()
    has_delimiter = second.startswith("^") or "(?<trace>" in second
    return first.strip(), second if has_delimiter else None, 2 if has_delimiter or not second else 1


def _executions(text: str, how: LogPattern) -> Iterator[tuple[str, int, int]]:
    """(run, start, end) of each execution; a log without delimiters is one, whose run has no name."""
    start, run = 0, ""
    for _ in range(how.header_lines):
        start = text.find("\n", start) + 1 or len(text)
    named = "trace" in how.delimiter.groupindex
    for number, cut in enumerate(how.delimiter.finditer(text, start), start=1):
        if text[start : cut.start()].strip():
            yield run, start, cut.start()
        start, run = cut.end(), cut["trace"] if named else str(number)
    yield run, start, len(text)


def _row(match: re.Match[str], run: str, line: int) -> Row:
    whole = match[0]
    if any("\udc80" <= char <= "\udcff" for char in whole):
        return Row(line=line, reason="the text is not UTF-8", row=_printable(whole))
    fields = {name: value for name, value in match.groupdict().items() if value is not None}
    try:
        clock = _clock(fields["clock"], fields["host"])
    except ValueError as error:
        return Row(line=line, reason=str(error), row=_printable(whole))
    attributes = {name: value for name, value in fields.items() if name not in COLUMN_GROUPS}
    attributes["clock"] = json.dumps(clock)
    return Row(
        run=run,
        process=fields["host"],
        index=clock[fields["host"]],
        kind=fields.get("kind", "internal").strip().lower() or "internal",
        time=_seconds(fields),
        message=fields.get("message") or None,
        dests=_names(fields.get("dests")),
        attributes=attributes,
        line=line,
        row=_printable(whole),
    )


def _clock(text: str, host: str) -> Mapping[str, int]:
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


def _names(text: str | None) -> list[str] | None:
    """Destinations: a JSON list, or names between commas, semicolons or blanks."""
    if text is None:
        return None
    try:
        listed = json.loads(text)
    except (ValueError, RecursionError):
        listed = None
    if isinstance(listed, list):
        return [str(name) for name in listed]
    return [name for name in re.split(r"[\s,;]+", text.strip("[](){} ")) if name]


def _seconds(fields: Mapping[str, str]) -> float | None:
    """ShiViz's own clocks: nanoseconds in `timestamp`, or one of a few spellings in `date`, taken as UTC."""
    if fields.get("timestamp", "").isdigit():
        return int(fields["timestamp"]) / 1e9
    for form in DATE_FORMATS:
        try:
            return datetime.strptime(fields.get("date", ""), form).replace(tzinfo=UTC).timestamp()
        except ValueError:
            continue
    return None


def _fitness(sample: str, how: LogPattern) -> tuple[int, int, int]:
    """The most events, then the most said of each, then the least text left over."""
    skipped = Skipped()
    events = sum(row.reason is None for row in rows(sample, how, skipped))
    return events, len(how.event.groupindex), -skipped.lines


def _lines_with_text(text: str, start: int, end: int) -> int:
    return sum(1 for line in text[start:end].split("\n") if line.strip())


def _printable(text: str) -> str:
    return text[:ROW_CHARS_MAX].encode("utf-8", "replace").decode()
