"""`python -m tests.faults --times 20 [--seed N]`: the fault suite, many times in a row, each with another seed.

Three tests run at the same time, because most of the time they wait.
One line a run: its seed, what pytest counted, how long it took. It ends at the first run that fails, or takes longer
than `--minutes`, with what the run said, which has the command that runs a test again.
"""

import argparse
import os
import sys
import time
from pathlib import Path

from tests.faults.rounds import ROUND_S_MAX, run_round
from tests.replay import SEED_VARIABLE

FOLDER = Path(__file__).parent


def one_run(seed: int, workers: int, limit_s: float) -> bool:
    """Run the whole suite with one seed. Return whether it passed in time."""
    began = time.monotonic()
    command = [sys.executable, "-m", "pytest", str(FOLDER), "-n", str(workers)]
    passed, said = run_round(command, {**os.environ, SEED_VARIABLE: str(seed)}, limit_s)
    last = said.rpartition("\n")[2]
    print(f"seed {seed}: {last} (after {time.monotonic() - began:.0f} s)", flush=True)
    if not passed:
        print(said)
    return passed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=ROUND_S_MAX / 60, help="how long a round may take")
    chosen = parser.parse_args()
    for seed in range(chosen.seed, chosen.seed + chosen.times):
        if not one_run(seed, chosen.workers, 60 * chosen.minutes):
            return 1
    print(f"{chosen.times} runs of {chosen.times} passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
