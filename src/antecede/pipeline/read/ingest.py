"""Files in; events and quarantine out.

`read` lists the files through Spark, recognises their format or takes the one it is told, lets that format's
adapter turn them into candidate rows, and applies the rules: first those of one row (`rules`), then those of the
trace as a whole (`duplicates`). Every row of the input ends up in exactly one of the two tables. The notes say, for
people, what was taken for what, what was skipped, and what was inferred.

Parquet files that the tasks can read themselves are also a feed of columns (`verify.column_feed`). It shows in one pass
whether any row is in doubt. If so, the rules are asked, and the feed leaves out the rows that they refuse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from antecede.pipeline import schema
from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.limits import LIMITS, Limits
from antecede.pipeline.read import detect_format, duplicates, files, row_groups, rules
from antecede.pipeline.read.detect_format import Source
from antecede.pipeline.read.formats import parquet
from antecede.pipeline.spark.session import explained
from antecede.pipeline.verify import column_feed
from antecede.pipeline.verify.column_feed import ColumnFeed


@dataclass(frozen=True, slots=True)
class Ingested:
    """The input as a trace."""

    events: DataFrame  # schema.EVENTS
    quarantine: DataFrame  # schema.QUARANTINE
    format: str
    notes: tuple[str, ...]
    feed: ColumnFeed | None = None  # the same events, faster to verify
    files: tuple[files.File, ...] = ()

    def unread_share(self) -> float:
        """Return the share of the input's bytes that lie in files of which nothing is known. It runs up to two jobs.

        These are damaged files, of which nobody knows how many rows are missing, and files with refused rows and
        without any event. At most one row for each file is fetched.
        """
        damaged = fn.startswith("reason", fn.lit(files.DAMAGED))
        refused = self.quarantine.groupBy("file").agg(fn.max(damaged).alias("damaged")).collect()
        unread = {row["file"] for row in refused if row["damaged"]}
        doubtful = {row["file"] for row in refused} - unread
        if doubtful:
            unread |= doubtful - {row["file"] for row in self.events.select("file").distinct().collect()}
        total = sum(file.bytes for file in self.files)
        return sum(file.bytes for file in self.files if file.name in unread) / total if total else 0.0


def read(
    spark: SparkSession,
    paths: Sequence[str],
    format: str = "auto",
    *,
    regex: str | None = None,
    delimiter: str | None = None,
    mapping: str | Mapping[str, object] | None = None,
    limits: Limits = LIMITS,
) -> Ingested:
    """The events of `paths`; `UnreadableInput` where they are no trace at all. It runs jobs."""
    with explained("the input could not be read"):
        listed = files.listing(spark, paths)
        found = tuple(file for file in listed if file.bytes)
        source = detect_format.choose(spark, found, format, regex=regex, delimiter=delimiter, mapping=mapping)
        read = _ingested(spark, source, found, limits)
    return replace(read, notes=(*source.notes, *read.notes, *_on_empty(listed)), files=found)


def _ingested(spark: SparkSession, source: Source, found: Sequence[files.File], limits: Limits) -> Ingested:
    """All that can be read. A Parquet file may be cut off or damaged inside, or packed in a way that Spark does not
    know; it is of no use then, and found by trying each by itself."""
    try:
        return _sound(spark, source, found, limits)
    except files.SPARK_ERRORS as error:
        if not source.is_parquet or not files.DAMAGE.search(str(error)):
            raise
        damaged = files.damaged(found, lambda some, _: _read_through(source.read(spark, some)[0]))
        if not damaged:
            raise
    useless = {one.file for one in damaged}
    left = [file for file in found if file not in useless]
    if not left:
        why = f"{damaged[0].file.name}: not readable as Parquet: {damaged[0].why}"
        raise UnreadableInput(f"{why}; write the file again, or leave it out")
    read = _sound(spark, source, left, limits)
    refused = schema.conform(files.damage_table(spark, damaged, {}), schema.QUARANTINE)
    return replace(read, quarantine=read.quarantine.unionByName(refused))


def _read_through(candidates: DataFrame) -> DataFrame:
    candidates.agg(fn.max(fn.length("row"))).collect()  # a row as text has all of its columns
    return candidates


def _sound(spark: SparkSession, source: Source, found: Sequence[files.File], limits: Limits) -> Ingested:
    candidates, notes = source.read(spark, found)
    feed, doubtful = _surveyed(spark, found, limits) if source.is_parquet else (None, True)
    try:
        events, quarantine = _parted(candidates) if doubtful else _all_events(candidates)
    except files.SPARK_ERRORS:
        if feed is not None:
            feed.release()
        raise
    if feed is not None and doubtful:
        feed = _without_refused(feed, quarantine, found)
    return Ingested(events, quarantine, source.name, notes, feed)


def _on_empty(listed: Sequence[files.File]) -> tuple[str, ...]:
    empty = [file.name for file in listed if not file.bytes]
    if not empty:
        return ()
    return (
        f"{empty[0]}{f' and {len(empty) - 1:,} others' if len(empty) > 1 else ''}: empty, so nothing was read of it",
    )


def _surveyed(spark: SparkSession, found: Sequence[files.File], limits: Limits) -> tuple[ColumnFeed | None, bool]:
    """The files as a feed of columns, and whether any of their rows are doubtful; no feed where that is for Spark to
    read, as is what turns out damaged, or out of reach of some task."""
    feed = None if parquet.named_by_folders(found) else column_feed.opened(spark, found, limits)
    if feed is None:
        return None, True
    try:
        return feed.survey()
    except files.SPARK_ERRORS as error:
        if row_groups.FileChanged.__name__ in str(error):
            raise
        return None, True


def _without_refused(feed: ColumnFeed, quarantine: DataFrame, found: Sequence[files.File]) -> ColumnFeed | None:
    """The feed without the lines that were refused; None where those are too many to tell every task."""
    refused = quarantine.select("file", "line").limit(feed.limits.left_out_max + 1).collect()
    if len(refused) > feed.limits.left_out_max:
        feed.release()
        return None
    lines: dict[str, list[int]] = {}
    paths = {file.name: file.path for file in found}
    for row in refused:
        lines.setdefault(paths[row["file"]], []).append(row["line"])
    return feed.without(lines)


def _all_events(candidates: DataFrame) -> tuple[DataFrame, DataFrame]:
    quarantine = candidates.where("false").select(schema.QUARANTINE.names)
    return schema.conform(candidates, schema.EVENTS), schema.conform(quarantine, schema.QUARANTINE)


def _parted(candidates: DataFrame) -> tuple[DataFrame, DataFrame]:
    judged = candidates.withColumn("reason", fn.coalesce("reason", rules.broken()))
    survey = duplicates.survey(judged)
    valid, refused = judged, judged.where("false")
    if survey.refused:
        valid = judged.where(fn.col("reason").isNull())
        refused = judged.where(fn.col("reason").isNotNull())
    quarantine = refused.select(schema.QUARANTINE.names)
    if survey.repeated:
        taken = duplicates.repeated(valid, survey.numbers)
        valid = duplicates.without(valid, taken)
        quarantine = quarantine.unionByName(taken.select(schema.QUARANTINE.names))
    return schema.conform(valid, schema.EVENTS), schema.conform(quarantine, schema.QUARANTINE)
