"""Reduce the measures of a task to few enough numbers to draw. The numbers of several tasks can be added up.

A histogram has bins whose width is a power of two, and bins begin at multiples of their width. So bins of two tasks can
be made equally wide by adding up neighbours, and their counts then add up exactly, however the rows were dealt out.
Percentiles come from counts by size on a logarithmic scale, and are right to half a per cent.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline.arrow import Doubles, Longs, fill_table
from antecede.pipeline.report.model import Histogram, HistogramBucket, StampSizes, TimeBucket
from antecede.pipeline.results import FIGURES, MEANS
from antecede.pipeline.tables.measures import conform

BINS_TOLD_MAX, BINS_DRAWN_MAX = 1_024, 40
PERCENTS = (50.0, 90.0, 95.0, 99.0, 99.9)
GROWTH = 1.01  # the factor from one logarithmic bin to the next
EXPONENT_MIN = -60
TIME_MEASURE, STAMP_MEASURE = "time", "stamps"
TOTAL, BIN, SIZE = range(3)  # a row counts all values, the values in a bin, or the values of about one size


def summarise_figures(deliveries: pa.Table, edges: pa.Table | None, sends: pa.Table) -> pa.Table:
    """Return the figures of some deliveries, as `FIGURES`.

    `edges` are the edges of vector clocks, for a log without messages. `sends` has the times and stamps of messages.
    """
    first = deliveries.filter(deliveries["first"]).select(["time", "violation", "delay_s", "hold_s", "needless"])
    if edges is not None:
        delay = pc.subtract(edges["time"], edges["sent_time"])
        no = np.zeros(len(delay), np.bool_)
        shown = fill_table(first.schema, len(delay), time=edges["time"], violation=no, delay_s=delay)
        first = pa.concat_tables([first, shown])
    stamped = sends.select(["time", "control_bytes", "control_entries"])
    stamped = stamped.filter(pc.is_valid(stamped["control_bytes"]))
    needless = pc.if_else(pc.fill_null(first["needless"], False), first["hold_s"], None)
    measures = {"delay_s": first["delay_s"], "hold_s": first["hold_s"], "needless_s": needless}
    tables = [table for name, values in measures.items() for table in _measure(name, values)]
    tables += _time_line(first, stamped)
    entries = pc.sum(stamped["control_entries"]).as_py()
    tables += [_total(STAMP_MEASURE, stamped["control_bytes"], place=entries)] if stamped.num_rows else []
    return pa.concat_tables([FIGURES.empty_table(), *tables])


def draw_figures(figures: pa.Table) -> tuple[dict[str, Histogram], tuple[TimeBucket, ...], StampSizes | None]:
    """Return the histograms by measure, the time line and the sizes of stamps, from the figures of all tasks."""
    by_measure: dict[str, list[dict[str, Any]]] = {}
    for row in figures.to_pylist():
        by_measure.setdefault(row["measure"], []).append(row)
    histograms = {
        name: _histogram(rows) for name, rows in by_measure.items() if name not in (TIME_MEASURE, STAMP_MEASURE)
    }
    has_times = any(row["what"] == TOTAL for row in by_measure.get(TIME_MEASURE, ()))
    timeline = tuple(_time_buckets(by_measure[TIME_MEASURE])) if has_times else ()
    return histograms, timeline, _stamp_sizes(by_measure.get(STAMP_MEASURE, []))


def _measure(name: str, values: pa.ChunkedArray) -> Iterator[pa.Table]:
    values = values.drop_null()
    if len(values):
        yield _total(name, values)
        numbers = values.to_numpy()
        exponent = _exponent(numbers)
        for what, places in ((BIN, _bins(numbers, exponent)), (SIZE, _sizes(numbers))):
            yield _count(pa.table({"place": places}), {}, measure=name, what=what, exponent=exponent)


def _total(name: str, values: pa.ChunkedArray, place: int | None = None) -> pa.Table:
    ends = pc.min_max(values).as_py()
    row = {"measure": name, "what": TOTAL, "count": len(values), "sum": pc.sum(values).as_py(), "place": place}
    return pa.Table.from_pylist([{**row, "low": ends["min"], "high": ends["max"]}], FIGURES)


def _time_line(first: pa.Table, stamped: pa.Table) -> Iterator[pa.Table]:
    """Yield the counts of deliveries by bin of time, and the sums of which the means are made."""
    first, stamped = (table.filter(pc.is_valid(table["time"])) for table in (first, stamped))
    if first.num_rows:
        yield _total(TIME_MEASURE, first["time"])
    if first.num_rows or stamped.num_rows:
        times = [table["time"].to_numpy() for table in (first, stamped)]
        exponent = _exponent(np.concatenate(times))
        first, stamped = (
            table.append_column("place", pa.array(_bins(time, exponent)))
            for table, time in zip((first, stamped), times, strict=True)
        )
        sums = {f"{name}_{what}": (name, what) for name in MEANS[:2] for what in ("sum", "count")}
        sums["violations"] = ("violation", "sum")
        yield _count(first, sums, measure=TIME_MEASURE, what=BIN, exponent=exponent)
        of_stamps = {f"control_bytes_{what}": ("control_bytes", what) for what in ("sum", "count")}
        counted = _count(stamped, of_stamps, measure=TIME_MEASURE, what=BIN, exponent=exponent)
        yield conform(counted.drop_columns("count"), FIGURES)


def _count(table: pa.Table, sums: Mapping[str, tuple[str, str]], **same: str | int) -> pa.Table:
    """Return the number of rows, and some sums, for each value of the column `place`, as `FIGURES`.

    `sums` has a column and an aggregation for each column of the result. `same` are values that all rows get.
    """
    found = table.group_by("place").aggregate([([], "count_all"), *sums.values()])
    found = found.rename_columns(["place", "count", *sums])
    for name, value in same.items():
        found = found.append_column(name, pa.repeat(pa.scalar(value), found.num_rows))
    return conform(found, FIGURES)


def _bins(values: Doubles, exponent: int) -> Longs:
    """Return the bin of each value."""
    return np.floor(values / 2.0**exponent).astype(np.int64)


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
    """Return the exponent of the narrowest bins such that at most `BINS_TOLD_MAX` of them hold all values."""
    low, high = float(values.min()), float(values.max())
    finest = max(EXPONENT_MIN, math.frexp(max(abs(low), abs(high)))[1] - 52)  # narrower bins tell nothing apart
    if (high - low) / BINS_TOLD_MAX == 0.0:  # the ends are the same, or too close together to be divided
        return finest
    return max(finest, math.ceil(math.log2((high - low) / (BINS_TOLD_MAX - 1))))


def _sizes(values: Doubles) -> Longs:
    """Return the logarithmic bin of each value. The bin of zero is 0, and opposite values have opposite bins."""
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
    sizes: Counter[int] = Counter()
    for row in rows:
        if row["what"] == SIZE:
            sizes[row["place"]] += row["count"]
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
    """Yield the start, the end and the sums of each bin that is drawn, from `low` to `high`, empty bins included."""
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
