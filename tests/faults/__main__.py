"""`python -m tests.faults --times 20 [--seed N]`: the fault suite, many times in a row, each with another seed.

Three tests run at the same time, because most of the time they wait.
One line a run: its seed, what pytest counted, how long it took. It ends at the first run that fails, with what the run
said which has the command that runs a test again.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from tests.replay import SEED_VARIABLE

FOLDER = Path(__file__).parent


def one_run(seed: int, workers: int) -> bool:
    """Run the whole suite with one seed."""
    began = time.monotonic()
    command = [sys.executable, "-m", "pytest", str(FOLDER), "-n", str(workers)]
    done = subprocess.run(
        command, env={**os.environ, SEED_VARIABLE: str(seed)}, capture_output=True, text=True, check=False
    )
    lines = done.stdout.strip().splitlines()
    print(f"seed {seed}: {lines[-1] if lines else done.stderr} (after {time.monotonic() - began:.0f} s)", flush=True)
    if done.returncode:
        print(done.stdout, done.stderr, sep="\n")
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=3)
    chosen = parser.parse_args()
    for seed in range(chosen.seed, chosen.seed + chosen.times):
        if not one_run(seed, chosen.workers):
            return 1
    print(f"{chosen.times} runs of {chosen.times} passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
