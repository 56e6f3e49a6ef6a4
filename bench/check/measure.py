"""`python -m bench.check.measure [EVENTS]`: checking beside the engine's floor and beside the judge, in one session.

The floor is what Spark takes to read the same rows from Parquet, shuffle them, sort them by process and index, and drop
them in its `noop` sink. Checking is measured twice: to the verdict (`runs`, collected), and with all tables
(`findings`, into `noop`). Every time is the best of the rounds, which take turns, so that all see the same
machine; processor time is given beside it, because it holds on a busy one too. Memory is the driver, the engine and
the Python workers together. The judge is measured on the first of the runs, cut to 100,000 events.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from antecede.pipeline.session import session
from antecede.pipeline.verify import verify
from bench import table
from bench.check import workload
from bench.check.memory import Peak, cpu_seconds

EVENTS = 10_000_000
ROUNDS = 2
FLOOR_PARTITIONS = 8
JUDGED_EVENTS_MAX = 100_000
DRIVER_MEMORY = "3g"
TARGETS = {"20 runs, verdict": 0.4, "20 runs, all tables": 0.4, "1 run, verdict": 0.2, "1 run, all tables": 0.2}


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
        twice, _ = _size(spark, Path(folder) / "twice", 2 * events)
    _show(once, judged, f"{once[0].events:,} events, 64 processes, local[2]")
    _show(twice, judged, f"{twice[0].events:,} events")
    growth = [(a.name, b.seconds / a.seconds, b.cpu_s / a.cpu_s) for a, b in zip(once, twice, strict=True)]
    table.show("Twice the events (target: at most 2.3 times the time)", ("", "time", "processor time"), growth)
    results = {"once": [asdict(row) for row in once], "twice": [asdict(row) for row in twice], "judge_rate": judged}
    print(f"\nkept in {table.keep('check', results)}")


def _size(spark: SparkSession, folder: Path, events: int) -> tuple[list[Measured], float]:
    count = workload.write(folder, events)
    rows = spark.read.parquet(str(folder))
    many = rows.drop("single")
    one = rows.withColumn("run", fn.col("single")).drop("single")
    jobs: dict[str, Callable[[], None]] = {
        "floor": lambda: _floor(many),
        "20 runs, verdict": lambda: _verdict(many),
        "20 runs, all tables": lambda: _tables(many),
        "1 run, verdict": lambda: _verdict(one),
        "1 run, all tables": lambda: _tables(one),
    }
    found: dict[str, list[Measured]] = {name: [] for name in jobs}
    for _ in range(ROUNDS):
        for name, job in jobs.items():
            found[name].append(_measured(name, count, job))
    return [_best(rounds) for rounds in found.values()], _judge_rate(many)


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


def _verdict(events: DataFrame) -> None:
    answer = verify(events, detail=False)
    assert all(row["verdict"] == "violated" for row in answer.runs.collect())
    answer.release()


def _tables(events: DataFrame) -> None:
    answer = verify(events)
    _drop(answer.findings)
    answer.release()


def _drop(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()


def _judge_rate(events: DataFrame) -> float:
    """Events per second of the pure-Python judge."""
    check = importlib.import_module("antecede.check.events"), importlib.import_module("antecede.check.judge")
    rows = events.filter(fn.col("run") == "run-00").orderBy("time").limit(JUDGED_EVENTS_MAX).collect()
    judged: list[Any] = [check[0].parse({k: v for k, v in row.asDict().items() if v is not None}) for row in rows]
    start = perf_counter()
    check[1].judge(judged)
    return len(judged) / (perf_counter() - start)


def _show(rows: list[Measured], judged: float, title: str) -> None:
    floor = rows[0]
    table.show(
        f"{title}; the judge does {judged:,.0f} events/s",
        ("", "seconds", "events/s", "of floor", "target", "by processor time", "of judge", "GB"),
        [
            (
                *(row.name, row.seconds, row.rate, row.rate / floor.rate, TARGETS.get(row.name)),
                *(floor.cpu_s / row.cpu_s, row.rate / judged, row.memory_gb),
            )
            for row in rows
        ],
    )


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:2]))
