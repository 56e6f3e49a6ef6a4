"""What is counted of each process, in one table or in several."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

from antecede.pipeline.kernel.counts import (
    COUNTED,
    COUNTS,
    LARGE,
    SAMPLED_TIMES,
    add_up_counts,
    count_by_process,
    count_large_runs,
    subtract_sends,
)
from tests.pipeline.traces import Row, events, trace

ROWS = [Row("r", "a", 3, "send", 1.0, "m", ("b",)), Row("r", "b", 1, "deliver", 2.0, "m"), Row("r", "a", 5, "move")]


def by_process(table: pa.Table) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["run"], row["process"]): row for row in table.to_pylist()}


@pytest.mark.parametrize(
    ("extra", "has_repeats"),
    [
        (Row("r", "a", 4, "internal"), False),
        (Row("r", "a", 3, "internal"), True),
        (Row("r", "a", 5, "internal"), True),
        (Row("r", "b", 3, "internal"), False),
        (Row("s", "a", 3, "internal"), False),
    ],
)
def test_an_index_that_comes_twice_is_told(extra: Row, has_repeats: bool) -> None:
    counts, repeated = count_by_process(events([*ROWS, extra]))
    assert counts.schema == COUNTS
    assert repeated is has_repeats


def test_of_no_events_nothing_is_counted() -> None:
    counts, has_repeats = count_by_process(events(ROWS).slice(0, 0))
    assert (counts, has_repeats) == (COUNTS.empty_table(), False)


def test_what_is_there_is_counted() -> None:
    rows = [
        *ROWS,
        Row("r", "a", 4, "internal"),
        Row("r", "a", 9, "receive", None, "m"),
        Row("r", "a", 8, "send", 7.0, "n"),
    ]
    counts = by_process(count_by_process(events(rows))[0])
    first = {name: value for name, value in counts["r", "a"].items() if name not in ("run", "process")}
    assert first == {
        "events": 5,
        "with_message": 3,
        "sends": 2,
        "delivers": 0,
        "receives": 1,
        "internals": 1,
        "untimed": 0,
        "untimed_receives": 1,
        "start": 1.0,
        "end": 7.0,
        "low": 3,
        "high": 9,
        "times": [1.0, None, 7.0],
    }
    assert (counts["r", "b"]["delivers"], counts["r", "b"]["times"]) == (1, [2.0])


def test_few_times_of_each_process_are_kept_evenly_spread() -> None:
    rows = [Row("r", "a", number, "send", float(number), f"m{number}") for number in range(1_000)]
    (counts,) = by_process(count_by_process(events(rows))[0]).values()
    assert len(counts["times"]) == SAMPLED_TIMES
    assert counts["times"][:2] == [0.0, 62.0]


def test_a_process_without_messages_has_no_span_of_times() -> None:
    (counts,) = by_process(count_by_process(events([Row("r", "a", 1, "internal", 5.0)]))[0]).values()
    assert (counts["start"], counts["end"], counts["times"]) == (None, None, [])


@pytest.mark.parametrize("seed", range(20))
def test_counts_of_several_tables_add_up_to_those_of_one(seed: int) -> None:
    rng = random.Random(seed)
    rows = [row for one in range(5) for row in trace(100 * seed + one)]
    tables: list[list[Row]] = [[], [], []]
    for row in rows:
        rng.choice(tables).append(row)
    whole = by_process(count_large_runs(events(rows)))
    parts = add_up_counts([count_large_runs(events(own)) for own in tables if own])
    assert parts.schema == LARGE
    found = by_process(parts)
    assert set(found) == set(whole)
    names = (*COUNTED, "untimed", "untimed_receives", "start", "end", "low", "high")
    for key, counts in whole.items():
        assert {name: found[key][name] for name in names} == {name: counts[name] for name in names}


def test_spans_that_overlap_may_hide_an_index_that_comes_twice() -> None:
    def counts(*indices: int) -> pa.Table:
        return count_large_runs(events([Row("r", "a", index, "internal") for index in indices]))

    for tables, wanted in (
        ([counts(1, 2), counts(3, 4)], False),
        ([counts(3, 4), counts(1, 2)], False),
        ([counts(1, 3), counts(2, 4)], True),
        ([counts(1, 9), counts(2, 3), counts(4, 5)], True),
        ([counts(1, 1)], True),
    ):
        assert add_up_counts(tables)["has_repeats"].to_pylist() == [wanted]
    assert add_up_counts([]) == LARGE.empty_table()


def test_sends_that_were_refused_later_are_subtracted_and_a_process_without_others_is_gone() -> None:
    counts = count_large_runs(events(ROWS))
    refused = pa.table({"run": ["r"], "process": ["a"], "sends": [1]})
    found = by_process(subtract_sends(counts, refused))
    assert [found["r", "a"][name] for name in ("events", "with_message", "sends")] == [1, 0, 0]
    gone = pa.table({"run": ["r"], "process": ["b"], "sends": [1]})
    assert set(by_process(subtract_sends(counts, gone))) == {("r", "a")}
    assert subtract_sends(counts, refused.slice(0, 0)) is counts
