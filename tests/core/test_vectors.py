"""Vectors: the greatest of two is one of them if that has all the greater counts, and neither is changed."""

from types import MappingProxyType

import pytest

from antecede.core.vectors import covers, greatest


@pytest.mark.parametrize(
    ("mine", "theirs", "greater"),
    [
        ({}, {}, {}),
        ({"a": 1}, {}, {"a": 1}),
        ({}, {"a": 1}, {"a": 1}),
        ({"a": 1, "b": 2}, {"a": 1}, {"a": 1, "b": 2}),
        ({"a": 1}, {"a": 2, "b": 1}, {"a": 2, "b": 1}),
        ({"a": 1, "b": 2}, {"a": 2, "c": 3}, {"a": 2, "b": 2, "c": 3}),
    ],
)
def test_the_greatest_has_the_greater_count_of_each(
    mine: dict[str, int], theirs: dict[str, int], greater: dict[str, int]
) -> None:
    before = dict(mine), dict(theirs)
    found = greatest(mine, theirs)
    assert (found, (mine, theirs)) == (greater, before)
    assert (found is mine or found is theirs) is (covers(mine, theirs) or covers(theirs, mine))
    assert greatest(MappingProxyType(mine), MappingProxyType(theirs)) == greater


def test_a_vector_covers_itself() -> None:
    vector = {"a": 1}
    assert covers(vector, vector)
    assert greatest(vector, vector) is vector
