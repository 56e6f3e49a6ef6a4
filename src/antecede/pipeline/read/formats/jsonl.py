"""The project's own trace as JSON Lines, for people; `parquet` reads the one for machines.

A line of JSON is read by one `from_json`. Spark reads numbers strictly but
takes any value for text: `"process": 5` would become the process "5". That a text was a text is shown cheaply where
the line holds it in one of the two usual spellings, and by a second, exact parse of the few lines that do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import StructField, StructType, VariantType

from antecede.pipeline import schema
from antecede.pipeline.read import files, text
from antecede.pipeline.read.rules import shown

TEXTS = ("run", "process", "message", "group")
STRICT = {
    "time": "must be a number",
    "attributes": "must be an object",
    "dests": "must be a list of process names",
    **dict.fromkeys(
        ("index", "payload_bytes", "control_bytes", "control_entries"), "must be an integer of at most 64 bits"
    ),
}
EXACT = StructType([StructField(name, VariantType()) for name in (*TEXTS, "dests")])


def json_lines(spark: SparkSession, paths: Sequence[files.File]) -> DataFrame:
    """Candidates from JSON Lines, one per line that is not blank."""
    table = text.lines(spark, paths, parse)
    rows = table.where(fn.col("row").isNotNull() | fn.col("reason").isNotNull())
    return schema.conform(rows, schema.CANDIDATES)


def parse(lines: DataFrame) -> DataFrame:
    """Each line's columns, and the reason why it has none. A blank line has neither a row nor a reason."""
    read = lines.withColumn("_", text.one_json(fn.col("value"), schema.TRACE.simpleString()))
    columns = [fn.col(f"_.row.{name}").alias(name) for name in schema.TRACE.names if name not in ("attributes", "run")]
    return read.select(
        *[name for name in ("file", "block", "position", "line") if name in lines.columns],
        fn.coalesce("_.row.run", fn.lit("")).alias("run"),
        *columns,
        fn.map_filter("_.row.attributes", lambda _, value: value.isNotNull()).alias("attributes"),
        fn.when(~text.is_blank(), _unreadable()).alias("reason"),
        fn.when(~text.is_blank(), text.shown()).alias("row"),
    )


def _unreadable() -> Column:
    return fn.coalesce(
        fn.when(~fn.is_valid_utf8("value"), fn.lit("the line is not UTF-8")),
        fn.when(fn.col("_.row").isNull(), fn.lit("the line is not a JSON object")),
        fn.when(fn.col("_.broken").isNotNull(), _wrong_type()),
        fn.when(fn.col("_.end").isNull(), fn.lit("the line is not one JSON object: something follows it")),
        *[fn.when(_not_text(name), _wrong(name, "must be text")) for name in TEXTS],
        fn.when(_not_texts("dests"), _wrong("dests", "must be a list of process names")),
    )


def _wrong_type() -> Column:
    """Which column kept Spark from reading the row as a trace."""
    unread = [
        fn.when(_source(name).isNotNull() & fn.col(f"_.row.{name}").isNull(), _wrong(name, must))
        for name, must in STRICT.items()
    ]
    return fn.coalesce(*unread, fn.lit("the line is not JSON, or one of its values has the wrong type"))


def _source(name: str) -> Column:
    return fn.get_json_object("value", f"$.{name}")


def _wrong(name: str, must: str) -> Column:
    return fn.concat(fn.lit(f"{name} is "), shown(_source(name)), fn.lit(f"; it {must}"))


def _spelled(name: str, value: Column, *, between: str = "") -> Column:
    """Whether the line has this value behind this name, with or without the usual blank."""
    return fn.col("value").contains(fn.concat(fn.lit(f'"{name}":{between}'), value))


def _not_text(name: str) -> Column:
    value = fn.concat(fn.lit('"'), fn.col(f"_.row.{name}"), fn.lit('"'))
    exact = fn.schema_of_variant(fn.from_json("value", EXACT, text.JSON_OPTIONS)[name])
    return (
        fn.col(f"_.row.{name}").isNotNull()
        & ~(_spelled(name, value) | _spelled(name, value, between=" "))
        & (fn.coalesce(exact, fn.lit("")) != "STRING")
    )


def _not_texts(name: str) -> Column:
    dests = fn.col(f"_.row.{name}")
    spellings = [
        _spelled(name, fn.concat(fn.lit('["'), fn.array_join(dests, f'",{blank}"'), fn.lit('"]')), between=blank)
        for blank in ("", " ")
    ]
    exact = fn.schema_of_variant(fn.from_json("value", EXACT, text.JSON_OPTIONS)[name])
    return (
        (fn.size(dests) > 0)
        & ~reduce(Column.__or__, spellings)
        & ~fn.coalesce(exact, fn.lit("")).isin("ARRAY<STRING>", "ARRAY<VOID>")
    )
