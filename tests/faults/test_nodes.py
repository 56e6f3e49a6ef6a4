"""Nodes that are killed, stopped and cut off, and a server that is: each run is judged by the trace that it wrote."""

import time
from pathlib import Path

import pytest

from tests.runtime.arena import arena
from tests.runtime.conditions import OUTLAST_S, Conditions
from tests.runtime.proxy import Proxy

pytestmark = pytest.mark.slow

BRISK = Conditions(brisk=True)


def test_processes_that_nothing_happens_to(tmp_path: Path, seed: int) -> None:
    with arena(tmp_path, "a b c", messages=40, seed=seed) as run:
        verdict = run.finish()
    assert verdict.deliveries > 100


def test_kill_at_random_instants(tmp_path: Path, seed: int) -> None:
    """Whatever dies whenever: nothing lost, nothing twice, order kept, and what was not acknowledged offered again."""
    with arena(tmp_path, "a b c", messages=150, seed=seed) as run:
        for _ in range(6):
            victim = run.chance.choice(run.names)
            run.wait_a_little()
            run.kill(victim)
            run.wait_a_little()
            run.start(victim)
        run.finish()
    assert run.kills == 6


def test_everybody_is_killed_at_once_and_the_server_ends_with_them(tmp_path: Path, seed: int) -> None:
    with arena(tmp_path, "a b c", messages=60, seed=seed) as run:
        run.wait(lambda: len(run.events()) > 60)
        run.wait_a_little()
        for name in run.names:
            run.kill(name)
        for name in run.names:
            run.start(name)
        run.finish()


@pytest.mark.parametrize("kind", ["kill", "end", "stop"])
def test_the_server_goes_and_comes_again(tmp_path: Path, seed: int, kind: str) -> None:
    """Killed, ended as by an operator, and stopped for longer than every timeout."""
    with arena(tmp_path, "a b c", messages=80, seed=seed, conditions=BRISK) as run:
        for count in (50,) if kind == "stop" else (50, 200):
            run.wait(lambda count=count: len(run.events()) > count)  # type: ignore[misc]  # mypy cannot infer a default of a lambda
            run.wait_a_little()
            run.strike_server(kind)
        run.finish()


def test_a_process_pauses_for_longer_than_every_timeout(tmp_path: Path, seed: int) -> None:
    """And another is killed meanwhile."""
    with arena(tmp_path, "a b c", messages=60, seed=seed, conditions=BRISK) as run:
        run.wait(lambda: len(run.events()) > 30)
        run.wait_a_little()
        paused, killed = run.chance.sample(run.names, 2)
        with run.stopped(paused):
            run.kill(killed)
            run.start(killed)
        run.finish()


@pytest.mark.parametrize("kind", ["cut", "swallow"])
def test_a_process_is_cut_off_and_comes_back(tmp_path: Path, seed: int, proxy: Proxy, kind: str) -> None:
    """By connections that end, and by connections on which nothing passes any more, for a moment and for long."""
    with arena(tmp_path, "a b c", messages=80, seed=seed, urls={"b": proxy.url}, conditions=BRISK) as run:
        for count, seconds in ((50, run.chance.random()), (150, OUTLAST_S)):
            run.wait(lambda count=count: len(run.events()) > count)  # type: ignore[misc]  # mypy cannot infer a default of a lambda
            (proxy.cut if kind == "cut" else proxy.swallow)()
            time.sleep(seconds)
            proxy.heal()
        run.finish()


def test_a_slow_link(tmp_path: Path, seed: int, proxy: Proxy) -> None:
    """Slower than the link between the others by an amount that changes all the time."""
    with arena(tmp_path, "a b c", messages=40, seed=seed, urls={"c": proxy.url}) as run:
        for _ in range(8):
            proxy.delay_s = run.chance.choice([0.0, 0.02, 0.1, 0.3])
            run.wait_a_little()
        proxy.delay_s = 0.02
        run.finish()
