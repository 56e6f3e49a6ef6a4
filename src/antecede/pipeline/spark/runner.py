"""Run tasks on Spark: parts are partitions, `map` is `mapInArrow`, and `deal` is a shuffle by the number of the part.

Only a few rows travel between tasks, each with a stream of many Arrow rows in it. Spark moves such a value without
reading it. The same calls work with a session of Spark Connect.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark import StorageLevel
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.pandas.types import from_arrow_schema

from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.runner import CONTENTS, LINE, LISTED_FILES, PART, Dataset, Frame, InProcess, Task
from antecede.pipeline.spark.session import cause, explain_failure, let_go

NOT_KNOWN = pa.schema([])
"""The schema of rows that are only mapped. Nobody asks for it."""
CORES_UNKNOWN = 8
"""The number of cores that is assumed for a session that does not tell how many it has."""


class SparkRunner:
    """A runner that runs every task on one Spark session."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self.is_here = _runs_tasks_here(spark)

    @property
    def cores(self) -> int:
        return self._spark.sparkContext.defaultParallelism if self.is_here else CORES_UNKNOWN

    def hand_out(self, rows: pa.Table) -> Dataset:
        return SparkDataset(_local_dataframe(self._spark, rows), rows.schema).deal(_part_count(rows))

    def call(self, task: Task, rows: pa.Table, schema: pa.Schema) -> pa.Table:
        if self.is_here:  # the tasks of this session see what this process sees, so no job is needed
            return InProcess().call(task, rows, schema)
        return SparkDataset(_local_dataframe(self._spark, rows).coalesce(1), rows.schema).map(task, schema).collect()

    def take_frame(self, frame: DataFrame) -> Frame:
        """Return the rows of a DataFrame, in the partitions that it has, each with a number of its own."""
        numbered = frame.withColumn(LINE, fn.monotonically_increasing_id() + 1)
        return Frame(SparkDataset(numbered, NOT_KNOWN), tuple(frame.columns))

    def list_files(self, paths: Sequence[str]) -> pa.Table:
        listed = self._files(paths).select(
            fn.col("path"),
            fn.col("length").alias("bytes"),
            fn.concat_ws(" ", fn.col("length"), fn.col("modificationTime")).alias("version"),
        )
        try:
            return listed.toArrow().cast(LISTED_FILES)
        except (PySparkException, Py4JError) as error:
            raise _unreadable(paths, error) from error

    def read_files(self, paths: Sequence[str]) -> Dataset:
        return SparkDataset(self._files(paths).select("path", "content"), CONTENTS)

    def _files(self, paths: Sequence[str]) -> DataFrame:
        try:
            return self._spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(list(paths))
        except (PySparkException, Py4JError) as error:
            raise _unreadable(paths, error) from error


class SparkDataset:
    """The rows of a DataFrame as a dataset."""

    def __init__(self, frame: DataFrame, schema: pa.Schema) -> None:
        self._frame = frame
        self._schema = schema

    def map(self, task: Task, schema: pa.Schema) -> Dataset:
        return SparkDataset(self._frame.mapInArrow(task, from_arrow_schema(schema)), schema)

    def deal(self, parts: int) -> Dataset:
        return SparkDataset(self._frame.repartitionById(parts, fn.col(PART)), self._schema)

    def where(self, name: str, values: Sequence[str | int], *, are_wanted: bool = True) -> Dataset:
        found = fn.col(name).isin(list(values))
        return SparkDataset(self._frame.filter(found if are_wanted else ~found), self._schema)

    def and_also(self, other: Dataset) -> Dataset:
        assert isinstance(other, SparkDataset)
        return SparkDataset(self._frame.unionByName(other._frame), self._schema)

    def keep(self) -> Dataset:
        return SparkDataset(self._frame.persist(StorageLevel.MEMORY_AND_DISK), self._schema)

    def release(self) -> None:
        let_go(self._frame)

    def collect(self) -> pa.Table:
        with explain_failure("the check failed on Spark"):
            return self._frame.toArrow().cast(self._schema)


def _unreadable(paths: Sequence[str], error: Exception) -> UnreadableInput:
    return UnreadableInput(f"{', '.join(paths)}: neither Arrow nor Spark can open this path: {cause(error)}")


def _runs_tasks_here(spark: SparkSession) -> bool:
    """Return whether tasks run on this machine and as this user, so that both see the same files."""
    if not hasattr(spark, "_jsparkSession"):  # a session of Connect
        return False
    master = str(spark.sparkContext.master)
    return master == "local" or master.startswith("local[")


def _part_count(rows: pa.Table) -> int:
    return int(rows[PART].to_numpy().max(initial=0)) + 1


def _local_dataframe(spark: SparkSession, rows: pa.Table) -> DataFrame:
    # Connect asks for the types if there are no rows, although the table has them.
    return spark.createDataFrame(rows, from_arrow_schema(rows.schema))
