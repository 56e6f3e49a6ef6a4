"""JSON that is one document per file, or one per line: which it is shows in the first line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.read import file_heads, files, text


def json_texts(
    spark: SparkSession, paths: Sequence[files.File], parse: text.Parse, heads: Mapping[str, str] | None
) -> DataFrame:
    """`parse` of every JSON text, with `file`, `line`, and `whole`: the text is the whole file."""
    heads = file_heads.heads(spark, paths) if heads is None else heads
    # A file that was not looked into is taken to be like the others.
    by_line = {file.path: _by_line(heads[file.path]) for file in paths if file.path in heads}
    usual = sum(by_line.values()) * 2 > len(by_line)
    lines = [file for file in paths if by_line.get(file.path, usual)]
    wholes = [file for file in paths if not by_line.get(file.path, usual)]
    for file in wholes:
        if file.bytes > text.DOCUMENT_BYTES_MAX:
            raise UnreadableInput(
                f"{file.name}: one JSON document of {file.bytes} bytes; the limit is {text.DOCUMENT_BYTES_MAX}; "
                "write one document per line, or several files"
            )
    parts = [text.lines(spark, lines, parse).withColumn("whole", fn.lit(False))] if lines else []
    parts += [text.documents(spark, wholes, parse).withColumn("whole", fn.lit(True))] if wholes else []
    return parts[0] if len(parts) == 1 else parts[0].unionByName(parts[1])


def numbered(texts: DataFrame) -> DataFrame:
    """One row per element of `spans`, in `one`; where the text is a whole file, `line` is the number of the element.
    A text that was refused stays one row."""
    rows = texts.select("*", fn.posexplode_outer("spans").alias("nth", "one")).drop("spans")
    rows = rows.where(fn.col("one").isNotNull() | fn.col("reason").isNotNull())
    number = fn.coalesce(fn.col("nth") + 1, fn.lit(1)).cast("long")
    return rows.withColumn("line", fn.when(fn.col("whole"), number).otherwise(fn.col("line"))).drop("nth", "whole")


def _by_line(head: str) -> bool:
    first, _, rest = head.lstrip("\ufeff \t\r\n").partition("\n")
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        # Neither is a first line that only begins a document, nor one that is broken while the next ones are not.
        return any(_complete(line) for line in rest.split("\n")[:20])
    return True


def _complete(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
