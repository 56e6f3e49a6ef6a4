"""What a task tells about the windows it has: their ends, what the plan has to know, and the rows themselves.

All of it is one table, so that one pass makes it and one copy is kept. `what` says what a row is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from antecede.pipeline.arrow import Longs, fill_table
from antecede.pipeline.kernel.encode import DELIVER
from antecede.pipeline.kernel.layout import Rows
from antecede.pipeline.runner import PART
from antecede.pipeline.windows.compose import Ends
from antecede.pipeline.windows.window_plan import WindowPlan

END, CYCLIC, LINK, SPAN, ROWS, RESULT, KNOWN, CYCLE = range(8)
"""What a row of `WINDOWS` is: an end of a window, a window with a cycle, a link, the span of a process in a window, the
rows of some windows, a finished result, what is known when a window is entered, a run with a cycle."""
WINDOWS = pa.schema(
    [
        ("what", pa.int8()),
        ("name", pa.string()),  # of a result
        (PART, pa.int32()),
        ("run", pa.int32()),
        ("window", pa.int32()),
        ("process", pa.int32()),
        ("sender", pa.int32()),  # of a link
        ("low", pa.int64()),  # of an end or a state its message's index, of a link its slack, of a span the first index
        ("high", pa.int64()),  # of a span the last index
        ("reached", pa.list_(pa.int32())),  # of an end: the parts where its message is delivered
        ("sends", pa.binary()),
        ("entries", pa.binary()),
        ("known", pa.binary()),  # of a state
        ("rows", pa.binary()),  # the rows of all windows of the task, or a result, as an Arrow stream
    ]
)


def ends_table(rows: Rows, ends: Ends, plan: WindowPlan, number: Longs) -> pa.Table:
    offsets = np.concatenate([[0], np.cumsum(rows.widths[ends.group])])
    window = number[ends.group]
    table = fill_table(
        WINDOWS,
        len(window),
        what=np.full(len(window), END),
        part=plan.run(window),
        run=plan.run(window),
        window=window,
        process=ends.process,
        low=ends.sent_index,
        reached=ends.reached,
        sends=_binary(ends.sends, offsets),
        entries=_binary(ends.entries, offsets),
    ).filter(pa.array(~ends.cyclic[ends.group]))
    bad = number[ends.cyclic]
    cyclic = fill_table(
        WINDOWS, len(bad), what=np.full(len(bad), CYCLIC), part=plan.run(bad), run=plan.run(bad), window=bad
    )
    return pa.concat_tables([table, cyclic])


def facts_table(rows: Rows, ends: Ends, plan: WindowPlan, number: Longs, slack: Longs) -> pa.Table:
    """The least slack of each link of each window, and the span of indices of each process in it."""
    at = np.flatnonzero((rows.role == DELIVER) & rows.first & (rows.sender >= 0))
    width = int(rows.widths.max(initial=1))
    key = (rows.group[at] * width + rows.sender[at]) * width + rows.process[at]
    order = np.argsort(key)
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    link, least = key[order][starts], np.minimum.reduceat(slack[at][order], starts) if len(at) else slack[:0]
    group, process, first, last = ends.spans
    links = fill_table(
        WINDOWS,
        len(link),
        what=np.full(len(link), LINK),
        run=plan.run(number[link // (width * width)]),
        sender=link // width % width,
        process=link % width,
        low=least,
    )
    spans = fill_table(
        WINDOWS,
        len(group),
        what=np.full(len(group), SPAN),
        run=plan.run(number[group]),
        window=number[group],
        process=process,
        low=first,
        high=last,
    )
    return pa.concat_tables([links, spans])


def _binary(values: npt.NDArray[Any], offsets: Longs) -> pa.Array:
    """Flat vectors as one binary value each: Spark hands those on as they are."""
    places = pa.py_buffer((offsets * values.itemsize).astype(np.int32))
    return pa.Array.from_buffers(
        pa.binary(), len(offsets) - 1, [None, places, pa.py_buffer(np.ascontiguousarray(values))]
    )
