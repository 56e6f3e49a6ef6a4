"""Turn names into dense integers, and join every deliver to its send.

`encode` gives integer codes to the rows of some runs. Runs, and the messages of each run, are numbered by first
appearance; processes are numbered by name. `pair` joins on these codes alone. It takes any set of rows that holds all
rows of each message in it: the whole run if one task has it, or the rows of some messages if a huge run is spread over
tasks. Only the exact ids decide: no hash stands in for a name.

Only the first deliver of a message at a process counts for order, so `pair` tells duplicate, spurious and lost apart.
The later steps do not look at names again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline.arrow import DELIVER, RECEIVE, SEND, Doubles, Flags, Longs, codes, distinct
from antecede.pipeline.kernel.loops import kernels

TICKS_PER_RUN = 2.0**52
NO_TICK = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True)
class Encoded:
    """The sends and delivers of some runs, as codes. Names are numbered over all runs, and sorted."""

    table: pa.Table  # the rows kept, in their order
    runs: list[str]
    names: list[str]
    run: Longs
    name: Longs
    message: Longs  # a number per (run, message)
    index: Longs
    sent: Flags
    dest_row: Longs  # by destination: the row of its send
    dest_name: Longs


@dataclass(frozen=True, slots=True)
class Pairs:
    """The result of `pair`, by row."""

    send_row: Longs  # the row of its send, or -1
    first: Flags  # whether a deliver is the first of its message at its process
    addressed: Flags  # whether the process of a deliver is among the destinations
    dests: Longs  # how many destinations a send has
    delivered: Longs  # how many of them delivered the message


def encode(table: pa.Table) -> Encoded:
    """Return the sends and delivers of a table as codes.

    The table has columns run, process, index, kind (as a code), message and dests. In a run without delivers, a receive
    counts as a deliver. In the other runs, receives are left out.
    """
    run, runs = codes(table["run"])
    kind = table["kind"].to_numpy()
    receive = kind == RECEIVE
    if receive.any():
        delivers = np.zeros(len(runs), np.bool_)
        delivers[run[kind == DELIVER]] = True
        kept = ~receive | ~delivers[run]
        table, run, kind = table.filter(pa.array(kept)), run[kept], kind[kept]
    sent = kind == SEND
    names, name, dest_row, dest_name = _names(table, sent)
    message, ids = codes(table["message"])
    if len(runs) > 1:
        _, message = distinct(run * len(ids) + message, len(runs) * len(ids))
    index = table["index"].to_numpy()
    return Encoded(table, runs.to_pylist(), names, run, name, message, index, sent, dest_row, dest_name)


def pair(rows: Encoded) -> Pairs:
    """Join delivers to sends by message, and the delivers of a message to its destinations by name."""
    count, messages = len(rows.message), int(rows.message.max(initial=-1)) + 1
    dest_start = np.concatenate([[0], np.cumsum(np.bincount(rows.dest_row, minlength=count))]).astype(np.int64)
    start = np.concatenate([[0], np.cumsum(np.bincount(rows.message, minlength=messages))]).astype(np.int64)
    pairs = Pairs(
        send_row=np.empty(count, np.int64),
        first=np.zeros(count, np.bool_),
        addressed=np.zeros(count, np.bool_),
        dests=np.zeros(count, np.int64),
        delivered=np.zeros(count, np.int64),
    )
    found = (pairs.send_row, pairs.first, pairs.addressed, pairs.dests, pairs.delivered)
    run = kernels(8 * (count + len(rows.dest_name)))
    run.match_delivers(
        start, rows.message, rows.name, rows.index, rows.sent, dest_start, rows.dest_name, len(rows.names), *found
    )
    return pairs


def ticks(time: Doubles, start: Doubles, end: Doubles) -> Longs:
    """Return times as whole numbers in the same order, or `NO_TICK` if the time is missing.

    `start` and `end` are the first and the last time of the run of each. Sums and differences of ticks are exact; those
    of seconds are not.
    """
    span = end - start
    with np.errstate(invalid="ignore", over="ignore"):
        share = np.where(span > 0, (time - start) / np.where(span > 0, span, 1.0), 0.0)
        whole = np.floor(np.clip(np.nan_to_num(share), 0.0, 1.0) * TICKS_PER_RUN).astype(np.int64)
    return np.where(np.isnan(time), NO_TICK, whole)


def _names(table: pa.Table, sent: Flags) -> tuple[list[str], Longs, Longs, Longs]:
    """Return the sorted names of processes and destinations, and three arrays of numbers.

    The arrays are the name of each row, the row of each destination, and the name of each destination.
    """
    sends = table["dests"].filter(pa.array(sent))
    lengths = pc.fill_null(pc.list_value_length(sends), 0).to_numpy()
    dests = pc.list_flatten(sends)
    both = [*table["process"].chunks, *dests.chunks]
    code, found = codes(pa.chunked_array(both, table["process"].type))
    order = pc.sort_indices(found)  # by bytes of UTF-8, which is the order of texts in Python
    rank = np.empty(len(order), np.int64)
    rank[order.to_numpy()] = np.arange(len(order))
    code = rank[code] if len(rank) else code
    dest_row = np.repeat(np.flatnonzero(sent), lengths)
    return found.take(order).to_pylist(), code[: len(sent)], dest_row, code[len(sent) :]
