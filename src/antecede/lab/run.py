"""Run an experiment on Spark: a DataFrame of (point, seed), a task for one row or a few, and nothing measured twice.

Rows are measured in chunks, two chunks at a time, so that no core waits for the slowest row of a chunk. The rows of a
finished chunk are stored in a file under `parts`, which gets its name when it is complete. So an interrupted run
continues where it stopped, and rows that failed are tried again. The names of the files carry the digest of the
declaration and of the code that measures. If either has changed, the old files are removed, and the run starts again.

The module uses only DataFrames and Arrow, so it works alike on a local Spark, on a cluster, and over Spark Connect.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from os import cpu_count
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
from pyspark.sql import SparkSession

from antecede.lab import results
from antecede.lab.executor import measure_batches
from antecede.lab.experiment import Experiment, Job
from antecede.lab.measuring_code import measuring_code
from antecede.pipeline.spark.session import explain_failure

CHUNKS_AT_ONCE = 2
TASKS_OF_A_SLOT = 4
"""Tasks of one chunk per slot. Starting a task takes time, so the quick rows of a large chunk share tasks."""
SLOTS_UNKNOWN = 16
"""The slots that are assumed for a cluster that does not say how many tasks it runs at once."""
INPUT = pa.schema(
    [
        ("place", pa.int32()),
        ("experiment", pa.string()),
        ("point", pa.int32()),
        ("parameters", pa.string()),
        ("seed", pa.int64()),
    ]
)


@dataclass(frozen=True, slots=True)
class Progress:
    """The number of rows that are done, of `total`; `resumed` of them were done before. `note` is a remark of the
    run.
    """

    done: int
    total: int
    resumed: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """A row that could not be measured."""

    point: int
    parameters: str
    seed: int
    error: str

    def __str__(self) -> str:
        return f"point {self.point} {self.parameters}, seed {self.seed}: {self.error}"


@dataclass(frozen=True, slots=True)
class ExperimentRun:
    """All rows of an experiment, including those that failed, and the number of rows that were done before.

    `code` is the digest of the code that measured them, or None if it was not noted.
    """

    experiment: Experiment
    quick: bool
    table: pa.Table
    resumed: int
    notes: tuple[str, ...]
    code: str | None

    @property
    def failures(self) -> list[Failure]:
        """Return the rows that could not be measured."""
        rows = results.sort_rows(self.table).to_pylist()
        return [
            Failure(row["point"], row["parameters"], row["seed"], row["error"])
            for row in rows
            if row["error"] is not None
        ]


def run(
    spark: SparkSession,
    experiment: Experiment,
    folder: Path,
    *,
    quick: bool = False,
    slots: int = SLOTS_UNKNOWN,
    progress: Callable[[Progress], None] = lambda _: None,
) -> ExperimentRun:
    """Measure the rows that are not in `folder` yet, and return all rows.

    `slots` is the number of tasks that this Spark runs at once.
    """
    jobs, digest = experiment.jobs(quick), experiment.digest(quick)
    parts = PartFiles(folder / "parts", digest)
    others = parts.remove_others()
    notes = (
        [f"{experiment.name}: what was kept was declared otherwise, or measured by other code, so it starts anew"]
        if others
        else []
    )
    notes += [f"{experiment.name}: {path} cannot be read, and is measured again" for path in parts.remove_broken()]
    kept = parts.table()
    have = {(row["point"], row["seed"]) for row in kept.select(["point", "seed"]).to_pylist()}
    missing = [job for job in jobs if (job.point, job.seed) not in have]
    progress(Progress(len(have), len(jobs), len(have), "; ".join(notes)))
    done = len(have)
    for table in _measure_chunks(spark, list(_chunks(missing, slots)), parts, TASKS_OF_A_SLOT * slots):
        done += table.num_rows
        kept = pa.concat_tables([kept, table])
        progress(Progress(done, len(jobs), len(have)))
    return ExperimentRun(experiment, quick, kept, len(have), tuple(notes), measuring_code())


def slots_of(master: str | None) -> int:
    """Return how many tasks a Spark master runs at once, as far as its address says."""
    address = master or "local[*]"
    if address == "local":
        return 1
    cluster = re.match(r"local-cluster\[\s*(\d+)\s*,\s*(\d+)", address)
    if cluster:
        return int(cluster[1]) * int(cluster[2])
    local = re.match(r"local\[\s*(\d+|\*)", address)
    if local:
        return (cpu_count() or 1) if local[1] == "*" else int(local[1])
    return SLOTS_UNKNOWN


@dataclass(frozen=True, slots=True)
class PartFiles:
    """The files that hold the finished rows of one declaration."""

    folder: Path
    digest: str

    def remove_others(self) -> list[Path]:
        """Remove the files of other declarations, and return their paths."""
        files = sorted(self.folder.glob("*.parquet"))
        return _remove(path for path in files if not path.name.startswith(self.digest))

    def remove_broken(self) -> list[Path]:
        """Remove files that are incomplete or are not results, and return their paths."""
        return _remove(path for path in self._files() if not results.is_readable(path))

    def table(self) -> pa.Table:
        """Return the finished rows, each once, without those that failed."""
        kept = results.read_tables(self._files())
        return results.drop_duplicates(kept.filter(kept["error"].is_null()))

    def keep(self, table: pa.Table) -> None:
        """Store rows in a new file, so that several runs can work in one folder."""
        results.write_table(table, self.folder / f"{self.digest}-{uuid4().hex}.parquet")

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob(f"{self.digest}-*.parquet"))


def _remove(paths: Iterable[Path]) -> list[Path]:
    """Remove files and return their paths."""
    removed = list(paths)
    for path in removed:
        path.unlink()
    return removed


def _chunks(jobs: Sequence[Job], slots: int) -> Iterator[Sequence[Job]]:
    """Yield the jobs in chunks that grow.

    The slow rows come first, in small chunks, so that an interruption loses little.
    """
    start, rows = 0, slots
    while start < len(jobs):
        yield jobs[start : start + rows]
        start, rows = start + rows, rows + slots


def _measure_chunks(
    spark: SparkSession, chunks: list[Sequence[Job]], parts: PartFiles, tasks_max: int
) -> Iterator[pa.Table]:
    """Yield the rows of each chunk when they are measured and stored.

    If a chunk fails, or the caller stops, the chunks that have not begun are cancelled.
    """
    with ThreadPoolExecutor(CHUNKS_AT_ONCE) as pool:
        begun = [pool.submit(_measure_chunk, spark, chunk, tasks_max) for chunk in chunks]
        try:
            for future in as_completed(begun):
                table = future.result()
                parts.keep(table)
                yield table
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _measure_chunk(spark: SparkSession, jobs: Sequence[Job], tasks_max: int) -> pa.Table:
    """Return the rows of one chunk, measured in at most `tasks_max` Spark tasks."""
    tasks = min(len(jobs), tasks_max)
    rows = [
        {"place": place % tasks, "experiment": job.experiment, "point": job.point, "parameters": job.parameters,
         "seed": job.seed}
        for place, job in enumerate(jobs)
    ]  # fmt: skip
    with explain_failure("the points of an experiment could not be measured"):
        frame = spark.createDataFrame(pa.Table.from_pylist(rows, INPUT)).repartitionById(tasks, "place")
        return frame.mapInArrow(measure_batches, results.SQL_SCHEMA).toArrow().cast(results.SCHEMA)
