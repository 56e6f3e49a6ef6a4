"""Tasks in the calling process. `tests/pipeline/spark/test_runner.py` runs the same steps on Spark."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pyarrow as pa

from antecede.pipeline.runner import Batches, InProcess
from tests.pipeline.steps import NUMBERS, SUMS, add_up, deal_by_remainder, run_steps


def test_the_steps_give_what_they_say() -> None:
    found = run_steps(InProcess())
    assert found == {
        "parts": [(0, 2, 3), (2, 1, 3), (None, 0, 0)],
        "dealt": [0, 1, 2, 3, 4, 5],
        "where": [1, 4],
        "both": [1, 1, 4, 4],
        "called": [(0, 6, 15)],
        "empty": [],
    }


def test_rows_stay_in_their_order_within_a_part() -> None:
    values = list(range(100))
    table = pa.table([[value % 3 for value in values], values], schema=NUMBERS)
    chunks = pa.concat_tables([table.slice(start, 9) for start in range(0, 100, 9)])
    dealt = InProcess().hand_out(chunks).map(deal_by_remainder(5), NUMBERS).deal(5)
    by_part: dict[int, list[int]] = {}
    for row in dealt.collect().to_pylist():
        by_part.setdefault(row["part"], []).append(row["value"])
    assert sorted(value for own in by_part.values() for value in own) == values
    for own in by_part.values():
        for first, second in pairwise([value for value in own if value % 3 == 0]):
            assert first < second


def test_nothing_is_computed_before_it_is_wanted_and_kept_rows_only_once() -> None:
    times = 0

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        nonlocal times
        times += 1
        yield from batches

    rows = pa.table([[0, 1], [10, 20]], schema=NUMBERS)
    mapped = InProcess().hand_out(rows).map(task, NUMBERS)
    assert times == 0
    mapped.collect()
    mapped.collect()
    assert times == 4
    kept = mapped.keep()
    assert times == 6
    assert kept.collect() == kept.where("part", (0, 1)).collect()
    assert times == 6
    kept.release()
    kept.collect()
    assert times == 8


def test_rows_for_no_part_are_no_parts() -> None:
    rows = NUMBERS.empty_table()
    assert InProcess().hand_out(rows).map(add_up, SUMS).collect().num_rows == 0
    assert (
        InProcess().hand_out(rows).deal(3).map(add_up, SUMS).collect().to_pylist()
        == [{"part": None, "rows": 0, "sum": 0}] * 3
    )
    assert InProcess().cores == 1
