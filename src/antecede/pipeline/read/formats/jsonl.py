"""Read JSON Lines with the columns of a trace: many lines at once with Arrow, and the doubtful lines exactly.

Arrow parses a piece of the file with the types of the trace, and refuses it if a value has another type or a key comes
twice. A piece that Arrow refuses is cut into smaller ones. The lines of a small piece that is refused again go through
`antecede.judge.events`, which alone decides whether a line is an event, and why it is not. Single lines that Arrow
reads and that may break a rule of the trace go the same way. So every reader of a trace keeps and refuses the same
rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.json

from antecede.judge.events import Event, RefusedRow, read_jsonl
from antecede.judge.row_refusals import FIELD_CHARS_MAX
from antecede.pipeline import schema
from antecede.pipeline.arrow import Flags, Longs
from antecede.pipeline.read import doubtful_rows
from antecede.pipeline.read.blocks import Block
from antecede.pipeline.read.rows import ReadRows, Wanted, read_line_block
from antecede.pipeline.read.times import column_to_seconds

PIECE_LINES = 4_096
NEWLINE, LAST_BLANK, OPENING_BRACE, CLOSING_BRACE = 10, 32, ord("{"), ord("}")
BLANKS = np.frombuffer(b" \t\r\x0b\x0c", np.uint8)
NESTING_MAX = 400  # levels that the exact parser is sure to read
DECODER = json.JSONDecoder()
NULL_AFTER_OBJECT = re.compile(rb"\}\s*null")
ATTRIBUTES = re.compile(rb'"attributes"\s*:\s*')
ESCAPES = re.compile(rb'\\u[dD][89a-fA-F]|"[^"\n]*\\u[^"\n]*"\s*:')
"""Half of a character, whose other half may be missing, and a key that may be spelled in an odd way."""
COLUMNS = pa.schema([field for field in schema.TRACE if field.name != "attributes"])
Parsed = tuple[pa.Table, Sequence[RefusedRow]]


def read(block: Block, wanted: Wanted) -> Iterator[ReadRows]:
    """Yield the rows of a block of JSON Lines."""
    return read_line_block(block, partial(parse_lines, wanted=wanted), wanted.events)


def parse_lines(data: bytes, first_line: int, *, wanted: Wanted) -> Parsed:
    """Return the events of complete lines, and the rows that are not events."""
    starts, ends, lines = find_rows(data, first_line)
    parsed = _parse_with_arrow(data, starts, ends, lines)
    if parsed is not None:
        return _refuse(parsed, data, starts, ends, wanted)
    if len(lines) <= PIECE_LINES:
        return parse_exactly((data[a:b] for a, b in zip(starts, ends, strict=True)), lines, wanted)
    cuts = [*range(0, len(lines), PIECE_LINES), len(lines)]
    return _join(parse_lines(data[starts[a] : ends[b - 1]], int(lines[a]), wanted=wanted) for a, b in pairwise(cuts))


def find_rows(data: bytes, first_line: int) -> tuple[Longs, Longs, Longs]:
    """Return the beginning, the end and the number of each line that is not blank."""
    letters = np.frombuffer(data, np.uint8)
    breaks = np.flatnonzero(letters == NEWLINE)
    starts = np.concatenate([[0], breaks + 1])
    ends = np.concatenate([breaks, [len(letters)]])
    if starts[-1] == len(letters):
        starts, ends = starts[:-1], ends[:-1]
    lines = np.arange(len(starts)) + first_line
    blank = _are_blank(data, letters, starts, ends)
    return (starts[~blank], ends[~blank], lines[~blank]) if blank.any() else (starts, ends, lines)


def _are_blank(data: bytes, letters: npt.NDArray[np.uint8], starts: Longs, ends: Longs) -> Flags:
    """Return for each line whether it is blank. There may be many millions of lines that are empty or of one letter."""
    blank = ends == starts
    maybe = np.flatnonzero(~blank)
    maybe = maybe[letters[starts[maybe]] <= LAST_BLANK]
    short = ends[maybe] - starts[maybe] == 1
    blank[maybe[short]] = np.isin(letters[starts[maybe[short]]], BLANKS)
    maybe = maybe[~short]
    blank[maybe] = [not data[a:b].strip() for a, b in zip(starts[maybe].tolist(), ends[maybe].tolist(), strict=True)]
    return blank


def parse_exactly(rows: Iterable[bytes], lines: Longs, wanted: Wanted) -> Parsed:
    """Return the events and the refused rows of these lines, by the rules of the judge."""
    events: list[Event] = []
    places: list[int] = []
    refused: list[RefusedRow] = []
    for row, line in zip(rows, lines.tolist(), strict=True):
        kept, left_out = read_jsonl([row])
        events += kept
        places += [line] * len(kept)
        refused += [RefusedRow(one.reason, one.row, line) for one in left_out]
    return event_table(events, places, wanted), refused


def event_table(events: Sequence[Event], lines: Sequence[int], wanted: Wanted) -> pa.Table:
    """Return events of the judge as a table with the wanted columns and `line`."""
    columns: dict[str, list[Any]] = {name: [getattr(event, name) for event in events] for name in wanted.trace.names}
    if "attributes" in columns:
        columns["attributes"] = [None if one is None else list(one.items()) for one in columns["attributes"]]
    fields = pa.schema([*wanted.trace, ("line", pa.int64())])
    return pa.table({**columns, "line": list(lines)}, schema=fields)


def _parse_with_arrow(data: bytes, starts: Longs, ends: Longs, lines: Longs) -> pa.Table | None:
    """Return one row for each line, or None if a line is not one object with the types of a trace."""
    if not len(lines):
        return COLUMNS.append(pa.field("line", pa.int64())).empty_table()
    # Arrow ends the process if it meets `null` in place of an object, so it must not see any. And Arrow does not care
    # for lines, so an object must begin and end on each line.
    if not _are_objects(data, starts, ends) or NULL_AFTER_OBJECT.search(data):
        return None
    try:
        if not data.isascii():
            data.decode()  # Arrow does not look at keys and values that it ignores
        table = pyarrow.json.read_json(
            pa.BufferReader(data),
            read_options=pyarrow.json.ReadOptions(use_threads=False, block_size=len(data) + 1),
            parse_options=pyarrow.json.ParseOptions(
                explicit_schema=COLUMNS, newlines_in_values=False, unexpected_field_behavior="ignore"
            ),
        )
    except (pa.ArrowInvalid, UnicodeDecodeError):
        return None
    if table.num_rows != len(lines):
        return None
    return table.append_column("line", pa.array(lines))


def _are_objects(data: bytes, starts: Longs, ends: Longs) -> bool:
    """Return whether every line begins and ends like an object. Blanks may follow the object."""
    letters = np.frombuffer(data, np.uint8)
    if np.any(letters[starts] != OPENING_BRACE):
        return False
    odd = np.flatnonzero(letters[ends - 1] != CLOSING_BRACE)
    return all(data[starts[at] : ends[at]].rstrip().endswith(b"}") for at in odd.tolist())


def _refuse(table: pa.Table, data: bytes, starts: Longs, ends: Longs, wanted: Wanted) -> Parsed:
    """Return the events and the refused rows of a table that Arrow read.

    The lines that may break a rule are parsed again, exactly.
    """
    doubtful = doubtful_rows.find_doubtful(table)
    doubtful |= ends - starts > FIELD_CHARS_MAX
    doubtful[_rows_with_much_nesting(data, starts, ends)] = True
    with_attributes = _mark_rows_with_attributes(data, starts, doubtful)
    if b"\\u" in data:
        doubtful[_rows_at(starts, [match.start() for match in ESCAPES.finditer(data)])] = True
    table = doubtful_rows.name_runs(table)
    table = table.set_column(table.column_names.index("time"), "time", column_to_seconds(table["time"]))
    if wanted.all_columns:
        table = _with_attributes(table, data, starts, ends, np.flatnonzero(with_attributes & ~doubtful))
    table = table.select([*wanted.trace.names, "line"])
    if not doubtful.any():
        return table, []
    at = np.flatnonzero(doubtful)
    exact, refused = parse_exactly((data[starts[n] : ends[n]] for n in at), table["line"].to_numpy()[at], wanted)
    return pa.concat_tables([table.filter(pa.array(~doubtful)), exact]).sort_by("line"), refused


def _rows_with_much_nesting(data: bytes, starts: Longs, ends: Longs) -> list[int]:
    """Return the rows that may be nested too deeply for the exact parser. Arrow reads them all."""
    long = np.flatnonzero(ends - starts > 2 * NESTING_MAX)
    places = zip(long.tolist(), starts[long].tolist(), ends[long].tolist(), strict=True)
    return [row for row, a, b in places if data.count(b"[", a, b) + data.count(b"{", a, b) > NESTING_MAX]


def _mark_rows_with_attributes(data: bytes, starts: Longs, doubtful: Flags) -> Flags:
    """Return for each row whether it may have attributes. Mark a row as doubtful if they are not an object."""
    found = [(match.start(), data[match.end() : match.end() + 1] != b"{") for match in ATTRIBUTES.finditer(data)]
    marked = np.zeros(len(starts), np.bool_)
    if found:
        place, odd = (np.array(values) for values in zip(*found, strict=True))
        row = _rows_at(starts, place)
        marked[row] = True
        doubtful[row[odd]] = True
    return marked


def _rows_at(starts: Longs, places: Sequence[int] | Longs) -> Longs:
    """Return the row in which each of these places is."""
    return np.searchsorted(starts, np.asarray(places, np.int64), side="right") - 1


def _parse_attributes(data: bytes, text: str | None, start: int, end: int) -> dict[str, Any] | None:
    """Return the attributes of the line between `start` and `end`. Parse only them if it is sure where they are.

    It is sure if `data` is ASCII, and the name comes once, after one opening brace and no backslash. Then it is a name
    of the outer object, and is not inside of a text. `text` is `data` as text if it is ASCII, and otherwise None.
    """
    match = None if text is None else ATTRIBUTES.search(data, start, end)
    if match is not None and text is not None:
        at = match.start()
        is_outer = data.count(b"{", start, at) == 1 and data.find(b"\\", start, at) < 0
        if is_outer and data.find(b'"attributes"', match.end(), end) < 0:
            found: dict[str, Any] = DECODER.raw_decode(text, match.end())[0]
            return found
    whole: dict[str, Any] = json.loads(data[start:end])
    return whole.get("attributes")


def _with_attributes(table: pa.Table, data: bytes, starts: Longs, ends: Longs, at: Longs) -> pa.Table:
    """Return the table with the column `attributes`, read from the rows `at`.

    The rows with odd attributes are not among these. A nested value becomes its JSON text, as it does for the judge.
    """
    values: list[list[tuple[str, str]] | None] = [None] * table.num_rows
    text = data.decode() if data.isascii() else None
    for row, start, end in zip(at.tolist(), starts[at].tolist(), ends[at].tolist(), strict=True):
        found = _parse_attributes(data, text, start, end)
        if found is not None:
            values[row] = [
                (name, item if isinstance(item, str) else json.dumps(item))
                for name, item in found.items()
                if item is not None
            ]
    place = schema.TRACE.get_field_index("attributes")
    return table.add_column(place, "attributes", pa.array(values, schema.TEXT_BY_TEXT))


def _join(parts: Iterable[Parsed]) -> Parsed:
    found = list(parts)
    return pa.concat_tables([events for events, _ in found]), [row for _, rows in found for row in rows]
