"""Plan the windows of runs that are cut, and tell which window a row belongs to.

The windows of all runs that are cut are numbered through. `pair_messages` takes all rows of some messages and gives
each row its window. `from_table` reads such rows back, grouped by window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from antecede.pipeline.arrow import DELIVER, SEND, Longs, distinct
from antecede.pipeline.kernel.encode import Encoded, Pairs, encode, pair, ticks
from antecede.pipeline.kernel.layout import CROSSING, Rows
from antecede.pipeline.kernel.loops import kernels
from antecede.pipeline.kernel.pair import Names, Paired, of_sends, times

RECEIVED = ("received_index", "received_time")
"""Columns that the rows may have. They say for a deliver when its process first received the message."""


@dataclass(frozen=True, slots=True)
class CutRun:
    """A run that is cut. Its processes are numbered in the order of `processes`."""

    name: str
    processes: tuple[str, ...]
    start: float  # the first of its times
    end: float  # the last of its times
    shifts: tuple[int, ...]  # by process: the ticks to add to its clock
    cuts: tuple[int, ...] = ()  # the ticks at which to cut


@dataclass(frozen=True, slots=True)
class WindowPlan:
    """The windows of some runs. The windows of run k have the numbers from starts[k] up to starts[k + 1]."""

    runs: tuple[CutRun, ...]

    @property
    def starts(self) -> Longs:
        return np.cumsum([0, *(len(one.cuts) + 1 for one in self.runs)])

    def run(self, window: Longs) -> Longs:
        return np.searchsorted(self.starts, window, side="right") - 1

    def widths(self, window: Longs) -> Longs:
        return np.array([len(one.processes) for one in self.runs], np.int64)[self.run(window)]

    def at(self, run: Longs, tick: Longs) -> Longs:
        """Return the window of each tick of each run."""
        cuts = np.array([tick for one in self.runs for tick in one.cuts], np.int64)
        before = np.empty(len(run), np.int32)
        kernels(16 * len(run)).rank_known(self.starts - np.arange(len(self.starts)), cuts, run, tick, before)
        return self.starts[run] + before


def names_of(runs: Sequence[CutRun]) -> Names:
    base = np.concatenate([[0], np.cumsum([len(one.processes) for one in runs])]).astype(np.int64)
    processes = [name for one in runs for name in one.processes]
    return Names(pa.array([one.name for one in runs], pa.string()), pa.array(processes, pa.string()), base)


def pair_messages(table: pa.Table, plan: WindowPlan) -> pa.Table:
    """Return all rows of some messages, paired, as numbers, each with its window. Every row must have a time.

    A message that is delivered in a later window than that of its send is in flight between the two. It gets a row for
    each window that it crosses out of, with the window that it gets to in `reached`.
    """
    encoded = encode(table)
    pairs = pair(encoded)
    run, process = _numbers(encoded, plan.runs)
    time = times(encoded.table["time"])
    start, end = (np.array([getattr(one, name) for one in plan.runs], np.float64)[run] for name in ("start", "end"))
    shift = np.concatenate([np.array(one.shifts, np.int64) for one in plan.runs])
    tick = ticks(time, start, end) + shift[names_of(plan.runs).base[run] + process]
    window = plan.at(run, tick)
    sender, sent_index, sent_time = of_sends(encoded, pairs, process, time)
    sent, send = pairs.send_row >= 0, pairs.send_row
    joined = pa.table(
        {
            "window": pa.array(window, pa.int32()),
            "reached": pa.array(window, pa.int32()),
            "role": pa.array(np.where(encoded.sent, SEND, DELIVER), pa.int8()),
            "process": pa.array(process, pa.int32()),
            "index": encoded.index,
            "tick": tick,
            "sender": pa.array(sender, pa.int32()),
            "sent_index": sent_index,
            "slack": np.where(sent, tick - tick[send], 0),
            "first": pairs.first,
            "addressed": pairs.addressed,
            "dests": pa.array(pairs.dests, pa.int32()),
            "delivered": pa.array(pairs.delivered, pa.int32()),
            "shared": (np.bincount(encoded.message[pairs.first], minlength=len(time)) > 1)[encoded.message],
            "ahead_s": sent_time - time,
            "time": time,
            "sent_time": sent_time,
            "message": encoded.table["message"],
        }
    )
    for name in RECEIVED:
        if name in encoded.table.column_names:
            joined = joined.append_column(name, encoded.table[name])
    crossing = _crossings(joined, window, np.where(sent, window[send], window), pairs)
    return pa.concat_tables([joined, crossing])


def _crossings(joined: pa.Table, window: Longs, sent_window: Longs, pairs: Pairs) -> pa.Table:
    """Return a row for every window that the message of a first deliver crosses out of.

    A spurious deliver has a row for the first such window alone.
    """
    at = np.flatnonzero(pairs.first & (sent_window < window))
    often = np.where(pairs.addressed[at], window[at] - sent_window[at], 1)
    step = np.arange(int(often.sum())) - np.repeat(np.cumsum(often) - often, often)
    rows = joined.take(pa.array(np.repeat(at, often)))
    crossed = {"window": np.repeat(sent_window[at], often) + step, "role": np.full(len(step), CROSSING)}
    for name, values in crossed.items():
        place = rows.schema.get_field_index(name)
        rows = rows.set_column(place, name, pa.array(values, rows.schema.types[place]))
    return rows


def from_table(table: pa.Table, number: Longs, group: Longs, plan: WindowPlan) -> Paired:
    """Return the rows of a table like that of `pair_messages`.

    `number` is the window of each group, and `group` is the group of each row. Columns that were left out are zeros.
    """

    def column(name: str, kind: type[Any]) -> npt.NDArray[Any]:
        if name not in table.column_names:
            return np.zeros(table.num_rows, kind)
        return table[name].to_numpy().astype(kind, copy=False)

    rows = Rows(
        group=group,
        process=column("process", np.int64),
        index=column("index", np.int64),
        role=column("role", np.int64),
        tick=column("tick", np.int64),
        sender=column("sender", np.int64),
        sent_index=column("sent_index", np.int64),
        first=column("first", np.bool_),
        addressed=column("addressed", np.bool_),
        widths=plan.widths(number),
    )
    return Paired(
        rows=rows,
        run=plan.run(number)[group],
        time=column("time", np.float64),
        sent_time=column("sent_time", np.float64),
        dests=column("dests", np.int64),
        delivered=column("delivered", np.int64),
        ahead_s=column("ahead_s", np.float64),
        message=table["message"],
        names=names_of(plan.runs),
    )


def _numbers(encoded: Encoded, runs: Sequence[CutRun]) -> tuple[Longs, Longs]:
    """Return for each row the number of its run among `runs`, and the number of its process in this run."""
    number = {one.name: place for place, one in enumerate(runs)}
    run_of = np.array([number[run] for run in encoded.runs], np.int64)
    processes: dict[int, dict[str, int]] = {}
    for place in run_of.tolist():
        processes[place] = {name: code for code, name in enumerate(runs[place].processes)}
    known, lane = distinct(encoded.run * len(encoded.names) + encoded.name, len(encoded.runs) * len(encoded.names))
    pairs = (divmod(key, len(encoded.names)) for key in known.tolist())
    code = np.array([processes[int(run_of[run])][encoded.names[name]] for run, name in pairs], np.int64)
    return run_of[encoded.run], code[lane]
