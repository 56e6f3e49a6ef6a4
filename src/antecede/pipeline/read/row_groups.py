"""Read the footers of Parquet files, where the tasks run, for the rows of each row group, and the runs in them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import pyarrow as pa

from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.read import columns
from antecede.pipeline.read.blocks import RowGroups, whole_file
from antecede.pipeline.read.files import InputFile
from antecede.pipeline.read.formats import parquet
from antecede.pipeline.runner import PART, Batches, Runner

FILES_PER_TASK = 16
FILES_AT_ONCE_MAX = 64
ASKED = pa.schema([(PART, pa.int32()), ("path", pa.string())])
FOOTERS = pa.schema(
    [
        *(("path", pa.string()), ("rows", pa.list_(pa.int64())), ("names", pa.list_(pa.string()))),
        *(("runs", pa.string()), ("damage", pa.string())),
    ]
)


def describe_files(runner: Runner, files: Sequence[InputFile]) -> list[RowGroups]:
    """Return the number of rows, and of rows of each run, in the row groups of each file. A damaged file has no rows.

    Raise `UnreadableInput` if all files are damaged, or if they are not traces.
    """
    asked = pa.table([[at // FILES_PER_TASK for at in range(len(files))], [file.path for file in files]], schema=ASKED)
    if len(files) <= FILES_AT_ONCE_MAX:
        found = runner.call(_describe, asked, FOOTERS)
    else:
        found = runner.hand_out(asked).map(_describe, FOOTERS).collect()
    by_path = {row["path"]: row for row in found.to_pylist()}
    rows = [by_path[file.path] for file in files]
    sound = [row for row in rows if row["damage"] is None]
    if not sound:
        raise UnreadableInput(
            f"{files[0].name}: not readable as Parquet: {rows[0]['damage']}; write the file again, or leave it out"
        )
    names = sorted({name for row in sound for name in row["names"]})
    missing = columns.missing_columns(names)
    if missing:
        raise UnreadableInput(
            f"{files[0].name}: not a trace: no column {', '.join(missing)} among {', '.join(names)[:500]}; "
            "rename the columns to those of the trace"
        )
    return [
        RowGroups(whole_file(file), row["rows"] or [], None if row["runs"] is None else json.loads(row["runs"]))
        for file, row in zip(files, rows, strict=True)
    ]


def _describe(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Yield descriptions of Parquet files, as `FOOTERS`. This is a task."""
    for batch in batches:
        rows = [_describe_file(path) for path in batch.column("path").to_pylist()]
        yield from pa.Table.from_pylist(rows, FOOTERS).to_batches()


def _describe_file(path: str) -> dict[str, object]:
    try:
        with parquet.open_file(path) as file:
            names = [*file.schema_arrow.names, *parquet.columns_of_folders(path)]
        rows = parquet.count_rows(path)
    except (OSError, pa.ArrowException, ValueError) as error:
        return {"path": path, "damage": str(error)[:500]}
    try:
        runs = parquet.count_runs(path)
    except (OSError, pa.ArrowException, ValueError):
        runs = None  # the file is damaged inside, and the task that reads its rows will tell
    return {"path": path, "rows": rows, "names": names, "runs": None if runs is None else json.dumps(runs)}
