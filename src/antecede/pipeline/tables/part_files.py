"""Write the tables of a check as Parquet: each task writes its own files, and the driver makes them visible at the end.

    OUT/.parts-ID/deliveries/7f3c....parquet      written by tasks, each file under a name that nobody else uses
    OUT/deliveries/part-00000.parquet             after the commit, with a file _SUCCESS beside them

A task that fails or is repeated leaves files that nobody names, and the commit removes them with their folder. A table
that is already there is replaced when all files of the new one are complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs
import pyarrow.parquet as pq

from antecede.pipeline import schema
from antecede.pipeline.read.files import locate
from antecede.pipeline.results import WRITTEN
from antecede.pipeline.runner import Batches
from antecede.pipeline.tables.folder import PARTS
from antecede.pipeline.tables.measures import conform

MARK = "_SUCCESS"
PLACE = ["run", "process", "index"]
VIOLATION_WORDS = pa.schema(
    [
        *(("run", pa.string()), ("process", pa.string()), ("index", pa.int64())),
        *(("rank", pa.int32()), ("words", pa.string()), ("late_s", pa.float64())),
    ]
)
"""The columns by which the table of violations explains some of them."""


def parts_folder(out: str, check: str) -> str:
    """Return the folder in which the tasks of one check write."""
    return f"{out.rstrip('/')}/{PARTS}{check}"


def write_parts(folder: str, tables: Mapping[str, pa.Table]) -> pa.Table:
    """Write tables as new files under `folder`, and return their paths as rows of `WRITTEN`. Skip empty tables.

    A table whose name is not one of `schema.TABLES` is for other tasks of the check, and never becomes visible.
    """
    system, place = locate(folder)
    rows = []
    for name, table in tables.items():
        if not table.num_rows:
            continue
        system.create_dir(f"{place}/{name}", recursive=True)
        path = f"{place}/{name}/{uuid4().hex}.parquet"
        fields = schema.TABLES.get(name)
        pq.write_table(table if fields is None else conform(table, fields), path, filesystem=system)
        rows.append({"table": name, "path": path, "rows": table.num_rows})
    return pa.Table.from_pylist(rows, WRITTEN)


def read_parts(paths: Iterable[str], fields: pa.Schema, wanted: pc.Expression | None = None) -> pa.Table:
    """Return the rows of files that were written, with the columns of `fields`.

    If `wanted` is given, only the rows for which it holds are read.
    """
    tables = [fields.empty_table()]
    for path in paths:
        system, place = locate(path)
        found = pq.read_table(place, filesystem=system, columns=fields.names, filters=wanted)
        tables.append(found.cast(fields))
    return pa.concat_tables(tables)


def commit_parts(batches: Batches, *, out: str, check: str, words: pa.Table) -> Iterator[pa.RecordBatch]:
    """Make the files that tasks wrote the tables under `out`, and remove the other files of the check.

    This is a task. It takes rows of `WRITTEN`, and yields none. `check` is the id of the check. Every table exists
    afterwards: a table without rows has a file without rows. `words`, rows of `VIOLATION_WORDS`, are added to the
    violations that they explain.
    """
    written = pa.Table.from_batches(list(batches), WRITTEN)
    system, place = locate(out)
    _, parts = locate(parts_folder(out, check))
    for name in schema.TABLES:
        new = f"{parts}/.new/{name}"
        system.create_dir(new, recursive=True)
        paths = sorted(written["path"].filter(pc.equal(written["table"], name)).to_pylist())
        for number, path in enumerate(paths):
            if name == "violations" and words.num_rows:
                _add_words(system, path, words)
            system.move(path, f"{new}/part-{number:05}.parquet")
        if not paths:
            pq.write_table(schema.TABLES[name].empty_table(), f"{new}/part-00000.parquet", filesystem=system)
        with system.open_output_stream(f"{new}/{MARK}"):
            pass
    for name in schema.TABLES:
        if system.get_file_info(f"{place}/{name}").type != pyarrow.fs.FileType.NotFound:
            system.delete_dir(f"{place}/{name}")
        system.move(f"{parts}/.new/{name}", f"{place}/{name}")
    system.delete_dir(parts)
    yield from ()


def _add_words(system: Any, path: str, words: pa.Table) -> None:
    """Write a file of violations again, with words for the violations that are explained."""
    table = pq.read_table(path, filesystem=system).drop_columns(["rank", "words", "late_s"])
    explained = table.join(words, PLACE, join_type="left outer")
    pq.write_table(conform(explained, schema.VIOLATIONS), path, filesystem=system)


@contextmanager
def remove_parts_after_failure(out: str | None, check: str) -> Iterator[None]:
    """Remove the files that the tasks of the check wrote if the `with` block raises. `check` is the id of the check."""
    try:
        yield
    except BaseException:
        if out is not None:
            system, parts = locate(parts_folder(out, check))
            if system.get_file_info(parts).type != pyarrow.fs.FileType.NotFound:
                system.delete_dir(parts)
        raise
