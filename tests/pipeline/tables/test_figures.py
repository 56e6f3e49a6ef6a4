"""The time line: what lies in which stretch of time, and how late, how long held back and how large on average."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from antecede.pipeline.tables import figures

DELIVERIES = "time double, first boolean, delay_s double, hold_s double, needless boolean, violation boolean"


def test_the_time_line_has_counts_and_means(spark: SparkSession) -> None:
    rows = [
        (0.0, True, 1.0, None, None, False),
        (0.1, True, 3.0, 0.5, False, True),
        (0.1, False, 9.0, 9.0, False, False),  # a second deliver counts nowhere
        (40.0, True, 4.0, 0.0, False, False),
    ]
    sends = spark.createDataFrame([(0.5, 10), (0.6, 20), (-5.0, 999), (39.9, None)], "time double, control_bytes long")
    _, timeline = figures.distributions(spark.createDataFrame(rows, DELIVERIES), None, sends)
    assert len(timeline) == figures.BUCKETS
    first, second, last = timeline[0], timeline[1], timeline[-1]
    assert (first.start_s, first.end_s, last.end_s) == (0.0, 1.0, 40.0)
    assert (first.deliveries, first.violations) == (2, 1)
    assert first.delay_s_mean == pytest.approx(2.0)
    assert first.hold_s_mean == pytest.approx(0.5)
    assert first.stamp_bytes_mean == pytest.approx(15.0)
    assert (second.deliveries, second.delay_s_mean, second.stamp_bytes_mean) == (0, None, None)
    assert (last.deliveries, last.delay_s_mean, last.hold_s_mean, last.stamp_bytes_mean) == (1, 4.0, 0.0, None)


def test_without_times_there_is_no_time_line(spark: SparkSession) -> None:
    rows = [(None, True, None, None, None, False)]
    sends = spark.createDataFrame([(None, 10)], "time double, control_bytes long")
    histograms, timeline = figures.distributions(spark.createDataFrame(rows, DELIVERIES), None, sends)
    assert histograms == {}
    assert timeline == ()
