"""Small steps that any runner must do alike: hand out, map, deal, choose, put together, call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from antecede.pipeline.runner import PART, Batches, Runner, Task

NUMBERS = pa.schema([(PART, pa.int32()), ("value", pa.int64())])
SUMS = pa.schema([(PART, pa.int32()), ("rows", pa.int64()), ("sum", pa.int64())])


def add_up(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Task: give the part, the number of rows and the sum of their values."""
    rows = [row for batch in batches for row in batch.to_pylist()]
    part = rows[0][PART] if rows else None
    yield pa.record_batch([[part], [len(rows)], [sum(row["value"] for row in rows)]], schema=SUMS)


def deal_by_remainder(parts: int) -> Task:
    """Return a task that gives every row the part that its value modulo `parts` names."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            values = batch.column("value").to_pylist()
            yield pa.record_batch([[value % parts for value in values], values], schema=NUMBERS)

    return task


def run_steps(runner: Runner) -> dict[str, Any]:
    """Return what several ways of running tasks on the numbers from 0 to 5 give, sorted."""
    six = pa.table([[0, 2, 0, 2, 2, 0], range(6)], schema=NUMBERS)
    some = runner.hand_out(pa.table([[0, 2, 0], [0, 3, 3]], schema=NUMBERS)).map(add_up, SUMS)
    dealt = runner.hand_out(six).map(deal_by_remainder(3), NUMBERS).deal(3).keep()
    chosen = dealt.where(PART, (0, 2), are_wanted=False)
    both = chosen.and_also(dealt.where(PART, (1,))).deal(2)
    none = runner.hand_out(six).map(_give_nothing, NUMBERS).deal(2).map(_give_nothing, NUMBERS)
    found = {
        "parts": _rows(some.collect()),
        "dealt": _values(dealt.map(deal_by_remainder(1), NUMBERS).collect()),
        "where": _values(chosen.collect()),
        "both": _values(both.collect()),
        "called": _rows(runner.call(add_up, six, SUMS)),
        "empty": _values(none.collect()),
    }
    dealt.release()
    return found


def _give_nothing(batches: Batches) -> Iterator[pa.RecordBatch]:
    for _ in batches:
        pass
    yield from ()


def _rows(table: pa.Table) -> list[tuple[Any, ...]]:
    return sorted((tuple(row.values()) for row in table.to_pylist()), key=repr)


def _values(table: pa.Table) -> list[int]:
    return sorted(table["value"].to_pylist())
