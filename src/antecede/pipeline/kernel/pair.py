"""Pair rows, and keep all that an answer needs: the numbers that the walk reads, and the names and times beside them.

`paired_runs` pairs all rows of some runs. For runs that are cut into windows, see `windows.window_plan`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from antecede.pipeline.arrow import DELIVER, SEND, Doubles, Longs, distinct
from antecede.pipeline.kernel.encode import Encoded, Pairs, pair, ticks
from antecede.pipeline.kernel.layout import Rows


@dataclass(frozen=True, slots=True)
class Names:
    """The names behind the numbers: of runs, and of the processes of each run, one run after the other."""

    runs: pa.Array
    processes: pa.Array
    base: Longs  # by run, and the end: where its processes begin

    def process(self, run: Longs, process: Longs) -> pa.Array:
        """Return the names of processes, which are numbered in their runs. A negative number has the name null."""
        return self.processes.take(pa.array(self.base[run] + process, mask=process < 0))


@dataclass(frozen=True, slots=True)
class Paired:
    rows: Rows
    run: Longs
    time: Doubles  # NaN if the row has no time
    sent_time: Doubles
    dests: Longs
    delivered: Longs
    ahead_s: Doubles  # how much later than its deliver the send was, by the source's clocks
    message: pa.ChunkedArray
    names: Names


def paired_runs(encoded: Encoded) -> Paired:
    """Return all rows of some runs, paired. Each run is a group."""
    pairs = pair(encoded)
    process, names = _numbered(encoded)
    time = times(encoded.table["time"])
    tick = ticks(time, *_spans(time, encoded.run, len(encoded.runs)))
    sender, sent_index, sent_time = of_sends(encoded, pairs, process, time)
    rows = Rows(
        group=encoded.run,
        process=process,
        index=encoded.index,
        role=np.where(encoded.sent, SEND, DELIVER),
        tick=tick,
        sender=sender,
        sent_index=sent_index,
        first=pairs.first,
        addressed=pairs.addressed,
        widths=np.diff(names.base),
        send=pairs.send_row,
    )
    return Paired(
        rows,
        encoded.run,
        time,
        sent_time,
        pairs.dests,
        pairs.delivered,
        sent_time - time,
        encoded.table["message"],
        names,
    )


def of_sends(encoded: Encoded, pairs: Pairs, process: Longs, time: Doubles) -> tuple[Longs, Longs, Doubles]:
    """Return for each row the process, index and time of its send, or -1, -1 and NaN if there is no send.

    `process` and `time` are those of each row.
    """
    sent, send = pairs.send_row >= 0, pairs.send_row
    return (
        np.where(sent, process[send], -1),
        np.where(sent, encoded.index[send], -1),
        np.where(sent, time[send], np.nan),
    )


def _numbered(encoded: Encoded) -> tuple[Longs, Names]:
    """Return for each row the number of its process in its run, and the names behind the numbers.

    The processes of each run are numbered in the order of their names.
    """
    found, lane = distinct(encoded.run * len(encoded.names) + encoded.name, len(encoded.runs) * len(encoded.names))
    run = found // max(len(encoded.names), 1)
    base = np.concatenate([[0], np.cumsum(np.bincount(run, minlength=len(encoded.runs)))]).astype(np.int64)
    names = pa.array(encoded.names, pa.string()).take(pa.array(found % max(len(encoded.names), 1)))
    return lane - base[encoded.run], Names(pa.array(encoded.runs, pa.string()), names, base)


def _spans(time: Doubles, run: Longs, runs: int) -> tuple[Doubles, Doubles]:
    """Return for each row the first and the last time of its run."""
    if runs == 1:
        return np.full(len(time), np.nanmin(time, initial=np.inf)), np.full(len(time), np.nanmax(time, initial=-np.inf))
    start, end = np.full(runs, np.inf), np.full(runs, -np.inf)
    np.fmin.at(start, run, time)
    np.fmax.at(end, run, time)
    return start[run], end[run]


def times(column: pa.ChunkedArray) -> Doubles:
    return column.to_numpy().astype(np.float64)
