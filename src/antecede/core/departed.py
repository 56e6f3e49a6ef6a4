"""Vectors and tables less what they say of processes that left.

A stamp that was on its way when its receiver heard of a departure still counts the departed. Taken over, it would go
round for ever: each process would tell the others what they had forgotten, and stamps would grow with every
process that ever was.
"""

from __future__ import annotations

from collections.abc import Mapping

from antecede.core.types import ProcessId

Vector = Mapping[ProcessId, int]


def without(vector: Vector, departed: frozenset[ProcessId]) -> Vector:
    """`vector` itself where there is nothing to leave out."""
    if departed.isdisjoint(vector):
        return vector
    return {name: count for name, count in vector.items() if name not in departed}


def rows_without(table: Mapping[ProcessId, Vector], departed: frozenset[ProcessId]) -> Mapping[ProcessId, Vector]:
    """Neither rows nor columns of the departed."""
    if not departed:
        return table
    return {name: without(row, departed) for name, row in table.items() if name not in departed}
