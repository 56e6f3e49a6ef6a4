"""Parquet files to test with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from antecede.pipeline.read.files import File
from tests.pipeline.traces import COLUMNS, trace

TRACES = [row for seed in range(40) for row in trace(seed)]


def write_parquet(path: Path, rows: pa.Table | Sequence[dict[str, Any]], group: int = 1_000) -> File:
    """Write rows to a file, in row groups of `group` rows, and return its name and size."""
    whole = rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(list(rows), COLUMNS)
    pq.write_table(whole, path, row_group_size=group)
    return File(f"file:{path}", path.stat().st_size)
