"""`python -m bench.check.measure [EVENTS]`: checking beside the engine's floor and beside the judge, in one session.

The floor is what Spark takes to read the same rows from Parquet, shuffle them, sort them by process and index, and drop
them in its `noop` sink. Checking is what `antecede check` does with the folder, reading included: to the verdict, and
with the worst violations explained as it does by default. Beside it, all tables of the verification (into `noop`),
and the verdict on the same rows as a DataFrame, which is what other formats get. Every time is the best of the
rounds, which take turns, so that all see the same machine; processor time is given beside it, because it holds on a
busy one too. Memory is the driver, the engine and the Python workers together.

The judge's time grows faster than its events, so it is measured on prefixes of the same trace, each twice the one
before, up to a whole run of the 20; the largest it did within about a minute is what the others are held to, and its
size is shown.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from antecede.pipeline import ingest
from antecede.pipeline.check import check
from antecede.pipeline.explain import WORST
from antecede.pipeline.session import session
from antecede.pipeline.verify import verify
from bench import table
from bench.check import workload
from bench.check.memory import Peak, cpu_seconds

EVENTS = 10_000_000
ROUNDS = 2
FLOOR_PARTITIONS = 8
JUDGED_EVENTS, JUDGED_SECONDS_MAX = 100_000, 60.0
DRIVER_MEMORY = "3g"
TARGETS = {"20 runs": 0.4, "1 run": 0.2}


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


def main(events: int = EVENTS) -> None:
    spark = session("local[2]", options={"spark.driver.memory": DRIVER_MEMORY})
    with tempfile.TemporaryDirectory() as folder:
        once, judged = _size(spark, Path(folder) / "once", events)
        _show(once, judged, f"{once[0].events:,} events, 64 processes, local[2]")
        twice, _ = _size(spark, Path(folder) / "twice", 2 * events)
        _show(twice, judged, f"{twice[0].events:,} events")
    growth = [(a.name, b.seconds / a.seconds, b.cpu_s / a.cpu_s) for a, b in zip(once, twice, strict=True)]
    table.show("Twice the events (target: at most 2.3 times the time)", ("", "time", "processor time"), growth)
    results = {"once": [asdict(row) for row in once], "twice": [asdict(row) for row in twice], "judge": asdict(judged)}
    print(f"\nkept in {table.keep('check', results)}")


def _size(spark: SparkSession, folder: Path, events: int) -> tuple[list[Measured], Measured]:
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
    for _ in range(ROUNDS):
        for name, job in jobs.items():
            found[name].append(_measured(name, count, job))
    return [_best(rounds) for rounds in found.values()], _judge(spark, folders["1 run"], count // workload.RUNS)


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


def _drop(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()


def _judge(spark: SparkSession, folder: Path, most: int) -> Measured:
    """The pure-Python judge on the largest of the prefixes that it does in time, and on no more than so many events."""
    parse, judge = (
        getattr(importlib.import_module(f"antecede.check.{name}"), call)
        for name, call in (("events", "parse"), ("judge", "judge"))
    )
    rows = spark.read.parquet(str(folder)).orderBy("time").limit(most).collect()
    events: list[Any] = [parse({k: v for k, v in row.asDict().items() if v is not None}) for row in rows]
    size = min(JUDGED_EVENTS, len(events))
    while True:
        prefix = events[:size]
        measured = _measured(f"judge, {size:,} events", size, partial(judge, prefix))
        if size == len(events) or 3 * measured.seconds > JUDGED_SECONDS_MAX:
            return measured
        size = min(2 * size, len(events))


def _show(rows: list[Measured], judged: Measured, title: str) -> None:
    floor = rows[0]
    table.show(
        f"{title}; the judge does {judged.rate:,.0f} events/s on {judged.events:,} events of one run",
        ("", "seconds", "events/s", "of floor", "target", "by processor time", "of judge", "GB"),
        [
            (
                *(row.name, row.seconds, row.rate, row.rate / floor.rate, TARGETS.get(row.name.split(",")[0])),
                *(floor.cpu_s / row.cpu_s, row.rate / judged.rate, row.memory_gb),
            )
            for row in rows
        ],
    )


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:2]))
