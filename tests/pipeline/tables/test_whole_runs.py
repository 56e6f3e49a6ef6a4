"""All tables of a check are the same however the rows were dealt out, and for any number of windows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from antecede.pipeline import schema
from antecede.pipeline.limits import Limits
from tests.pipeline.traces import trace
from tests.pipeline.written_tables import CheckFiles, WrittenTables

TRACES = [rows for seed in range(3_000, 3_060) if (rows := trace(seed))]
DEALT = Limits(block_bytes=500, in_place_bytes=1, dealt_rows=50, window_events=20)


@pytest.fixture(scope="module")
def input_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three files of random runs with stamps, each run spread over all of them; and rows that contradict others."""
    folder = tmp_path_factory.mktemp("input")
    rows: list[dict[str, Any]] = []
    for number, row in enumerate(row for rows in TRACES for row in rows):
        stamped = {"control_bytes": number % 50, "control_entries": number % 7} if row.kind == "send" else {}
        dests = {"dests": row.dests} if row.kind == "send" else {}
        known = {"run": row.run, "process": row.process, "index": row.index, "kind": row.kind}
        rows.append({**known, "time": row.time, "message": row.message, **dests, **stamped})
    timed = [row for row in rows if row["kind"] == "send" and row["time"] is not None]
    again = [{**row, "index": 10**6, "time": 1e3} for row in timed[::20]]
    rows += [{**rows[3], "kind": "internal"}, *again, *({**row, "process": "z"} for row in again)]
    for part in range(3):
        text = "".join(json.dumps(row) + "\n" for row in rows[part::3])
        (folder / f"{part}.jsonl").write_text(text)
    return folder


def tables(found: WrittenTables, *, without: tuple[str, ...] = ()) -> dict[str, list[dict[str, Any]]]:
    """Return all tables without some columns. Numbers are rounded, because means are made of sums in any order."""
    rounded = {}
    for name in schema.TABLES:
        rows = [
            {
                key: round(value, 9) if isinstance(value, float) else value
                for key, value in row.items()
                if key not in without
            }
            for row in found.rows(name)
        ]
        rounded[name] = sorted(rows, key=repr)
    return rounded


def test_rows_that_are_dealt_out_give_the_tables_of_one_task(input_folder: Path, check_files: CheckFiles) -> None:
    one, dealt = check_files(input_folder), check_files(input_folder, limits=DEALT)
    assert len(one.rows("quarantine")) > 10
    assert tables(one) == tables(dealt)
    assert one.checked.as_dict() == dealt.checked.as_dict()
    assert one.checked.explained == dealt.checked.explained


@pytest.mark.parametrize("windows", [1, 4])
def test_windows_give_the_tables_of_whole_runs(input_folder: Path, check_files: CheckFiles, windows: int) -> None:
    one, cut = check_files(input_folder), check_files(input_folder, windows=windows, limits=DEALT)
    # Whether a hold-back was needed is told of whole runs only. A witness is any of the overtaken messages.
    unknown = ("needless", "windows", "one_task", "witness", "words", "late_s")
    assert tables(one, without=unknown) == tables(cut, without=unknown)
    counts, cut_counts = ({**found.checked.as_dict(), "notes": None} for found in (one, cut))
    assert counts == cut_counts


def test_the_tables_are_those_of_the_judge(input_folder: Path, check_files: CheckFiles) -> None:
    """Sums of one table that another one states: nothing is counted twice or lost on the way."""
    found = check_files(input_folder, limits=DEALT)
    counts = found.checked.as_dict()
    rows = {name: found.rows(name) for name in schema.TABLES}
    assert len(rows["events"]) == counts["events"]
    assert len(rows["messages"]) == counts["messages"]
    assert len(rows["deliveries"]) == counts["deliveries"]
    assert len(rows["violations"]) == counts["violations"]
    assert len(rows["quarantine"]) == counts["quarantined"]
    for name in ("violations", "overtaken", "duplicates", "spurious", "lost", "events", "deliveries"):
        assert sum(row[name] for row in rows["processes"]) == counts[name], name
        assert sum(row[name] for row in rows["summary"]) == counts[name], name
    for name in ("violations", "overtaken", "lost"):
        assert sum(row[name] for row in rows["links"]) == counts[name], name
    for name in ("control_bytes", "control_entries"):
        stated = sum(row[name] or 0 for row in rows["events"])
        assert sum(row[name] or 0 for row in rows["processes"]) == stated
        assert sum(row[name] or 0 for row in rows["summary"]) == stated
