"""Read spans from files of JSON texts: one text in each line, or one text that is the whole file.

The first lines of a file show which of the two it is. A text is read exactly, by the parser of the standard library,
and a format says what the decoded text means. A text that does not have the structure of the format is one refused row.
In a text that has it, each span is accepted or refused by itself. If a file is one text, the line of a span is its
number among the spans of the file.

A field that is to be text may be any JSON value: a number, a boolean, a list or an object becomes its JSON text. If a
name comes twice in an object, the last one counts. Bytes that are not UTF-8 become the replacement character, and half
of a surrogate pair becomes a question mark.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from antecede.judge.events import QUARANTINED_CHARS_MAX, RefusedRow, refuse_row
from antecede.judge.row_refusals import LONG_MAX
from antecede.pipeline.arrow import fill_table
from antecede.pipeline.read import content
from antecede.pipeline.read.blocks import Block
from antecede.pipeline.read.files import check_version
from antecede.pipeline.read.formats.spans import SPANS
from antecede.pipeline.read.rows import ReadRows, Wanted, refused_table, with_file

DOCUMENT_BYTES_MAX = 256 << 20
FORM_BYTES_MAX = 64 << 10
FORM_LINES_MAX = 20
TEXT_CHARS_SHOWN_MAX = 60
ALL_COLUMNS = Wanted(all_columns=True)
NOT_NEEDED = ("group", "payload_bytes", "attributes")
"""Columns of spans that do not decide the verdict."""
SPAN_COLUMNS = pa.schema([field for field in SPANS if field.name != "file"])
INTEGER = re.compile(r"[\x00-\x20]*[+-]?[0-9]{1,40}[\x00-\x20]*")
SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u([dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)


class Malformed(Exception):
    """A JSON text does not have the structure of the format."""


class TracedSpan(NamedTuple):
    """A span, with the columns of `SPANS` except for the file and the line."""

    span: str
    role: str
    process: str | None
    start: float
    start_order: int
    keys: Sequence[str]
    arrivals: Sequence[Sequence[str]]
    own_name: str | None = None
    dests: Sequence[str] | None = None
    group: str | None = None
    payload_bytes: int | None = None
    attributes: Sequence[tuple[str, str]] | None = None


class RefusedSpan(NamedTuple):
    """A span that cannot be read, with the reason, and the span as text."""

    reason: str
    row: str


ReadText = Callable[[Any], list[TracedSpan | RefusedSpan]]
"""A function from a decoded JSON text to its spans. It raises `Malformed` if they cannot be found."""

ParsedSpans = tuple[pa.Table, Sequence[RefusedRow]]
ParsePiece = Callable[[bytes, int | None], ParsedSpans]
"""A function that takes complete lines and the number of the first of them. If the number is None, the bytes are one
text, a whole file. The function returns a table with the columns of `SPANS` without `file`, and the refused rows."""


def read_spans(block: Block, parse: ParsePiece, *, document_bytes_max: int = DOCUMENT_BYTES_MAX) -> Iterator[ReadRows]:
    """Yield the spans of a block, as `SPANS` in place of events.

    `parse` reads the lines of the block, or the whole file. A file that is one text of more than `document_bytes_max`
    bytes is one refused row.
    """
    check_version(block.path, block.version)
    if block.is_whole and not has_texts_in_lines(block.path):
        yield _read_document(block, parse, document_bytes_max)
        return
    for piece in content.read_lines(block.path, block.start, block.end, block.before):
        if isinstance(piece, content.Unread):
            yield _refuse_all(block, RefusedRow(piece.reason, piece.row or "", piece.line))
            continue
        data = piece.data.removeprefix(content.BYTE_ORDER_MARK) if piece.first_line == 1 else piece.data
        if not data.isspace():
            yield _span_rows(block, parse(data, piece.first_line))


def has_texts_in_lines(path: str) -> bool:
    """Return whether each line of a file is a text. If not, the file is one text, and must not be cut.

    This is false if the first line only begins a text. It is also false if the first line is broken, and none of the
    next lines is complete.
    """
    head = content.read_head(path, FORM_BYTES_MAX).removeprefix(content.BYTE_ORDER_MARK).lstrip()
    first, *others = head.split(b"\n")[: FORM_LINES_MAX + 1]
    if not others:  # a long line, or one text that is too long for a line
        head = content.read_head(path, content.LINE_BYTES_MAX + 1)
        return len(head) <= content.LINE_BYTES_MAX or b"\n" in head.strip()
    if first.strip() in (b"{", b"["):
        return False
    return _is_json(first) or any(line.lstrip().startswith(b"{") and _is_json(line) for line in others)


def parse_exactly(
    data: bytes, first_line: int | None, *, read_text: ReadText, reason: str, wanted: Wanted
) -> ParsedSpans:
    """Return the spans of some lines, or of a whole file, and the rows that are refused.

    `first_line` is the number of the first line, or None for a whole file. `reason` is the reason for a refused text,
    which does not have the structure of the format. Columns that are not wanted are null.
    """
    spans: list[TracedSpan] = []
    lines: list[int] = []
    refused: list[RefusedRow] = []
    for text, line in [(data, None)] if first_line is None else _number_lines(data, first_line):
        try:
            found = read_text(decode_json(text))
        except (Malformed, RecursionError):
            refused.append(refuse_row(reason, text, line or 1))
            continue
        for number, one in enumerate(found, start=1):
            place = number if line is None else line
            if isinstance(one, TracedSpan):
                spans.append(one)
                lines.append(place)
            else:
                refused.append(refuse_row(one.reason, one.row, place))
    columns = dict(zip(TracedSpan._fields, zip(*spans, strict=True), strict=True)) if spans else {}
    if not wanted.all_columns:
        columns = {name: values for name, values in columns.items() if name not in NOT_NEEDED}
    return fill_table(SPAN_COLUMNS, len(spans), line=lines, **columns), refused


def objects_in(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list. Raise `Malformed` if the value is not a list of objects.

    Null in place of the list is an empty list. Null in the list is an empty object.
    """
    if value is None:
        return []
    if not isinstance(value, list):
        raise Malformed
    return [object_at(one) for one in value]


def object_at(value: Any) -> dict[str, Any]:
    """Return an object. Null is an empty object. Raise `Malformed` if the value is something else."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Malformed
    return value


def has_half_characters(data: bytes) -> bool:
    """Return whether a JSON text has half of a surrogate pair."""
    if b"\\" not in data or not SURROGATE.search(data):
        return False
    return any(found.group(1) for found in ESCAPE.finditer(data))


def text_of(value: Any) -> str | None:
    """Return the text of a value: the value itself if it is a text, otherwise its JSON. The text of null is None."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


def show(value: str | None) -> str:
    """Return a text in the form in which a reason quotes it."""
    return "missing" if value is None else value[:TEXT_CHARS_SHOWN_MAX]


def show_row(value: object) -> str:
    """Return the JSON of a refused span in the form in which the quarantine shows it."""
    return json.dumps(value)[:QUARANTINED_CHARS_MAX]


def integer_of(text: str | None) -> int | None:
    """Return the integer of 64 bits that a text spells in decimal digits, or None if it does not."""
    if text is None or not INTEGER.fullmatch(text):
        return None
    value = int(text)
    return value if -LONG_MAX - 1 <= value <= LONG_MAX else None


def join_attributes(others: Mapping[str, str | None], own: Mapping[str, str | None]) -> list[tuple[str, str]]:
    """Return the attributes of a span as pairs: first `others`, then `own`, which replace others of the same name."""
    kept = [(name, value) for name, value in others.items() if value is not None and name not in own]
    return kept + [(name, value) for name, value in own.items() if value is not None]


def _read_document(block: Block, parse: ParsePiece, size_max: int) -> ReadRows:
    data, damage = content.read_whole(block.path, size_max)
    data = data.removeprefix(content.BYTE_ORDER_MARK)
    if damage is not None:
        if not damage.startswith(content.DAMAGED):
            damage = (
                f"the file is one JSON document of more than {size_max:,} bytes, which is the limit; write one "
                "document in each line, or several files"
            )
        return _refuse_all(block, refuse_row(damage, data, 1))
    if not data.strip():
        return _span_rows(block, (SPAN_COLUMNS.empty_table(), []))
    return _span_rows(block, parse(data, None))


def _span_rows(block: Block, parsed: ParsedSpans) -> ReadRows:
    spans, refused = parsed
    return ReadRows(with_file(spans, block.name).select(SPANS.names).cast(SPANS), refused_table(block.name, refused))


def _refuse_all(block: Block, row: RefusedRow) -> ReadRows:
    return ReadRows(SPANS.empty_table(), refused_table(block.name, [row]))


def _number_lines(data: bytes, first_line: int) -> Iterable[tuple[bytes, int]]:
    return ((line, number) for number, line in enumerate(data.split(b"\n"), start=first_line) if line.strip())


def decode_json(data: bytes) -> Any:
    """Return the value of a JSON text. Raise `Malformed` if it is not one."""
    if has_half_characters(data):
        data = ESCAPE.sub(lambda found: b"?" if found.group(1) else found.group(), data)
    try:
        return json.loads(data.decode(errors="replace"))
    except (ValueError, RecursionError):
        raise Malformed from None


def _is_json(line: bytes) -> bool:
    try:
        decode_json(line)
    except Malformed:
        return False
    return True
