"""A slice of `tests.fuzz_check`: random traces through the whole of `check` are counted as the judge counts them."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from antecede.pipeline.runner import InProcess
from antecede.pipeline.spark.runner import SparkRunner
from tests.fuzz_check import fuzz, fuzz_on


@pytest.mark.parametrize("windows", [None, 1, 3, 17])
def test_the_counts_are_the_judges(windows: int | None) -> None:
    assert list(fuzz_on(InProcess(), traces=300, seed=1, windows=[windows])) == []


def test_they_are_the_same_on_spark(spark: SparkSession) -> None:
    assert list(fuzz_on(SparkRunner(spark), traces=150, seed=4_000, windows=[None, 3])) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("master", "traces"), [("in-process", 2_000), ("local-cluster[2,1,1024]", 60), ("connect", 60)]
)
def test_they_are_the_same_on_every_runner(master: str, traces: int) -> None:
    assert fuzz(traces, 5_000, [master]) == []
