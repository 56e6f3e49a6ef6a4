"""Which format the files are in: what the caller says, or what their first characters show.

A Parquet file says so in its first four bytes. JSON is told apart by the names in it. Anything in which a ShiViz
expression finds an event is such a log. Files that show nothing are read like the others, and their rows end in the
quarantine; files of two formats are an error that names one of each, because one trace in two formats is more
likely a mistake than a wish.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from antecede.pipeline.errors import UnknownFormat, UnreadableInput
from antecede.pipeline.read import file_heads, files
from antecede.pipeline.read.formats import jsonl, mapped, otlp, parquet, shiviz, shiviz_files, zipkin

FORMATS = ("antecede", "shiviz", "otlp", "zipkin", "mapped")
LINES_LOOKED_AT = 50
Read = Callable[[SparkSession, Sequence[files.File]], tuple[DataFrame, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Source:
    """A format, and the adapter that reads it."""

    name: str
    notes: tuple[str, ...]
    read: Read
    is_parquet: bool = False


def choose(
    spark: SparkSession,
    paths: Sequence[files.File],
    wanted: str,
    *,
    regex: str | None,
    delimiter: str | None,
    mapping: str | Mapping[str, object] | None,
) -> Source:
    """The adapter for these files, with a note on what they were taken for."""
    if wanted not in ("auto", *FORMATS):
        raise UnknownFormat(f"there is no format {wanted!r}; there are auto, {', '.join(FORMATS)}")
    if mapping is not None or wanted == "mapped":
        if mapping is None:
            raise UnknownFormat("the format 'mapped' needs a mapping; give --mapping with a name, JSON, or a file")
        return _mapped(mapped.loaded(spark, mapping), "read with the given mapping")
    if regex is not None:
        return _shiviz(regex, delimiter, ())
    heads = file_heads.heads(spark, paths) if wanted in ("auto", "antecede") else None
    found, notes = (wanted, ()) if heads is None or wanted != "auto" else _recognised(paths, heads)
    if found == "tracechecker":
        return _mapped(mapped.BUILT_IN[found], *notes)
    if found == "shiviz":
        return _shiviz(regex, delimiter, notes)
    if found in ("otlp", "zipkin"):
        adapter = otlp.read if found == "otlp" else zipkin.read
        return Source(found, notes, lambda spark, paths: adapter(spark, paths, heads))
    return _antecede(paths, heads or {}, notes)


def format_of(head: str, name: str = "") -> str | None:
    """The format that the first characters of a file show."""
    start = head.lstrip("\ufeff \t\r\n")
    if _is_parquet(head, name):
        return "antecede"
    if '"resourceSpans"' in head:
        return "otlp"
    if start.startswith(("{", "[")):
        if '"TracerIdentity"' in head and '"VectorClock"' in head:
            return "tracechecker"
        if '"traceId"' in head and '"id"' in head and '"spanId"' not in head:
            return "zipkin"
    if any(_is_event(line) for line in start.split("\n")[:LINES_LOOKED_AT]):
        return "antecede"
    return "shiviz" if shiviz.recognised(head) else None


def _is_event(line: str) -> bool:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(row, dict) and {"process", "kind", "index"} <= set(row)


def _recognised(paths: Sequence[files.File], heads: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    looked_at = [file for file in paths if file.path in heads or file.name.endswith(".parquet")]
    shown = {file: format_of(heads.get(file.path, ""), file.name) for file in looked_at}
    first: dict[str, files.File] = {}
    for file, found in shown.items():
        if found is not None:
            first.setdefault(found, file)
    if len(first) > 1:
        each = "; ".join(f"{file.name} looks like {found}" for found, file in first.items())
        raise UnreadableInput(f"files of different formats: {each}; check them one by one, or give --format")
    if not first and all(not head.strip() for head in heads.values()):
        return "antecede", ("the input is empty",)
    if not first:
        raise UnknownFormat(
            f"{paths[0].name}: not recognised as any of {', '.join(FORMATS[:4])}; give --format, or say how to "
            "read it with --regex or --mapping"
        )
    (found,) = first
    odd = [file.name for file, kind in shown.items() if kind is None and heads.get(file.path, "").strip()]
    notes = [f"recognised as {found} by the names or first characters of {len(shown)} of {len(paths)} files"]
    notes += [f"{name}: the format of this file was not recognised; it is read like the others" for name in odd]
    return found, tuple(notes)


def _antecede(paths: Sequence[files.File], heads: Mapping[str, str], notes: tuple[str, ...]) -> Source:
    """Lines, or Parquet by whatever name. Files that show nothing, or were not looked into, are like the others."""
    tables = [file for file in paths if _is_parquet(heads.get(file.path, ""), file.name)]
    texts = [file for file in paths if file not in tables and heads.get(file.path, "").strip()]
    if tables and texts:
        raise UnreadableInput(
            f"Parquet and text together: {tables[0].name} and {texts[0].name}; check them one by one, or "
            "convert one of them"
        )
    read = parquet.read if tables else jsonl.json_lines
    return Source("antecede", notes, lambda spark, paths: (read(spark, paths), ()), is_parquet=bool(tables))


def _is_parquet(head: str, name: str) -> bool:
    return head.startswith("PAR1") or name.endswith(".parquet")


def _shiviz(regex: str | None, delimiter: str | None, notes: tuple[str, ...]) -> Source:
    return Source("shiviz", notes, lambda spark, paths: shiviz_files.read(spark, paths, regex, delimiter))


def _mapped(mapping: Mapping[str, object], *notes: str) -> Source:
    return Source("mapped", notes, lambda spark, paths: mapped.read(spark, paths, mapping))
