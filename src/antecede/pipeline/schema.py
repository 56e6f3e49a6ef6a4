"""Every table of the pipeline, in one place: its columns, their types, and what each means.

A function of the pipeline takes tables of these schemas and its last `select` gives one of them. The comment of
a column is its documentation; the reference pages are generated from here.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.types import ArrayType, DataType, DoubleType, LongType, MapType, StringType, StructField, StructType

TEXT, LONG, DOUBLE = StringType(), LongType(), DoubleType()
TEXTS = ArrayType(TEXT, containsNull=True)
TEXT_BY_TEXT = MapType(TEXT, TEXT, valueContainsNull=True)


def column(name: str, kind: DataType, comment: str, *, nullable: bool = True) -> StructField:
    return StructField(name, kind, nullable, {"comment": comment})


TRACE = StructType(
    [
        column("run", TEXT, "the execution; empty where the source knows of one only"),
        column("process", TEXT, "where the event happened"),
        column("index", LONG, "position in that process's own order, strictly increasing per (run, process)"),
        column("kind", TEXT, "send, receive, deliver, internal; mobile: move, connect, disconnect"),
        column("time", DOUBLE, "seconds, on whatever clock the source has; never trusted for order between processes"),
        column("message", TEXT, "message id, unique in the run; null for events without a message"),
        column("dests", TEXTS, "on send: the destinations"),
        column("group", TEXT, "on send: the group, where there is one"),
        column("payload_bytes", LONG, "on send: size of what the application sent"),
        column("control_bytes", LONG, "on send: size of the stamp"),
        column("control_entries", LONG, "on send: size of the stamp in the unit of its algorithm"),
        column("attributes", TEXT_BY_TEXT, "anything else the source had"),
    ]
)

POSITION = StructType(
    [
        column("file", TEXT, "the input file, as Spark names it"),
        column("line", LONG, "position in the file, from 1: a line of text, or a row of a Parquet file"),
    ]
)

EVENTS = StructType([*TRACE.fields, *POSITION.fields])

QUARANTINE = StructType(
    [
        *POSITION.fields,
        column("reason", TEXT, "why the row is not an event"),
        column("row", TEXT, "the row as text, cut to 1,000 characters"),
    ]
)

CANDIDATES = StructType([*EVENTS.fields, *QUARANTINE.fields[2:]])
"""What an adapter gives: rows that may become events. `reason` is null where the adapter saw nothing wrong; `row` is
what the quarantine would show, and may be null where there is no reason."""


def conform(table: DataFrame, schema: StructType) -> DataFrame:
    """The last `select` of a function: exactly the columns of `schema`, in order; those that are absent are null."""
    return table.select([_cast(table, field) for field in schema.fields])


def _cast(table: DataFrame, field: StructField) -> Column:
    source = fn.col(f"`{field.name}`") if field.name in table.columns else fn.lit(None)
    return source.cast(field.dataType).alias(field.name)
