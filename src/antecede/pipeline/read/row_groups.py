"""Row groups of Parquet files, read by the tasks themselves, as columns whose names stay numbers.

Spark would make rows of a file's columns, and columns of the rows again for Python, with every name written out for
each row. Here a task opens the file with Arrow. A name is read as its place in a dictionary; rows are read some at a
time, so that a task never holds more of a row group than that.

Whether Arrow can open a file, and whether its columns have the types of a trace exactly, `fitness` finds out by trying,
where the tasks run. What does not fit is left to Spark, which knows more file systems and more types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs
import pyarrow.parquet as pq

from antecede.pipeline.arrow import Longs, codes
from antecede.pipeline.read import parquet_footers

Lines = Mapping[str, Sequence[int]]
"""By path, the lines of it to leave out."""

BATCH_ROWS = 1 << 17
RUNS_MAX = 256  # that are counted in a row group: the plan is made by the driver
SCHEMES = ("file", "hdfs", "viewfs", "s3", "gs")  # that Arrow may know, too
NAME = pa.dictionary(pa.int32(), pa.string())
COLUMNS = pa.schema(
    [
        ("run", NAME),
        ("process", NAME),
        ("index", pa.int64()),
        ("kind", NAME),
        ("time", pa.float64()),
        ("message", pa.string()),
        ("dests", pa.list_(NAME)),
    ]
)
SPLITS = pa.schema(
    [
        *(("task", pa.int32()), ("path", pa.string()), ("first", pa.int32()), ("last", pa.int32())),
        *(("before", pa.int64()), ("version", pa.string())),
    ]
)
"""Row groups of a file for a task: from the first to the last, after so many rows before."""
NAMED = ("run", "process", "kind")  # Arrow does not read names in lists so
OTHERS = ("group", "attributes")  # for which there are rules, too
REQUIRED = ("process", "index", "kind")
LONGS = (pa.int8(), pa.int16(), pa.int32(), pa.int64())
TYPES = {
    **dict.fromkeys(("run", "process", "kind", "message", "group"), (pa.string(),)),
    **dict.fromkeys(("index", "payload_bytes", "control_bytes", "control_entries"), LONGS),
    "time": (pa.float64(), pa.float32(), *LONGS),
    "dests": (pa.list_(pa.string()),),
    "attributes": (pa.map_(pa.string(), pa.string()),),
}


def is_in_reach(path: str) -> bool:
    """Whether Arrow may know the scheme of a path that Spark listed."""
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", path)
    return scheme is None or scheme[1] in SCHEMES


class FileChanged(Exception):
    """In a task: a file is no longer the one that was looked at."""


def version(path: str) -> str | None:
    """What tells a file from one that has taken its place: length and time of change, as far as they are known."""
    system, name = _place(path)
    try:
        info = (system or pyarrow.fs.LocalFileSystem()).get_file_info(name)
    except (OSError, pa.ArrowException):
        return None
    return f"{info.size} {info.mtime_ns}"


def fitness(path: str) -> list[int] | None:
    """The rows in each of a file's row groups; None where the file is not for Arrow to read."""
    try:
        file = _opened(path)
    except (OSError, pa.ArrowException, ValueError):
        return None
    with file:
        fields = {field.name: parquet_footers.plainest(field.type) for field in file.schema_arrow}
        confusing = [name for name in fields if name not in TYPES and name.lower() in TYPES]
        fits = all(fields[name] in types for name, types in TYPES.items() if name in fields)
        if confusing or not fits or not fields.keys() >= set(REQUIRED) or len(fields) != len(file.schema_arrow):
            return None
        return [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]


def shape(path: str, names: list[str]) -> parquet_footers.Shape | None:
    """The types of those columns of a file that have these names; None where Arrow cannot open its footer."""
    try:
        file = _opened(path)
    except (OSError, pa.ArrowException, ValueError):
        return None
    with file:
        return parquet_footers.shape(file.schema, names)


def read(
    path: str,
    groups: Sequence[int],
    before: int,
    left_out: Longs | None = None,
    *,
    others: bool = False,
    looked_at: str | None = None,
) -> Iterator[pa.Table]:
    """The rows of these row groups, with `COLUMNS`, and `others` where the file has them; but for those lines, counted
    from 1, `before` which there are so many rows in the file, which shall be in the version that was looked at."""
    if looked_at is not None and version(path) != looked_at:
        raise FileChanged(f"{path}: the file changed while it was read; check it again when no program writes to it")
    with _opened(path) as file:
        wanted = [name for name in (*COLUMNS.names, *(OTHERS if others else ())) if name in file.schema_arrow.names]
        batches = file.iter_batches(BATCH_ROWS, list(groups), wanted, use_threads=False)
        for batch in batches:
            table, before = pa.table(batch), before + batch.num_rows
            if left_out is not None:
                lines = np.arange(before - batch.num_rows, before) + 1
                table = _without(table, np.isin(lines, left_out))
            yield _typed(table)


def _place(path: str) -> tuple[Any, str]:
    """Arrow's file system, None for this machine's, and the name in there."""
    local = re.sub(r"^file:/+", "/", path)
    return (None, local) if local.startswith("/") else pyarrow.fs.FileSystem.from_uri(path)


def _without(table: pa.Table, refused: npt.NDArray[np.bool_]) -> pa.Table:
    """The other rows; with what only these have gone from the dictionaries, for it may be no text at all."""
    if not refused.any():
        return table
    left = table.filter(pa.array(~refused))
    plain = [pa.field(f.name, f.type.value_type if pa.types.is_dictionary(f.type) else f.type) for f in left.schema]
    return left.cast(pa.schema(plain))


def _opened(path: str) -> pq.ParquetFile:
    """With the names as dictionaries."""
    system, name = _place(path)
    with pq.ParquetFile(name, filesystem=system) as file:
        metadata, leaves = file.metadata, [file.schema.column(at) for at in range(len(file.schema.names))]
    named = [leaf.path for leaf in leaves if leaf.path in NAMED and leaf.physical_type == "BYTE_ARRAY"]
    return pq.ParquetFile(name, filesystem=system, metadata=metadata, read_dictionary=named)


def _typed(table: pa.Table) -> pa.Table:
    """The same rows with exactly `COLUMNS`, and behind them whatever else there is."""
    found = {field.name: _column(table, field) for field in COLUMNS}
    if pc.any(pc.is_null(found["run"])).as_py():
        found["run"] = pc.fill_null(found["run"].cast(pa.string()), "").dictionary_encode()
    return pa.table(found | {name: table[name] for name in table.column_names if name not in found})


def _column(table: pa.Table, field: pa.Field) -> Any:
    if field.name not in table.column_names:
        return pa.nulls(table.num_rows, field.type)
    column = table[field.name]
    if column.type == field.type:
        return column
    if field.name == "dests":
        lists = column.cast(pa.list_(pa.string()))
        return pa.chunked_array([_numbered(chunk) for chunk in lists.chunks], field.type)
    if field.type == NAME:
        return column.cast(pa.string()).dictionary_encode()
    return column.cast(field.type, safe=False)  # as Spark has it: a long that no double is, becomes the nearest


def _numbered(lists: pa.ListArray) -> pa.ListArray:
    """The same lists, with their names as a dictionary."""
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy()
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), lists.flatten().dictionary_encode(), mask=lists.is_null())


def read_split(split: Mapping[str, Any], left_out: Lines, *, others: bool = False) -> Iterator[pa.Table]:
    """The rows of a split: a path, its first and last row group, the rows before them, and its version."""
    path, groups = split["path"], range(split["first"], split["last"] + 1)
    lines = np.array(left_out[path], np.int64) if path in left_out else None
    tables = read(path, groups, split["before"], lines, others=others, looked_at=split.get("version"))
    yield from (table for table in tables if table.num_rows)


def runs(path: str, *, runs_max: int = RUNS_MAX) -> list[dict[str, int]] | None:
    """Return, for each row group, the rows of each run in it. Return None if a row group has more than `runs_max` runs,
    or they cannot be counted."""
    try:
        with _opened(path) as file:
            if "run" not in file.schema_arrow.names:
                return [{"": file.metadata.row_group(group).num_rows} for group in range(file.num_row_groups)]
            return [_counted(file, group, runs_max) for group in range(file.num_row_groups)]
    except (OSError, pa.ArrowException, ValueError):
        return None


def _counted(file: pq.ParquetFile, group: int, runs_max: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for batch in file.iter_batches(BATCH_ROWS, [group], ["run"], use_threads=False):
        run, names = codes(_typed(pa.table(batch))["run"])
        for name, rows in zip(names.to_pylist(), np.bincount(run, minlength=len(names)).tolist(), strict=True):
            found[name] = found.get(name, 0) + rows
        if len(found) > runs_max:
            raise ValueError(f"row group {group} has more than {runs_max} runs")
    return found
