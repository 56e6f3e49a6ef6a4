"""Rows on their way to the parts that need them."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from antecede.pipeline.dealing import (
    DEALT,
    NAMES_MAX,
    ROWS,
    ChosenRows,
    deal_table,
    deal_value,
    gather,
    in_chunks,
    part_by_text,
    pass_others,
    rows_at_lines,
    rows_of_runs,
    values_in,
)
from tests.pipeline.parquet_files import TRACES
from tests.pipeline.traces import Row, events


@pytest.mark.parametrize("parts", [1, 3, 1_000, 70_000])
def test_every_row_goes_to_its_part_in_order(parts: int) -> None:
    rng = random.Random(1)
    table = events(TRACES)
    part = np.array([rng.randrange(parts) for _ in range(table.num_rows)], np.int64)
    dealt = list(deal_table(table, part, parts))
    assert all(batch.schema == DEALT for batch in dealt)
    for batch in dealt:
        (number,) = batch.column("part").to_pylist()
        rows = gather([batch])
        assert rows is not None
        assert rows.to_pylist() == table.filter(pa.array(part == number)).to_pylist()
    assert [batch.column("part")[0].as_py() for batch in dealt] == sorted(set(part.tolist()))


def test_no_rows_are_dealt_to_nobody() -> None:
    assert list(deal_table(events([]), np.empty(0, np.int64), 3)) == []
    assert gather([]) is None


def test_dictionaries_that_are_too_large_to_go_with_every_stream_are_written_out() -> None:
    for names, kind in ((NAMES_MAX, "dictionary"), (NAMES_MAX + 1, "string")):
        table = events([Row("r", f"p{number}", 1, "move") for number in range(names)])
        rows = gather(deal_table(table, np.arange(names) % 2, 2))
        assert rows is not None
        assert str(rows["process"].type).startswith(kind)
        assert sorted(rows["process"].to_pylist()) == sorted(table["process"].to_pylist())
    many = Row("r", "a", 1, "send", None, "m", tuple(f"d{number}" for number in range(NAMES_MAX + 1)))
    rows = gather(deal_table(events([many]), np.zeros(1, np.int64), 1))
    assert rows is not None
    assert rows["dests"].type == pa.list_(pa.string())


def test_streams_of_different_types_are_gathered_as_one_table() -> None:
    small, large = events(TRACES[:9]), events([Row("r", f"p{number}", 1, "move") for number in range(2_000)])
    both = [*deal_table(small, np.zeros(9, np.int64), 1), *deal_table(large, np.zeros(2_000, np.int64), 1)]
    rows = gather(both)
    assert rows is not None
    assert rows.to_pylist() == [*small.to_pylist(), *large.to_pylist()]


def test_values_of_other_names_travel_along_and_are_not_rows() -> None:
    table = events(TRACES[:2])
    batches = [
        deal_value("files", table),
        *deal_table(table, np.zeros(2, np.int64), 1, "counts"),
        *deal_table(table.slice(0, 1), np.zeros(1, np.int64), 1),
    ]
    assert [name for name, _ in values_in(batches)] == ["files", "counts", ROWS]
    assert batches[0].column("part").to_pylist() == [0]
    rows, counts = gather(batches), gather(batches, "counts")
    assert rows is not None
    assert counts is not None
    assert (rows.num_rows, counts.num_rows, gather(batches, "other")) == (1, 2, None)


def test_values_of_other_names_are_passed_on_as_they_are() -> None:
    table = events(TRACES[:2])
    batches = [deal_value("files", table, 3), deal_value(ROWS, table), deal_value("files", table.slice(1))]
    held: list[pa.Buffer] = []
    passed = pa.Table.from_batches(pass_others([pa.concat_batches(batches)], ROWS, held), DEALT)
    assert passed == pa.Table.from_batches([batches[0], batches[2]])
    assert [bytes(value) for value in held] == batches[1].column("rows").to_pylist()


def test_a_table_that_is_too_large_for_one_value_is_dealt_in_several() -> None:
    table = events(TRACES[:50])
    part = np.zeros(50, np.int64)
    batches = list(deal_table(table, part, 1, value_bytes_max=table.nbytes // 5))
    assert 5 <= len(batches) <= 7
    rows = gather(batches)
    assert rows is not None
    assert rows.to_pylist() == table.to_pylist()
    assert len(list(deal_table(table, part, 1, value_bytes_max=1))) == 50


def test_equal_texts_go_to_the_same_part_in_a_dictionary_or_not() -> None:
    texts = events(TRACES)["process"]
    part = part_by_text(texts, 5)
    assert part.tolist() == part_by_text(texts.cast(pa.string()), 5).tolist()
    assert len(set(part.tolist())) > 1
    assert set(part_by_text(texts, 1).tolist()) == {0}


def test_tables_are_put_together_to_a_size_with_one_dictionary_each() -> None:
    tables = [events(TRACES[start : start + 10], f"file {start}") for start in range(0, 95, 10)]
    chunks = list(in_chunks(tables, 25))
    assert [chunk.num_rows for chunk in chunks] == [30, 30, 30, 10]
    assert all(chunk["file"].num_chunks == 1 for chunk in chunks)
    assert [row for chunk in chunks for row in chunk.to_pylist()] == [row for one in tables for row in one.to_pylist()]
    assert list(in_chunks([])) == []
    assert list(in_chunks([events([])])) == []


def test_rows_are_chosen_by_run_and_by_line() -> None:
    table = events([Row(run, "a", number, "move") for number, run in enumerate("abcab")], first_line=11)
    assert rows_of_runs(table, frozenset("ac")).tolist() == [True, False, True, True, False]
    assert rows_of_runs(table, frozenset()).tolist() == [False] * 5
    assert rows_at_lines(table, {"trace": [11, 14, 99], "other": [12]}).tolist() == [True, False, False, True, False]
    assert rows_at_lines(table, {}).tolist() == [False] * 5
    chosen = ChosenRows(frozenset("ac"), {"trace": [11]})
    assert chosen.of(table)["line"].to_pylist() == [13, 14]
    both = pa.concat_tables([table, events([Row("a", "a", 1, "move")], "other", first_line=12)])
    assert rows_at_lines(both, {"other": [12]}).tolist() == [False] * 5 + [True]
