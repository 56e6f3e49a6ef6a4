"""Rows that the driver has, as a DataFrame.

They go to Spark as Arrow, which makes them part of the query: it knows that they are few, folds what is empty away, and
starts no job for them. As Python objects they would be a data set of their own, read by tasks, whatever their number.
What a task makes of them Spark takes for small, too: whoever joins that should say which side to broadcast.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema


def given(spark: SparkSession, rows: Iterable[Sequence[Any]], schema: pa.Schema) -> DataFrame:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    # Connect asks for the types where there are no rows, though the table has them.
    return spark.createDataFrame(pa.table(arrays, schema=schema), from_arrow_schema(schema))
