"""Give destinations to sends of sources that do not name them.

The destinations of a send without `dests` are the processes that delivered its message. In a run without delivers, they
are the processes that received it. These destinations are enough to judge the order, and they hide every loss. A note
says how many sends got their destinations in this way.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline.arrow import (
    CODED_KINDS,
    DELIVER,
    RECEIVE,
    SEND,
    Longs,
    codes,
    kind_codes,
    list_lengths,
    text_ranks,
)
from antecede.pipeline.read.rows import encode_lists

NOTE = (
    "sends without destinations: {sends:,}; the processes that delivered such a message count as its destinations, "
    "so that lost messages are not seen"
)


def infer_destinations(events: pa.Table) -> tuple[pa.Table, int]:
    """Return the events with destinations on every send, and the number of sends that had none.

    All rows of a message must be in the table.
    """
    kind = kind_codes(events["kind"], CODED_KINDS)
    lacking = np.flatnonzero((kind == SEND) & pc.is_null(events["dests"]).to_numpy())
    if not len(lacking):
        return events, 0
    key = _message_keys(events)
    process, names = text_ranks(events["process"]), codes(events["process"])[1]
    run, runs = codes(events["run"])
    has_delivers = np.zeros(len(runs), np.bool_)
    has_delivers[run[kind == DELIVER]] = True
    arrived = np.flatnonzero(kind == np.where(has_delivers[run], DELIVER, RECEIVE))
    pairs = np.unique(key[arrived] * len(names) + process[arrived])  # by message, then by name
    first, last = (np.searchsorted(pairs, (key[lacking] + more) * len(names)) for more in (0, 1))
    by_rank = pc.take(names, pc.sort_indices(names)).cast(pa.string())
    arrivals = by_rank.take(pa.array(_ranges(first, last - first, pairs % len(names))))
    return _set_lists(events, lacking, arrivals, last - first), len(lacking)


def _message_keys(events: pa.Table) -> Longs:
    """Return a number for each row, equal for rows of the same run and message.

    The number of a row without a message has no meaning.
    """
    run, _ = codes(events["run"])
    message, ids = codes(pc.fill_null(events["message"], ""))
    return run * len(ids) + message


def _ranges(first: Longs, count: Longs, values: Longs) -> Longs:
    """Return ranges of `values`, one after the other: `count` values from `first` on, for each of them."""
    step = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    return values[np.repeat(first, count) + step]


def _set_lists(events: pa.Table, rows: Longs, names: pa.Array, count: Longs) -> pa.Table:
    """Return the events in which the destinations of `rows` are `names`, `count` of them for each row."""
    column = events["dests"].cast(pa.list_(pa.string())).combine_chunks()
    given = list_lengths(column)
    first, length = np.cumsum(given) - given, given.copy()
    first[rows], length[rows] = int(given.sum()) + np.cumsum(count) - count, count
    both = pa.concat_arrays([column.flatten(), names])
    values = both.take(pa.array(_ranges(first, length, np.arange(len(both)))))
    missing = pc.is_null(column).to_numpy(zero_copy_only=False).copy()
    missing[rows] = False
    offsets = pa.array(np.concatenate([[0], np.cumsum(length)]).astype(np.int32))
    lists = pa.ListArray.from_arrays(offsets, values, mask=pa.array(missing))
    return events.set_column(events.column_names.index("dests"), "dests", encode_lists(lists))
