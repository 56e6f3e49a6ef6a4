"""Rows that contradict an earlier row: the first in input order stays, whatever order the rows come in."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from antecede.pipeline import schema
from antecede.pipeline.read.duplicates import (
    DUPLICATE_INDEX,
    DUPLICATE_MESSAGE,
    remove_duplicates,
    remove_repeated_indices,
)
from tests.pipeline.traces import Row, events, trace

Places = set[tuple[str, int]]


def send(index: int, message: str, run: str = "r") -> Row:
    return Row(run, "a", index, "send", None, message, ("b",))


def internal(index: int) -> Row:
    return Row("r", "a", index, "internal")


FILES = {
    "a": [
        send(1, "m1"),
        internal(1),  # 2: the index is taken
        send(1, "m2"),  # 3: the index is taken, so that m2 is free for line 4
        send(2, "m2"),
        send(3, "m2"),  # 5: the message was sent
        send(1, "m1", run="other"),
        Row("r", "b", 9, "deliver", None, "m1"),
        Row("r", "b", 10, "deliver", None, "m1"),
    ],
    "b": [send(7, "m1"), send(8, "m3"), internal(2)],
}


def places(refused: pa.Table, reason: str) -> Places:
    return {(row["file"], row["line"]) for row in refused.to_pylist() if row["reason"] == reason}


@pytest.mark.parametrize("seed", range(10))
def test_the_first_in_input_order_stays(seed: int) -> None:
    tables = [events(rows, name) for name, rows in FILES.items()]
    random.Random(seed).shuffle(tables)
    whole = pa.concat_tables(tables).unify_dictionaries()
    whole = whole.take(random.Random(seed).sample(range(whole.num_rows), whole.num_rows))
    kept, refused = remove_duplicates(whole)
    assert places(refused, DUPLICATE_INDEX) == {("a", 2), ("a", 3), ("b", 3)}
    assert places(refused, DUPLICATE_MESSAGE) == {("a", 5), ("b", 1)}
    assert kept.num_rows == 6
    assert refused.schema == schema.QUARANTINE


def test_a_refused_row_is_shown_as_a_line_of_the_trace() -> None:
    _, refused = remove_duplicates(events([send(1, "m1"), send(1, "x" * 2_000)]))
    (row,) = refused["row"].to_pylist()
    assert row.startswith('{"run":"r","process":"a","index":1,"kind":"send","message":"xxx')
    assert len(row) == 1_000


def test_rows_without_contradiction_come_back_as_they_are() -> None:
    for seed in range(50):
        whole = events(trace(seed))
        kept, refused = remove_duplicates(whole)
        assert (kept.num_rows, refused.num_rows) == (whole.num_rows, 0)


def test_a_message_id_may_come_again_in_another_run_and_on_delivers() -> None:
    rows = [
        send(1, "m"),
        send(1, "m", "s"),
        Row("r", "b", 1, "deliver", None, "m"),
        Row("r", "b", 2, "receive", None, "m"),
    ]
    assert remove_duplicates(events(rows))[1].num_rows == 0


@pytest.mark.parametrize("seed", range(30))
def test_random_repetitions_are_found_as_the_rule_says(seed: int) -> None:
    rng = random.Random(seed)
    rows = [
        rng.choice([send, lambda index, _message: internal(index)])(rng.randint(0, 9), f"m{rng.randint(0, 5)}")
        for _ in range(40)
    ]
    taken: set[int] = set()
    sent: set[str | None] = set()
    wanted: dict[int, str] = {}
    for line, row in enumerate(rows, start=1):
        if row.index in taken:
            wanted[line] = DUPLICATE_INDEX
            continue
        taken.add(row.index)
        if row.kind == "send" and row.message in sent:
            wanted[line] = DUPLICATE_MESSAGE
        elif row.kind == "send":
            sent.add(row.message)
    _, refused = remove_duplicates(events(rows))
    assert {row["line"]: row["reason"] for row in refused.to_pylist()} == wanted
    _, refused = remove_repeated_indices(events(rows))
    assert {row["line"] for row in refused.to_pylist()} == {
        line for line, reason in wanted.items() if reason == DUPLICATE_INDEX
    }
