"""Destinations for sends that name none: the processes that delivered the message."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from antecede.pipeline.check import check
from antecede.pipeline.read.destinations import infer_destinations
from antecede.pipeline.runner import InProcess
from tests.pipeline.traces import Row, events


def without_dests(table: pa.Table, rows: list[int]) -> pa.Table:
    dests = table["dests"].to_pylist()
    for row in rows:
        dests[row] = None
    place = table.column_names.index("dests")
    return table.set_column(place, "dests", pa.array(dests, pa.list_(pa.string()))).cast(table.schema)


ROWS = [
    Row("r", "a", 1, "send", None, "m1"),
    Row("r", "a", 2, "send", None, "m2", ("x", "y")),
    Row("r", "c", 1, "deliver", None, "m1"),
    Row("r", "b", 1, "receive", None, "m1"),
    Row("r", "b", 2, "deliver", None, "m1"),
    Row("r", "b", 3, "deliver", None, "m2"),
    Row("s", "b", 1, "deliver", None, "m1"),
    Row("r", "a", 3, "send", None, "m3"),
    Row("r", "a", 4, "internal"),
    Row("s", "d", 1, "send", None, "m1"),
]


def test_a_send_without_destinations_gets_those_where_its_message_arrived() -> None:
    found, count = infer_destinations(without_dests(events(ROWS), [0, 7, 9]))
    dests = found["dests"].to_pylist()
    assert count == 3
    assert [dests[row] for row in (0, 1, 7, 9)] == [["b", "c"], ["x", "y"], [], ["b"]]
    assert [dests[row] for row in (2, 3, 4, 5, 6, 8)] == [None] * 6
    assert found.schema == events(ROWS).schema


def test_a_process_that_only_received_a_message_is_no_destination_if_the_run_has_delivers() -> None:
    rows = [
        Row("r", "a", 1, "send", 1.0, "m1"),
        Row("r", "b", 1, "receive", 2.0, "m1"),
        Row("r", "c", 1, "deliver", 2.0, "m1"),
        Row("s", "a", 1, "send", 1.0, "m1"),
        Row("s", "b", 1, "receive", 2.0, "m1"),
    ]
    table = without_dests(events(rows), [0, 3])
    found, _ = infer_destinations(table)
    assert [found["dests"].to_pylist()[row] for row in (0, 3)] == [["c"], ["b"]]
    whole, cut = (check(InProcess(), table, windows=windows).answer.sums for windows in (None, 2))
    assert (whole["lost"], cut["lost"], whole["deliveries"], cut["deliveries"]) == (0, 0, 2, 2)


def test_if_all_sends_name_their_destinations_nothing_changes() -> None:
    table = events(ROWS)
    found, count = infer_destinations(table)
    assert (found is table, count) == (True, 0)
    none = table.slice(0, 0)
    assert infer_destinations(none) == (none, 0)


@pytest.mark.parametrize("seed", range(20))
def test_random_traces_get_the_processes_of_their_arrivals(seed: int) -> None:
    rng = random.Random(seed)
    rows = [
        Row(
            rng.choice("rs"),
            rng.choice("abc"),
            number,
            rng.choice(["send", "deliver", "receive"]),
            None,
            f"m{rng.randint(0, 8)}",
            tuple(rng.choices("abc", k=2)),
        )
        for number in range(60)
    ]
    table = events(rows)
    lacking = [at for at, row in enumerate(rows) if row.kind == "send" and rng.random() < 0.5]
    pieces = without_dests(table, lacking)
    pieces = pa.concat_tables([pieces.slice(0, 20), pieces.slice(20)])
    found, count = infer_destinations(pieces)
    assert count == len(lacking)
    for at, (row, dests) in enumerate(zip(rows, found["dests"].to_pylist(), strict=True)):
        own = [other for other in rows if other.run == row.run]
        kind = "deliver" if any(other.kind == "deliver" for other in own) else "receive"
        arrived = {other.process for other in own if (other.message, other.kind) == (row.message, kind)}
        if row.kind != "send":
            assert dests is None
        else:
            assert dests == (sorted(arrived) if at in lacking else list(row.dests))
