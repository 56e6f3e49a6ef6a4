"""One Spark for all tests of the pipeline, and the way to the real logs."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from antecede.pipeline.read import ingest
from antecede.pipeline.spark.session import session
from tests.paths import ROOT

Row = dict[str, object]


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    made = session("local[2]", app="antecede tests")
    yield made
    made.stop()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    beside = ROOT.parent / "shared"
    folder = Path(os.environ.get("ANTECEDE_SHARED", beside)) / "data"
    if not folder.is_dir():
        pytest.skip(f"no real logs at {folder}")
    return folder


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


def refused(found: ingest.Ingested) -> dict[int, str]:
    """line -> reason."""
    return {row.line: row.reason for row in found.quarantine.collect()}


def kept(found: ingest.Ingested) -> list[int]:
    """The lines that became events."""
    return sorted(row.line for row in found.events.select("line").collect())
