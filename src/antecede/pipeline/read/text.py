"""Lines and documents of text, each with the file and the line where it stands.

Spark cuts a large file into blocks that are read apart, and numbers nothing. So each row takes a position that
grows within its block; counting the rows of every block, and adding up those of the blocks before it, gives the
line. What is made of the rows is kept by Spark (in memory, else on disk), so that the text is read and parsed once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from antecede.pipeline.read import files
from antecede.pipeline.spark.local_dataframe import given

DOCUMENT_BYTES_MAX = 256 << 20
ROW_CHARS_MAX = 1_000
BYTE_ORDER_MARK = "\ufeff"
OFFSETS = pa.schema([("file", pa.string()), ("block", pa.int64()), ("offset", pa.int64())])
JSON_OPTIONS = {"columnNameOfCorruptRecord": "broken", "allowSingleQuotes": "false"}

Parse = Callable[[DataFrame], DataFrame]
"""From rows with a `value` (text) to the same rows with more columns. It must keep every row."""


def lines(spark: SparkSession, paths: Sequence[files.File], parse: Parse) -> DataFrame:
    """`parse` of every line, with `file` and `line`; and a row with a `reason` for each file that is damaged."""

    def read(some: Sequence[files.File], past_damage: bool) -> DataFrame:
        reader = spark.read.option("lineSep", "\n").option("ignoreCorruptFiles", str(past_damage).lower())
        raw = reader.text([file.literal for file in some]).select(
            files.file_name().alias("file"),
            fn.col("_metadata.file_block_start").alias("block"),
            fn.monotonically_increasing_id().alias("position"),
            "value",
        )
        return _numbered(spark, parse(raw).persist(StorageLevel.MEMORY_AND_DISK))

    table, damaged = files.tolerant(paths, read)
    if not damaged:
        return table
    read_rows = {row.file: row.rows for row in table.groupBy("file").agg(fn.count("*").alias("rows")).collect()}
    return table.unionByName(files.damage_table(spark, damaged, read_rows), allowMissingColumns=True)


def documents(spark: SparkSession, paths: Sequence[files.File], parse: Parse) -> DataFrame:
    """`parse` of every file as one text, with `file` and `line` 1; damaged files as in `lines`."""

    def read(some: Sequence[files.File], past_damage: bool) -> DataFrame:
        reader = spark.read.option("ignoreCorruptFiles", str(past_damage).lower())
        raw = reader.text([file.literal for file in some], wholetext=True)
        value = fn.ltrim("value", fn.lit(BYTE_ORDER_MARK))
        placed = raw.select(files.file_name().alias("file"), fn.lit(1).cast("long").alias("line"), value.alias("value"))
        kept = parse(placed).persist(StorageLevel.MEMORY_AND_DISK)
        kept.count()
        return kept

    table, damaged = files.tolerant(paths, read)
    if not damaged:
        return table
    return table.unionByName(files.damage_table(spark, damaged, {}), allowMissingColumns=True)


def one_json(value: Column, kind: str) -> Column:
    """`value` read as one JSON text of this type: a struct of `row`, `broken`, and `end`, which is null where something
    follows the JSON. Spark alone would pass over a second row or a stray brace on the same line."""
    whole = fn.concat(fn.lit('{"row":'), value, fn.lit(',"end":0}'))
    return fn.from_json(whole, f"row {kind}, end long, broken string", JSON_OPTIONS)


def is_blank(name: str = "value") -> Column:
    return fn.trim(fn.translate(name, "\r\n\t", "   ")) == ""


def shown(name: str = "value") -> Column:
    """What the quarantine keeps of a text."""
    return fn.make_valid_utf8(fn.substring(name, 1, ROW_CHARS_MAX))


def _numbered(spark: SparkSession, table: DataFrame) -> DataFrame:
    """One row per block of at most 128 MB is collected: as many as Spark itself plans its tasks from."""
    blocks = (
        table.groupBy("file", "block").agg(fn.min("position").alias("first"), fn.count("*").alias("rows")).collect()
    )
    before: dict[str, int] = {}
    placed = []
    for block in sorted(blocks, key=lambda row: (row.file, row.block)):
        so_far = before.get(block.file, 0)
        placed.append((block.file, block.block, so_far + 1 - block.first))
        before[block.file] = so_far + block.rows
    offsets = given(spark, placed, OFFSETS)
    joined = table.join(fn.broadcast(offsets), ["file", "block"])
    return joined.withColumn("line", fn.col("position") + fn.col("offset")).drop("block", "position", "offset")
