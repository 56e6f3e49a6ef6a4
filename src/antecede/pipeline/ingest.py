"""Files in; events and quarantine out.

`read` lists the files through Spark, recognises their format or takes the one it is told, lets that format's
adapter turn them into candidate rows, and applies the rules: first those of one row (`rules`), then those of the
trace as a whole (`dedupe`). Every row of the input ends up in exactly one of the two tables. The notes say, for
people, what was taken for what, what was skipped, and what was inferred.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from antecede.pipeline import dedupe, files, rules, schema
from antecede.pipeline.session import explained
from antecede.pipeline.sources import detect


@dataclass(frozen=True, slots=True)
class Ingested:
    """The input as a trace."""

    events: DataFrame  # schema.EVENTS
    quarantine: DataFrame  # schema.QUARANTINE
    format: str
    notes: tuple[str, ...]


def read(
    spark: SparkSession,
    paths: Sequence[str],
    format: str = "auto",
    *,
    regex: str | None = None,
    delimiter: str | None = None,
    mapping: str | Mapping[str, object] | None = None,
) -> Ingested:
    """The events of `paths`; `UnreadableInput` where they are no trace at all. It runs jobs."""
    with explained("the input could not be read"):
        found = files.listing(spark, paths)
        source = detect.choose(spark, found, format, regex=regex, delimiter=delimiter, mapping=mapping)
        candidates, notes = source.read(spark, found, paths)
        events, quarantine = _parted(candidates)
    return Ingested(events, quarantine, source.name, (*source.notes, *notes))


def _parted(candidates: DataFrame) -> tuple[DataFrame, DataFrame]:
    judged = candidates.withColumn("reason", fn.coalesce("reason", rules.broken()))
    survey = dedupe.survey(judged)
    valid, refused = judged, judged.where("false")
    if survey.refused:
        valid = judged.where(fn.col("reason").isNull())
        refused = judged.where(fn.col("reason").isNotNull())
    quarantine = refused.select(schema.QUARANTINE.names)
    if survey.repeated:
        taken = dedupe.repeated(valid, survey.numbers)
        valid = dedupe.without(valid, taken)
        quarantine = quarantine.unionByName(taken.select(schema.QUARANTINE.names))
    return schema.conform(valid, schema.EVENTS), schema.conform(quarantine, schema.QUARANTINE)
