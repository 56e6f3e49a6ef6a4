"""Vectors and tables of counts: the greatest of two, and what is left of one without the processes that left.

A stamp that was on its way when its receiver heard of a departure still counts the departed. If the receiver merged
such a stamp, the count of the departed would be passed on for ever: each process would tell the others what they had
forgotten, and stamps would grow with every process that ever was.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from antecede.core.types import ProcessId

Vector = Mapping[ProcessId, int]


def greatest(mine: Vector, theirs: Vector) -> dict[ProcessId, int]:
    """Return the greater count of each process: the operator "union max" of 000 §5.

    If one of the two vectors has all the greater counts, it is returned itself and not a copy. So processes that know
    the same of a third share one vector, and comparing it with itself takes no time. Nobody may change the result.
    """
    if covers(mine, theirs):
        return mine if isinstance(mine, dict) else dict(mine)
    if covers(theirs, mine):
        return theirs if isinstance(theirs, dict) else dict(theirs)
    counts = dict(mine)
    for process, count in theirs.items():
        if count > counts.get(process, 0):
            counts[process] = count
    return counts


def covers(one: Vector, other: Vector) -> bool:
    """Return whether `one` has as great a count of each process as `other`."""
    if one is other:
        return True
    count_of = one.get
    for process, count in other.items():  # noqa: SIM110 - a generator takes twice as long, and matrices are large
        if count > count_of(process, 0):
            return False
    return True


def without(vector: Vector, departed: AbstractSet[ProcessId]) -> Vector:
    """Return a vector without the counts of the departed: `vector` itself if it has none of them."""
    if departed.isdisjoint(vector):
        return vector
    return {name: count for name, count in vector.items() if name not in departed}


def rows_without(table: Mapping[ProcessId, Vector], departed: AbstractSet[ProcessId]) -> Mapping[ProcessId, Vector]:
    """Return a table without the rows and columns of the departed: `table` itself if nobody has departed."""
    if not departed:
        return table
    return {name: without(row, departed) for name, row in table.items() if name not in departed}
