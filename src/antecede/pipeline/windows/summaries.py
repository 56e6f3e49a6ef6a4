"""Make the tables that a task tells about its windows: ends, links, spans, and what is known at entries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from antecede.pipeline.arrow import DELIVER, Longs, fill_table
from antecede.pipeline.kernel.layout import Rows
from antecede.pipeline.windows.compose import Ends, Known
from antecede.pipeline.windows.window_plan import WindowPlan

DEALT_ENDS, DEALT_LINKS, DEALT_SPANS, DEALT_STATES = "ends", "links", "spans", "states"
"""The names of dealt values that hold these tables."""
END = pa.schema(
    [
        *(("window", pa.int32()), ("process", pa.int32()), ("sent_index", pa.int64())),
        ("reached", pa.list_(pa.int32())),  # the windows where the message is delivered
        *(("sends", pa.binary()), ("entries", pa.binary())),
    ]
)
"""An end of a window, as `compose.End`. If `sends` is null, the row says that the window has a cycle."""
LINK = pa.schema(
    [("run", pa.int32()), ("sender", pa.int32()), ("process", pa.int32()), ("slack", pa.int64())],
)
"""The least slack of a link in a window."""
SPAN = pa.schema(
    [
        *(("run", pa.int32()), ("window", pa.int32()), ("process", pa.int32())),
        *(("low", pa.int64()), ("high", pa.int64())),
    ]
)
"""The first and the last index of a process in a window."""
STATE = pa.schema([("window", pa.int32()), ("process", pa.int32()), ("sent_index", pa.int64()), ("known", pa.binary())])
"""The knowledge with which a window is entered, as `compose.Known`. If `known` is null, the run has a cycle."""


def ends_table(rows: Rows, ends: Ends, number: Longs) -> pa.Table:
    """Return the ends of windows, as `END`. `number` is the window of each group."""
    offsets = np.concatenate([[0], np.cumsum(rows.widths[ends.group])])
    table = fill_table(
        END,
        len(ends.group),
        window=number[ends.group],
        process=ends.process,
        sent_index=ends.sent_index,
        reached=ends.reached,
        sends=_binary(ends.sends, offsets),
        entries=_binary(ends.entries, offsets),
    ).filter(pa.array(~ends.cyclic[ends.group]))
    cyclic = number[ends.cyclic]
    return pa.concat_tables([table, fill_table(END, len(cyclic), window=cyclic)])


def links_table(rows: Rows, plan: WindowPlan, number: Longs, slack: Longs) -> pa.Table:
    """Return the links of windows, as `LINK`. `number` is the window of each group, and `slack` that of each row."""
    at = np.flatnonzero((rows.role == DELIVER) & rows.first & (rows.sender >= 0))
    width = int(rows.widths.max(initial=1))
    key = (rows.group[at] * width + rows.sender[at]) * width + rows.process[at]
    order = np.argsort(key)
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    link, least = key[order][starts], np.minimum.reduceat(slack[at][order], starts) if len(at) else slack[:0]
    run = plan.run(number[link // (width * width)])
    return fill_table(LINK, len(link), run=run, sender=link // width % width, process=link % width, slack=least)


def spans_table(ends: Ends, plan: WindowPlan, number: Longs) -> pa.Table:
    """Return the spans of processes in windows, as `SPAN`. `number` is the window of each group."""
    group, process, low, high = ends.spans
    window = number[group]
    return fill_table(SPAN, len(group), run=plan.run(window), window=window, process=process, low=low, high=high)


def states_table(known: Iterable[Known]) -> pa.Table:
    """Return what is known at the entries of windows, as `STATE`."""
    rows = [(one.window, one.process, one.sent_index, one.known.tobytes()) for one in known]
    return pa.table(list(zip(*rows, strict=True)), schema=STATE) if rows else STATE.empty_table()


def _binary(values: npt.NDArray[Any], offsets: Longs) -> pa.Array:
    """Return each vector of `values` as one binary value, which Spark moves without reading it.

    `offsets` is where each vector begins, and the end.
    """
    places = pa.py_buffer((offsets * values.itemsize).astype(np.int32))
    return pa.Array.from_buffers(
        pa.binary(), len(offsets) - 1, [None, places, pa.py_buffer(np.ascontiguousarray(values))]
    )
