"""The project's own trace: JSON Lines for people, Parquet for machines.

A line of JSON is read by one `from_json`. Spark reads numbers strictly but
takes any value for text: `"process": 5` would become the process "5". That a text was a text is shown cheaply where
the line holds it in one of the two usual spellings, and by a second, exact parse of the few lines that do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import (
    ArrayType,
    ByteType,
    DataType,
    DecimalType,
    FractionalType,
    IntegerType,
    IntegralType,
    LongType,
    MapType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampType,
    VariantType,
)

from antecede.pipeline import files, schema
from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.rules import shown
from antecede.pipeline.session import cause
from antecede.pipeline.sources import text

REQUIRED = ("process", "index", "kind")
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


def parquet(spark: SparkSession, paths: Sequence[files.File], given: Sequence[str]) -> DataFrame:
    """Candidates from Parquet. Columns of another type than the trace's count as a fault of each of their rows."""
    try:
        table, damaged = _opened(spark, paths, given)
    except files.SPARK_ERRORS as error:
        if "CANNOT_MERGE" in str(error):  # one column, two types: each kind of file by itself
            return reduce(DataFrame.unionByName, [parquet(spark, some, given) for some in _alike(spark, paths)])
        raise UnreadableInput(
            f"{paths[0].name}: not readable as Parquet: {cause(error)}; write it again, or leave it out"
        ) from error
    candidates = _typed(table, paths)
    if not damaged:
        return candidates
    return candidates.unionByName(files.damage_table(spark, damaged, {}), allowMissingColumns=True)


def has_columns_in_folders(paths: Sequence[files.File]) -> bool:
    return any("=" in part for file in paths for part in file.path.split("/")[:-1])


def _typed(table: DataFrame, paths: Sequence[files.File]) -> DataFrame:
    absent = [name for name in REQUIRED if name not in table.columns]
    if absent:
        raise UnreadableInput(
            f"{paths[0].name}: not a trace: no column {', '.join(absent)} among {', '.join(table.columns)[:500]}; "
            "rename the columns to those of the trace"
        )
    types = {field.name: field.dataType for field in table.schema.fields if field.name in schema.TRACE.names}
    wrong = [name for name, kind in types.items() if not _fits(kind, schema.TRACE[name].dataType)]
    return table.select(
        *[_column(name, types, wrong).alias(name) for name in schema.TRACE.names],
        files.file_name().alias("file"),
        (fn.col("_metadata.row_index") + 1).alias("line"),
        fn.coalesce(*[_mistyped(name, types[name]) for name in wrong], fn.lit(None).cast("string")).alias("reason"),
        fn.substring(fn.to_json(fn.struct(*types)), 1, text.ROW_CHARS_MAX).alias("row"),
    )


def _opened(
    spark: SparkSession, paths: Sequence[files.File], given: Sequence[str]
) -> tuple[DataFrame, tuple[files.Damaged, ...]]:
    """Folders named `run=...` become columns, as Spark has it; other folders are only looked into. Opening reads
    the footer of every file, and a file that was cut off has none."""
    by_folder = has_columns_in_folders(paths)

    def read(some: Sequence[files.File], past_damage: bool) -> DataFrame:
        reader = spark.read.option("mergeSchema", "true").option("ignoreCorruptFiles", str(past_damage).lower())
        return reader.parquet(*(given if by_folder and len(some) > 1 else [file.literal for file in some]))

    return files.tolerant(paths, read)


def _alike(spark: SparkSession, paths: Sequence[files.File]) -> list[list[files.File]]:
    """The files by schema. A file whose footer can not be read is with the first, and reported as damaged there."""
    by_schema: dict[str, list[files.File]] = {}
    damaged = []
    for file in paths:
        try:
            by_schema.setdefault(spark.read.parquet(file.literal).schema.simpleString(), []).append(file)
        except files.SPARK_ERRORS:
            damaged.append(file)
    first, *others = by_schema.values()
    return [[*first, *damaged], *others]


def _column(name: str, types: dict[str, DataType], wrong: list[str]) -> Column:
    kind = schema.TRACE[name].dataType
    known = fn.col(f"`{name}`") if name in types and name not in wrong else fn.lit(None)
    value = known.cast(kind)
    return fn.coalesce(value, fn.lit("")) if name == "run" else value


def _mistyped(name: str, kind: DataType) -> Column:
    value = fn.col(f"`{name}`")
    words = fn.lit(
        f"{name} is of the type {kind.simpleString()}; it must be {schema.TRACE[name].dataType.simpleString()}"
    )
    return fn.when(value.isNotNull(), words)


def _fits(kind: DataType, wanted: DataType) -> bool:
    """Whether every value of the type is one of the wanted type."""
    if isinstance(wanted, LongType):
        return isinstance(kind, ByteType | ShortType | IntegerType | LongType)
    if wanted == schema.DOUBLE:
        return isinstance(kind, IntegralType | FractionalType | DecimalType | TimestampType)
    if isinstance(wanted, ArrayType):
        return isinstance(kind, ArrayType) and isinstance(kind.elementType, StringType)
    if isinstance(wanted, MapType):
        return isinstance(kind, MapType) and isinstance(kind.keyType, StringType)
    return isinstance(kind, StringType)


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
