"""Which files the given paths mean, found and opened through Spark alone, so that any file system it knows will do.

A path is a file, a folder (looked into at every depth), or a glob. Spark, and so this project, passes over names
that begin with `_` or `.`. A file that is named twice is read once. A file that turns out damaged while it is read
(a gzip that ends early, say) is not fatal: of text, the reading is repeated without stopping at damage, what can be
read is kept, and the rest is reported as one quarantined row; of Parquet, the other files are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.spark.local_dataframe import given
from antecede.pipeline.spark.session import cause

PATH_CHARS_MAX = 1 << 20
SPARK_ERRORS = (PySparkException, Py4JError)
DAMAGE = re.compile(
    r"FAILED_READ_FILE|CANNOT_READ_FILE_FOOTER|EOFException|ZipException|Unexpected end of input stream"
)

DAMAGED = "the file is damaged or ends early"
"""How the reason begins of a quarantined row that stands for the unread rest of a file."""

DAMAGE_TABLE = pa.schema([("file", pa.string()), ("line", pa.int64()), ("reason", pa.string()), ("row", pa.string())])


@dataclass(frozen=True, slots=True)
class File:
    path: str  # as Spark lists it
    bytes: int

    @property
    def name(self) -> str:
        """As `file_name` gives it in a table, and as people write it."""
        return re.sub(r"^file:/+", "/", self.path)

    @property
    def literal(self) -> str:
        """The path for a Spark reader, which would take some characters for a glob."""
        return literal(self.path)


@dataclass(frozen=True, slots=True)
class Damaged:
    """A file that could not be read to its end."""

    file: File
    why: str


def literal(path: str) -> str:
    return re.sub(r"([\[\]{}*?\\])", r"\\\1", path)


def listing(spark: SparkSession, paths: Sequence[str]) -> tuple[File, ...]:
    """The files that `paths` mean, each once, in order of name; empty ones, too, unless there are no others."""
    if not paths:
        raise UnreadableInput("no input is given; give a file, a folder or a glob")
    found: dict[str, File] = {}
    for path in paths:
        files = _listed(spark, path)
        if not any(file.bytes for file in files):
            raise UnreadableInput(empty(path) if len(files) == 1 else no_files(path))
        found.update((file.path, file) for file in files)
    return tuple(found[path] for path in sorted(found))


def file_name() -> Column:
    """The file of a row: `File.name`, from the percent-encoded form in which Spark's metadata has it."""
    uri = fn.col("_metadata.file_path")
    plain = fn.when(uri.contains("%"), fn.url_decode(fn.replace(uri, fn.lit("+"), fn.lit("%2B")))).otherwise(uri)
    return fn.when(
        plain.startswith("file:/"), fn.concat(fn.lit("/"), fn.ltrim(plain.substr(6, PATH_CHARS_MAX), fn.lit("/")))
    ).otherwise(plain)


def tolerant(
    files: Sequence[File], read: Callable[[Sequence[File], bool], DataFrame]
) -> tuple[DataFrame, tuple[Damaged, ...]]:
    """`read(files, False)`; where some are damaged, `read(files, True)`, which shall pass over damage, and which.

    `read` must have run a job over all of its input when it returns, or damage would be met too late.
    """
    try:
        return read(files, False), ()
    except SPARK_ERRORS as error:
        if not DAMAGE.search(str(error)):
            raise
    found = damaged(files, read)
    return read(files, True), found


def damaged(files: Sequence[File], read: Callable[[Sequence[File], bool], DataFrame]) -> tuple[Damaged, ...]:
    """Those that `read` cannot read, each by itself, without passing over damage."""
    return tuple(Damaged(file, why) for file in files if (why := _damage(file, read)))


def damage_table(spark: SparkSession, damaged: Sequence[Damaged], rows_read: dict[str, int]) -> DataFrame:
    """One row for the quarantine per damaged file, placed after the last row that could be read."""
    rows = [
        (
            one.file.name,
            rows_read.get(one.file.name, 0) + 1,
            f"{DAMAGED}, and nothing from here on could be read: {one.why}",
            None,
        )
        for one in damaged
    ]
    return given(spark, rows, DAMAGE_TABLE)


def _damage(file: File, read: Callable[[Sequence[File], bool], DataFrame]) -> str | None:
    try:
        read([file], False).unpersist()
    except SPARK_ERRORS as error:
        return cause(error) if DAMAGE.search(str(error)) else None
    except UnreadableInput:
        return None  # not by itself: another file has the columns that this one lacks
    return None


def _listed(spark: SparkSession, path: str) -> list[File]:
    """First those of the very name: what has brackets in it need not be a glob."""
    for name in dict.fromkeys((literal(path), path)):
        try:
            return _found(spark, name)
        except SPARK_ERRORS as error:
            if "PATH_NOT_FOUND" not in str(error) or name == path:
                raise UnreadableInput(_refusal(path, error)) from error
    raise AssertionError("unreachable: the last of the names is the path itself")


def _found(spark: SparkSession, path: str) -> list[File]:
    """Spark makes no row of an empty file, but it lists it."""
    table = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(path)
    filled = [File(row.path, row.length) for row in table.select("path", "length").collect()]
    names = {file.name for file in filled}
    listed = (File(unquote(uri), 0) for uri in table.inputFiles())
    return filled + [file for file in listed if file.name not in names]


def _refusal(path: str, error: BaseException) -> str:
    text = str(error)
    if "PATH_NOT_FOUND" in text:
        return not_found(path)
    if "No FileSystem for scheme" in text:
        return f"{path}: Spark has no file system for that scheme; add its package with --packages, or copy the files"
    if "Permission denied" in text or "AccessControlException" in text:
        return not_permitted(path)
    return f"{path}: cannot be read: {cause(error)}"


def not_found(path: str) -> str:
    return f"{path}: no such file or folder; check the path, and quote a glob so that the shell does not expand it"


def empty(path: str) -> str:
    return f"{path}: the file is empty, so there is nothing to check; give the path of a trace"


def no_files(path: str) -> str:
    return (
        f"{path}: the folder has no files (files whose names begin with _ or . are ignored); give the path of a trace"
    )


def not_permitted(path: str) -> str:
    return f"{path}: permission denied; use a user that can read it"
