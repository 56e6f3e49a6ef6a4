"""Logs to read, written for one test, and the tables of a check of them."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.written_tables import CheckFiles, WrittenTables, check_and_write


@pytest.fixture
def write_lines(tmp_path: Path) -> Callable[[str, Sequence[object]], str]:
    """Writes JSON Lines; a line that is text already is written as it is."""

    def write(name: str, rows: Sequence[object]) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [row if isinstance(row, bytes) else _line(row).encode() for row in rows]
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        return str(path)

    return write


@pytest.fixture
def check_files(tmp_path_factory: pytest.TempPathFactory) -> CheckFiles:
    """Checks paths in the calling process, with options of `check`, and returns the tables that were written."""

    def check_them(*paths: str | Path, **options: Any) -> WrittenTables:
        return check_and_write(tmp_path_factory.mktemp("tables"), paths, **options)

    return check_them


def _line(row: object) -> str:
    return row if isinstance(row, str) else json.dumps(row)
