"""Tell which format files are in: the one that the caller names, or the one that their first bytes show.

A Parquet file says so in its first four bytes. Formats of JSON are told apart by the names in them. A text in which a
ShiViz expression finds an event is a ShiViz log. Files that show no format are read like the others, and their rows end
in the quarantine. Files of two formats are an error that names a file of each, because one trace in two formats is more
likely a mistake than a wish. At most `SAMPLED_FILES_MAX` files are looked into, spread over the listing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from antecede.judge.events import KINDS
from antecede.pipeline.errors import UnknownFormat, UnreadableInput
from antecede.pipeline.read import content
from antecede.pipeline.read.detection.head_sample import HEAD_BYTES, Sample, take_sample
from antecede.pipeline.read.files import InputFile
from antecede.pipeline.read.formats import FORMATS, parquet, shiviz
from antecede.pipeline.read.formats.csv import find_delimiter
from antecede.pipeline.read.formats.mapped import BUILT_IN, WITHOUT_INDEX

RECOGNISED = FORMATS[:5]
SAMPLED_FILES_MAX = 50
SAMPLED_LINES_MAX = 50
JAEGER_NAMES = ("data", "traceID", "spanID")
HOW_TO_MAP = "say which field is what with --mapping; --suggest-mapping prints one to start from"


@dataclass(frozen=True, slots=True)
class DetectedFormat:
    """A format and how it is read.

    `name` is one of `FORMATS`. `reader` is the name of the module of `formats` that reads it, and `mapping` is for
    readers that need one. `notes` tell people what the files were taken for.
    """

    name: str
    reader: str
    notes: tuple[str, ...] = ()
    mapping: Mapping[str, object] | None = None


def read_heads(files: Sequence[InputFile]) -> dict[str, bytes]:
    """Return the first bytes of some of the files, decompressed, by path. They are empty if they are damaged."""
    step = max(1, -(-len(files) // SAMPLED_FILES_MAX))
    return {file.path: content.read_head(file.path, HEAD_BYTES) for file in files[::step]}


def detect_format(
    files: Sequence[InputFile],
    heads: Mapping[str, bytes],
    wanted: str = "auto",
    *,
    regex: str | None = None,
    mapping: Mapping[str, object] | None = None,
) -> DetectedFormat:
    """Return the format of `files`. `heads` has the first bytes of some of them, by path.

    `wanted` is the name of a format, or "auto". Raise `UnknownFormat` if there is no format of the wanted name, or if
    no format is recognised. Raise `UnreadableInput` if there are several formats.
    """
    if wanted not in ("auto", *FORMATS):
        raise UnknownFormat(f"there is no format {wanted!r}; there are auto, {', '.join(FORMATS)}")
    if mapping is not None:
        reader = _mapped_reader(files, heads, wanted, mapping)
        as_what = "CSV" if reader == "csv" else "JSON Lines"
        return DetectedFormat("mapped", reader, (f"read as {as_what} with the given mapping",), mapping)
    if wanted in ("mapped", "csv"):
        raise UnknownFormat(f"the format {wanted!r} needs a mapping; give --mapping with a name, JSON, or a file")
    if regex is not None:
        return DetectedFormat("shiviz", "shiviz")
    found, notes = (wanted, ()) if wanted != "auto" else _recognise(files, heads)
    if found == "tracechecker":
        return DetectedFormat("mapped", "mapped", notes, BUILT_IN[found])
    if found != "antecede":
        return DetectedFormat(found, found, notes)
    reader = _antecede_reader(files, heads)
    if reader == "jsonl" and _lacks_index(heads.values()):
        return DetectedFormat(found, "mapped", notes, WITHOUT_INDEX)
    return DetectedFormat(found, reader, notes)


def format_of(head: bytes, name: str = "") -> str | None:
    """Return the format that the first bytes of a file show: one of `FORMATS`, "tracechecker", or None."""
    if _is_parquet(head, name):
        return "antecede"
    text = head.decode("utf-8-sig", "replace").lstrip("\ufeff \t\r\n")
    if any(_is_event(line) for line in text.split("\n")[:SAMPLED_LINES_MAX]):
        return "antecede"  # also if its attributes have the names of another format
    found = _format_of_json(text)
    if found is not None:
        return found
    if shiviz.recognise(head):
        return "shiviz"
    return "csv" if take_sample(head).is_csv else None


def _format_of_json(text: str) -> str | None:
    """Return the format that the names in a JSON document, or in JSON Lines, show."""
    if '"resourceSpans"' in text:
        return "otlp"
    if not text.startswith(("{", "[")):
        return None
    if '"TracerIdentity"' in text and '"VectorClock"' in text:
        return "tracechecker"
    if '"traceId"' in text and '"id"' in text and '"spanId"' not in text:
        return "zipkin"
    return "jaeger" if text.startswith("{") and all(f'"{name}"' in text for name in JAEGER_NAMES) else None


def _is_event(line: str) -> bool:
    """Return whether a line is a row of a trace. A row without an index must have a kind that a trace has."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(row, dict) and {"process", "kind"} <= set(row) and ("index" in row or row["kind"] in KINDS)


def _lacks_index(heads: Iterable[bytes]) -> bool:
    """Return whether the first lines of files are rows of a trace, and none of them has an index."""
    lines = [line for head in heads for line in head.decode("utf-8-sig", "replace").split("\n")[:SAMPLED_LINES_MAX]]
    rows = [json.loads(line) for line in lines if _is_event(line)]
    return bool(rows) and not any("index" in row for row in rows)


def _recognise(files: Sequence[InputFile], heads: Mapping[str, bytes]) -> tuple[str, tuple[str, ...]]:
    looked_at = [file for file in files if file.path in heads or file.name.endswith(".parquet")]
    shown = {file: format_of(heads.get(file.path, b""), file.name) for file in looked_at}
    first: dict[str, InputFile] = {}
    for file, found in shown.items():
        if found is not None:
            first.setdefault(found, file)
    if len(first) > 1:
        each = "; ".join(f"{file.name} looks like {found}" for found, file in first.items())
        raise UnreadableInput(f"files of different formats: {each}; check them one by one, or give --format")
    with_text = [file for file in looked_at if heads.get(file.path, b"").strip()]
    if not first and not with_text:
        return "antecede", ("the input is empty",)
    if not first or "csv" in first:
        file = first.get("csv", with_text[0])
        raise UnknownFormat(_describe(file.name, take_sample(heads[file.path])))
    (found,) = first
    notes = [f"recognised as {found} by the names or first characters of {len(shown)} of {len(files)} files"]
    odd = [file.name for file in with_text if shown[file] is None]
    notes += [f"{name}: the format of this file was not recognised; it is read like the others" for name in odd]
    return found, tuple(notes)


def _describe(name: str, sample: Sample) -> str:
    """Return words on a file whose format is not recognised: what it is, and what to do."""
    what = f"{name}: not recognised as any of {', '.join(RECOGNISED)}; it is {sample.advise()}"
    return f"{what}; {HOW_TO_MAP}, or give --format" if sample.has_fields else what


def _mapped_reader(
    files: Sequence[InputFile], heads: Mapping[str, bytes], wanted: str, mapping: Mapping[str, object]
) -> str:
    """Return the reader for files with a mapping: "mapped" for JSON Lines, or "csv" if they do not begin like JSON.

    Raise `UnknownFormat` if the files do not begin like JSON, and no file begins like CSV or has the process of the
    mapping in its first line.
    """
    if wanted == "csv":
        return "csv"
    first: dict[str, InputFile] = {}
    for file in files:
        start = heads.get(file.path, b"").removeprefix(content.BYTE_ORDER_MARK).lstrip()
        if start:
            first.setdefault("mapped" if start.startswith(b"{") else "csv", file)
    if len(first) > 1:
        raise UnreadableInput(
            f"files of different formats: {first['mapped'].name} looks like JSON Lines; {first['csv'].name} does not; "
            "check them one by one"
        )
    reader = next(iter(first), "mapped")
    texts = [heads[file.path] for file in files if heads.get(file.path, b"").strip()]
    process = str(mapping["process"])
    if reader == "csv" and not any(process in _header(head) or take_sample(head).is_csv for head in texts):
        raise UnknownFormat(f"{first['csv'].name}: it is {take_sample(texts[0]).advise()}")
    return reader


def _header(head: bytes) -> list[str]:
    """Return the cells of the first line that is not blank, as if it were the header of CSV."""
    line = head.decode("utf-8-sig", "replace").lstrip().split("\n")[0]
    return [cell.strip(' "\r') for cell in line.split(find_delimiter(line))]


def _antecede_reader(files: Sequence[InputFile], heads: Mapping[str, bytes]) -> str:
    """Return the reader of a trace: "parquet" or "jsonl". Files that show no format are read like the others."""
    tables = [file for file in files if _is_parquet(heads.get(file.path, b""), file.name)]
    texts = [file for file in files if file not in tables and heads.get(file.path, b"").strip()]
    if tables and texts:
        raise UnreadableInput(
            f"Parquet and text together: {tables[0].name} and {texts[0].name}; check them one by one, or "
            "convert one of them"
        )
    return "parquet" if tables else "jsonl"


def _is_parquet(head: bytes, name: str) -> bool:
    return head.startswith(parquet.MAGIC) or name.endswith(".parquet")
