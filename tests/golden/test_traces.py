"""Traces that earlier releases wrote are read, and judged as they were then."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from antecede.judge.events import Event, parse, read_jsonl
from antecede.sim.trace import SUFFIXES
from tests.golden.files import FOLDERS
from tests.golden.traces import find

RUNS = [
    (folder, run, found)
    for folder in FOLDERS
    for run, found in json.loads((folder / "traces.json").read_text()).items()
]


def events_of(path: Path) -> list[Event]:
    if path.suffix == ".parquet":
        parsed = [parse(row) for row in pq.read_table(path).to_pylist(maps_as_pydicts="strict")]
        events = [event for event in parsed if isinstance(event, Event)]
        assert len(events) == len(parsed)
        return events
    data = path.read_bytes()
    lines = (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines()
    events, quarantine = read_jsonl(lines)
    assert not quarantine
    return events


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(("folder", "run", "found"), RUNS, ids=lambda value: str(value)[-12:])
def test_a_trace_is_judged_as_it_was(folder: Path, run: str, found: dict[str, Any], suffix: str) -> None:
    assert find(events_of(folder / "traces" / f"{run}{suffix}")) == found


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_trace_of_a_node_and_that_of_a_host_are_read(folder: Path) -> None:
    node = events_of(folder / "traces" / "a.jsonl")
    assert [(event.kind, event.message) for event in node] == [
        ("send", "a:1"),
        ("receive", "c:1"),
        ("deliver", "c:1"),
        ("send", "a:2"),
    ]
    host = events_of(folder / "traces" / "ann.jsonl")
    assert [event.kind for event in host] == ["connect", "move", "move", "deliver", "send"]
    assert [event.index for event in host] == [1, 2, 3, 4, 5]
    assert host[1].attributes == {"station": "s2"}
