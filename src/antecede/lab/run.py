"""Runs an experiment on Spark: a DataFrame of (point, seed), a task for each row or a few, and nothing done twice.

Rows are measured in chunks, two chunks at a time, so that no core waits for the slowest row of a chunk. The rows of a
chunk that is done are kept as a file of their own under `parts`, which gets its name when it is complete; so a run
that was interrupted goes on where it was, and rows that failed are tried again. Parts carry the digest of the
declaration: with another declaration the old ones are of no use, are removed, and the run starts anew.

Only DataFrames and Arrow are used, so it is the same on a local Spark, a cluster, and over Spark Connect.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from os import cpu_count
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
from pyspark.sql import SparkSession

from antecede.lab import results
from antecede.lab.experiment import Experiment, Job
from antecede.lab.work import measured
from antecede.pipeline.spark.session import explained

CHUNKS_AT_ONCE = 2
TASKS_OF_A_SLOT = 4
"""Of one chunk. A task has its price, so that the quick rows of a large chunk share some."""
SLOTS_UNKNOWN = 16
"""Of a cluster that does not say how many tasks it runs at once."""
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
    """So many rows of so many are done, of which some were there already; and what the run has to say, if anything."""

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
class Ran:
    """All rows of an experiment, failed ones too, and how many were there before."""

    experiment: Experiment
    quick: bool
    table: pa.Table
    resumed: int
    notes: tuple[str, ...]

    @property
    def failures(self) -> list[Failure]:
        rows = results.as_sorted(self.table).to_pylist()
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
) -> Ran:
    """Measure what is not in `folder` yet. `slots`: how many tasks this Spark runs at once."""
    jobs, digest = experiment.jobs(quick), experiment.digest(quick)
    parts = Parts(folder / "parts", digest)
    removed = parts.remove_others()
    notes = [f"{experiment.name}: declared otherwise than what was kept, so it starts anew"] if removed else []
    notes += [f"{experiment.name}: {path} cannot be read, and is measured again" for path in parts.remove_broken()]
    kept = parts.table()
    have = {(row["point"], row["seed"]) for row in kept.select(["point", "seed"]).to_pylist()}
    missing = [job for job in jobs if (job.point, job.seed) not in have]
    progress(Progress(len(have), len(jobs), len(have), "; ".join(notes)))
    done = len(have)
    for table in _measured(spark, list(_chunks(missing, slots)), parts, TASKS_OF_A_SLOT * slots):
        done += table.num_rows
        kept = pa.concat_tables([kept, table])
        progress(Progress(done, len(jobs), len(have)))
    return Ran(experiment, quick, kept, len(have), tuple(notes))


def slots_of(master: str | None) -> int:
    """How many tasks a master of this address runs at once, as far as the address says."""
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
class Parts:
    """The files of one declaration's rows."""

    folder: Path
    digest: str

    def remove_others(self) -> int:
        others = [path for path in sorted(self.folder.glob("*.parquet")) if not path.name.startswith(self.digest)]
        for path in others:
            path.unlink()
        return len(others)

    def remove_broken(self) -> list[Path]:
        """Files that were cut short, or are somebody else's."""
        broken = [path for path in self._files() if not results.is_readable(path)]
        for path in broken:
            path.unlink()
        return broken

    def table(self) -> pa.Table:
        """The rows kept, each once, without those that failed."""
        kept = results.read(self._files())
        return results.once(kept.filter(kept["error"].is_null()))

    def keep(self, table: pa.Table) -> None:
        """In a file of its own: whoever else works in this folder has others."""
        results.write(table, self.folder / f"{self.digest}-{uuid4().hex}.parquet")

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob(f"{self.digest}-*.parquet"))


def _chunks(jobs: Sequence[Job], slots: int) -> Iterator[Sequence[Job]]:
    """The slow rows come first, in small chunks, so that an interruption loses little; then ever more at once."""
    start, rows = 0, slots
    while start < len(jobs):
        yield jobs[start : start + rows]
        start, rows = start + rows, rows + slots


def _measured(spark: SparkSession, chunks: list[Sequence[Job]], parts: Parts, tasks_max: int) -> Iterator[pa.Table]:
    """Each chunk as it is done, and kept. If one fails, or the caller stops, those not begun never are."""
    with ThreadPoolExecutor(CHUNKS_AT_ONCE) as pool:
        begun = [pool.submit(_measure, spark, chunk, tasks_max) for chunk in chunks]
        try:
            for future in as_completed(begun):
                table = future.result()
                parts.keep(table)
                yield table
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _measure(spark: SparkSession, jobs: Sequence[Job], tasks_max: int) -> pa.Table:
    tasks = min(len(jobs), tasks_max)
    rows = [
        {"place": place % tasks, "experiment": job.experiment, "point": job.point, "parameters": job.parameters,
         "seed": job.seed}
        for place, job in enumerate(jobs)
    ]  # fmt: skip
    with explained("the points of an experiment could not be measured"):
        frame = spark.createDataFrame(pa.Table.from_pylist(rows, INPUT)).repartitionById(tasks, "place")
        return frame.mapInArrow(measured, results.SQL_SCHEMA).toArrow().cast(results.SCHEMA)
