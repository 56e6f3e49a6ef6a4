"""Small functions on Arrow and NumPy arrays."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.pipeline.arrow import (
    code_kinds,
    codes,
    distinct,
    fill_table,
    kind_codes,
    list_lengths,
    match_rows,
    narrow_integers,
    pack,
    split_by,
    take_or_null,
    text_bytes,
    text_ranks,
    unpack,
)


@given(st.lists(st.sampled_from(["a", "b", "", "ü"])), st.integers(0, 5))
def test_equal_values_have_equal_numbers_and_only_values_that_rows_have_are_named(values: list[str], cut: int) -> None:
    plain = pa.chunked_array([values[:cut], values[cut:]], pa.string())
    shared = pa.chunked_array([pa.array(["unused", *values]).dictionary_encode().slice(1)])
    for column in (plain, plain.dictionary_encode(), shared):
        numbers, names = codes(column)
        assert [names[number].as_py() for number in numbers.tolist()] == values
        assert sorted(names.to_pylist()) == sorted(set(values))


def test_kinds_are_their_places_or_nothing() -> None:
    column = pa.chunked_array([["deliver", "send", "move", "send"]])
    assert kind_codes(column, ("send", "deliver")).tolist() == [1, 0, -1, 0]


@given(st.lists(st.integers(0, 5_000), max_size=50))
def test_distinct_keys_are_the_same_counted_or_sorted(keys: list[int]) -> None:
    wanted, places = np.unique(np.array(keys, np.int64), return_inverse=True)
    for limit in (5_001, 10**12):
        found, place = distinct(np.array(keys, np.int64), limit)
        assert found.tolist() == wanted.tolist()
        assert place.tolist() == places.tolist()


@pytest.mark.parametrize(
    ("values", "kind"), [([1, -128], "int8"), ([128], "int16"), ([2**31], "int64"), ([None], "int8")]
)
def test_integers_become_as_narrow_as_they_can(values: list[int | None], kind: str) -> None:
    table = pa.table({"a": pa.array(values, pa.int64()), "b": ["x"] * len(values)})
    narrow = narrow_integers(table)
    assert (str(narrow["a"].type), narrow.to_pylist()) == (kind, table.to_pylist())


def test_tables_come_back_from_streams() -> None:
    table = pa.table({"a": pa.array(["x", "y"]).dictionary_encode()})
    assert unpack([pack(table), pack(table)]).to_pylist() == table.to_pylist() * 2
    wide, narrow = pa.table({"n": [2**40]}), pa.table({"n": pa.array([1], pa.int8())})
    both = unpack([pack(narrow), pack(wide)])
    assert (both["n"].to_pylist(), both["n"].type) == ([1, 2**40], pa.int64())


def test_rows_are_split_by_part() -> None:
    table = pa.table({"n": range(6)})
    parts = np.array([2, 0, 2, 2, 0, 5])
    assert [(part, rows["n"].to_pylist()) for part, rows in split_by(table, parts, 6)] == [
        (0, [1, 4]),
        (2, [0, 2, 3]),
        (5, [5]),
    ]
    assert [(part, rows.num_rows) for part, rows in split_by(table, np.full(6, 3), 4)] == [(3, 6)]
    assert list(split_by(table.slice(0, 0), np.empty(0, np.int64), 4)) == []


def test_small_ones() -> None:
    filled = fill_table(pa.schema([("a", pa.int64()), ("b", pa.string())]), 2, a=[1, 2])
    assert filled.to_pylist() == [{"a": 1, "b": None}, {"a": 2, "b": None}]
    assert list_lengths(pa.array([["a"], None, []])).tolist() == [1, 0, 0]
    assert take_or_null(pa.array(["a", "b"]), np.array([1, -1, 0])).to_pylist() == ["b", None, "a"]
    assert bytes(text_bytes(pa.array(["a", "bc", "d"]).slice(1))) == b"bcd"
    assert bytes(text_bytes(pa.array([], pa.string()))) == b""


def test_the_first_row_with_the_same_values_is_found() -> None:
    known = pa.table({"a": pa.array(["x", "y", "x", "x"]).dictionary_encode(), "b": [1, 1, 2, 1], "c": range(4)})
    table = pa.table({"b": [2, 1, 2, 1], "a": ["x", "x", "y", "y"]})
    assert match_rows(table, known, ["a", "b"]).tolist() == [2, 0, -1, 1]
    assert match_rows(table, known.slice(0, 0), ["a", "b"]).tolist() == [-1] * 4
    assert match_rows(table.slice(0, 0), known, ["a", "b"]).tolist() == []


def test_texts_are_ranked_as_python_orders_them() -> None:
    texts = ["b", "", "\U0001f600", "\uffee", "a", "b", "é", "B"]
    order = sorted(set(texts))
    for column in (pa.chunked_array([texts[:3], texts[3:]]), pa.chunked_array([texts]).dictionary_encode()):
        assert text_ranks(column).tolist() == [order.index(text) for text in texts]
    assert text_ranks(pa.chunked_array([], pa.string())).tolist() == []


def test_kinds_become_codes_and_other_rows_are_left_out() -> None:
    table = pa.table({"kind": ["send", "move", "deliver"], "n": range(3)})
    assert code_kinds(table, ("send", "deliver")).to_pylist() == [{"kind": 0, "n": 0}, {"kind": 1, "n": 2}]
