"""Histograms, the time line and stamps, as sums of any number of tasks."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from antecede.pipeline.arrow import fill_table
from antecede.pipeline.results import FIGURES
from antecede.pipeline.tables.clock_edges import EDGES
from antecede.pipeline.tables.figures import BINS_DRAWN_MAX, PERCENTS, draw_figures, summarise_figures

DELIVERIES = pa.schema(
    [
        *(("time", pa.float64()), ("first", pa.bool_()), ("delay_s", pa.float64()), ("hold_s", pa.float64())),
        *(("needless", pa.bool_()), ("violation", pa.bool_())),
    ]
)
SENDS = pa.schema([("time", pa.float64()), ("control_bytes", pa.int64()), ("control_entries", pa.int64())])


def deliveries(*rows: tuple[Any, ...]) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(DELIVERIES.names, row, strict=True)) for row in rows], DELIVERIES)


def sends(*rows: tuple[Any, ...]) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(SENDS.names, row, strict=False)) for row in rows], SENDS)


def test_the_time_line_has_counts_and_means() -> None:
    rows = deliveries(
        (0.0, True, 1.0, None, None, False),
        (0.1, True, 3.0, 0.5, False, True),
        (0.1, False, 9.0, 9.0, False, False),  # a second deliver counts nowhere
        (39.9, True, 4.0, 0.0, False, False),
    )
    stamped = sends((0.5, 10), (0.6, 20), (-5.0, 999), (39.8, None))
    _, timeline, _ = draw_figures(summarise_figures(rows, None, stamped))
    assert len(timeline) == BINS_DRAWN_MAX
    first, second, last = timeline[0], timeline[1], timeline[-1]
    assert (first.start_s, first.end_s, last.end_s) == (0.0, 1.0, 40.0)
    assert (first.deliveries, first.violations) == (2, 1)
    assert first.delay_s_mean == pytest.approx(2.0)
    assert first.hold_s_mean == pytest.approx(0.5)
    assert first.stamp_bytes_mean == pytest.approx(15.0)
    assert (second.deliveries, second.delay_s_mean, second.stamp_bytes_mean) == (0, None, None)
    assert (last.deliveries, last.delay_s_mean, last.hold_s_mean, last.stamp_bytes_mean) == (1, 4.0, 0.0, None)


def test_without_times_there_is_no_time_line() -> None:
    rows = deliveries((None, True, None, None, None, False))
    histograms, timeline, stamps = draw_figures(summarise_figures(rows, None, sends((None, 10))))
    assert (histograms, timeline) == ({}, ())
    assert stamps is not None
    assert stamps.bytes == 10


def test_without_deliveries_there_are_no_figures() -> None:
    found = summarise_figures(deliveries(), None, sends())
    assert found.schema == FIGURES
    assert draw_figures(found) == ({}, (), None)
    assert draw_figures(FIGURES.empty_table()) == ({}, (), None)


def test_needless_hold_backs_are_a_measure_of_their_own() -> None:
    rows = deliveries(
        (1.0, True, 1.0, 0.5, True, False),
        (2.0, True, 1.0, 0.7, False, False),
        (3.0, True, 1.0, 0.9, None, False),
    )
    histograms, _, _ = draw_figures(summarise_figures(rows, None, sends()))
    assert {name: one.count for name, one in histograms.items()} == {"delay_s": 3, "hold_s": 3, "needless_s": 1}
    assert histograms["needless_s"].max_s == 0.5


def test_edges_of_clocks_are_drawn_if_there_are_no_messages() -> None:
    edges = fill_table(EDGES, 2, time=[3.0, 4.0], sent_time=[1.0, None])
    histograms, timeline, _ = draw_figures(summarise_figures(deliveries(), edges, sends()))
    assert (histograms["delay_s"].count, histograms["delay_s"].max_s) == (1, 2.0)
    assert sum(bucket.deliveries for bucket in timeline) == 2


def test_stamps_are_added_up() -> None:
    one, other = sends((1.0, 10, 2), (2.0, 30, 5), (3.0, None, None)), sends((9.0, 20, None))
    figures = pa.concat_tables(summarise_figures(deliveries(), None, table) for table in (one, other))
    _, _, stamps = draw_figures(figures)
    assert stamps is not None
    assert (stamps.messages, stamps.bytes, stamps.bytes_max, stamps.entries) == (3, 60, 30, 7)
    _, _, stamps = draw_figures(summarise_figures(deliveries(), None, other))
    assert stamps is not None
    assert stamps.entries is None


DISTRIBUTIONS = {
    "even": lambda rng: rng.uniform(0, 10),
    "long": lambda rng: rng.lognormvariate(-5, 3),
    "skewed clocks": lambda rng: rng.gauss(0, 1),
    "all the same": lambda rng: 3.25,
    "zero": lambda rng: 0.0,
    "mostly zero": lambda rng: rng.choice([0.0, 0.0, 1e-9]),
    "tiny": lambda rng: rng.uniform(0, 1e-300),
    "huge": lambda rng: rng.uniform(1e17, 1e18),
    "epoch": lambda rng: 1.7e9 + rng.uniform(0, 1e-3),
    "negative": lambda rng: -rng.uniform(1, 2),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("tasks", [1, 3])
def test_histograms_of_any_tasks_have_the_counts_and_percentiles_of_all_values(name: str, tasks: int) -> None:
    rng = random.Random(name)
    values = [DISTRIBUTIONS[name](rng) for _ in range(999)]
    tables = [
        deliveries(*((1.0, True, value, None, None, False) for value in values[part::tasks])) for part in range(tasks)
    ]
    figures = pa.concat_tables(summarise_figures(table, None, sends()) for table in tables)
    histogram = draw_figures(figures)[0]["delay_s"]
    assert (histogram.count, histogram.max_s) == (len(values), max(values))
    assert histogram.mean_s == pytest.approx(math.fsum(values) / len(values), rel=1e-6, abs=1e-300)
    assert sum(bucket.count for bucket in histogram.buckets) == len(values)
    assert 1 <= len(histogram.buckets) <= BINS_DRAWN_MAX
    for bucket in histogram.buckets:
        inside = sum(bucket.start_s <= value < bucket.end_s for value in values)
        assert bucket.count == inside or bucket.start_s == bucket.end_s
    ordered = sorted(values)
    for percent, value in histogram.percentiles:
        exact = ordered[max(1, math.ceil(len(values) * percent / 100)) - 1]
        assert value == pytest.approx(exact, rel=0.006, abs=1e-300)
    assert [percent for percent, _ in histogram.percentiles] == list(PERCENTS)


def test_the_time_line_of_several_tasks_is_that_of_one() -> None:
    rng = random.Random(1)
    rows = [
        (rng.uniform(1e9, 1e9 + 60), True, rng.choice([None, rng.random()]), None, None, rng.random() < 0.2)
        for _ in range(500)
    ]
    stamped = [(rng.uniform(1e9, 1e9 + 60), rng.randint(0, 99)) for _ in range(200)]
    one = draw_figures(summarise_figures(deliveries(*rows), None, sends(*stamped)))[1]
    # A task may have the sends alone, and tasks may have very different spans of time.
    cuts = [(rows[:3], stamped[:100]), (rows[3:400], []), ([], stamped[100:]), (rows[400:], [])]
    parts = [summarise_figures(deliveries(*own), None, sends(*sent)) for own, sent in cuts]
    several = draw_figures(pa.concat_tables(parts))[1]
    assert len(one) == len(several)
    for first, second in zip(one, several, strict=True):
        assert (first.start_s, first.end_s) == (second.start_s, second.end_s)
        assert (first.deliveries, first.violations) == (second.deliveries, second.violations)
        for name in ("delay_s_mean", "stamp_bytes_mean"):
            mean, other = getattr(first, name), getattr(second, name)
            assert (mean is None) == (other is None)
            assert mean is None or np.isclose(mean, other)
