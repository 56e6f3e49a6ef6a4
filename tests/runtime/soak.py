"""`python -m tests.runtime.soak --minutes 10 [--seed N]`: round after round of real processes and random faults.

Every round has its own seed, printed with what was done to the processes and what the judge said. A round that fails
leaves its folder, and the command to run that round again.
"""

import argparse
import asyncio
import os
import shutil
import signal
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from antecede.runtime.embedded import EmbeddedNetwork
from tests.runtime.arena import Arena, arena
from tests.runtime.proxy import Proxy
from tests.runtime.test_faults import server_of

NAMES, MESSAGES, BLOWS = "a b c d", 250, 8
KINDS = ("kill", "kill", "kill", "kill all", "server", "pause", "cut", "swallow", "slow")


def strike(run: Arena, kind: str, proxy: Proxy) -> None:
    """Do one thing to the processes, the server or the link of `d`."""
    victim = run.chance.choice(run.names)
    if kind.startswith("kill"):
        victims = run.names if kind == "kill all" else [victim]
        for name in victims:
            run.kill(name)
        run.wait_a_little()
        for name in victims:
            run.start(name)
    elif kind == "server":
        with suppress(ProcessLookupError):  # it is dead still, from the blow before
            os.kill(server_of(run.folder), signal.SIGKILL)
    elif kind == "pause":
        run.pause(victim, seconds=run.chance.choice([0.5, 2, 7]))
    elif kind == "slow":
        proxy.delay_s = run.chance.choice([0.0, 0.02, 0.1])
    else:
        (proxy.cut if kind == "cut" else proxy.swallow)()
        run.wait_a_little()
        proxy.heal()


def one_round(folder: Path, seed: int) -> str:
    network = EmbeddedNetwork(folder / "nats")
    asyncio.run(network.start())
    proxy = Proxy(int(network.url.rpartition(":")[2]))
    done: Counter[str] = Counter()
    try:
        url = f"embedded://{folder / 'nats'}"
        with arena(folder, url, NAMES, messages=MESSAGES, seed=seed, urls={"d": proxy.url}) as run:
            for _ in range(BLOWS):
                run.wait_a_little()
                kind = run.chance.choice(KINDS)
                done[kind] += 1
                strike(run, kind, proxy)
            verdict = run.finish()
    finally:
        proxy.close()
        asyncio.run(network.stop())
    blows = ", ".join(f"{count} {kind}" for kind, count in sorted(done.items()))
    return f"{verdict.verdict}, {verdict.deliveries} deliveries, none lost or doubled, after {blows}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    until = time.monotonic() + 60 * chosen.minutes
    seed = chosen.seed
    while True:
        folder = Path(tempfile.mkdtemp(prefix="antecede-soak-"))
        try:
            print(f"seed {seed}: {one_round(folder, seed)}", flush=True)
        except BaseException:
            print(f"seed {seed} failed, see {folder}; python -m tests.runtime.soak --minutes 0 --seed {seed}")
            raise
        shutil.rmtree(folder)
        seed += 1
        if time.monotonic() >= until:
            return


if __name__ == "__main__":
    main()
