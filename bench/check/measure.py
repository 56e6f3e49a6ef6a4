"""`python -m bench.check.measure [EVENTS]`: checking beside the engine's floor and beside the judge, in one session.

The floor is what Spark takes to read the same rows from Parquet, shuffle them, sort them by process and index, and drop
them in its `noop` sink. Checking is what `antecede check` does with the folder, reading included: to the verdict, and
with the worst violations explained as it does by default. Beside it, all tables of the verification (into `noop`),
and the verdict on the same rows as a DataFrame, which is what other formats get. Rounds on fewer events come
first, because Java compiles for a minute what it runs often, beside and at the cost of whatever is measured; the floor
is warmed up as everything else is. Every time is the best of the rounds, which take turns, so that all see the same
machine; processor time is given beside it, because it holds on a busy one too. Memory is the driver, the engine and the
Python workers together.

The judge does the same work in pure Python: it takes the rows as JSON Lines, which is its own form of a trace, applies
the rules to each, and judges. Its time for an event grows with the length of the run, because a past is a set of all
messages before. So 20 runs are held to its rate on a run of that length; and one run of everything to the rate that it
would have on that, by the straight line through the times for an event of runs once, twice and four times as long. That
line, too, is shown.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

import numpy as np
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from antecede.pipeline.check import check
from antecede.pipeline.read import ingest
from antecede.pipeline.report.explanations import WORST
from antecede.pipeline.spark.session import session
from antecede.pipeline.verify.verify import verify
from bench import table
from bench.check import workload
from bench.check.memory import Peak, cpu_seconds

EVENTS = 10_000_000
WARM_EVENTS = 2_000_000
ROUNDS, ROUNDS_TWICE = 3, 2
FLOOR_PARTITIONS = 8
JUDGED_TIMES = (1, 2, 4)  # as long as one of the 20 runs
DRIVER_MEMORY = "2500m"  # of the 6 GB that all may have together
TARGETS = {"20 runs": 0.4, "1 run": 0.2}
JUDGE_TARGET = 30


@dataclass(frozen=True, slots=True)
class Measured:
    name: str
    events: int
    seconds: float
    cpu_s: float
    memory_gb: float

    @property
    def rate(self) -> float:
        return self.events / self.seconds


@dataclass(frozen=True, slots=True)
class Judge:
    """Events per second of the pure-Python judge: measured on one of the 20 runs; reckoned for all in one run."""

    run: float
    whole: float
    events: int
    measured: list[Measured]

    def __str__(self) -> str:
        rates = ", ".join(f"{row.rate:,.0f} events/s on a run of {row.events:,}" for row in self.measured)
        return f"the judge, from JSON Lines: {rates}; by that {self.whole:,.0f} on one of {self.events:,}"

    def beside(self, name: str) -> float:
        return self.whole if name.startswith("1 run") else self.run


def main(events: int = EVENTS) -> None:
    spark = session("local[2]", options={"spark.driver.memory": DRIVER_MEMORY})
    with tempfile.TemporaryDirectory() as folder:
        _size(spark, Path(folder) / "warm", min(events, WARM_EVENTS), ROUNDS)
        once = _size(spark, Path(folder) / "once", events, ROUNDS)
        with get_context("spawn").Pool(1) as apart:  # its memory is not the driver's
            judge = apart.apply(
                _judge, (Path(folder) / "once" / "one", once[0].events // workload.RUNS, once[0].events)
            )
        _show(f"{once[0].events:,} events, 64 processes, local[2]; {judge}", once, judge)
        twice = _size(spark, Path(folder) / "twice", 2 * events, ROUNDS_TWICE)
        _show(f"{twice[0].events:,} events", twice)
    growth = [(a.name, b.seconds / a.seconds, b.cpu_s / a.cpu_s) for a, b in zip(once, twice, strict=True)]
    table.show("Twice the events (target: at most 2.3 times the time)", ("", "time", "processor time"), growth)
    results = {"once": [asdict(row) for row in once], "twice": [asdict(row) for row in twice], "judge": asdict(judge)}
    print(f"\nkept in {table.keep('check', results)}")


def _size(spark: SparkSession, folder: Path, events: int, rounds: int) -> list[Measured]:
    folders = {"20 runs": folder / "many", "1 run": folder / "one"}
    count = workload.write(folders["20 runs"], events)
    workload.write(folders["1 run"], events, runs=1)
    jobs: dict[str, Callable[[], None]] = {"floor": partial(_floor, spark.read.parquet(str(folders["20 runs"])))}
    for name, place in folders.items():
        jobs[f"{name}, verdict"] = partial(_checked, spark, str(place), worst=0)
        jobs[f"{name}, explained"] = partial(_checked, spark, str(place))
        jobs[f"{name}, all tables"] = partial(_tables, spark, str(place))
        jobs[f"{name}, as a DataFrame"] = partial(_verdict, spark.read.parquet(str(place)))
    found: dict[str, list[Measured]] = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            found[name].append(_measured(name, count, job))
    return [_best(rounds) for rounds in found.values()]


def _measured(name: str, events: int, job: Callable[[], None]) -> Measured:
    cpu_s, start = cpu_seconds(), perf_counter()
    with Peak() as peak:
        job()
    seconds, used_s = perf_counter() - start, cpu_seconds() - cpu_s
    print(f"{name}: {seconds:.1f} s, {used_s:.1f} s of processors", file=sys.stderr)
    return Measured(name, events, seconds, used_s, peak.bytes_max / 1e9)


def _best(rounds: list[Measured]) -> Measured:
    fastest = min(rounds, key=lambda row: row.seconds)
    memory_gb = max(row.memory_gb for row in rounds)
    return Measured(fastest.name, fastest.events, fastest.seconds, min(row.cpu_s for row in rounds), memory_gb)


def _floor(events: DataFrame) -> None:
    shuffled = events.repartition(FLOOR_PARTITIONS, "run", "process")
    _drop(shuffled.sortWithinPartitions("run", "process", "index"))


def _checked(spark: SparkSession, folder: str, worst: int = WORST) -> None:
    found = check(spark, [folder], worst=worst)
    assert found.answer.verdict == "violated"
    assert len(found.explained) == worst


def _verdict(events: DataFrame) -> None:
    answer = verify(events, detail=False)
    assert all(row["verdict"] == "violated" for row in answer.runs.collect())
    answer.release()


def _tables(spark: SparkSession, folder: str) -> None:
    read = ingest.read(spark, [folder])
    answer = verify(read.feed or read.events)
    _drop(answer.findings)
    answer.release()
    if read.feed is not None:
        read.feed.release()


def _drop(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()


def _judge(folder: Path, run_events: int, events: int) -> Judge:
    """The pure-Python judge, from lines to the verdict, on prefixes of a trace of one run."""
    read_jsonl, judge = (
        getattr(importlib.import_module(f"antecede.judge.{name}"), call)
        for name, call in (("events", "read_jsonl"), ("judge", "judge"))
    )
    measured = []
    for times in JUDGED_TIMES:
        lines = list(islice(_lines(folder), times * run_events))
        start = perf_counter()  # nothing beside it: a look at the memory now and then would slow Python down
        judge(read_jsonl(lines)[0])
        seconds = perf_counter() - start
        measured.append(Measured(f"judge, {len(lines):,} events", len(lines), seconds, seconds, 0.0))
    slope, per_event_s = np.polyfit([row.events for row in measured], [row.seconds / row.events for row in measured], 1)
    whole_s = per_event_s + max(slope, 0.0) * events
    return Judge(measured[0].rate, float(1 / whole_s), events, measured)


def _lines(folder: Path) -> Iterator[str]:
    for path in sorted(folder.iterdir()):
        for batch in pq.ParquetFile(path).iter_batches(100_000):
            for row in batch.to_pylist():
                yield json.dumps({name: value for name, value in row.items() if value is not None})


def _show(title: str, rows: list[Measured], judge: Judge | None = None) -> None:
    floor = rows[0]
    columns = ("", "seconds", "events/s", "of floor", "target", "by processor time", "GB")
    table.show(
        title,
        (*columns, "of judge", "target") if judge else columns,
        [
            (
                *(row.name, row.seconds, row.rate, row.rate / floor.rate, TARGETS.get(row.name.split(",")[0])),
                *(floor.cpu_s / row.cpu_s, row.memory_gb),
                *((row.rate / judge.beside(row.name), None if row is floor else JUDGE_TARGET) if judge else ()),
            )
            for row in rows
        ],
    )


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:2]))
