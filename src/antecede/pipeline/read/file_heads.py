"""The first characters of files, through Spark.

At most 50 files are looked into, spread over the listing. Small ones are fetched together; of a large one the first
lines are, which Spark stops reading after.
"""

from __future__ import annotations

from collections.abc import Sequence
from zlib import decompressobj, error

from pyspark.sql import SparkSession
from pyspark.sql import functions as fn

from antecede.pipeline.read import files

FILES_MAX = 50
SMALL_BYTES_MAX = 4 << 20
HEAD_BYTES = 64 << 10
LARGE_LINES = 50


def heads(spark: SparkSession, paths: Sequence[files.File]) -> dict[str, str]:
    """path -> the first characters, of the files that were looked into; unreadable bytes are replaced."""
    texts = [file for file in paths if not file.name.endswith(".parquet")]  # whose name says enough
    step = max(1, -(-len(texts) // FILES_MAX))
    chosen = texts[::step]
    small = [file for file in chosen if file.bytes <= SMALL_BYTES_MAX]
    found = {file.path: _large(spark, file) for file in chosen if file.bytes > SMALL_BYTES_MAX}
    if small:
        raw = spark.read.format("binaryFile").load([file.literal for file in small])
        rows = raw.select("path", fn.substring("content", 1, HEAD_BYTES).alias("head")).collect()
        found |= {row.path: _text(bytes(row.head or b"")) for row in rows}
    return found


def _text(head: bytes) -> str:
    if head[:2] == b"\x1f\x8b":
        try:
            head = decompressobj(wbits=31).decompress(head, HEAD_BYTES)
        except error:
            head = b""
    return head.decode(errors="replace")


def _large(spark: SparkSession, file: files.File) -> str:
    lines = spark.read.text(file.literal).limit(LARGE_LINES)
    rows = lines.select(fn.make_valid_utf8(fn.substring("value", 1, HEAD_BYTES)).alias("value")).collect()
    return "\n".join(row.value for row in rows)[:HEAD_BYTES]
