"""`make fuzz N=100000 SEED=1`: random executions of every algorithm, each held to the oracle and to the judge.

The executions go round the variants, which are the algorithms and their options; `--executions` says how many there
are in all, and `--each` how many of each variant. Each has a seed of its own, and a failure prints the command that
plays it again. `none` and `chain2` promise no causal order and are only held to deliver everything once. With
`memory`, the network repeats no packet that `none` may have forgotten. With `token_at=last`, the last process has the
token first. With `representatives=separators`, the clusters of a hierarchy are those of the articulation points of a
random network.
With `links=random`, messages go along the links of a random network, which the algorithm is told.
`rendezvous` promises more, and is also held to have no crown. With `answers_ride`, which is an option of the network
and not of the algorithm, the execution is a run of the simulator (`tests.simulated_worlds`).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice

import antecede
from antecede.judge.judge import judge
from tests.oracle import Broken
from tests.replay import explain_failure
from tests.simulated_worlds import check_synchronous, run_with_riders
from tests.worlds import World

BATCH = 200
VARIANTS: tuple[tuple[str, dict[str, object]], ...] = (
    *((name, {}) for name in sorted(antecede.algorithms())),
    ("ks", {"multicast": True}),
    ("ks", {"differential": True}),
    ("mr", {"numbered": True}),
    ("mr", {"numbered": True, "resynch_after_s": 0.7}),
    ("mr-broadcast", {"numbered": True}),
    ("mr-broadcast", {"resynch_after_s": 0.7}),
    ("hierarchy", {"inner": "prs"}),
    ("history", {"repeat_after_s": 0.7}),
    ("isis", {"acyclic": True}),
    ("mr", {"acyclic": True}),
    ("mr", {"acyclic": True, "numbered": True, "resynch_after_s": 0.7}),
    ("mr", {"own_count": False}),
    ("mr", {"own_count": False, "numbered": True, "resynch_after_s": 0.7}),
    ("mr", {"own_count": False, "acyclic": True}),
    ("mr", {"own_count": False, "bare_resynch": True}),
    ("mr", {"own_count": False, "bare_resynch": True, "numbered": True}),
    ("mr", {"own_count": False, "bare_resynch": True, "resynch_after_s": 0.7}),
    ("mr", {"own_count": False, "bare_resynch": True, "acyclic": True, "numbered": True, "resynch_after_s": 0.7}),
    ("mr-scalar", {"numbered": True}),
    ("mr-scalar", {"resynch_after_s": 0.7}),
    ("prs", {"bit_string": True}),
    ("hierarchy", {"inner": "rst"}),
    ("hierarchy", {"inner": "ses"}),
    ("hierarchy", {"representatives": "separators"}),
    ("hierarchy", {"representatives": "separators", "inner": "prs"}),
    ("ks", {"links": "random"}),
    ("prs", {"links": "random"}),
    ("prs", {"links": "random", "bit_string": True}),
    ("mr", {"answers_ride": True}),
    ("mr-broadcast", {"answers_ride": True}),
    ("mr-scalar", {"answers_ride": True}),
    ("history", {"acknowledge_every": 1}),
    ("history", {"acknowledge_every": 3, "repeat_after_s": 0.7}),
    ("none", {"memory": 1}),
    ("none", {"memory": 3}),
    ("serial-broadcast", {"token_at": "last"}),
    ("serial-multicast", {"token_at": "last"}),
    ("mr-broadcast", {"numbered": True, "resynch_after_s": 0.7}),
    ("mr-scalar", {"numbered": True, "resynch_after_s": 0.7}),
    ("mr", {"own_count": False, "acyclic": True, "numbered": True}),
)
"""Every algorithm, and its options. Replays name a variant by its place, so new ones are added at the end."""


def describe(variant: int) -> str:
    """Return the algorithm and its options in words."""
    name, options = VARIANTS[variant]
    return ", ".join([name, *(f"{option}={value}" for option, value in options.items())])


def choose(algorithm: str | None, option: str | None) -> list[int]:
    """Return the variants of an algorithm, or of all, with an option, or with any."""
    return [
        number
        for number, (name, options) in enumerate(VARIANTS)
        if algorithm in (None, name) and (option is None or option in options)
    ]


def execute(variant: int, seed: int) -> World:
    """One execution in a world of these tests: `Broken` if the algorithm, or the judge, disagrees with the oracle."""
    name, options = VARIANTS[variant]
    world = World(name, seed, options=dict(options))
    world.run()
    world.finished()
    verdict = judge(world.events)
    if verdict.duplicates or verdict.spurious or verdict.quarantined:
        raise Broken(f"the judge sees {verdict.as_dict()}")
    if bool(verdict.violations) and world.info.causal:
        raise Broken(f"the judge sees {verdict.violations} violations, and the oracle none")
    if world.info.synchronous:
        check_synchronous(world.events)
    return world


def count(variant: int, seed: int) -> Counter[str]:
    """Return what happened in one execution, in a world of these tests or in one of the simulator. `Broken` if it
    fails.
    """
    name, options = VARIANTS[variant]
    if options.get("answers_ride"):
        return run_with_riders(name, seed)
    world = execute(variant, seed)
    deliveries = sum(map(len, world.oracle.delivered.values()))
    return Counter({"deliveries": deliveries, "out of order": world.oracle.violations, "roles": world.handed_over})


def batch(jobs: list[tuple[int, int]]) -> tuple[Counter[str], list[str]]:
    """Return deliveries by variant, in order and out of it, and what failed: in words, drawn, with its command."""
    counts: Counter[str] = Counter()
    failures = []
    for variant, seed in jobs:
        name = describe(variant)
        counts[f"{name} executions"] += 1
        try:
            found = count(variant, seed)
        except Exception as error:  # whatever it is, it is a finding
            what = f"{VARIANTS[variant]} seed {seed}: {error!r}"
            failures.append(explain_failure(what, ["tests.fuzz", "--replay", f"{variant}:{seed}"]))
            counts[f"{name} failed"] += 1
            continue
        counts.update({f"{name} {column}": found[column] for column in ("deliveries", "out of order")})
        counts.update({column: found[column] for column in ("roles", "riders")})
    return counts, failures


def _batches(executions: int, seed: int, variants: list[int]) -> Iterator[list[tuple[int, int]]]:
    jobs = ((variants[number % len(variants)], seed * 1_000_000_000 + number) for number in range(executions))
    while chunk := list(islice(jobs, BATCH)):
        yield chunk


def fuzz(executions: int, seed: int, variants: list[int], *, workers: int | None = None) -> list[str]:
    """Run them all, with progress on standard error; the failures, in words."""
    totals: Counter[str] = Counter()
    failures: list[str] = []
    done = 0
    with ProcessPoolExecutor(workers or os.cpu_count()) as pool:
        for counts, failed in pool.map(batch, _batches(executions, seed, variants)):
            totals += counts
            failures += failed
            done = min(done + BATCH, executions)
            for failure in failed:
                print(failure, file=sys.stderr)
            if sys.stderr.isatty():
                print(f"\r{done:,} of {executions:,} executions, {len(failures)} failed", end="", file=sys.stderr)
    print(file=sys.stderr)
    print(f"{'variant':<60}{'executions':>12}{'failed':>8}{'deliveries':>12}{'out of order':>14}")
    for name in sorted(map(describe, variants)):
        columns = (totals[f"{name} {what}"] for what in ("executions", "failed", "deliveries", "out of order"))
        print("{:<60}{:>12,}{:>8,}{:>12,}{:>14,}".format(name, *columns))
    if handed_over := totals["roles"]:
        print(f"{handed_over:,} roles of a hierarchy handed over")
    if riders := totals["riders"]:
        print(f"{riders:,} resynchronisations rode on acknowledgements")
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    how_many = parser.add_mutually_exclusive_group()
    how_many.add_argument("--executions", type=int, default=2000, help="how many in all")
    how_many.add_argument("--each", type=int, metavar="N", help="N executions of every variant")
    parser.add_argument("--seed", type=int, default=1)
    names = sorted(antecede.algorithms())
    parser.add_argument("--algorithm", choices=names, metavar="NAME", help="this one only, with all its options")
    offered = sorted({option for _, options in VARIANTS for option in options})
    parser.add_argument("--option", choices=offered, metavar="NAME", help="only where this option is given")
    parser.add_argument("--replay", metavar="VARIANT:SEED", help="play one execution again, as a failure printed it")
    arguments = parser.parse_args()
    if arguments.replay:
        variant, seed = map(int, arguments.replay.split(":"))
        _, failures = batch([(variant, seed)])
        print("\n".join(failures) or f"{VARIANTS[variant]} seed {seed}: as it should be")
        return 1 if failures else 0
    variants = choose(arguments.algorithm, arguments.option)
    if not variants:
        parser.error(f"{arguments.algorithm} has no variant here with the option {arguments.option}")
    executions = arguments.executions if arguments.each is None else arguments.each * len(variants)
    failures = fuzz(executions, arguments.seed, variants)
    print(f"{executions:,} executions from seed {arguments.seed}: {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
