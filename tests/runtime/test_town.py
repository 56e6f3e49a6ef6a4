"""Real stations and hosts over a real server, killed and stopped while hosts roam; each run is judged by its trace."""

import json
import os
import signal
from pathlib import Path

import pytest

from tests.runtime.town import town


def test_hosts_that_roam_and_nothing_else_happens(tmp_path: Path) -> None:
    with town(tmp_path, "ann bob cat", messages=40, seed=1) as run:
        run.wait(lambda: run.count("move") > 2)
        verdict = run.finish()
    assert verdict.deliveries > 100


@pytest.mark.parametrize("seed", [1, 2])
def test_stations_are_killed_at_random_instants(tmp_path: Path, seed: int) -> None:
    """Hosts find another station; what the dead one had comes when it is back."""
    with town(tmp_path, "ann bob cat", messages=100, seed=seed) as run:
        run.wait(lambda: run.count("deliver") > 30)
        for _ in range(4):
            victim = run.chance.choice(list(run.stations))
            run.kill(victim)
            run.wait_a_little()
            run.start(victim)
            run.wait_a_little()
        run.finish()
    assert run.kills == 4


def test_hosts_are_killed_at_random_instants(tmp_path: Path) -> None:
    with town(tmp_path, "ann bob cat", messages=100, seed=3) as run:
        run.wait(lambda: run.count("deliver") > 30)
        for _ in range(4):
            victim = run.chance.choice(run.hosts)
            run.kill(victim)
            run.wait_a_little()
            run.start(victim)
            run.wait_a_little()
        run.finish()


def test_everything_is_killed_at_once(tmp_path: Path) -> None:
    with town(tmp_path, "ann bob cat", messages=60, seed=4) as run:
        run.wait(lambda: run.count("deliver") > 60)
        everything = (*run.stations, *run.hosts)
        for name in everything:
            run.kill(name)
        for name in everything:
            run.start(name)
        run.finish()


def test_a_station_pauses(tmp_path: Path) -> None:
    with town(tmp_path, "ann bob cat", messages=60, seed=5) as run:
        run.wait(lambda: run.count("deliver") > 30)
        run.pause("s2", seconds=7)
        run.finish()


def test_the_server_is_killed_and_comes_again(tmp_path: Path) -> None:
    with town(tmp_path, "ann bob cat", messages=60, seed=6) as run:
        run.wait(lambda: run.count("deliver") > 30)
        server = server_of(tmp_path)
        os.kill(server, signal.SIGKILL)
        run.wait(lambda: server_of(tmp_path) != server)
        run.finish()


def server_of(folder: Path) -> int:
    return int(json.loads((folder / "nats" / "address").read_text())["pid"])
