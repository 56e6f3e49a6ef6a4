"""Logs to read, written for one test."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest


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


def _line(row: object) -> str:
    return row if isinstance(row, str) else json.dumps(row)
