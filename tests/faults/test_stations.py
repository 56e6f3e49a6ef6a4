"""Stations and hosts that are killed, stopped and cut off while hosts roam; each run is judged by the hosts' trace."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.runtime.conditions import OUTLAST_S, Conditions
from tests.runtime.ports import free_port
from tests.runtime.proxy import Proxy
from tests.runtime.town import STATIONS, Town, town

pytestmark = pytest.mark.slow

BRISK = Conditions(brisk=True)
HOSTS = "ann bob cat"


@pytest.fixture
def ports() -> dict[str, int]:
    """Where the stations listen."""
    return {name: free_port() for name in STATIONS}


@pytest.fixture
def air(ports: dict[str, int]) -> Iterator[dict[str, Proxy]]:
    """A link to each of them, which hosts take."""
    with ExitStack() as stack:
        links = {name: Proxy(port) for name, port in ports.items()}
        for link in links.values():
            stack.callback(link.close)
        yield links


def under_way(run: Town) -> None:
    """Hosts have moved, and messages have come."""
    run.wait(lambda: run.count("deliver") > 30 and run.count("move") > 0)
    run.wait_a_little()


def test_hosts_that_roam_and_nothing_else_happens(tmp_path: Path, seed: int) -> None:
    with town(tmp_path, HOSTS, messages=40, seed=seed) as run:
        run.wait(lambda: run.count("move") > 2)
        verdict = run.finish()
    assert verdict.deliveries > 100


def test_stations_are_killed_at_random_instants(tmp_path: Path, seed: int) -> None:
    """Hosts find another station; what the dead one had comes when it is back."""
    with town(tmp_path, HOSTS, messages=100, seed=seed) as run:
        under_way(run)
        for _ in range(4):
            victim = run.chance.choice(STATIONS)
            run.kill(victim)
            run.wait_a_little()
            run.start(victim)
            run.wait_a_little()
        run.finish()
    assert run.kills == 4


def test_hosts_are_killed_at_random_instants(tmp_path: Path, seed: int) -> None:
    with town(tmp_path, HOSTS, messages=100, seed=seed) as run:
        under_way(run)
        for _ in range(4):
            victim = run.chance.choice(run.hosts)
            run.kill(victim)
            run.wait_a_little()
            run.start(victim)
            run.wait_a_little()
        run.finish()


def test_everything_is_killed_at_once(tmp_path: Path, seed: int) -> None:
    with town(tmp_path, HOSTS, messages=60, seed=seed) as run:
        under_way(run)
        everything = (*run.stations, *run.hosts)
        for name in everything:
            run.kill(name)
        for name in everything:
            run.start(name)
        run.finish()


def test_a_station_and_a_host_pause_for_longer_than_every_timeout(tmp_path: Path, seed: int) -> None:
    """And another station is killed meanwhile."""
    with town(tmp_path, HOSTS, messages=60, seed=seed, conditions=BRISK) as run:
        under_way(run)
        paused, killed = run.chance.sample(STATIONS, 2)
        with run.stopped(paused, run.chance.choice(run.hosts)):
            run.kill(killed)
            run.start(killed)
        run.finish()


@pytest.mark.parametrize("kind", ["kill", "stop"])
def test_the_server_goes_and_comes_again(tmp_path: Path, seed: int, kind: str) -> None:
    with town(tmp_path, HOSTS, messages=60, seed=seed, conditions=BRISK) as run:
        under_way(run)
        run.strike_server(kind)
        run.finish()


def test_a_station_is_cut_off_from_the_others(tmp_path: Path, seed: int, proxy: Proxy) -> None:
    """It serves its hosts and reaches nobody: by connections that end, that swallow everything, and that are slow."""
    with town(tmp_path, HOSTS, messages=60, seed=seed, nats={"s2": proxy.url}, conditions=BRISK) as run:
        under_way(run)
        for part in (proxy.cut, proxy.swallow):
            part()
            time.sleep(run.chance.choice([0.3, OUTLAST_S]))
            proxy.heal()
            proxy.delay_s = run.chance.choice([0.0, 0.05])
        run.finish()


def test_hosts_are_cut_off_from_stations(
    tmp_path: Path, seed: int, ports: dict[str, int], air: dict[str, Proxy]
) -> None:
    """One link after the other ends, swallows everything or is slow; once all of them do."""
    doors = {name: link.port for name, link in air.items()}
    with town(tmp_path, HOSTS, messages=60, seed=seed, ports=ports, air=doors, conditions=BRISK) as run:
        under_way(run)
        for seconds in (0.3, 1.0, OUTLAST_S):
            link = air[run.chance.choice(STATIONS)]
            run.chance.choice([link.cut, link.swallow])()
            time.sleep(seconds)
            link.heal()
            link.delay_s = run.chance.choice([0.0, 0.02, 0.1])
        for link in air.values():
            link.swallow()
        time.sleep(1)
        for link in air.values():
            link.heal()
        run.finish()


def test_everything_happens(tmp_path: Path, seed: int, ports: dict[str, int], air: dict[str, Proxy]) -> None:
    """Kills of stations, hosts and the server, and links that break, in any order, while hosts roam."""
    doors = {name: link.port for name, link in air.items()}
    with town(tmp_path, HOSTS, messages=120, seed=seed, ports=ports, air=doors, conditions=BRISK) as run:
        under_way(run)
        for kind in run.chance.sample(["station", "host", "server", "air", "station", "air"], 6):
            if kind == "server":
                run.strike_server("kill")
            elif kind == "air":
                link = air[run.chance.choice(STATIONS)]
                run.chance.choice([link.cut, link.swallow])()
                run.wait_a_little()
                link.heal()
            else:
                victim = run.chance.choice(STATIONS if kind == "station" else run.hosts)
                run.kill(victim)
                run.wait_a_little()
                run.start(victim)
            run.wait_a_little()
        run.finish()
