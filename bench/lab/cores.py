"""`ks-growth` on one local core and on two: runs measured per second, Spark's start left out.

The points are those of the full experiment with 50 processes and the middle load, one seed of each.

`python -m bench.lab.cores MASTER` measures one master; each is a process of its own, for a JVM holds one session. A few
points are run first and not counted, so that the Python workers are there.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from bench import table

MASTERS, N, TARGET = ("local[1]", "local[2]"), 50, 1.6


def rate(master: str) -> float:
    """Runs per second."""
    from antecede.lab.experiments import find_experiment
    from antecede.lab.run import run, slots_of
    from antecede.pipeline.spark.session import session

    growth = find_experiment("ks-growth")
    spark, slots = session(master, app="antecede bench"), slots_of(master)
    with tempfile.TemporaryDirectory() as folder:
        warm_up = replace(growth, quick=growth.quick[:8], quick_seeds=(7,))
        run(spark, warm_up, Path(folder) / "warm", quick=True, slots=slots)
        points = [point for point in growth.grid if point["n"] == N and point["load"] == 1.0]
        measured = replace(growth, quick=points, quick_seeds=(1,))
        start = perf_counter()
        done: int = run(spark, measured, Path(folder) / "measured", quick=True, slots=slots).table.num_rows
        return done / (perf_counter() - start)


def beside() -> dict[str, object]:
    rates = {}
    for master in MASTERS:
        done = subprocess.run(
            [sys.executable, "-m", "bench.lab.cores", master], capture_output=True, text=True, check=True
        )
        rates[master] = float(done.stdout.strip().splitlines()[-1])
    ratio = rates[MASTERS[1]] / rates[MASTERS[0]]
    table.show(
        f"ks-growth on Spark, {N} processes (target: two cores {TARGET:g} times one)",
        ("master", "runs/s", "times one core"),
        [(master, value, value / rates[MASTERS[0]]) for master, value in rates.items()],
    )
    return {"rates": rates, "ratio": ratio, "target": TARGET}


if __name__ == "__main__":
    print(rate(sys.argv[1]))
