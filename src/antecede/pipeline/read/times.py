"""Convert columns of times to seconds, as `antecede.judge.times.to_seconds` does for one value.

Numbers are told apart by their size: below 10^11 they are seconds, below 10^14 milliseconds, below 10^17 microseconds,
below 10^20 nanoseconds, and above that seconds again. Texts are ISO 8601. A timestamp says its own unit, and is UTC if
it has no time zone.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.judge.times import UNITS, to_seconds

PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


def column_to_seconds(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return a column of times in seconds, or None if its type cannot hold times.

    A text that is not a time becomes null.
    """
    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        return pc.divide(column.cast(pa.int64()).cast(pa.float64(), safe=False), PER_SECOND[kind.unit])
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _scale(column.cast(pa.float64(), safe=False))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.chunked_array([_read_texts(chunk) for chunk in column.chunks], pa.float64())
    return None


def _scale(numbers: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the numbers in seconds."""
    size = pc.abs(numbers)
    if not pc.any(pc.greater_equal(size, UNITS[0][0])).as_py():
        return numbers
    sizes = size.to_numpy()
    per_second = np.select([sizes < limit for limit, _ in UNITS], [each for _, each in UNITS], 1.0)
    return pc.divide(numbers, pa.array(per_second))


def _read_texts(texts: pa.Array) -> pa.Array:
    """Return the seconds of texts of ISO 8601. Arrow may hold texts that are not UTF-8, which are not times."""
    values = texts.cast(pa.binary()).to_pylist()
    found = [None if value is None else to_seconds(value.decode(errors="replace")) for value in values]
    return pa.array(found, pa.float64())
