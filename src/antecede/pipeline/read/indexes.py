"""Number the events of whole runs whose source gives no index: by their order in a file, or by time.

If the events of a process are all in one file, they are numbered by line. If they are in several files, the names of
the files do not tell which is older, so the events are numbered by time. Events of the same time in one file are then
numbered by line. The rows of a DataFrame have no order, so they are numbered by time too. If an event has no time, or
the same time as an event in another file, nothing tells the order, and the events of the process are refused.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline import schema
from antecede.pipeline.arrow import Doubles, Flags, Longs, codes, distinct, fill_table, text_ranks

BY_LINE = "the source gives no index: the events of a process are taken in the order of their lines"
BY_TIME = "the source gives no index: events of a process in several files, or in none, are ordered by their times"
NO_ORDER = "the source gives no index, and neither lines nor times tell the order of the events of this process"
WITHOUT_ORDER = "the DataFrame"
"""The name that stands for a file if the lines of events do not tell their order."""
MIXED = "no index, but other events of this process have one"


def number_events(events: pa.Table) -> tuple[pa.Table, pa.Table, tuple[str, ...]]:
    """Return the events of whole runs, each with an index, then the refused rows, and notes.

    Events that cannot be numbered are refused.
    """
    lacks = pc.is_null(events["index"]).to_numpy()
    if not lacks.any():
        return events, schema.QUARANTINE.empty_table(), ()
    (run, runs), (process, processes) = codes(events["run"]), codes(events["process"])
    _, lane = distinct(run * len(processes) + process, len(runs) * len(processes))
    file, names = codes(events["file"])
    line, time = events["line"].to_numpy(), events["time"].to_numpy(zero_copy_only=False)
    lanes = int(lane.max()) + 1
    is_mixed = _any(lane, ~lacks, lanes) & _any(lane, lacks, lanes)
    orderless = np.array([name == WITHOUT_ORDER for name in names.to_pylist()], np.bool_)[file]
    is_spread = _differs(lane, file, lanes) | _any(lane, orderless, lanes)
    by_time = is_spread & ~_any(lane, np.isnan(time), lanes) & ~_has_ties(lane, time, file, orderless)
    refused = lacks & (is_mixed | (is_spread & ~by_time))[lane]
    order = np.lexsort((line, text_ranks(events["file"]), np.where(by_time[lane], time, 0.0), lane))
    index = np.where(lacks, _place_in_lane(lane, order), events["index"].fill_null(0).to_numpy())
    numbered = events.set_column(events.column_names.index("index"), "index", pa.array(index))
    notes = [
        note for note, some in ((BY_LINE, ~is_spread), (BY_TIME, by_time)) if np.any(lacks & ~refused & some[lane])
    ]
    kept = numbered if not refused.any() else numbered.filter(pa.array(~refused))
    return kept, _refuse(events, refused, is_mixed[lane]), tuple(notes)


def _any(lane: Longs, where: Flags, lanes: int) -> Flags:
    return np.asarray(np.bincount(lane[where], minlength=lanes) > 0)


def _differs(lane: Longs, value: Longs, lanes: int) -> Flags:
    """Return for each lane whether it has more than one value."""
    first = np.zeros(lanes, np.int64)
    first[lane] = value
    return _any(lane, value != first[lane], lanes)


def _has_ties(lane: Longs, time: Doubles, file: Longs, orderless: Flags) -> Flags:
    """Return for each lane whether two of its events have the same time, and lines do not tell which came first."""
    order = np.lexsort((file, time, lane))
    a, b = order[:-1], order[1:]
    tied = (lane[a] == lane[b]) & (time[a] == time[b]) & ((file[a] != file[b]) | orderless[a])
    return _any(lane[a], tied, int(lane.max()) + 1)


def _place_in_lane(lane: Longs, order: Longs) -> Longs:
    """Return the place of each row among the rows of its lane, from 1. `order` has the rows, sorted by lane."""
    sizes = np.bincount(lane)
    place = np.empty(len(lane), np.int64)
    place[order] = np.arange(len(lane)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + 1
    return place


def _refuse(events: pa.Table, refused: Flags, is_mixed: Flags) -> pa.Table:
    rows = events.filter(pa.array(refused))
    reasons = np.where(is_mixed[refused], MIXED, NO_ORDER).tolist()
    file, line = rows["file"].cast(pa.string()), rows["line"]
    shown = [f"{one['process']} {one['kind']}" for one in rows.select(["process", "kind"]).to_pylist()]
    return fill_table(schema.QUARANTINE, rows.num_rows, file=file, line=line, reason=reasons, row=shown)
