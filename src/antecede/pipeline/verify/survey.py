"""What one look at some rows of a Parquet trace tells: counts by process, and whether anything about them is doubtful.

Doubt is all that is decided here, and it may be had without need: whoever doubts asks `rules` and `duplicates`.
The rows may not all be events; an index may come twice in them, which shows here, or in the spans of two batches that
overlap; a message may be sent twice, for which every send leaves a 64-bit number, to be compared by `twice`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from antecede.pipeline.arrow import Doubles, Longs, codes, distinct, fill_table, kind_codes
from antecede.pipeline.kernel.loops import kernels
from antecede.pipeline.read import rules

SAMPLED_TIMES = 16  # of each process in each batch: enough to cut evenly
CODED = ("send", "deliver", "receive")  # by the codes of `kernel.encode`
KINDS = (*CODED, "internal")
FACTS = pa.schema(
    [
        ("task", pa.int32()),  # of numbers: the task to compare them
        ("numbers", pa.binary()),
        ("run", pa.string()),
        ("process", pa.string()),
        *((name, pa.int64()) for name in ("events", "with_message", "sends", "receives", "delivers", "internals")),
        ("untimed", pa.int64()),
        ("untimed_receives", pa.int64()),
        ("start", pa.float64()),
        ("end", pa.float64()),
        ("low", pa.int64()),
        ("high", pa.int64()),
        ("times", pa.list_(pa.float64())),
        ("doubtful", pa.bool_()),
    ]
)
DOUBT = fill_table(FACTS, 1, doubtful=[True])


def facts(table: pa.Table, tasks: int, *, trusted: bool) -> Iterator[pa.Table]:
    """A row by process of each run, and the numbers of the sends; or doubt alone, unless the rows are known to be
    events."""
    if not table.num_rows:
        return
    known = by_process(table, trusted=trusted)
    yield known
    if known is not DOUBT and not trusted:
        run, runs = codes(table["run"])
        sent = kind_codes(table["kind"], KINDS) == 0
        yield _numbers(table["message"].filter(pa.array(sent)), run[sent], runs, tasks)


def by_process(table: pa.Table, *, trusted: bool) -> pa.Table:
    """A row by process of each run; or `DOUBT`, unless the rows are known to be events."""
    if not trusted and not rules.surely_events(table):
        return DOUBT
    run, runs = codes(table["run"])
    process, processes = codes(table["process"])
    kind = kind_codes(table["kind"], KINDS)
    found, lane = distinct(run * len(processes) + process, len(runs) * len(processes))
    narrow = np.uint16 if len(found) < 2**16 else np.int64  # NumPy sorts 16 bits by radix
    order = np.argsort(lane.astype(narrow), kind="stable")
    low, high, repeated = _spans(table["index"].to_numpy()[order], lane[order])
    columns = _counts(lane, kind, table["time"].to_numpy(), order, len(found))
    return fill_table(
        FACTS,
        len(found),
        run=runs.take(pa.array(found // len(processes))),
        process=processes.take(pa.array(found % len(processes))),
        low=low,
        high=high,
        doubtful=np.full(len(found), repeated and not trusted),
        **columns,
    )


def twice(numbers: list[bytes]) -> bool:
    """Whether any number comes twice."""
    together = np.sort(np.frombuffer(b"".join(numbers), np.int64))
    return bool(np.any(together[1:] == together[:-1]))


def _spans(index: Longs, lane: Longs) -> tuple[Longs, Longs, bool]:
    """By lane its least and greatest index, and whether any index comes twice; the rows come by lane."""
    same, grows = lane[1:] == lane[:-1], index[1:] > index[:-1]
    starts = np.flatnonzero(np.concatenate([[True], ~same]))
    repeated = False
    if not np.all(grows | ~same):
        ordered = index[np.lexsort((index, lane))]
        repeated = bool(np.any(same & (ordered[1:] == ordered[:-1])))
    return np.minimum.reduceat(index, starts), np.maximum.reduceat(index, starts), repeated


def _counts(lane: Longs, kind: npt.NDArray[np.int8], time: Doubles, order: Longs, lanes: int) -> dict[str, Any]:
    def count(where: npt.NDArray[np.bool_]) -> Longs:
        return np.bincount(lane[where], minlength=lanes)

    by_kind = {f"{name}s": count(kind == place) for place, name in enumerate(KINDS)}
    counted, untimed = (kind >= 0) & (kind < 3), np.isnan(time)
    times, with_message = time[order[counted[order]]], by_kind["sends"] + by_kind["delivers"] + by_kind["receives"]
    some = with_message > 0
    starts = (np.cumsum(with_message) - with_message)[some]
    start, end = np.full(lanes, np.nan), np.full(lanes, np.nan)
    if some.any():
        start[some], end[some] = np.fmin.reduceat(times, starts), np.fmax.reduceat(times, starts)
    return {
        **by_kind,
        "events": np.bincount(lane, minlength=lanes),
        "with_message": with_message,
        "untimed": count(untimed & ((kind == 0) | (kind == 1))),
        "untimed_receives": count(untimed & counted),
        "start": pa.array(start, mask=np.isnan(start)),
        "end": pa.array(end, mask=np.isnan(end)),
        "times": _sampled(times, with_message),
    }


def _sampled(times: Doubles, counts: Longs) -> pa.Array:
    """Some times of each lane, evenly spread over its rows."""
    taken = np.minimum(counts, SAMPLED_TIMES)
    offsets = np.concatenate([[0], np.cumsum(taken)])
    nth = np.arange(offsets[-1]) - np.repeat(offsets[:-1], taken)
    at = np.repeat(np.cumsum(counts) - counts, taken) + nth * np.repeat(counts, taken) // np.repeat(taken, taken)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(times[at], mask=np.isnan(times[at])))


def _numbers(messages: pa.ChunkedArray, run: Longs, runs: pa.Array, tasks: int) -> pa.Table:
    """A number for each (run, message), dealt out by size, so that equal ones get to the same task."""
    number = hashes(messages, hashes(pa.chunked_array([runs]), np.zeros(len(runs), np.int64))[run])
    number = np.sort(number)
    cuts = np.searchsorted(number, np.arange(1, tasks) * ((2**63 - 1) // tasks))
    parts = [(at, number[a:b]) for at, (a, b) in enumerate(pairwise([0, *cuts.tolist(), len(number)])) if a < b]
    return fill_table(FACTS, len(parts), task=[at for at, _ in parts], numbers=[part.tobytes() for _, part in parts])


def hashes(texts: pa.ChunkedArray, seeds: Longs) -> Longs:
    """A number of 63 bits for each text, from its bytes and its seed."""
    flat = pa.concat_arrays(texts.chunks) if texts.num_chunks else pa.array([], pa.string())
    found = np.empty(len(flat), np.int64)
    if len(flat):
        _, offsets, data = flat.buffers()
        start = np.frombuffer(offsets, np.int32)[flat.offset : flat.offset + len(flat) + 1].astype(np.int64)
        letters = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
        kernels(int(start[-1] - start[0]) * 8).hashed(start, letters, seeds, found)
    return found
