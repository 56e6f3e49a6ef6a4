"""Check an input in the calling process, and read the tables that were written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow.parquet as pq

from antecede.pipeline.check import Checked, check
from antecede.pipeline.runner import InProcess, Runner

Dicts = list[dict[str, Any]]
CheckFiles = Callable[..., "WrittenTables"]
"""A function that checks the files at some paths, with options of `check`."""


@dataclass(frozen=True, slots=True)
class WrittenTables:
    """What a check found, and the tables that it wrote."""

    checked: Checked
    folder: Path

    def rows(self, name: str) -> Dicts:
        """Return the rows of a table, in an order that does not depend on the tasks."""
        return sorted(pq.read_table(self.folder / name).to_pylist(), key=repr)

    @property
    def event_lines(self) -> list[int]:
        """The numbers of the lines that became events."""
        return sorted(row["line"] for row in self.rows("events"))

    @property
    def reasons(self) -> dict[int, str]:
        """Why each line that did not become an event was refused."""
        return {row["line"]: row["reason"] for row in self.rows("quarantine")}


def check_and_write(
    folder: Path, paths: Sequence[str | Path], runner: Runner | None = None, **options: Any
) -> WrittenTables:
    """Check the input with its tables in a new folder under `folder`, which must not be inside the input."""
    out = folder / f"checked-{uuid4().hex}"
    checked = check(runner or InProcess(), [str(path) for path in paths], out=str(out), **options)
    return WrittenTables(checked, out)
