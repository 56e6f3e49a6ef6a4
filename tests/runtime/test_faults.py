"""Real processes over a real server, killed, stopped and cut off; each run is judged by the trace that it wrote."""

import asyncio
import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from antecede.runtime.embedded import EmbeddedNetwork
from tests.runtime.arena import arena
from tests.runtime.proxy import Proxy


def url(folder: Path) -> str:
    return f"embedded://{folder / 'nats'}"


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[Proxy]:
    """A link to the server that the other processes reach directly."""
    network = EmbeddedNetwork(tmp_path / "nats")
    asyncio.run(network.start())
    link = Proxy(int(network.url.rpartition(":")[2]))
    yield link
    link.close()
    asyncio.run(network.stop())


def test_processes_that_nothing_happens_to(tmp_path: Path) -> None:
    with arena(tmp_path, url(tmp_path), "a b c", messages=40, seed=1) as run:
        verdict = run.finish()
    assert verdict.deliveries > 100


@pytest.mark.parametrize("seed", [1, 2])
def test_kill_at_random_instants(tmp_path: Path, seed: int) -> None:
    """Whatever dies whenever: nothing lost, nothing twice, order kept, and what was not acknowledged offered again."""
    with arena(tmp_path, url(tmp_path), "a b c", messages=150, seed=seed) as run:
        for _ in range(6):
            victim = run.chance.choice(run.names)
            run.wait_a_little()
            run.kill(victim)
            run.wait_a_little()
            run.start(victim)
        run.finish()
    assert run.kills == 6


def test_everybody_is_killed_at_once_and_the_server_ends_with_them(tmp_path: Path) -> None:
    with arena(tmp_path, url(tmp_path), "a b c", messages=60, seed=3) as run:
        run.wait(lambda: len(run.events()) > 60)
        for name in run.names:
            run.kill(name)
        for name in run.names:
            run.start(name)
        run.finish()


def test_the_server_is_killed_and_comes_again(tmp_path: Path) -> None:
    with arena(tmp_path, url(tmp_path), "a b c", messages=100, seed=4) as run:
        for count in (50, 200):
            run.wait(lambda count=count: len(run.events()) > count)  # type: ignore[misc]
            server = json.loads((tmp_path / "nats" / "address").read_text())["pid"]
            os.kill(server, signal.SIGKILL)
            run.wait(lambda server=server: server_of(tmp_path) != server)  # type: ignore[misc]
        run.finish()


def server_of(folder: Path) -> int:
    return int(json.loads((folder / "nats" / "address").read_text())["pid"])


def test_a_process_pauses_for_longer_than_every_timeout(tmp_path: Path) -> None:
    with arena(tmp_path, url(tmp_path), "a b c", messages=60, seed=5) as run:
        run.wait(lambda: len(run.events()) > 30)
        run.pause("b", seconds=7)
        run.finish()


def test_a_process_is_cut_off_and_comes_back(tmp_path: Path, proxy: Proxy) -> None:
    """Connections that end, and connections on which nothing passes any more."""
    with arena(tmp_path, url(tmp_path), "a b c", messages=100, seed=6, urls={"b": proxy.url}) as run:
        for part, count in ((proxy.cut, 50), (proxy.swallow, 150)):
            run.wait(lambda count=count: len(run.events()) > count)  # type: ignore[misc]
            part()
            time.sleep(1)
            proxy.heal()
        run.finish()


def test_a_slow_link(tmp_path: Path, proxy: Proxy) -> None:
    proxy.delay_s = 0.05
    with arena(tmp_path, url(tmp_path), "a b c", messages=40, seed=7, urls={"c": proxy.url}) as run:
        run.finish()
