"""Parquet files to test with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from antecede.pipeline.read.files import InputFile, list_files
from tests.pipeline.traces import COLUMNS, trace

TRACES = [row for seed in range(40) for row in trace(seed)]


def write_parquet(path: Path, rows: pa.Table | Sequence[dict[str, Any]], group: int = 1_000) -> InputFile:
    """Write rows to a file, in row groups of `group` rows, and return the file as it is listed."""
    whole = rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(list(rows), COLUMNS)
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(whole, path, row_group_size=group)
    (file,) = list_files([str(path)])
    return file
