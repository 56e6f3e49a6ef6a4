"""The project's own trace in Parquet, as Spark reads it: any file system, any columns, folders that name columns.

The files listed are read, and no others. A folder named `run=a`, as Hive and Spark write them, gives that column of the
trace to the files below it that have none of their own; it is text, or what text can be read as. Other folders mean
nothing, whatever their names.

Spark finds the columns of all files together. It cannot where one column has two types, nor where any column is of a
type that it does not know, and it takes nanoseconds for plain numbers; the files are then read by what their footers
say (`parquet_footers`), each kind of file by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
    TimestampNTZType,
    TimestampType,
)

from antecede.pipeline import schema
from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.read import files, parquet_footers, text
from antecede.pipeline.verify import column_feed

REQUIRED = ("process", "index", "kind")
BY_FOLDER = tuple(name for name in schema.TRACE.names if name not in ("dests", "attributes"))
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
APART = re.compile(r"CANNOT_MERGE|UNSUPPORTED_TIME_TYPE|PARQUET_TYPE_(ILLEGAL|NOT_SUPPORTED|NOT_RECOGNIZED)")


@dataclass(frozen=True, slots=True)
class Alike:
    """Files whose columns have the same types, of which Spark can read those in the table."""

    table: DataFrame
    nanoseconds: bool = False  # the time is whole nanoseconds
    unreadable: Mapping[str, str] = field(default_factory=dict)  # columns of the trace, and their types

    @property
    def types(self) -> dict[str, DataType]:
        return {one.name: one.dataType for one in self.table.schema.fields if one.name in schema.TRACE.names}


def read(spark: SparkSession, paths: Sequence[files.File]) -> DataFrame:
    """Candidates. Columns of another type than the trace's count as a fault of each of their rows."""
    alike = _opened(spark, paths)
    by_folder = named_by_folders(paths)
    _refuse_other_tables(paths, alike, by_folder)
    return reduce(DataFrame.unionByName, [_typed(one, by_folder) for one in alike])


def named_by_folders(paths: Sequence[files.File]) -> tuple[str, ...]:
    """The columns of the trace that some folder above these files gives them."""
    keys = {part.split("=")[0] for file in paths for part in file.path.split("/")[:-1] if "=" in part}
    return tuple(name for name in BY_FOLDER if name in keys)


def _opened(spark: SparkSession, paths: Sequence[files.File]) -> list[Alike]:
    """Opening reads the footer of every file."""
    try:
        table = spark.read.option("mergeSchema", "true").parquet(*[file.literal for file in paths])
    except files.SPARK_ERRORS as error:
        if not APART.search(str(error)):
            raise
        return _apart(spark, paths)
    whole = Alike(table)
    # Numbers may be nanoseconds; and a column `_metadata` would hide from which file, and where in it, a row is.
    if isinstance(whole.types.get("time"), LongType) or "_metadata" in table.columns:
        return _apart(spark, paths)
    return [whole]


def _apart(spark: SparkSession, paths: Sequence[files.File]) -> list[Alike]:
    """The files by the types of their columns, as Arrow finds them in the footers; else as Spark does."""
    shapes = column_feed.shapes(spark, paths)
    by_shape: dict[parquet_footers.Shape, list[files.File]] = {}
    for file in paths:
        shape = shapes[file.path] if file.path in shapes else _shape(spark.read.parquet(file.literal))
        by_shape.setdefault(shape, []).append(file)
    return list(_read_apart(spark, by_shape))


def _read_apart(spark: SparkSession, by_shape: Mapping[parquet_footers.Shape, Sequence[files.File]]) -> Iterator[Alike]:
    for shape, some in by_shape.items():
        kinds = dict(shape)
        unreadable = {name: kind[1:] for name, kind in kinds.items() if kind.startswith(parquet_footers.UNREADABLE)}
        known = {name: kind for name, kind in kinds.items() if name not in unreadable}
        nanoseconds = known.get("time") == parquet_footers.NANOSECONDS
        ddl = ", ".join(
            f"`{name}` {'bigint' if kind == parquet_footers.NANOSECONDS else kind}" for name, kind in known.items()
        )
        table = spark.read.schema(ddl).parquet(*[file.literal for file in some])
        yield Alike(table, nanoseconds, unreadable)


def _shape(table: DataFrame) -> parquet_footers.Shape:
    kinds = {one.name: one.dataType.simpleString() for one in table.schema.fields}
    return tuple(sorted((name, kind) for name, kind in kinds.items() if name in schema.TRACE.names))


def _refuse_other_tables(paths: Sequence[files.File], alike: Sequence[Alike], by_folder: Sequence[str]) -> None:
    found = {*by_folder, *(name for one in alike for name in (*one.table.columns, *one.unreadable))}
    absent = [name for name in REQUIRED if name not in found]
    if absent:
        raise UnreadableInput(
            f"{paths[0].name}: not a trace: no column {', '.join(absent)} among {', '.join(sorted(found))[:500]}; "
            "rename the columns to those of the trace"
        )


def _typed(alike: Alike, by_folder: Sequence[str]) -> DataFrame:
    types = alike.types
    wrong = [name for name, kind in types.items() if not _fits(kind, schema.TRACE[name].dataType)]
    own = {name: _value(alike, name) for name in types if name not in wrong}
    reasons = [fn.when(fn.col(f"`{name}`").isNotNull(), _mistyped(name, types[name].simpleString())) for name in wrong]
    reasons += [_mistyped(name, kind) for name, kind in alike.unreadable.items()]
    return alike.table.select(
        *[_column(name, own.get(name), name in by_folder).alias(name) for name in schema.TRACE.names],
        files.file_name().alias("file"),
        (fn.col("_metadata.row_index") + 1).alias("line"),
        fn.coalesce(*reasons, fn.lit(None).cast("string")).alias("reason"),
        fn.make_valid_utf8(fn.substring(fn.to_json(fn.struct(*types)), 1, text.ROW_CHARS_MAX)).alias("row"),
    )


def _value(alike: Alike, name: str) -> Column:
    value = fn.col(f"`{name}`")
    if name != "time":
        return value
    if alike.nanoseconds:
        return value / 1e9
    # Without a zone, a time is taken to be UTC, as the session has it.
    return value.cast("timestamp") if isinstance(alike.types[name], TimestampNTZType) else value


def _column(name: str, own: Column | None, by_folder: bool) -> Column:
    kind = schema.TRACE[name].dataType
    values = [own.cast(kind)] if own is not None else []
    values += [_from_folder(name).try_cast(kind)] if by_folder else []
    values += [fn.lit("")] if name == "run" else []
    return fn.coalesce(*values, fn.lit(None).cast(kind))


def _from_folder(name: str) -> Column:
    """The value in the innermost folder of that name, where special characters are percent-encoded."""
    pattern = f"^.*/{name}=([^/]*)/"
    value = fn.regexp_extract(files.file_name(), pattern, 1)
    plain = fn.coalesce(fn.try_url_decode(fn.replace(value, fn.lit("+"), fn.lit("%2B"))), value)
    return fn.when(files.file_name().rlike(pattern) & (value != NO_VALUE), plain)


def _mistyped(name: str, kind: str) -> Column:
    return fn.lit(f"{name} is of the type {kind}; it must be {schema.TRACE[name].dataType.simpleString()}")


def _fits(kind: DataType, wanted: DataType) -> bool:
    """Whether every value of the type is one of the wanted type."""
    if isinstance(wanted, LongType):
        return isinstance(kind, ByteType | ShortType | IntegerType | LongType)
    if wanted == schema.DOUBLE:
        return isinstance(kind, IntegralType | FractionalType | DecimalType | TimestampType | TimestampNTZType)
    if isinstance(wanted, ArrayType):
        return isinstance(kind, ArrayType) and isinstance(kind.elementType, StringType)
    if isinstance(wanted, MapType):
        return isinstance(kind, MapType) and isinstance(kind.keyType, StringType)
    return isinstance(kind, StringType)
