"""The rules of one row on whole columns: what is not doubted is an event by the judge's own parser."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

from antecede.judge.events import parse
from antecede.pipeline import schema
from antecede.pipeline.read.doubtful_rows import find_doubtful, name_runs
from antecede.pipeline.read.rows import encode_names
from tests.fuzz_check import HOSTILE
from tests.pipeline.parquet_files import TRACES
from tests.pipeline.traces import COLUMNS, table

GOOD: dict[str, Any] = {"run": "r", "process": "p0", "index": 1, "kind": "internal"}
LONG = "x" * 70_000


@pytest.mark.parametrize(
    "changes",
    [
        *HOSTILE,
        {"kind": "send", "message": "x", "dests": [LONG]},
        {"kind": "send", "message": LONG, "dests": []},
        {"process": LONG},
        {"kind": LONG},
        {"group": LONG},
        {"time": float("-inf")},
        {"dests": [""]},
        {"kind": "receive"},
    ],
    ids=",".join,
)
def test_a_row_that_breaks_a_rule_is_doubted_and_the_others_are_not(changes: dict[str, Any]) -> None:
    rows = [GOOD, {**GOOD, "index": 2, **changes}, {**GOOD, "index": 3}]
    whole = pa.Table.from_pylist(rows, schema.TRACE)
    for one in (whole, encode_names(whole), pa.concat_tables([whole.slice(0, 1), whole.slice(1)])):
        assert find_doubtful(one).tolist() == [False, True, False]


def test_random_events_are_not_doubted() -> None:
    assert not find_doubtful(table(TRACES)).any()
    assert not find_doubtful(encode_names(table(TRACES))).any()
    assert find_doubtful(COLUMNS.empty_table()).tolist() == []


def test_names_in_a_dictionary_that_no_row_has_are_not_looked_at() -> None:
    whole = pa.Table.from_pylist([GOOD, {**GOOD, "kind": "boom", "process": LONG}], schema.TRACE)
    assert find_doubtful(encode_names(whole).slice(0, 1)).tolist() == [False]


VALUES: dict[str, list[Any]] = {
    "run": [None, "", "r", "é" * 30_000, "é" * 40_000, LONG],
    "process": ["a", "", None, LONG],
    "index": [0, 1, -1, None, 2**63 - 1, -(2**63)],
    "kind": ["send", "receive", "deliver", "internal", "move", "connect", "", "Send", None],
    "time": [None, 0.0, 1e300, -5.0, float("nan"), float("inf")],
    "message": ["m", "m", "", None, LONG],
    "dests": [None, [], ["b"], ["b", "b"], ["", "b"], [None], ["b", LONG]],
    "group": [None, "g", "", LONG],
    "payload_bytes": [None, 0, -1],
}


@pytest.mark.parametrize("seed", range(20))
def test_what_is_not_doubted_is_an_event_by_the_judge(seed: int) -> None:
    rng = random.Random(seed)
    rows = [{name: rng.choice(values) for name, values in VALUES.items()} for _ in range(200)]
    doubtful = find_doubtful(encode_names(pa.Table.from_pylist(rows, schema.TRACE))).tolist()
    refused = [isinstance(parse(row), str) for row in rows]
    assert not any(bad and not doubted for bad, doubted in zip(refused, doubtful, strict=True))
    unneeded = sum(doubted and not bad for bad, doubted in zip(refused, doubtful, strict=True))
    assert unneeded < 20  # a text of few characters may have many bytes


def test_a_run_that_is_null_has_an_empty_name() -> None:
    for run in ([None, "r"], ["r", "r"]):
        named = name_runs(pa.table({"index": [1, 2], "run": pa.array(run).dictionary_encode()}))
        assert named.column_names == ["index", "run"]
        assert named["run"].to_pylist() == [name or "" for name in run]
