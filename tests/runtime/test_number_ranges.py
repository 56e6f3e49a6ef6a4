"""Ranges of numbers have what a set of numbers has."""

import random
from itertools import pairwise

import pytest

from antecede.runtime.number_ranges import Range, add_number, has_number, read_ranges, to_ranges, write_ranges


@pytest.mark.parametrize("seed", range(20))
def test_ranges_are_those_of_the_set_of_numbers(seed: int) -> None:
    chance = random.Random(seed)
    numbers = [chance.randrange(60) for _ in range(chance.randrange(100))]
    ranges: list[Range] = []
    for count, number in enumerate(numbers, start=1):
        add_number(ranges, number)
        assert ranges == to_ranges(numbers[:count])
    assert [number for number in range(-1, 61) if has_number(ranges, number)] == sorted(set(numbers))
    assert all(last + 1 < first for (_, last), (first, _) in pairwise(ranges))


def test_ranges_that_meet_are_one() -> None:
    assert to_ranges([5, 1, 3, 9, 2, 2, 4]) == [(1, 5), (9, 9)]
    assert to_ranges([]) == []


def test_ranges_are_kept_as_they_are() -> None:
    assert write_ranges([(1, 5), (9, 9)]) == b"[[1, 5], [9, 9]]"
    assert read_ranges(b"[[1, 5], [9, 9]]") == [(1, 5), (9, 9)]
