"""What the footer of a Parquet file says of the columns of a trace, in the names that Spark has for their types.

Spark itself refuses a file for one column of a type that it does not know, be it needed or not; pandas writes such
columns. So Arrow opens the footer, and what Spark cannot read is named here and left alone there.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

NANOSECONDS = "nanoseconds"  # a type of `time` alone, which Spark reads as numbers
UNREADABLE = "!"  # before the name of a type that Spark has not
PLAIN = {
    "bool": "boolean",
    "int8": "tinyint",
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "uint8": "smallint",
    "uint16": "int",
    "uint32": "bigint",
    "uint64": "decimal(20,0)",
    "float": "float",
    "double": "double",
    "string": "string",
    "binary": "binary",
    "date32[day]": "date",
}

Shape = tuple[tuple[str, str], ...]
"""The columns of the trace that a file has, each with its type: Spark's name for it, or one of the above."""


def shape(schema: pq.ParquetSchema, names: list[str]) -> Shape:
    """The shape of a file whose columns may be these."""
    int96 = {leaf.path for leaf in map(schema.column, range(len(schema.names))) if leaf.physical_type == "INT96"}
    return tuple(
        (field.name, "timestamp" if field.name in int96 else _kind(field))
        for field in schema.to_arrow_schema()
        if field.name in names
    )


def plainest(kind: pa.DataType) -> pa.DataType:
    """The type of the same values, however long they may be, and however they are kept."""
    if pa.types.is_dictionary(kind):
        return plainest(kind.value_type)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(plainest(kind.value_type))
    return pa.string() if pa.types.is_large_string(kind) or pa.types.is_string_view(kind) else kind


def _kind(field: pa.Field) -> str:
    if field.name == "time" and pa.types.is_timestamp(field.type) and field.type.unit == "ns":
        return NANOSECONDS
    return _spark_type(plainest(field.type)) or f"{UNREADABLE}{field.type}"


def _spark_type(kind: pa.DataType) -> str | None:
    if isinstance(kind, pa.BaseExtensionType):
        return _spark_type(kind.storage_type)
    if pa.types.is_timestamp(kind):
        return None if kind.unit == "ns" else "timestamp"
    if pa.types.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    if pa.types.is_list(kind):
        inner = _spark_type(kind.value_type)
        return inner and f"array<{inner}>"
    if pa.types.is_map(kind):
        key, value = _spark_type(kind.key_type), _spark_type(kind.item_type)
        return key and value and f"map<{key},{value}>"
    return "binary" if pa.types.is_fixed_size_binary(kind) else PLAIN.get(str(kind))
