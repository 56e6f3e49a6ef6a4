"""Rows of the driver, as Spark sees them."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from antecede.pipeline.spark.local_dataframe import given

SCHEMA = pa.schema([("name", pa.string()), ("number", pa.int64()), ("names", pa.list_(pa.string()))])
ROWS = [("a", 1 << 40, ["x", "y"]), ("b", None, []), (None, 3, None)]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_rows_come_back_as_they_were_given(spark: SparkSession, count: int) -> None:
    frame = given(spark, iter(ROWS[:count]), SCHEMA)
    assert [tuple(row) for row in frame.collect()] == ROWS[:count]
    assert frame.dtypes == [("name", "string"), ("number", "bigint"), ("names", "array<string>")]


def test_they_are_part_of_the_query_and_not_a_data_set_to_read(
    spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    given(spark, ROWS, SCHEMA).explain()
    assert "LocalTableScan" in capsys.readouterr().out


def test_a_row_of_another_length_is_refused(spark: SparkSession) -> None:
    with pytest.raises(ValueError, match="shorter"):
        given(spark, [*ROWS, ("c", 4)], SCHEMA)
