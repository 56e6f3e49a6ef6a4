"""Clocks that leap, stand still, and start anywhere after a restart; times of day that jump by a day either way."""

from pathlib import Path

import pytest

from tests.runtime.arena import arena
from tests.runtime.conditions import Conditions
from tests.runtime.town import STATIONS, town

pytestmark = pytest.mark.slow

JUMPS = Conditions(clock=True)


def test_nodes_whose_clocks_jump(tmp_path: Path, seed: int) -> None:
    with arena(tmp_path, "a b c", messages=80, seed=seed, conditions=JUMPS) as run:
        for _ in range(2):
            run.wait_a_little()
            victim = run.chance.choice(run.names)
            run.kill(victim)
            run.start(victim)
        run.finish()
        times = [event.time for event in run.events() if event.process == "a" and event.time is not None]
    assert times != sorted(times), "no clock went back"


def test_stations_and_hosts_whose_clocks_jump(tmp_path: Path, seed: int) -> None:
    with town(tmp_path, "ann bob cat", messages=60, seed=seed, conditions=JUMPS) as run:
        run.wait(lambda: run.count("deliver") > 30)
        victim = run.chance.choice(STATIONS)
        run.kill(victim)
        run.start(victim)
        run.finish()
