"""`python -m tests.faults.soak --minutes 60 [--seed N]`: round after round of real processes and random faults.

Everything happens at once, in two lanes and to residents:

    lane 1     nodes | stations and hosts | nodes | ...
    lane 2     a test of the fault suite | the next test of it | ...
    residents  talk all the while; killed, paused, cut off, slow, their server killed; their clocks jump

Rounds of nodes and rounds of stations with roaming hosts take turns in one lane. A round of the other is the next test
of the fault suite: so clusters over TLS, power cuts, full disks, and processes that leave or are given up have their
turn, too. Every round is a process with its own seed, folder and ports. It prints what was done to the processes and
what the judge said. A round that fails leaves its folder, and the command to run that round again; then no other round
begins.

The `residents` live all the time, are struck every now and then, and are judged in the end: by their traces, and by
whether their memory and their stores, and those of their servers, have stayed as large as they were. The end says how
often each test of the fault suite ran, and whether all held. The exit status is 0 only if it did.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache, partial
from itertools import count
from pathlib import Path

from antecede.judge.judge import Verdict
from tests.faults.links import linked_arena, linked_town
from tests.faults.residents import Residents, residents, victims
from tests.replay import SEED_VARIABLE, explain_failure
from tests.runtime.arena import Arena
from tests.runtime.conditions import Conditions
from tests.runtime.proxy import Proxy
from tests.runtime.town import STATIONS, Town

SUITE = Path(__file__).parent
NODES, NODE_MESSAGES = "a b c d", 250
HOSTS, HOST_MESSAGES = "ann bob cat dan", 150
BLOWS = 8
KINDS = ("kill", "kill", "kill", "kill all", "server", "stop server", "pause", "cut", "swallow", "slow")
STRIKE_EVERY_S = 8.0
"""How long the residents are left alone, on average."""
CONDITIONS = (Conditions(), Conditions(brisk=True), Conditions(clock=True))


def strike(run: Arena | Town, kind: str, names: Sequence[str], links: Sequence[Proxy]) -> None:
    """Do one thing to one of the processes, the server or one of the links."""
    victim = run.chance.choice(names)
    if kind.startswith("kill"):
        victims = names if kind == "kill all" else [victim]
        for name in victims:
            run.kill(name)
        run.wait_a_little()
        for name in victims:
            run.start(name)
    elif kind.endswith("server"):
        run.strike_server("stop" if kind.startswith("stop") else run.chance.choice(["kill", "end"]))
    elif kind == "pause":
        with run.stopped(victim):
            pass
    elif kind == "slow":
        run.chance.choice(links).delay_s = run.chance.choice([0.0, 0.02, 0.1])
    else:
        link = run.chance.choice(links)
        (link.cut if kind == "cut" else link.swallow)()
        run.wait_a_little()
        link.heal()


def strikes(run: Arena | Town, names: Sequence[str], links: Sequence[Proxy]) -> str:
    """So many blows, and what they were."""
    done: Counter[str] = Counter()
    for _ in range(BLOWS):
        run.wait_a_little()
        kind = run.chance.choice(KINDS)
        done[kind] += 1
        strike(run, kind, names, links)
    return ", ".join(f"{count} {kind}" for kind, count in sorted(done.items()))


def round_of_nodes(folder: Path, seed: int) -> tuple[Verdict, str]:
    conditions = CONDITIONS[seed // 3 % 3]
    with linked_arena(folder, NODES, messages=NODE_MESSAGES, seed=seed, conditions=conditions) as (run, links):
        done = strikes(run, run.names, links)
        return run.finish(), done


def round_of_stations(folder: Path, seed: int) -> tuple[Verdict, str]:
    conditions = CONDITIONS[seed // 3 % 3]
    with linked_town(folder, HOSTS, messages=HOST_MESSAGES, seed=seed, conditions=conditions) as (run, links):
        done = strikes(run, [*STATIONS, *run.hosts], links)
        return run.finish(), done


@cache
def tests_of_the_suite() -> tuple[str, ...]:
    """Return the names of all tests of the fault suite. Those of its helpers are not slow, and left out."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-o", "addopts=", "-m", "slow", str(SUITE)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return tuple(line for line in lines if "::" in line)


def pick_test(seed: int) -> str:
    """Return the name of the test of the fault suite that the round of a seed runs."""
    names = tests_of_the_suite()
    return names[seed // len(ROUNDS) % len(names)]


def describe_tests(seeds: Sequence[int]) -> str:
    """Return how often each test of the fault suite has run in the rounds of these seeds."""
    runs = Counter(pick_test(seed) for seed in seeds if ROUNDS[seed % len(ROUNDS)] is round_of_the_suite)
    lines = [f"  {runs[name]} x {name}" for name in tests_of_the_suite()]
    return "\n".join([f"the fault suite: {runs.total()} tests in {len(runs)} of {len(lines)} ran", *lines])


def round_of_the_suite(folder: Path, seed: int) -> str:
    """Run one test of the fault suite, and return its name. What it says is in `folder` if it fails."""
    name = pick_test(seed)
    command = [sys.executable, "-m", "pytest", name, f"--basetemp={folder / 'test'}"]
    with open(folder / "said", "w") as said:
        environment = {**os.environ, SEED_VARIABLE: str(seed)}
        subprocess.run(command, stdout=said, stderr=subprocess.STDOUT, env=environment, check=True)
    return f"{name.partition('::')[2]}: passed"


def round_with_strikes(what: Callable[[Path, int], tuple[Verdict, str]], folder: Path, seed: int) -> str:
    """Run a round of nodes or of stations, and return what the judge said."""
    verdict, done = what(folder, seed)
    kind = what.__name__.replace("_", " ")
    return f"{kind}: {verdict.verdict}, {verdict.deliveries} deliveries after {done}"


ROUNDS: tuple[Callable[[Path, int], str], ...] = (
    partial(round_with_strikes, round_of_stations),
    partial(round_with_strikes, round_of_nodes),
    round_of_the_suite,
)
"""By the remainder of the seed."""
LANES = ((0, 1), (2,))
"""The kinds of rounds that take turns, by their places in `ROUNDS`. Lanes run at the same time."""


def one_round(seed: int) -> None:
    """Run the round of a seed, and print what came of it."""
    folder, what = Path(tempfile.mkdtemp(prefix="antecede-soak-")), ROUNDS[seed % len(ROUNDS)]
    try:
        outcome = what(folder, seed)
    except BaseException:
        command = ["tests.faults.soak", "--minutes", "0", "--seed", str(seed)]
        print(explain_failure(f"seed {seed} failed, see {folder}", command))
        raise
    print(f"seed {seed}: {outcome}", flush=True)
    shutil.rmtree(folder)


def strike_residents(all_of_them: Residents, chance: random.Random) -> None:
    """Do one thing to some of the nodes, and one to some of the stations and hosts."""
    for crowd, links in all_of_them.crowds:
        strike(crowd, chance.choice(KINDS), victims(crowd), links)


def run_lane(kinds: Sequence[int], seed: int, until: float, over: threading.Event, passed: list[int]) -> int | None:
    """Run rounds of these kinds with seeds from `seed` on, one after the other, each in a process of its own, until the
    time is up or it is `over` for all lanes. Add the seeds of rounds that have `passed`. Return the seed of the round
    that failed, if one did.
    """
    seeds = (one for one in count(seed) if one % len(ROUNDS) in kinds)
    while time.monotonic() < until and not over.is_set():
        seed = next(seeds)
        command = [sys.executable, "-m", "tests.faults.soak", "--minutes", "0", "--seed", str(seed)]
        if subprocess.run(command, check=False).returncode:
            over.set()
            return seed
        passed.append(seed)
    return None


def run_lanes(all_of_them: Residents, until: float, seed: int) -> list[int]:
    """Run the rounds of all lanes, and strike the residents meanwhile. Return the seeds of the rounds that failed."""
    over, passed = threading.Event(), list[int]()
    chance = random.Random(f"{seed} residents")
    with ThreadPoolExecutor() as pool:
        lanes = [pool.submit(run_lane, kinds, seed, until, over, passed) for kinds in LANES]
        try:
            while wait(lanes, timeout=chance.uniform(0, 2 * STRIKE_EVERY_S)).not_done:
                if not over.is_set():
                    strike_residents(all_of_them, chance)
        finally:
            over.set()
        failed = [one for lane in lanes if (one := lane.result()) is not None]
    print(describe_tests(passed))
    return failed


def soak(folder: Path, minutes: float, seed: int) -> list[str]:
    """Run rounds beside residents for so many minutes. Return what did not hold, in words."""
    until = time.monotonic() + 60 * minutes
    with residents(folder, minutes, seed) as all_of_them:
        failed = run_lanes(all_of_them, until, seed)
        if failed:
            return [f"the round of seed {one} failed" for one in failed]
        for verdict in all_of_them.finish():
            print(f"residents: {verdict.verdict}, {verdict.deliveries} deliveries, {verdict.lost} lost", flush=True)
        for measured in all_of_them.measured.values():
            print(measured)
        return all_of_them.complaints()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    if not chosen.minutes:
        one_round(chosen.seed)
        return 0
    folder = Path(tempfile.mkdtemp(prefix="antecede-soak-"))
    complaints = soak(folder, chosen.minutes, chosen.seed)
    for complaint in complaints:
        print(complaint)
    if complaints:
        print(f"NOT all held in {chosen.minutes:g} minutes; see {folder}")
        return 1
    shutil.rmtree(folder)
    print(f"all held for {chosen.minutes:g} minutes: order, nothing lost or doubled, memory, stores and servers flat")
    return 0


if __name__ == "__main__":
    sys.exit(main())
