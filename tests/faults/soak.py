"""`python -m tests.faults.soak --minutes 10 [--seed N]`: round after round of real processes and random faults.

Rounds of nodes and rounds of stations with roaming hosts take turns. Every round has its own seed, printed with what
was done to the processes and what the judge said. A round that fails leaves its folder, and the command to run that
round again.
"""

import argparse
import asyncio
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from antecede.judge.judge import Verdict
from antecede.runtime.transport.nats.embedded import EmbeddedNetwork
from tests.replay import explain_failure
from tests.runtime.arena import Arena, arena
from tests.runtime.conditions import Conditions
from tests.runtime.proxy import Proxy
from tests.runtime.town import STATIONS, Town, free_port, town

NODES, NODE_MESSAGES = "a b c d", 250
HOSTS, HOST_MESSAGES = "ann bob cat dan", 150
BLOWS = 8
KINDS = ("kill", "kill", "kill", "kill all", "server", "stop server", "pause", "cut", "swallow", "slow")
CONDITIONS = (Conditions(), Conditions(brisk=True), Conditions(clock=True))


def strike(run: Arena | Town, kind: str, names: Sequence[str], links: Sequence[Proxy]) -> None:
    """Do one thing to one of the processes, the server or one of the links."""
    victim, link = run.chance.choice(names), run.chance.choice(links)
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
        link.delay_s = run.chance.choice([0.0, 0.02, 0.1])
    else:
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
    conditions = CONDITIONS[seed // 2 % 3]
    with server(folder) as url, linked(url) as links:
        urls = {"d": links[0].url}
        with arena(folder, NODES, messages=NODE_MESSAGES, seed=seed, urls=urls, conditions=conditions) as run:
            done = strikes(run, run.names, links)
            return run.finish(), done


def round_of_stations(folder: Path, seed: int) -> tuple[Verdict, str]:
    """The first of the links is between a station and the server, the others between stations and hosts."""
    ports, conditions = {name: free_port() for name in STATIONS}, CONDITIONS[seed // 2 % 3]
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


ROUNDS: tuple[Callable[[Path, int], tuple[Verdict, str]], ...] = (round_of_stations, round_of_nodes)
"""Even seeds and odd ones."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    until = time.monotonic() + 60 * chosen.minutes
    seed = chosen.seed
    while True:
        folder = Path(tempfile.mkdtemp(prefix="antecede-soak-"))
        what = ROUNDS[seed % 2]
        try:
            verdict, done = what(folder, seed)
        except BaseException:
            command = ["tests.faults.soak", "--minutes", "0", "--seed", str(seed)]
            print(explain_failure(f"seed {seed} failed, see {folder}", command))
            raise
        kind = what.__name__.replace("_", " ")
        print(f"seed {seed}: {kind}: {verdict.verdict}, {verdict.deliveries} deliveries after {done}", flush=True)
        shutil.rmtree(folder)
        seed += 1
        if time.monotonic() >= until:
            return


if __name__ == "__main__":
    main()
