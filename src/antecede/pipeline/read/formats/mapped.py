"""Read any log of JSON Lines by a mapping that says which of its fields are the columns of the trace.

A mapping is a JSON object, such as the built-in one, `tracechecker`, for the logs of DistributedClocks' tracing
library:

    {"process": "TracerIdentity",
     "index": "VectorClock[process]",
     "message": "Body.Token",
     "kind": {"field": "Tag", "send": ["GenerateTokenTrace"], "deliver": ["ReceiveTokenTrace"]},
     "attributes": ["Tag", "TraceID", "VectorClock"]}

A field is a name, or names with dots between them for a nested field. `FIELD[process]` is the entry of an object under
the row's own process. `kind` is a field whose value is the kind, or lists for each kind the values that mean it; any
other value means `internal`. Only `process` is required. `index`, `run`, `time`, `message`, `dests` and `group` may be
given. If there is no `index`, the events are numbered later. If there is no `dests`, the destinations are inferred
later: a message counts as sent to the processes where it arrived. A message id is looked for on sends and arrivals
alone.

`RowMapper` applies a mapping to one decoded row. `formats.csv` uses it too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any

import pyarrow as pa

from antecede.judge.events import KINDS, WITH_MESSAGE, Event, RefusedRow, parse, refuse_row
from antecede.judge.row_refusals import LONG_MAX
from antecede.judge.times import to_seconds
from antecede.pipeline.errors import BadPattern, did_you_mean
from antecede.pipeline.read import files
from antecede.pipeline.read.blocks import Block
from antecede.pipeline.read.formats.jsonl import Parsed, event_table, find_rows
from antecede.pipeline.read.rows import ReadRows, Wanted, read_line_block

BUILT_IN: dict[str, Mapping[str, object]] = {
    "tracechecker": {
        "process": "TracerIdentity",
        "index": "VectorClock[process]",
        "message": "Body.Token",
        "kind": {"field": "Tag", "send": ["GenerateTokenTrace"], "deliver": ["ReceiveTokenTrace"]},
        "attributes": ["Tag", "TraceID", "VectorClock"],
    }
}
WITHOUT_INDEX: Mapping[str, object] = {name: name for name in ("process", "dests")}
"""The mapping of a trace in which no row has an index. Its rows are read by the rules of a trace."""
HAS_INDEX = (
    "it has an index, but the first rows of the trace have none, so that all are taken in the order of their lines"
)
FIELDS = ("process", "index", "run", "time", "message", "dests", "group")
REQUIRED_FIELDS = ("process",)
MAPPING_BYTES_MAX = 1 << 20
FIELD = re.compile(r"^(?P<path>[^\[\]$'\"\\]+)(?P<own>\[process\])?$")
NUMBER = re.compile(r"\s*[+-]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})([eE][+-]?\d{1,3})?\s*", re.ASCII)


def load_mapping(mapping: str | Mapping[str, object]) -> Mapping[str, object]:
    """Return a mapping, which is given as the name of a built-in one, as JSON, or as the path of a file.

    Raise `BadPattern` if the mapping is missing or wrong.
    """
    if isinstance(mapping, Mapping):
        return check_mapping(mapping)
    if mapping in BUILT_IN:
        return BUILT_IN[mapping]
    if mapping.lstrip().startswith("{"):
        return check_mapping(_parse_json(mapping, "the mapping"))
    return check_mapping(_parse_json(_read_file(mapping), f"mapping file {mapping}: the mapping"))


def check_mapping(mapping: object) -> Mapping[str, object]:
    """Return the mapping. Raise `BadPattern`, which says what is wrong, if it cannot be used."""
    if not isinstance(mapping, Mapping):
        raise BadPattern("a mapping must be a JSON object from columns of the trace to fields of the log")
    unknown = sorted(set(mapping) - {*FIELDS, "kind", "attributes"}, key=str)
    missing = [name for name in REQUIRED_FIELDS if name not in mapping]
    if unknown or missing:
        known = (*FIELDS, "kind", "attributes")
        odd_ones = ", ".join(f"{str(name)!r}{did_you_mean(str(name), known)}" for name in unknown)
        raise BadPattern(
            f"the mapping has {'the unknown ' + odd_ones if unknown else 'no ' + ', '.join(missing)}; "
            f"it may have {', '.join(FIELDS)}, kind and attributes, and needs {', '.join(REQUIRED_FIELDS)}"
        )
    kinds = mapping.get("kind", {"field": "kind"})
    words = kinds if isinstance(kinds, Mapping) else {"field": kinds}
    for field in (*(mapping[name] for name in FIELDS if name in mapping), words.get("field"), *_attributes(mapping)):
        if not isinstance(field, str) or not FIELD.match(field):
            raise BadPattern(
                f"the mapping names the field {field!r}; write a name, a.b for a nested field, or a[process]"
            )
    odd = set(words) - {"field", *KINDS}
    if odd or not all(isinstance(words[kind], list) for kind in words if kind != "field"):
        raise BadPattern(f"kind in the mapping: a field, and a list of its values for each of {', '.join(KINDS)}")
    _refuse_bad_values(value for kind in KINDS for value in words.get(kind, ()))
    return mapping


def _refuse_bad_values(values: Iterable[object]) -> None:
    """Raise `BadPattern` if a value of the kind is not a value of JSON."""
    for value in values:
        try:
            to_text(value)
        except (TypeError, ValueError, RecursionError):
            raise BadPattern(f"kind in the mapping names {value!r:.80}; give a value of JSON") from None


def read(block: Block, wanted: Wanted, mapping: Mapping[str, object]) -> Iterator[ReadRows]:
    """Yield the rows of a block of JSON Lines."""
    return read_line_block(block, partial(parse_lines, mapper=RowMapper(mapping), wanted=wanted), wanted.events)


def read_unnumbered(block: Block, wanted: Wanted) -> Iterator[ReadRows]:
    """Yield the rows of a block of JSON Lines that is a trace without an index."""
    return read_line_block(block, partial(parse_lines, mapper=_Unnumbered(), wanted=wanted), wanted.events)


def parse_lines(data: bytes, first_line: int, *, mapper: RowMapper, wanted: Wanted) -> Parsed:
    """Return the events of complete lines, and the rows that are not events."""
    events: list[Event] = []
    places: list[int] = []
    refused: list[RefusedRow] = []
    for start, end, line in zip(*(found.tolist() for found in find_rows(data, first_line)), strict=True):
        event = _parse_line(data[start:end], mapper)
        if isinstance(event, Event):
            events.append(event)
            places.append(line)
        else:
            refused.append(refuse_row(event, data[start:end], line))
    return mapper.table(events, places, wanted), refused


class RowMapper:
    """A mapping, applied to one row after the other."""

    __slots__ = ("_attributes", "_fields", "_kind", "_kinds", "has_dests", "has_index")

    def __init__(self, mapping: Mapping[str, object]) -> None:
        kinds = mapping.get("kind", "kind")
        words: Mapping[str, Any] = kinds if isinstance(kinds, Mapping) else {"field": kinds}
        self._fields = {name: _Field(str(mapping[name])) for name in FIELDS if name in mapping}
        self._kind = _Field(str(words["field"]))
        self._kinds = {to_text(one): kind for kind in reversed(list(words)) if kind != "field" for one in words[kind]}
        self._attributes = [_Field(str(name)) for name in _attributes(mapping)]
        self.has_index = "index" in mapping
        self.has_dests = "dests" in mapping

    @property
    def field_names(self) -> list[str]:
        """Return the fields that the mapping names, without `[process]`."""
        return [field.name for field in (*self._fields.values(), self._kind, *self._attributes)]

    def to_event(self, row: Mapping[str, Any]) -> Event | str:
        """Return the event of a row, or the reason why the row is not an event.

        If the mapping has no `index`, the event has the index 0. If the mapping has no `dests`, a send has no
        destinations.
        """
        process = to_text(self._fields["process"].of(row, None))
        given = {name: field.of(row, process) for name, field in self._fields.items()}
        index, time = given.get("index"), given.get("time")
        if index is not None and to_integer(index) is None:
            return f"index is {str(to_text(index))[:60]}; it must be an integer"
        if time is not None and to_time(time) is None:
            return f"time is not a number, and not text of ISO 8601: {str(to_text(time))[:60]}"
        kind = self._kind_of(to_text(self._kind.of(row, process)))
        pairs = {field.text: to_text(field.of(row, process)) for field in self._attributes}
        return parse(
            {
                "run": to_text(given.get("run")) or "",
                "process": process,
                "index": (None if index is None else to_integer(index)) if self.has_index else 0,
                "kind": kind,
                "time": None if time is None else to_time(time),
                "message": to_text(given.get("message")) if kind in WITH_MESSAGE else None,
                "dests": to_names(given["dests"]) if self.has_dests else [],
                "group": to_text(given.get("group")),
                "attributes": {name: value for name, value in pairs.items() if value is not None} if pairs else None,
            }
        )

    def table(self, events: Sequence[Event], lines: Sequence[int], wanted: Wanted) -> pa.Table:
        """Return events as a table. A column that is not mapped is null, even `index` and `dests`."""
        table = event_table(events, lines, wanted)
        for name, is_mapped in (("index", self.has_index), ("dests", self.has_dests)):
            if not is_mapped:
                nulls = pa.nulls(table.num_rows, table.schema.field(name).type)
                table = table.set_column(table.column_names.index(name), name, nulls)
        return table

    def _kind_of(self, value: str | None) -> str:
        if not self._kinds:
            return "internal" if value is None else value
        return self._kinds.get(value, "internal")


class _Unnumbered(RowMapper):
    """A mapper for the rows of a trace without an index.

    The rules are those of the judge, but no row may have an index.
    """

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(WITHOUT_INDEX)

    def to_event(self, row: Mapping[str, Any]) -> Event | str:
        return HAS_INDEX if row.get("index") is not None else parse({**row, "index": 0})


class _Field:
    """A field of a row: a name, a path, or an entry under the row's own process."""

    __slots__ = ("_is_own", "_path", "name", "text")

    def __init__(self, text: str) -> None:
        found = FIELD.match(text)
        assert found is not None, "`check_mapping` has seen it"
        self.text = text
        self.name = found["path"]
        self._path = self.name.split(".")
        self._is_own = found["own"] is not None

    def of(self, row: Mapping[str, Any], process: str | None) -> Any:
        """Return the value of the field in a row, or None. `process` is the process of the row."""
        value: Any = row
        for name in [self.name] if self.name in row else self._path:
            value = value.get(name) if isinstance(value, Mapping) else None
        if not self._is_own:
            return value
        entries = _parse_text(value)
        return entries.get(process) if isinstance(entries, Mapping) else None


def _parse_line(line: bytes, mapper: RowMapper) -> Event | str:
    """Return the event of a line, or the reason why the line is not an event."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return "the line is not UTF-8"
    if not text.lstrip().startswith("{"):
        return "the line is not a JSON object"
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        return "the line is not one JSON object"
    return mapper.to_event(row)


def _attributes(mapping: Mapping[str, object]) -> list[object]:
    fields = mapping.get("attributes", [])
    return fields if isinstance(fields, list) else [fields]


def to_text(value: Any) -> str | None:
    """Return a value as text. A value that is not text becomes its JSON text."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def to_integer(value: Any) -> int | None:
    """Return a number of any spelling as an integer of at most 64 bits, or None if it is not such an integer."""
    text = to_text(value)
    if text is None or not NUMBER.fullmatch(text):
        return None
    number = Decimal(text.strip())
    return int(number) if abs(number) <= LONG_MAX and number == int(number) else None


def to_time(value: Any) -> float | None:
    """Return a time of a log in seconds, or None if the value is not a time. A number may be written as text."""
    if isinstance(value, str) and NUMBER.fullmatch(value):
        return to_seconds(float(value))
    return to_seconds(value.strip() if isinstance(value, str) else value)


def to_names(value: Any) -> Any:
    """Return destinations as a list. A text may hold a JSON list, or names between commas or semicolons."""
    listed = _parse_text(value)
    if isinstance(listed, list):
        return [to_text(name) for name in listed]
    if value is None or isinstance(value, Mapping):
        return value
    return [name.strip() for name in re.split("[,;]", str(to_text(value))) if name.strip()]


def _parse_text(value: Any) -> Any:
    """Return the JSON value in a text that holds a list or an object, and any other value as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _read_file(path: str) -> str:
    system, name = files.locate(path)
    try:
        with system.open_input_stream(name) as stream:
            return bytes(stream.read(MAPPING_BYTES_MAX)).decode("utf-8-sig")
    except FileNotFoundError:
        known = ", ".join(BUILT_IN)
        raise BadPattern(f"mapping file {path}: no such file; give a file, JSON, or one of {known}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadPattern(f"mapping file {path}: it cannot be read: {error}") from None


def _parse_json(text: str, what: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadPattern(f"{what} is not JSON: {error}; built-in ones are {', '.join(BUILT_IN)}") from None
