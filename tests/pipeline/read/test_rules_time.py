"""What a `time` may be in each format: the table of the guide, row by row."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from antecede.judge.events import read_jsonl
from antecede.pipeline.read import ingest
from tests.paths import ROOT

GUIDE = ROOT / "docs" / "guide" / "05-checking.md"
STAMP = datetime(2023, 11, 14, 22, 13, 20, 500_000, tzinfo=UTC)
SECONDS = 1_700_000_000.5
MAPPING = {name: name for name in ("run", "process", "index", "time")}
REASONS = {
    "`antecede`, JSON Lines": "must be a number",
    "`antecede`, Parquet": "must be double",
    "`mapped`": "time is not a number",
}


def promised(format: str) -> list[tuple[object, bool]]:
    """For each row of the table in the guide that is about `format`: the time, and whether it is read."""
    (table,) = re.findall(r"\| `time` \|.*?\n\n", GUIDE.read_text(), re.DOTALL)
    head, _, *rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.strip().splitlines()]
    assert head[1:] == list(REASONS)
    said = [(row[0], row[head.index(format)]) for row in rows if row[head.index(format)]]
    assert {words for _, words in said} == {"read", "refused"}
    return [(_example(kind), words == "read") for kind, words in said]


def _example(kind: str) -> object:
    """The value that the guide shows; a timestamp if it only names the type."""
    shown = re.match("`(.*)`", kind)
    return json.loads(shown[1]) if shown else STAMP


def row(index: int, time: object) -> dict[str, object]:
    return {"run": "r", "process": "a", "index": index, "kind": "internal", "time": time}


def write(folder: Path, format: str, times: list[object]) -> None:
    """One line for each time, or, because a column of Parquet has one type, one file."""
    rows = [row(index, time) for index, time in enumerate(times)]
    if "Parquet" in format:
        for one in rows:
            pq.write_table(pa.Table.from_pylist([one]), folder / f"{one['index']}.parquet")
    else:
        (folder / "t.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))


@pytest.mark.parametrize("format", REASONS)
def test_a_time_is_read_or_refused_as_the_guide_says(spark: SparkSession, tmp_path: Path, format: str) -> None:
    cases = promised(format)
    write(tmp_path, format, [time for time, _ in cases])
    found = ingest.read(spark, [str(tmp_path)], mapping=MAPPING if format == "`mapped`" else None)
    events, quarantine = found.events.collect(), found.quarantine.collect()
    assert {event["index"]: event.time for event in events} == {
        index: SECONDS for index, (_, is_read) in enumerate(cases) if is_read
    }
    assert len(events) + len(quarantine) == len(cases)
    assert all(REASONS[format] in one.reason for one in quarantine)


def test_the_judge_reads_the_same_times() -> None:
    cases = promised("`antecede`, JSON Lines")
    events, quarantine = read_jsonl([json.dumps(row(index, time)) for index, (time, _) in enumerate(cases)])
    assert {event.index: event.time for event in events} == {
        index: SECONDS for index, (_, is_read) in enumerate(cases) if is_read
    }
    assert len(events) + len(quarantine) == len(cases)
