"""`python -m tests.faults.soak --minutes 60 [--seed N]`: round after round of real processes and random faults.

Rounds of nodes, rounds of stations with roaming hosts, and rounds of the fault suite take turns. A round of the suite
is the next of its tests: so clusters over TLS, power cuts, full disks, and processes that leave or are given up have
their turn, too. Every round has its own seed, printed with what was done to the processes and what the judge said. A
round that fails leaves its folder, and the command to run that round again.

Beside the rounds, `residents` live all the time, are struck after every round, and are judged in the end: by their
traces, and by whether their memory and their stores have stayed as large as they were. The last line says whether all
held, and the exit status is 0 only if it did.
"""

import argparse
import asyncio
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from pathlib import Path

from antecede.judge.judge import Verdict
from antecede.runtime.transport.nats.embedded import EmbeddedNetwork
from tests.faults.residents import Residents, residents, victims
from tests.replay import SEED_VARIABLE, explain_failure
from tests.runtime.arena import Arena, arena
from tests.runtime.conditions import Conditions
from tests.runtime.ports import free_port
from tests.runtime.proxy import Proxy
from tests.runtime.town import STATIONS, Town, town

SUITE = Path(__file__).parent
NODES, NODE_MESSAGES = "a b c d", 250
HOSTS, HOST_MESSAGES = "ann bob cat dan", 150
BLOWS = 8
KINDS = ("kill", "kill", "kill", "kill all", "server", "stop server", "pause", "cut", "swallow", "slow")
RESIDENT_KINDS = ("kill", "kill", "kill all", "server", "pause")
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


@contextmanager
def linked(url: str, *ports: int) -> Iterator[list[Proxy]]:
    """Links to the server at `url`, and to each of these ports."""
    with ExitStack() as stack:
        links = [Proxy.to(url), *(Proxy(port) for port in ports)]
        for link in links:
            stack.callback(link.close)
        yield links


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """The embedded server of a round, in use as long as this lasts; its URL."""
    network = EmbeddedNetwork(folder / "nats")
    asyncio.run(network.start())
    try:
        yield network.url
    finally:
        asyncio.run(network.stop())


def round_of_nodes(folder: Path, seed: int) -> tuple[Verdict, str]:
    conditions = CONDITIONS[seed // 3 % 3]
    with server(folder) as url, linked(url) as links:
        urls = {"d": links[0].url}
        with arena(folder, NODES, messages=NODE_MESSAGES, seed=seed, urls=urls, conditions=conditions) as run:
            done = strikes(run, run.names, links)
            return run.finish(), done


def round_of_stations(folder: Path, seed: int) -> tuple[Verdict, str]:
    """The first of the links is between a station and the server, the others between stations and hosts."""
    ports, conditions = {name: free_port() for name in STATIONS}, CONDITIONS[seed // 3 % 3]
    with (
        server(folder) as url,
        linked(url, *ports.values()) as links,
        town(
            folder,
            HOSTS,
            messages=HOST_MESSAGES,
            seed=seed,
            ports=ports,
            nats={"s3": links[0].url},
            air={name: link.port for name, link in zip(STATIONS, links[1:], strict=True)},
            conditions=conditions,
        ) as run,
    ):
        done = strikes(run, [*STATIONS, *run.hosts], links)
        return run.finish(), done


@cache
def tests_of_the_suite() -> tuple[str, ...]:
    """Return the names of all tests of the fault suite, but for the one of the residents, who are there anyway."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-o", "addopts=", str(SUITE)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return tuple(line for line in lines if "::" in line and "test_residents" not in line)


def round_of_the_suite(folder: Path, seed: int) -> str:
    """Run one test of the fault suite, and return its name. What it says is in `folder` if it fails."""
    names = tests_of_the_suite()
    name = names[seed // 3 % len(names)]
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


def strike_residents(all_of_them: Residents, seed: int) -> None:
    """Do one thing to some of the nodes, and one to some of the stations and hosts."""
    chance = random.Random(f"{seed} residents")
    for crowd in all_of_them.crowds:
        strike(crowd, chance.choice(RESIDENT_KINDS), victims(crowd), [])


def soak(folder: Path, minutes: float, seed: int) -> list[str]:
    """Run rounds beside residents for so many minutes. Return what did not hold, in words."""
    until = time.monotonic() + 60 * minutes
    with residents(folder, minutes, seed) as all_of_them:
        while time.monotonic() < until:
            one_round(seed)
            strike_residents(all_of_them, seed)
            seed += 1
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
    print(f"all held for {chosen.minutes:g} minutes: order, nothing lost or doubled, memory and stores flat")
    return 0


if __name__ == "__main__":
    sys.exit(main())
