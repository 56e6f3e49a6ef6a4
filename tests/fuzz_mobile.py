"""`python -m tests.fuzz_mobile --worlds 100000 --seed 1`: random roaming worlds, held to the oracle and to the judge.

Most are of `tests.mobile_worlds`; those with beacons, and those without stations, are of the simulator. The worlds go
round the protocols; `--worlds` says how many there are in all, and `--each` how many of each protocol. Each has a seed
of its own, and a failure prints the command that plays it again.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice

from antecede.judge.judge import judge
from tests.mobile_worlds import VARIANTS, MobileWorld
from tests.oracle import Broken
from tests.replay import explain_failure
from tests.simulated_mobile_worlds import SIMULATED

BATCH = 100
NAMES = (*sorted(VARIANTS), *sorted(SIMULATED))
COUNTED = ("worlds", "messages", "deliveries", "dropped", "hand-offs", "held for nothing")
"""What a world counts."""
COLUMNS = ("worlds", "failed", *COUNTED[1:])


def execute(name: str, seed: int) -> MobileWorld:
    """One execution of a variant: `Broken` if the protocol, or the judge, disagrees with the oracle."""
    protocol, settings = VARIANTS[name]
    world = MobileWorld(protocol, seed, **settings)
    world.run()
    world.finished()
    verdict = judge(world.events)
    if verdict.duplicates or verdict.spurious or verdict.quarantined or verdict.violations:
        raise Broken(f"the judge sees {verdict.as_dict()}, and the oracle nothing")
    if verdict.lost != len(world.oracle.dropped):
        raise Broken(f"the judge sees {verdict.lost} lost, where {len(world.oracle.dropped)} were dropped")
    return world


def count(name: str, seed: int) -> Counter[str]:
    """Return what happened in one execution of a variant or of a simulated world. `Broken` if it fails."""
    if name in SIMULATED:
        return SIMULATED[name](seed)
    world = execute(name, seed)
    counts = (
        1,
        len(world.oracle.messages),
        sum(map(len, world.oracle.delivered.values())),
        len(world.oracle.dropped),
        sum(host.move for host in world.hosts.values()),
        world.counts["held for nothing"],
    )
    return Counter(dict(zip(COUNTED, counts, strict=True)))


def batch(jobs: list[tuple[str, int]]) -> tuple[Counter[str], list[str]]:
    """Return what happened, by protocol, and what failed: in words, drawn, with its command."""
    counts: Counter[str] = Counter()
    failures = []
    for protocol, seed in jobs:
        try:
            found = count(protocol, seed)
        except Exception as error:  # whatever it is, it is a finding
            command = ["tests.fuzz_mobile", "--replay", f"{protocol}:{seed}"]
            failures.append(explain_failure(f"{protocol} seed {seed}: {error!r}", command))
            found = Counter(worlds=1, failed=1)
        counts.update({f"{protocol} {column}": found[column] for column in COLUMNS})
    return counts, failures


def _batches(worlds: int, seed: int, names: tuple[str, ...]) -> Iterator[list[tuple[str, int]]]:
    jobs = ((names[number % len(names)], seed * 1_000_000_000 + number) for number in range(worlds))
    while chunk := list(islice(jobs, BATCH)):
        yield chunk


def fuzz(worlds: int, seed: int, *, workers: int | None = None, names: tuple[str, ...] = NAMES) -> list[str]:
    """Run them all with progress on standard error; the failures, in words."""
    totals: Counter[str] = Counter()
    failures: list[str] = []
    done = 0
    with ProcessPoolExecutor(workers or os.cpu_count()) as pool:
        for counts, failed in pool.map(batch, _batches(worlds, seed, names)):
            totals += counts
            failures += failed
            done = min(done + BATCH, worlds)
            for failure in failed:
                print(failure, file=sys.stderr)
            if sys.stderr.isatty():
                print(f"\r{done:,} of {worlds:,} worlds, {len(failures)} failed", end="", file=sys.stderr)
    print(file=sys.stderr)
    print(f"{'protocol':<32}" + "".join(f"{column:>18}" for column in COLUMNS))
    for name in names:
        print(f"{name:<32}" + "".join(f"{totals[f'{name} {column}']:>18,}" for column in COLUMNS))
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    how_many = parser.add_mutually_exclusive_group()
    how_many.add_argument("--worlds", type=int, default=2000, help="how many in all")
    how_many.add_argument("--each", type=int, metavar="N", help="N worlds of every protocol")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--protocol", choices=NAMES, help="this one only")
    parser.add_argument("--workers", type=int, help="processes to run them in; all cores unless told")
    parser.add_argument("--replay", metavar="PROTOCOL:SEED", help="play one world again, as a failure printed it")
    arguments = parser.parse_args()
    if arguments.replay:
        protocol, _, seed = arguments.replay.rpartition(":")
        _, failures = batch([(protocol, int(seed))])
        print("\n".join(failures) or f"{protocol} seed {seed}: as it should be")
        return 1 if failures else 0
    names = (arguments.protocol,) if arguments.protocol else NAMES
    worlds = arguments.worlds if arguments.each is None else arguments.each * len(names)
    failures = fuzz(worlds, arguments.seed, names=names, workers=arguments.workers)
    print(f"{worlds:,} worlds from seed {arguments.seed}: {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
