"""`python -m bench.check.small [LOG]`: from command to verdict on a small log, beside starting Spark and counting it.

The target is a ratio of at most 2. All are whole processes, started one after the other and in turn, `ROUNDS` times;
the ratio is that of the medians, and the spread of the single ratios is shown beside it. A check of a small log starts
Spark with settings for that (`antecede.pipeline.spark.small_input`), so it is held to two floors: Spark as it is
started otherwise, and, harder, Spark started with the same settings.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

from bench.table import keep, show

ROUNDS = 3
TARGET = 2.0
LOGS = Path(os.environ.get("LOGS", "logs"))
"""The folder of the real logs that tests/README.md lists."""
LOG = LOGS / "shiviz" / "chord.log"
COUNT = """
import sys
from antecede.pipeline.spark.session import session
from antecede.pipeline.spark.small_input import options
settings = options([sys.argv[1]], None) if sys.argv[2] == "small" else {}
print(session(options=settings).read.text(sys.argv[1]).count())
"""
FLOORS = {"usual": "Spark as usual", "small": "Spark with the settings for small logs"}


def seconds(*command: str) -> float:
    """How long a Python process takes from its start to its end; its exit status must be one of a verdict."""
    begun = perf_counter()
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    took = perf_counter() - begun
    if done.returncode not in (0, 1, 3):
        raise RuntimeError(f"{' '.join(command[:4])} ended with {done.returncode}: {done.stderr[-2000:]}")
    return took


def main(log: Path = LOG) -> None:
    if not log.exists():
        print(
            f"no log at {log}; name one (python -m bench.check.small LOG), or the folder of the real logs (LOGS=FOLDER)"
        )
        return
    floors: dict[str, list[float]] = {name: [] for name in FLOORS}
    checks = []
    for _ in range(ROUNDS):
        for name, times in floors.items():
            times.append(seconds("-c", COUNT, str(log), name))
        checks.append(seconds("-m", "antecede", "check", str(log), "--json"))
    ratios = {name: median(checks) / median(times) for name, times in floors.items()}
    each = {
        name: sorted(check / floor for check, floor in zip(checks, times, strict=True))
        for name, times in floors.items()
    }
    show(
        f"From command to verdict on {log.name}, {ROUNDS} rounds (seconds, medians)",
        ("floor", "start and count", "check", "ratio", "least", "most", f"at most {TARGET:g}"),
        [
            (
                words,
                median(floors[name]),
                median(checks),
                ratios[name],
                each[name][0],
                each[name][-1],
                ratios[name] <= TARGET,
            )
            for name, words in FLOORS.items()
        ],
    )
    keep("check-small", {"floor_s": floors, "check_s": checks, "ratio": ratios, "target": TARGET})


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
