"""A trace in Parquet as a feed of columns: Spark hands row groups out, and what comes back is counts and streams.

`opened` asks the tasks, on whatever machines they run, whether they can read the files themselves; where any of
them cannot, there is no such feed, and Spark reads. `survey` is one pass over everything; where runs lie in few
row groups, it judges them too (`whole_runs`). What it leaves in doubt is for the rules to decide; the lines that they
refuse, if not too many, are then left `without`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import ceil

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, Row, SparkSession, Window
from pyspark.sql import functions as fn
from pyspark.sql.pandas.types import from_arrow_schema

from antecede.pipeline import schema
from antecede.pipeline.limits import LIMITS, Limits
from antecede.pipeline.read import files, parquet_footers, row_groups
from antecede.pipeline.report.explanations import WORST, Span
from antecede.pipeline.spark.local_dataframe import given
from antecede.pipeline.spark.session import let_go
from antecede.pipeline.verify import parquet_tasks, whole_runs
from antecede.pipeline.verify import survey as facts
from antecede.pipeline.verify.tasks import DEALT, Task

SPLIT_ROWS = 1 << 18
NUMBERS_PER_TASK = 1 << 21
FILES_PER_TASK = 16
LOOKED_DDL = "path string, rows array<long>, runs string, version string"
LISTED = pa.schema([("task", pa.int32()), ("path", pa.string())])
COUNTED = ("events", "with_message", "sends", "receives", "delivers", "internals", "untimed", "untimed_receives")


@dataclass(frozen=True, slots=True)
class ColumnFeed:
    """Row groups by task, the lines to leave out by path, and what the survey found."""

    splits: DataFrame
    tasks: int
    rows: int
    limits: Limits = LIMITS
    left_out: Mapping[str, Sequence[int]] = field(default_factory=dict)
    trusted: bool = False  # the rules have seen what is not left out
    whole: DataFrame | None = None  # the same row groups, where tasks can have all of a run
    facts: DataFrame | None = None
    known: Sequence[Row] | None = None  # the sizes of runs

    def survey(self) -> tuple[ColumnFeed, bool]:
        """The feed with its facts, and whether anything in it is doubtful. One pass, which judges on its way what it
        has whole."""
        if self.whole is not None:
            return self._judged(self.whole)
        number_tasks = max(1, ceil(self.rows / NUMBERS_PER_TASK))
        found = self._mapped(
            parquet_tasks.survey(number_tasks, self.left_out, trusted=self.trusted), facts.FACTS
        ).persist(StorageLevel.MEMORY_AND_DISK)
        with _released_on_failure(found):
            return replace(self, facts=found), not self.trusted and _doubtful(found, number_tasks)

    def _judged(self, splits: DataFrame) -> tuple[ColumnFeed, bool]:
        task = whole_runs.judge(self.left_out, trusted=self.trusted, worst=WORST, limits=self.limits)
        found = splits.mapInArrow(task, from_arrow_schema(whole_runs.JUDGED)).persist(StorageLevel.MEMORY_AND_DISK)
        few = found.filter("doubtful OR size IS NOT NULL")  # at most a row of each task, and whole_runs.RUNS_MAX sizes
        with _released_on_failure(found):
            told = few.select("doubtful", "size").collect()
        sizes = [row["size"] for row in told if not row["doubtful"]]
        return replace(self, facts=found, known=sizes), len(sizes) < len(told)

    def found(self, worst: int) -> DataFrame | None:
        if self.whole is None or self.facts is None or worst > WORST:
            return None
        return self.facts.filter("found is not null").select("found.*")

    def sizes(self) -> Sequence[Row] | None:
        return self.known

    def without(self, lines: Mapping[str, Sequence[int]]) -> ColumnFeed:
        self.release()
        return replace(self, left_out=lines, trusted=True, facts=None, known=None).survey()[0]

    def release(self) -> None:
        if self.facts is not None:
            let_go(self.facts)

    def counts(self) -> DataFrame:
        assert self.facts is not None
        counted = self.facts.filter("events is not null")
        if self.whole is not None:  # the task that counted a process had all of it
            return counted.select("run", "process", *COUNTED, "start", "end")
        return counted.groupBy("run", "process").agg(
            *(fn.sum(name).alias(name) for name in COUNTED),
            fn.min("start").alias("start"),
            fn.max("end").alias("end"),
        )

    def sampled(self, runs: Sequence[str], share: float) -> DataFrame:  # noqa: ARG002 - the survey has sampled already
        assert self.facts is not None
        kept = self.facts.filter(fn.col("run").isin(list(runs)) & (fn.size("times") > 0))
        events = (fn.col("with_message") / fn.size("times")).alias("events")
        return kept.select("run", "process", fn.explode("times").alias("time"), events).filter("time is not null")

    def by_run(self, count: int, *, receives: bool, without: Sequence[str]) -> DataFrame:
        task = parquet_tasks.deal_runs(count, self.left_out, receives=receives, without=without)
        return self._mapped(task, DEALT).repartitionById(count, fn.col("task"))

    def by_message(self, count: int, runs: Sequence[str], receiving: Sequence[str]) -> DataFrame:
        task = parquet_tasks.deal_messages(count, self.left_out, runs=runs, receiving=receiving)
        return self._mapped(task, DEALT).repartitionById(count, fn.col("task"))

    def near(self, spans: Sequence[Span]) -> DataFrame:
        """The events that these spans ask for, and maybe others."""
        return self._mapped(parquet_tasks.pick(self.left_out, spans), parquet_tasks.PICKED)

    def _mapped(self, task: Task, made: pa.Schema) -> DataFrame:
        return self.splits.repartitionById(self.tasks, fn.col("task")).mapInArrow(task, from_arrow_schema(made))


@contextmanager
def _released_on_failure(held: DataFrame) -> Iterator[None]:
    try:
        yield
    except BaseException:
        let_go(held)
        raise


def opened(spark: SparkSession, paths: Sequence[files.File], limits: Limits = LIMITS) -> ColumnFeed | None:
    """The files as a feed, unsurveyed; None where they are not for Arrow to read. One small job, which
    fetches a row of each file: the sizes of its row groups, and of the runs in them up to row_groups.RUNS_MAX."""
    if not paths or not all(row_groups.is_in_reach(file.path) for file in paths):
        return None
    found = _listed(spark, paths).mapInArrow(parquet_tasks.look, LOOKED_DDL).collect()
    groups = {row["path"]: row["rows"] for row in found}
    if any(rows is None for rows in groups.values()):
        return None
    versions = {row["path"]: row["version"] for row in found}
    splits = [(*one, versions[one[1]]) for one in _splits([(file.path, groups[file.path]) for file in paths])]
    rows = sum(sum(rows) for rows in groups.values())
    tasks = splits[-1][0] + 1 if splits else 1
    whole = _whole(spark, paths, found, limits)
    return ColumnFeed(given(spark, splits, row_groups.SPLITS), tasks, rows, limits, whole=whole)


def _whole(spark: SparkSession, paths: Sequence[files.File], found: Sequence[Row], limits: Limits) -> DataFrame | None:
    by_path = {row["path"]: row for row in found}
    rows = [by_path[file.path] for file in paths]
    splits = whole_runs.plan(
        [whole_runs.SurveyedFile(row["path"], row["version"], row["rows"], json.loads(row["runs"])) for row in rows],
        limits,
    )
    if splits is None:
        return None
    tasks = max(split[0] for split in splits) + 1
    return given(spark, splits, whole_runs.SPLITS).repartitionById(tasks, fn.col("task"))


def shapes(spark: SparkSession, paths: Sequence[files.File]) -> dict[str, parquet_footers.Shape]:
    """By path, the shape of each file whose footer Arrow can read where the tasks run. One job, a row of each file."""
    near = [file for file in paths if row_groups.is_in_reach(file.path)]
    if not near:
        return {}
    task = parquet_tasks.look_at_shapes(schema.TRACE.names)
    found = _listed(spark, near).mapInArrow(task, "path string, shape map<string,string>").collect()
    return {row["path"]: tuple(sorted(row["shape"].items())) for row in found if row["shape"] is not None}


def _listed(spark: SparkSession, paths: Sequence[files.File]) -> DataFrame:
    """The paths, some for each task."""
    numbered = [(at // FILES_PER_TASK, file.path) for at, file in enumerate(paths)]
    listed = given(spark, numbered, LISTED)
    return listed.repartitionById(ceil(len(paths) / FILES_PER_TASK), fn.col("task"))


def _splits(groups: Sequence[tuple[str, Sequence[int]]]) -> Iterator[tuple[int, str, int, int, int]]:
    """Row groups that follow each other in a file, as many as make a split; small splits share a task."""
    task, taken = 0, 0
    for path, rows in groups:
        first, before, held = 0, 0, 0
        for group, count in enumerate(rows):
            held += count
            if group == len(rows) - 1 or held + rows[group + 1] > SPLIT_ROWS:
                if taken and taken + held > SPLIT_ROWS:
                    task, taken = task + 1, 0
                yield task, path, first, group, before
                first, before, held, taken = group + 1, before + held, 0, taken + held


def _doubtful(found: DataFrame, number_tasks: int) -> bool:
    """Whether some rows may be no events, or an index may be taken twice, or a message be sent twice."""
    earlier = Window.partitionBy("run", "process").orderBy("low").rowsBetween(Window.unboundedPreceding, -1)
    spans = found.filter("numbers is null").withColumn("before", fn.max("high").over(earlier))
    doubt = fn.coalesce(fn.col("doubtful") | (fn.col("before") >= fn.col("low")), fn.col("doubtful"))
    if spans.agg(fn.max(doubt)).collect()[0][0]:
        return True
    numbers = (
        found.filter("numbers is not null").select("task", "numbers").repartitionById(number_tasks, fn.col("task"))
    )
    twice = numbers.mapInArrow(parquet_tasks.compare, "twice boolean")
    return bool(twice.agg(fn.max("twice")).collect()[0][0])
