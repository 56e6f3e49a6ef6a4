"""`python -m tests.lab.tiny MASTER DIR`: Figure 4 of 000 cut down to seconds, run on one kind of Spark.

The executors know an experiment by its name alone, so this is the real one with another grid. A JVM holds one kind of
session, so each kind is a process of its own; `connect` starts a Connect server.
"""

import sys
from dataclasses import replace
from pathlib import Path

from antecede.lab import report
from antecede.lab.experiment import Experiment
from antecede.lab.experiments import find_experiment
from antecede.lab.experiments.prs import make_point
from antecede.lab.run import run
from tests.fuzz_check import connect


def tiny() -> Experiment:
    few = [
        {**make_point(n=5, propagation=propagation, dests=(1, 4)), "warmup": 50, "deliveries": 100}
        for propagation in (1 / 12, 1.0, 3.0)
    ]
    return replace(find_experiment("prs-fig4"), quick=few, quick_seeds=(1, 2, 3))


if __name__ == "__main__":
    master, folder = sys.argv[1], Path(sys.argv[2])
    ran = run(connect(master), tiny(), folder, quick=True, slots=2)
    report.write_report(ran, folder)
