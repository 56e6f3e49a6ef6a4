"""Read traces in Parquet: row groups of a file, with Arrow, a bounded number of rows at a time.

A folder named `run=a`, as Hive and Spark write them, gives the column `run` to the files below it that do not have this
column. If a file has it, and a run is null, the run is that of the folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from antecede.judge.events import RefusedRow
from antecede.pipeline import schema
from antecede.pipeline.arrow import codes
from antecede.pipeline.read import columns, content
from antecede.pipeline.read.blocks import Block
from antecede.pipeline.read.files import check_version, locate
from antecede.pipeline.read.rows import NAMED, ReadRows, Wanted, refused_table, with_file

MAGIC = b"PAR1"
BATCH_ROWS = 1 << 17
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
CHECKED = ("group", "attributes")
"""Columns that are always read, even if they are not wanted, because a row may break a rule in them."""
BY_FOLDER = tuple(name for name in schema.TRACE.names if name not in ("dests", "attributes"))
COUNTED_RUNS_MAX = 256


def read(block: Block, wanted: Wanted) -> Iterator[ReadRows]:
    """Yield the rows of some row groups of a Parquet file. Damage is one refused row, and ends the file."""
    check_version(block.path, block.version)
    line = block.before
    try:
        with open_file(block.path) as file:
            groups = range(file.num_row_groups) if block.is_whole else range(block.start, block.end)
            folders = columns_of_folders(block.path)
            names = [name for name in file.schema_arrow.names if name in schema.TRACE.names]
            needed = [name for name in names if _is_needed(file.schema_arrow.field(name), wanted)]
            for batch in _read_batches(file, list(groups), needed):
                table = _fill_from_folders(pa.table(batch), names, folders)
                yield _accept(table, line, block, wanted)
                line += batch.num_rows
    except (OSError, pa.ArrowException) as error:
        reason = f"{content.DAMAGED}, and nothing from here on could be read: {error}"
        refused = refused_table(block.name, [RefusedRow(reason[:1_000], "", line + 1)])
        yield ReadRows(wanted.events.empty_table(), refused)


def open_file(path: str) -> pq.ParquetFile:
    """Open a Parquet file so that names come as dictionaries.

    Raise `ArrowInvalid` if a column of the trace comes twice, or if the name of a column is not UTF-8.
    """
    try:
        return _open_file(path)
    except UnicodeDecodeError:
        raise pa.ArrowInvalid("the name of a column is not UTF-8") from None


def _open_file(path: str) -> pq.ParquetFile:
    system, name = locate(path)
    with pq.ParquetFile(name, filesystem=system) as file:
        names = file.schema_arrow.names
        twice = [one for one in schema.TRACE.names if names.count(one) > 1]
        if twice:
            raise pa.ArrowInvalid(f"it has several columns {', '.join(twice)}")
        metadata, leaves = file.metadata, [file.schema.column(at) for at in range(len(file.schema.names))]
    named = [leaf.path for leaf in leaves if leaf.path in NAMED and leaf.physical_type == "BYTE_ARRAY"]
    return pq.ParquetFile(name, filesystem=system, metadata=metadata, read_dictionary=named)


def has_index(path: str, head: bytes) -> bool:
    """Return whether a file has a column `index`. This is true for a file that cannot be read as Parquet.

    `head` is the beginning of the file.
    """
    if not head.startswith(MAGIC):
        return True
    try:
        with open_file(path) as file:
            return "index" in (*file.schema_arrow.names, *columns_of_folders(path))
    except (OSError, pa.ArrowException):
        return True


def columns_of_folders(path: str) -> dict[str, str | None]:
    """Return the columns of the trace that the folders above a file give it."""
    found: dict[str, str | None] = {}
    for part in path.split("/")[:-1]:
        name, is_column, value = part.partition("=")
        if is_column and name in BY_FOLDER:
            found[name] = None if value == NO_VALUE else unquote(value)
    return found


def count_rows(path: str) -> list[int]:
    """Return the number of rows in each row group of a file."""
    with open_file(path) as file:
        return [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]


def count_runs(path: str, *, runs_max: int = COUNTED_RUNS_MAX) -> list[dict[str, int]] | None:
    """Return for each row group how many rows each run has in it, or None if one has more than `runs_max` runs."""
    with open_file(path) as file:
        is_column = "run" in file.schema_arrow.names
        is_mistyped = is_column and not columns.fits(file.schema_arrow.field("run"))
        run = "" if is_mistyped else columns_of_folders(path).get("run") or ""
        if is_mistyped or not is_column:  # if the column has a wrong type, only rows without a value in it are events
            return [{run: file.metadata.row_group(group).num_rows} for group in range(file.num_row_groups)]
        counted = []
        for group in range(file.num_row_groups):
            found: dict[str, int] = {}
            for batch in _read_batches(file, [group], ["run"]):
                _add_runs(found, pa.chunked_array([batch.column(0)]), run)
                if len(found) > runs_max:
                    return None
            counted.append(found)
        return counted


def _read_batches(file: pq.ParquetFile, groups: list[int], names: list[str]) -> Iterator[pa.RecordBatch]:
    """Yield rows of some row groups. Raise `ArrowInvalid` if a dictionary is damaged, which Arrow does not notice."""
    for batch in file.iter_batches(BATCH_ROWS, groups, names, use_threads=False):
        for column in batch.columns:
            values = column.flatten() if pa.types.is_list(column.type) else column
            highest = pc.max(values.indices).as_py() if pa.types.is_dictionary(values.type) else None
            if highest is not None and highest >= len(values.dictionary):
                raise pa.ArrowInvalid("a value is not in the dictionary of its column")
        yield batch


def _fill_from_folders(table: pa.Table, names: Sequence[str], folders: Mapping[str, str | None]) -> pa.Table:
    """Return the table with the columns that the folders above its file give it.

    `names` are the columns of the trace that the file has.
    """
    for name, value in folders.items():
        if name not in names:
            table = table.append_column(name, pa.repeat(pa.scalar(value, pa.string()), table.num_rows))
        elif name == "run" and value and table[name].null_count and columns.fits(table.schema.field(name)):
            filled = pc.fill_null(table[name].cast(pa.string()), value)
            table = table.set_column(table.column_names.index(name), name, filled)
    return table


def _add_runs(found: dict[str, int], column: pa.ChunkedArray, default: str) -> None:
    run, names = codes(pc.fill_null(column.cast(pa.string()), default) if column.null_count else column)
    for name, rows in zip(names.to_pylist(), np.bincount(run, minlength=len(names)).tolist(), strict=True):
        found[name] = found.get(name, 0) + rows


def _accept(table: pa.Table, before: int, block: Block, wanted: Wanted) -> ReadRows:
    line = pa.array(np.arange(before, before + table.num_rows) + 1)
    events, refused = columns.accept_rows(table, line)
    events = events.select([*wanted.trace.names, "line"])
    if block.runs is not None:
        events = _only_runs(events, block.runs)
    return ReadRows(with_file(events, block.name), refused_table(block.name, refused if block.tells_refused else []))


def _is_needed(field: pa.Field, wanted: Wanted) -> bool:
    """Return whether a column has to be read, because it is wanted, or because a row may break a rule in it."""
    return field.name in wanted.trace.names or field.name in CHECKED or not columns.fits(field)


def _only_runs(events: pa.Table, runs: tuple[str, ...]) -> pa.Table:
    """Return the rows of these runs. If they lie together, as they often do, they are not copied."""
    run, names = codes(events["run"])
    kept = np.isin(np.arange(len(names)), [at for at, name in enumerate(names.to_pylist()) if name in set(runs)])[run]
    own = np.flatnonzero(kept)
    if len(own) and own[-1] - own[0] + 1 == len(own):
        return events.slice(own[0], len(own))
    return events.filter(pa.array(kept))
