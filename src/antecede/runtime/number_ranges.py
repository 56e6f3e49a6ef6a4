"""Whole numbers as ranges: the first and the last number of each run of consecutive numbers, in order."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import TypeAlias

Range: TypeAlias = tuple[int, int]


def to_ranges(numbers: Iterable[int]) -> list[Range]:
    """Return the ranges of some numbers, which may come in any order, and several times."""
    ranges: list[Range] = []
    for number in sorted(numbers):
        if ranges and number <= ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return ranges


def has_number(ranges: Sequence[Range], number: int) -> bool:
    """Return whether a number is in one of the ranges."""
    behind = bisect_right(ranges, number, key=itemgetter(0))
    return behind > 0 and number <= ranges[behind - 1][1]


def add_number(ranges: list[Range], number: int) -> None:
    """Add a number to the ranges. Ranges that meet then become one."""
    if has_number(ranges, number):
        return
    behind = bisect_right(ranges, number, key=itemgetter(0))
    first = last = number
    start, end = behind, behind
    if behind and ranges[behind - 1][1] == number - 1:
        start, first = behind - 1, ranges[behind - 1][0]
    if behind < len(ranges) and ranges[behind][0] == number + 1:
        end, last = behind + 1, ranges[behind][1]
    ranges[start:end] = [(first, last)]


def write_ranges(ranges: Sequence[Range]) -> bytes:
    """Return the ranges as a store keeps them."""
    return json.dumps(ranges).encode()


def read_ranges(stored: bytes) -> list[Range]:
    """Return the ranges that a store has kept."""
    return [(first, last) for first, last in json.loads(stored)]
