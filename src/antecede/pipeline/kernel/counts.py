"""Count the events of each process in some rows of a trace, and tell whether an index may come twice.

The counts decide how a run is judged: how large it is, whether its events have times, and where to cut it. If all rows
of a run are in one table, `has_repeats` is exact. If they are in several tables, it is true if an index comes twice in
one table, or if the spans of two tables overlap: an index may come twice then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from antecede.pipeline.arrow import CODED_KINDS, Doubles, Longs, codes, distinct, fill_table, kind_codes

SAMPLED_TIMES = 16  # times that are kept of each process in each table: enough to cut evenly
COUNTED_KINDS = (*CODED_KINDS, "internal")
COUNTED = ("events", "with_message", *(f"{kind}s" for kind in COUNTED_KINDS))
"""The counts of a process that are added up for a run."""
COUNTS = pa.schema(
    [
        ("run", pa.string()),
        ("process", pa.string()),
        *((name, pa.int64()) for name in COUNTED),
        ("untimed", pa.int64()),
        ("untimed_receives", pa.int64()),
        ("start", pa.float64()),
        ("end", pa.float64()),
        ("low", pa.int64()),
        ("high", pa.int64()),
        ("times", pa.list_(pa.float64())),
    ]
)


LARGE = pa.schema([*COUNTS, ("has_repeats", pa.bool_())])
"""Counts of a process of a run that is too large for one task. `has_repeats` is true if an index may come twice."""


def count_by_process(table: pa.Table) -> tuple[pa.Table, bool]:
    """Return the counts of each process of each run, as `COUNTS`, and whether an index comes twice in a process."""
    run, runs = codes(table["run"])
    process, processes = codes(table["process"])
    kind = kind_codes(table["kind"], COUNTED_KINDS)
    found, lane = distinct(run * len(processes) + process, len(runs) * len(processes))
    narrow = np.uint16 if len(found) < 2**16 else np.int64  # NumPy sorts 16 bits by radix
    order = np.argsort(lane.astype(narrow), kind="stable")
    low, high, has_repeats = _spans(table["index"].to_numpy()[order], lane[order])
    columns = _counts(lane, kind, table["time"].to_numpy(), order, len(found))
    counts = fill_table(
        COUNTS,
        len(found),
        run=runs.take(pa.array(found // len(processes))),
        process=processes.take(pa.array(found % len(processes))),
        low=low,
        high=high,
        **columns,
    )
    return counts, has_repeats


def count_large_runs(table: pa.Table) -> pa.Table:
    """Return the counts of each process, as `LARGE`."""
    counts, has_repeats = count_by_process(table)
    return counts.append_column("has_repeats", pa.array([has_repeats] * counts.num_rows)).cast(LARGE)


def add_up_counts(tables: Sequence[pa.Table]) -> pa.Table:
    """Return the counts of each process, as `LARGE`, added up over several tables of such counts.

    `has_repeats` is true if an index may come twice in the process: it comes twice in a table, or the spans of two
    tables overlap.
    """
    if not tables:
        return LARGE.empty_table()
    table = pa.concat_tables(tables).sort_by([("run", "ascending"), ("process", "ascending"), ("low", "ascending")])
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for row in table.to_pylist():
        known = rows.get((row["run"], row["process"]))
        if known is None:
            rows[row["run"], row["process"]] = row
            continue
        for name in (*COUNTED, "untimed", "untimed_receives"):
            known[name] += row[name]
        for name, choose in (("start", min), ("end", max)):
            both = [value for value in (known[name], row[name]) if value is not None]
            known[name] = choose(both) if both else None
        known["has_repeats"] |= row["has_repeats"] or row["low"] <= known["high"]
        known["high"] = max(known["high"], row["high"])
        known["times"] = known["times"] + row["times"]
    return pa.Table.from_pylist(list(rows.values()), LARGE)


def subtract_sends(counts: pa.Table, refused: pa.Table) -> pa.Table:
    """Return `counts`, rows of `LARGE`, without the sends that were refused after they were counted.

    `refused` has a row for each run and process with the number of such `sends`. A process is left out if it has no
    other events.
    """
    if not refused.num_rows:
        return counts
    rows = {(row["run"], row["process"]): row for row in counts.to_pylist()}
    for row in refused.to_pylist():
        for name in ("events", "with_message", "sends"):
            rows[row["run"], row["process"]][name] -= row["sends"]
    return pa.Table.from_pylist([row for row in rows.values() if row["events"]], LARGE)


def _spans(index: Longs, lane: Longs) -> tuple[Longs, Longs, bool]:
    """Return the least and the greatest index of each lane, and whether an index comes twice in a lane.

    The rows are sorted by lane.
    """
    if not len(index):
        return index, index, False
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

    by_kind = {f"{name}s": count(kind == place) for place, name in enumerate(COUNTED_KINDS)}
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
    """Return some times of each lane, evenly spread over its rows."""
    taken = np.minimum(counts, SAMPLED_TIMES)
    offsets = np.concatenate([[0], np.cumsum(taken)])
    nth = np.arange(offsets[-1]) - np.repeat(offsets[:-1], taken)
    at = np.repeat(np.cumsum(counts) - counts, taken) + nth * np.repeat(counts, taken) // np.repeat(taken, taken)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(times[at], mask=np.isnan(times[at])))
