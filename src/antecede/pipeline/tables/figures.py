"""Reduce the measures of a task to few enough numbers to draw, in a form that the numbers of several tasks add up to.

A histogram has bins whose width is a power of two, and bins begin at multiples of their width. So bins of two tasks can
be made equally wide by adding up neighbours, and their counts then add up exactly, however the rows were dealt out.
Percentiles come from counts by size on a logarithmic scale, and are right to half a per cent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline.arrow import Doubles, Flags, Longs
from antecede.pipeline.report.model import Histogram, HistogramBucket, StampSizes, TimeBucket
from antecede.pipeline.results import FIGURES, MEANS

BINS_TOLD_MAX, BINS_DRAWN_MAX = 1_024, 40
PERCENTS = (50.0, 90.0, 95.0, 99.0, 99.9)
GROWTH = 1.01  # from one logarithmic bin to the next
EXPONENT_MIN = -60
TIME, STAMPS = "time", "stamps"
TOTAL, BIN, SIZE = range(3)  # what a row is: all values, those in a bin, those of about one size


def summarise_figures(deliveries: pa.Table, edges: pa.Table | None, sends: pa.Table) -> pa.Table:
    """Return the figures of some deliveries, as `FIGURES`.

    `edges` are those of vector clocks, for a log without messages. `sends` has the times and stamps of messages.
    """
    first = deliveries.filter(deliveries["first"])
    delay, hold, time = (_numbers(first[name]) for name in ("delay_s", "hold_s", "time"))
    violation = first["violation"].to_numpy()
    needless = np.where(pc.fill_null(first["needless"], False).to_numpy(), hold, np.nan)
    if edges is not None and edges.num_rows:
        shown, at = _numbers(pc.subtract(edges["time"], edges["sent_time"])), _numbers(edges["time"])
        delay, time = np.concatenate([delay, shown]), np.concatenate([time, at])
        hold, needless = (np.concatenate([values, np.full(len(at), np.nan)]) for values in (hold, needless))
        violation = np.concatenate([violation, np.zeros(len(at), np.bool_)])
    rows = [*_measure("delay_s", delay), *_measure("hold_s", hold), *_measure("needless_s", needless)]
    rows += _time_line(time, violation, {"delay_s": delay, "hold_s": hold}, sends)
    rows += _stamps(sends)
    return pa.Table.from_pylist(rows, FIGURES)


def draw_figures(figures: pa.Table) -> tuple[dict[str, Histogram], tuple[TimeBucket, ...], StampSizes | None]:
    """Return the histograms by measure, the time line and the sizes of stamps, from the figures of all tasks."""
    by_measure: dict[str, list[dict[str, Any]]] = {}
    for row in figures.to_pylist():
        by_measure.setdefault(row["measure"], []).append(row)
    histograms = {name: _histogram(rows) for name, rows in by_measure.items() if name not in (TIME, STAMPS)}
    has_times = any(row["what"] == TOTAL for row in by_measure.get(TIME, ()))
    timeline = tuple(_time_buckets(by_measure[TIME])) if has_times else ()
    return histograms, timeline, _stamp_sizes(by_measure.get(STAMPS, []))


def _numbers(column: Any) -> Doubles:
    return np.asarray(pc.cast(column, pa.float64()).to_numpy(zero_copy_only=False), np.float64)


def _measure(name: str, values: Doubles) -> Iterator[dict[str, Any]]:
    values = values[~np.isnan(values)]
    if not len(values):
        return
    yield {"measure": name, "what": TOTAL, **_total(values)}
    exponent = _exponent(values)
    for what, places in ((BIN, np.floor(values / 2.0**exponent).astype(np.int64)), (SIZE, _sizes(values))):
        found, counts = np.unique(places, return_counts=True)
        for place, count in zip(found.tolist(), counts.tolist(), strict=True):
            yield {"measure": name, "what": what, "exponent": exponent, "place": place, "count": count}


def _total(values: Doubles) -> dict[str, Any]:
    return {"count": len(values), "sum": float(values.sum()), "low": float(values.min()), "high": float(values.max())}


def _time_line(
    time: Doubles, violation: Flags, measures: Mapping[str, Doubles], sends: pa.Table
) -> Iterator[dict[str, Any]]:
    """Yield the counts of deliveries by bin of time, and the sums that means are made of."""
    known = ~np.isnan(time)
    if known.any():
        yield {"measure": TIME, "what": TOTAL, **_total(time[known])}
    sent_time, stamp = _numbers(sends["time"]), _numbers(sends["control_bytes"])
    stamped = ~np.isnan(sent_time) & ~np.isnan(stamp)
    if not known.any() and not stamped.any():
        return
    exponent = _exponent(np.concatenate([time[known], sent_time[stamped]]))
    bins = _Bins(exponent)
    bins.add("count", time[known], np.ones(int(known.sum())))
    bins.add("violations", time[known], violation[known])
    for name, values in measures.items():
        some = known & ~np.isnan(values)
        bins.add(f"{name}_sum", time[some], values[some])
        bins.add(f"{name}_count", time[some], np.ones(int(some.sum())))
    bins.add("control_bytes_sum", sent_time[stamped], stamp[stamped])
    bins.add("control_bytes_count", sent_time[stamped], np.ones(int(stamped.sum())))
    yield from bins.rows()


class _Bins:
    """Sums by bin of time."""

    def __init__(self, exponent: int) -> None:
        self._exponent = exponent
        self._rows: dict[int, dict[str, Any]] = {}

    def add(self, name: str, time: Doubles, values: Any) -> None:
        places, inverse = np.unique(np.floor(time / 2.0**self._exponent).astype(np.int64), return_inverse=True)
        sums = np.bincount(inverse, np.asarray(values, np.float64), minlength=len(places))
        for place, total in zip(places.tolist(), sums.tolist(), strict=True):
            row = self._rows.setdefault(place, {})
            row[name] = total if name.endswith("_sum") else round(total)

    def rows(self) -> Iterator[dict[str, Any]]:
        for place, row in self._rows.items():
            yield {"measure": TIME, "what": BIN, "exponent": self._exponent, "place": place, **row}


def _stamps(sends: pa.Table) -> Iterator[dict[str, Any]]:
    stamps = _numbers(sends["control_bytes"])
    stamps = stamps[~np.isnan(stamps)]
    if len(stamps):
        entries = sends["control_entries"]
        place = pc.sum(entries).as_py() if entries.null_count < len(entries) else None
        yield {"measure": STAMPS, "what": TOTAL, "place": place, **_total(stamps)}


def _stamp_sizes(rows: list[dict[str, Any]]) -> StampSizes | None:
    if not rows:
        return None
    entries = [row["place"] for row in rows if row["place"] is not None]
    return StampSizes(
        messages=sum(row["count"] for row in rows),
        bytes=round(sum(row["sum"] for row in rows)),
        bytes_max=round(max(row["high"] for row in rows)),
        entries=sum(entries) if entries else None,
    )


def _exponent(values: Doubles) -> int:
    """Return the exponent of the narrowest bins of which the values need at most `BINS_TOLD_MAX`."""
    low, high = float(values.min()), float(values.max())
    finest = max(EXPONENT_MIN, math.frexp(max(abs(low), abs(high)))[1] - 52)  # narrower ones tell nothing apart
    if high <= low:
        return finest
    return max(finest, math.ceil(math.log2((high - low) / (BINS_TOLD_MAX - 1))))


def _sizes(values: Doubles) -> Longs:
    """Return the logarithmic bin of each value. 0 is for zero; positive and negative values have opposite bins."""
    with np.errstate(divide="ignore"):
        steps = np.where(values == 0, 0.0, np.ceil(np.log(np.abs(values)) / math.log(GROWTH)))
    offset = 1 << 20  # more than any number of steps
    return (np.sign(values) * (offset + steps)).astype(np.int64)


def _size_of(place: int) -> float:
    """Return the value that stands for a logarithmic bin."""
    if not place:
        return 0.0
    upper = GROWTH ** (abs(place) - (1 << 20))
    return math.copysign(2 * upper / (1 + GROWTH), place)


def _histogram(rows: list[dict[str, Any]]) -> Histogram:
    totals = [row for row in rows if row["what"] == TOTAL]
    count, low, high = sum(row["count"] for row in totals), *_ends(totals)
    sizes: dict[int, int] = {}
    for row in rows:
        if row["what"] == SIZE:
            sizes[row["place"]] = sizes.get(row["place"], 0) + row["count"]
    buckets = tuple(HistogramBucket(start, end, row["count"]) for start, end, row in _draw_bins(rows, low, high))
    mean = sum(row["sum"] for row in totals) / count
    return Histogram(count, mean, high, tuple(_percentiles(sizes, count, low, high)), buckets)


def _ends(totals: list[dict[str, Any]]) -> tuple[float, float]:
    return min(row["low"] for row in totals), max(row["high"] for row in totals)


def _percentiles(sizes: Mapping[int, int], count: int, low: float, high: float) -> Iterator[tuple[float, float]]:
    ordered = sorted(sizes)
    reached = np.cumsum([sizes[place] for place in ordered])
    for percent in PERCENTS:
        at = int(np.searchsorted(reached, max(1, math.ceil(count * percent / 100))))
        yield percent, min(max(_size_of(ordered[at]), low), high)


def _draw_bins(rows: list[dict[str, Any]], low: float, high: float) -> Iterator[tuple[float, float, dict[str, Any]]]:
    """Yield the start, the end and the sums of each bin that is drawn, from `low` to `high`, also of empty ones."""
    bins = [row for row in rows if row["what"] == BIN]
    exponent = max(row["exponent"] for row in bins)
    while math.floor(high / 2.0**exponent) - math.floor(low / 2.0**exponent) >= BINS_DRAWN_MAX:
        exponent += 1
    width = 2.0**exponent
    sums: dict[int, dict[str, Any]] = {}
    for row in bins:
        total = sums.setdefault(row["place"] >> (exponent - row["exponent"]), {})
        for name in ("count", "violations", *(f"{one}_{what}" for one in MEANS for what in ("sum", "count"))):
            total[name] = total.get(name, 0) + (row[name] or 0)
    none = dict.fromkeys(("count", "violations"), 0)
    if high <= low:
        yield low, high, sums.get(math.floor(low / width), none)
        return
    for place in range(math.floor(low / width), math.floor(high / width) + 1):
        yield place * width, (place + 1) * width, sums.get(place, none)


def _time_buckets(rows: list[dict[str, Any]]) -> Iterator[TimeBucket]:
    low, high = _ends([row for row in rows if row["what"] == TOTAL])
    for start, end, row in _draw_bins(rows, low, high):
        means = (row[f"{name}_sum"] / row[f"{name}_count"] if row.get(f"{name}_count") else None for name in MEANS)
        yield TimeBucket(start, end, row["count"], row["violations"], *means)
