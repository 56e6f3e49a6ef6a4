"""Read logs in CSV by a mapping, as `formats.mapped` reads JSON Lines. The columns of the header are the fields.

The first line that is not blank is the header. Cells are separated by a comma, a semicolon, a tab or a bar, whichever
the header has most of. A cell in quotes may hold line breaks, so a file is read from its beginning, as one block. An
empty cell is a missing value. If a row of several lines does not fit the header, because a quote is not closed, only
its first line is refused, and reading goes on with the second line. After `AGAIN_CHARS_MAX` characters have been read
again in this way, each line is a row, so that a file of such lines is not read again and again.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import pyarrow as pa

from antecede.judge.events import Event, RefusedRow, refuse_row
from antecede.pipeline.errors import did_you_mean
from antecede.pipeline.read import content
from antecede.pipeline.read.blocks import Block
from antecede.pipeline.read.content import NOT_UTF8
from antecede.pipeline.read.files import check_version
from antecede.pipeline.read.formats.mapped import RowMapper
from antecede.pipeline.read.rows import ReadRows, Wanted, encode_names, refused_table, with_file

CSV_BATCH_ROWS = 10_000
AGAIN_CHARS_MAX = 64 << 20
DELIMITERS = ",;\t|"


def read(
    block: Block, wanted: Wanted, mapping: Mapping[str, object], *, again_chars_max: int = AGAIN_CHARS_MAX
) -> Iterator[ReadRows]:
    """Yield the rows of a file, with a note if its header lacks columns that the mapping names."""
    check_version(block.path, block.version)
    lines = _Lines(block, again_chars_max)
    mapper = RowMapper(mapping)
    names, delimiter = _read_header(lines)
    events: list[Event] = []
    places: list[int] = []
    for row in _read_rows(lines, delimiter, len(names)):
        found = mapper.to_event(_by_name(names, row.cells)) if row.problem is None else row.problem
        if isinstance(found, Event):
            events.append(found)
            places.append(row.line)
        else:
            lines.refused.append(refuse_row(found, row.text.encode(errors="surrogateescape"), row.line))
        if len(events) + len(lines.refused) >= CSV_BATCH_ROWS:
            yield _take(block, mapper.table(events, places, wanted), lines)
            events, places = [], []
    missing = [name for name in dict.fromkeys(mapper.field_names) if name not in names]
    named = ", ".join(f"{name}{did_you_mean(name, names)}" for name in missing)
    note = f"{block.name}: the header has no column {named}; there are {', '.join(names)}"
    twice = [name for name in dict.fromkeys(mapper.field_names) if names.count(name) > 1]
    several = f"{block.name}: the header has several columns {', '.join(twice)}; the last one counts"
    notes = [*([note] if missing else []), *([several] if twice else [])]
    yield replace(_take(block, mapper.table(events, places, wanted), lines), notes=tuple(notes))


def find_delimiter(header: str) -> str:
    """Return the character that separates the cells of a header."""
    return max(DELIMITERS, key=header.count)


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the file, or a line that is not a row, with the problem."""

    line: int
    text: str
    cells: list[str]
    problem: str | None = None


class _Lines:
    """The lines of a file, which can be given back. `refused` has the parts of the file that cannot be read."""

    def __init__(self, block: Block, again_chars_max: int) -> None:
        self.refused: list[RefusedRow] = []
        self._again_chars_max = again_chars_max
        self.taken: list[tuple[int, str]] = []
        self._again_chars = 0  # characters to read once more, because their lines were given back
        self._ahead: deque[tuple[int, str]] = deque()
        self._pieces = content.read_lines(block.path, block.start, block.end, block.before)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self.taken and self._again_chars > self._again_chars_max:
            raise StopIteration  # for the parser, the row ends here
        while not self._ahead:
            self._read_more(next(self._pieces))
        self.taken.append(self._ahead.popleft())
        return self.taken[-1][1]

    def begin_row(self) -> None:
        """Forget the lines of the row before."""
        self.taken = []

    def give_back(self) -> None:
        """Give back all lines of the row but the first."""
        self._ahead.extendleft(reversed(self.taken[1:]))
        self._again_chars += sum(len(text) for _, text in self.taken[1:])
        self.taken = self.taken[:1]

    def _read_more(self, piece: content.Piece | content.Unread) -> None:
        if isinstance(piece, content.Unread):
            self.refused.append(RefusedRow(piece.reason, piece.row or "", piece.line))
            return
        data = piece.data.removeprefix(content.BYTE_ORDER_MARK) if piece.first_line == 1 else piece.data
        texts = data.decode(errors="surrogateescape").split("\n")
        if not texts[-1]:
            texts.pop()
        self._ahead.extend((line, f"{text}\n") for line, text in enumerate(texts, start=piece.first_line))


def _read_header(lines: _Lines) -> tuple[list[str], str]:
    """Return the names of the columns, and the character that separates them. A file without text has no columns."""
    first = next((line for line in lines if line.strip()), "")
    first = first.encode(errors="surrogateescape").decode(errors="replace")
    delimiter = find_delimiter(first)
    try:
        names = next(csv.reader([first], delimiter=delimiter), [])
    except csv.Error as error:
        names = []
        lines.refused.append(refuse_row(f"the header is not CSV: {error}", first, lines.taken[-1][0]))
    lines.begin_row()
    return [name.strip() for name in names], delimiter


def _read_rows(lines: _Lines, delimiter: str, width: int) -> Iterator[_Row]:
    """Yield the rows after the header. A blank line is not a row."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        lines.begin_row()
        try:
            cells = next(reader)
            problem = None if len(cells) == width else f"the row has {len(cells)} cells; the header has {width}"
        except StopIteration:
            return
        except csv.Error as error:
            cells, problem = [], f"the row is not CSV: {error}"
        if problem is not None:
            lines.give_back()
        text = "".join(text for _, text in lines.taken)
        if not text.isascii() and NOT_UTF8.search(text):
            problem = "the line is not UTF-8"
        if text.strip():
            yield _Row(lines.taken[0][0], text, cells, problem)


def _by_name(names: list[str], cells: list[str]) -> dict[str, str | None]:
    return {name: cell or None for name, cell in zip(names, cells, strict=True)}


def _take(block: Block, events: pa.Table, lines: _Lines) -> ReadRows:
    """Return the events and the refused rows so far, and forget these refused rows."""
    refused, lines.refused = lines.refused, []
    return ReadRows(encode_names(with_file(events, block.name)), refused_table(block.name, refused))
