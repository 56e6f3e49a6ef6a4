"""Describe the beginning of a file: JSON Lines with these fields, CSV with these columns, or something else."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from antecede.pipeline.read.formats.csv import find_delimiter
from antecede.pipeline.read.formats.mapped import FIELD

HEAD_BYTES = 64 << 10
"""How many bytes of a file are looked at."""
ROWS_MAX = 1_000
FIELDS_MAX = 100
DEPTH_MAX = 4
CSV_COLUMNS_MIN = 3
COLUMN_NAME = re.compile(r"[^\W\d][^\n{}\[\]\"'<>=]{0,63}")
PLAIN_TEXT, BINARY, DOCUMENT = "text", "a binary file", "one JSON document"
LONG_LINE = f"text with a first line of more than {HEAD_BYTES >> 10} kB"
ADVICE = {
    PLAIN_TEXT: "text without vector clocks cannot be read: turn it into JSON Lines or CSV with one event per line "
    "(docs/guide/05-checking.md shows how); if it has vector clocks, say with --regex how they are written",
    BINARY: "give a log of text, or Parquet",
    DOCUMENT: "turn it into JSON Lines, with one event per line",
    LONG_LINE: "a format is recognised by the first lines; say with --format what it is, or with --mapping what the "
    "fields mean",
}
"""Advice for a file from which no event can be read, by its form."""
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]")


@dataclass(frozen=True, slots=True)
class Sample:
    """The first rows of a file. `form` says in words what the file is. The names of nested fields have dots in them."""

    form: str
    rows: tuple[Mapping[str, Any], ...] = ()

    @property
    def fields(self) -> list[str]:
        """Return the names of the fields in the order in which they come."""
        return list(dict.fromkeys(name for row in self.rows for name in row))[:FIELDS_MAX]

    def describe(self) -> str:
        """Return what the file is, in words."""
        names = self.fields
        if not names:
            return self.form
        shown = ", ".join(name if name.isprintable() else repr(name) for name in names[:20])
        many = f" and {len(names) - 20} more" if len(names) > 20 else ""
        return f"{self.form} with the {'columns' if self.is_csv else 'fields'} {shown}{many}"

    def advise(self) -> str:
        """Return what the file is, and what to do if it is neither JSON Lines nor CSV."""
        advice = ADVICE.get(self.form)
        return self.describe() if advice is None else f"{self.describe()}; {advice}"

    @property
    def has_fields(self) -> bool:
        """Return whether the file has fields, so that a mapping can say what they mean."""
        return self.is_csv or self.is_json_lines

    @property
    def is_csv(self) -> bool:
        return self.form == "CSV"

    @property
    def is_json_lines(self) -> bool:
        return self.form == "JSON Lines"


def take_sample(head: bytes) -> Sample:
    """Return the rows and the form that the first bytes of a file show. The last line may be cut off."""
    if head.startswith(UTF_16):
        return Sample("text in UTF-16, which is not read; convert it to UTF-8")
    text = head.decode("utf-8-sig", "replace")
    if not text.strip():
        return Sample("nothing")
    objects = [_flatten(row) for row in _json_lines(text)]
    if objects:
        return Sample("JSON Lines", tuple(objects))
    rows = _csv_rows(text)
    return Sample("CSV", tuple(rows)) if rows else Sample(_form_without_fields(text, is_cut=len(head) >= HEAD_BYTES))


def _form_without_fields(text: str, *, is_cut: bool) -> str:
    begin = text.strip()
    if begin.startswith("["):
        return DOCUMENT
    if is_cut and "\n" not in begin:
        return LONG_LINE
    if begin.startswith("{"):
        return DOCUMENT
    odd = len(CONTROL.findall(text[:4_000]))
    return BINARY if odd * 20 > len(text[:4_000]) else PLAIN_TEXT


def _json_lines(text: str) -> list[Mapping[str, Any]]:
    """Return the lines that are JSON objects, or none if fewer than about half of the lines are."""
    lines = [line for line in text.split("\n")[:ROWS_MAX] if line.strip()]
    found = [row for row in map(_parse_object, lines) if row is not None]
    return found if len(found) * 2 >= len(lines) - 1 else []


def _parse_object(line: str) -> Mapping[str, Any] | None:
    if not line.lstrip().startswith("{"):
        return None
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _flatten(row: Mapping[str, Any], prefix: str = "", depth: int = 1) -> dict[str, Any]:
    """Return the fields of a row, with the fields inside of objects. A name that a mapping cannot hold is left out."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        path = prefix + name
        if not FIELD.match(path):
            continue
        if isinstance(value, Mapping) and depth < DEPTH_MAX:
            found |= _flatten(value, f"{path}.", depth + 1)
        else:
            found[path] = value
    return found


def _csv_rows(text: str) -> list[dict[str, Any]]:
    """Return the rows after the header, or none if the text does not look like CSV with a header."""
    lines = text.lstrip("\n").split("\n")[:ROWS_MAX]
    if len(lines) < 3:
        lines.append("")  # a short file has no line that is cut off
    try:
        rows = list(csv.reader([f"{line}\n" for line in lines[:-1]], delimiter=find_delimiter(lines[0])))
    except csv.Error:
        return []
    header, *others = [[cell.strip() for cell in row] for row in rows if any(row)] or [[]]
    if len(header) < CSV_COLUMNS_MIN or len(set(header)) < len(header) or not all(map(COLUMN_NAME.fullmatch, header)):
        return []
    fitting = [
        dict(zip(header, [cell or None for cell in row], strict=True)) for row in others if len(row) == len(header)
    ]
    return fitting if fitting and len(fitting) * 10 >= len(others) * 9 else []
