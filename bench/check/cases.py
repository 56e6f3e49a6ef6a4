"""Which inputs are measured, and what is done with each.

An input is a workload in a form, and the works are commands on it: a check, or a peer of `bench.check.peers`. `scale`
makes all of them smaller or larger, except the small log.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.check.workload import Workload

VERDICT, OUT, IN_PROCESS, IN_PROCESS_OUT = "verdict", "--out", "in-process", "in-process --out"
CHECKS = (VERDICT, OUT, IN_PROCESS, IN_PROCESS_OUT)
START, COUNT, SORT, SORT_JUDGED, JUDGE = "start", "count", "sort", "sort-judged", "judge"
SPARK_PEERS = (START, COUNT, SORT, SORT_JUDGED)

LOG_EVENTS, LOG_PROCESSES = 2_000, 12
SMALL_EVENTS, LARGE_EVENTS = 1_000_000, 10_000_000
PROCESSES, SOME_PROCESSES, MANY_PROCESSES = 64, 4_096, 100_000
RUNS = 20
PROCESSES_MIN = 128  # of many, however small the scale


@dataclass(frozen=True, slots=True)
class Input:
    """Files, and what is done with them. `group` is what they are chosen by."""

    name: str
    group: str
    form: str
    workload: Workload
    works: tuple[str, ...]
    is_large: bool = False


def list_inputs(scale: float = 1.0, *, late_share: float = 0.0, seed: int = 1) -> list[Input]:
    """Return all inputs, in the order in which they are measured."""

    def load(events: float, runs: int = RUNS, processes: int = PROCESSES) -> Workload:
        return Workload(int(events), processes, runs, late_share, seed)

    small, large = scale * SMALL_EVENTS, scale * LARGE_EVENTS
    some, many = (max(PROCESSES_MIN, int(scale * count)) for count in (SOME_PROCESSES, MANY_PROCESSES))
    here = (VERDICT, OUT, IN_PROCESS, IN_PROCESS_OUT)
    once = (VERDICT, OUT)
    sorts = (SORT, SORT_JUDGED)
    return [
        Input("log", "log", "jsonl", load(LOG_EVENTS, 1, LOG_PROCESSES), (START, COUNT, JUDGE, *here)),
        Input("jsonl", "jsonl", "jsonl", load(small), (COUNT, JUDGE, *here)),
        Input("otlp", "otlp", "otlp", load(small, 1), (COUNT, *here)),
        Input("few, 20 runs", "processes", "parquet", load(small), (COUNT, JUDGE, VERDICT, OUT)),
        Input("many, 20 runs", "processes", "parquet", load(small, RUNS, many), (VERDICT, OUT)),
        Input("few, 1 run", "processes", "parquet", load(small, 1), (COUNT, JUDGE, VERDICT, OUT)),
        Input("many, 1 run", "processes", "parquet", load(small, 1, many), (VERDICT, OUT)),
        Input("parquet", "parquet", "parquet", load(large), (COUNT, *sorts, *here), is_large=True),
        Input("parquet, 1 run", "parquet", "parquet", load(large, 1), (COUNT, *sorts, *here), is_large=True),
        Input("twice", "twice", "parquet", load(2 * large), once, is_large=True),
        Input("twice, 1 run", "twice", "parquet", load(2 * large, 1), once, is_large=True),
        Input("four times", "scale", "parquet", load(4 * large), once, is_large=True),
        Input("four times, 1 run", "scale", "parquet", load(4 * large, 1), once, is_large=True),
        *(
            Input(
                f"{count:,} processes, {runs} runs", "scale", "parquet", load(large, runs, count), once, is_large=True
            )
            for count in (some, many)
            for runs in (RUNS, 1)
        ),
    ]


GROUPS = tuple(dict.fromkeys(one.group for one in list_inputs()))


def choose_works(given: Sequence[str], master: str | None) -> Iterator[str]:
    """Yield what can be done with this master. Without Spark there are no peers on Spark, and one kind of check."""
    for work in given:
        if master != IN_PROCESS or work not in (*SPARK_PEERS, IN_PROCESS, IN_PROCESS_OUT):
            yield work


def command_for(work: str, files: Path, *, master: str | None, out: Path) -> list[str]:
    """Return the command for a work. `out` is where the tables go, if there are any."""
    place = [] if master is None else ["--master", master]
    if work not in CHECKS:
        return [sys.executable, "-m", "bench.check.peers", work, str(files), *place]
    if work in (IN_PROCESS, IN_PROCESS_OUT):
        place = ["--master", IN_PROCESS]
    tables = ["--out", str(out)] if work in (OUT, IN_PROCESS_OUT) else []
    return [sys.executable, "-m", "antecede", "check", str(files), *tables, *place]
