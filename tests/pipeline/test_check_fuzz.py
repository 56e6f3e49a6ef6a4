"""A slice of `tests.fuzz_check`: random traces through the whole of `check` are counted as the judge counts them."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from tests.fuzz_check import fuzz, fuzz_on


@pytest.mark.parametrize(
    "windows", [None, 3, pytest.param(1, marks=pytest.mark.slow), pytest.param(17, marks=pytest.mark.slow)]
)
def test_the_counts_are_the_judges(spark: SparkSession, windows: int | None) -> None:
    assert list(fuzz_on(spark, traces=300, seed=1, windows=[windows])) == []


@pytest.mark.slow
@pytest.mark.parametrize("master", ["local-cluster[2,1,1024]", "connect"])
def test_they_are_the_same_on_other_kinds_of_spark(master: str) -> None:
    assert fuzz(60, 5_000, [master], [None, 3]) == []
