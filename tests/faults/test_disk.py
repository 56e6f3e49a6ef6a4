"""A disk that is full: a clear error, nothing damaged, and everything goes on when there is room again.

How much fits is found by the seed, so the disk is full in the store, in its log or in the trace, and anywhere in them.
"""

from pathlib import Path

import pytest

from tests.runtime.arena import arena
from tests.runtime.conditions import Conditions
from tests.runtime.crowd import Crowd
from tests.runtime.town import town

pytestmark = pytest.mark.slow


def small(run: Crowd, most_bytes: int = 400_000) -> Conditions:
    return Conditions(file_bytes_max=run.chance.randint(100_000, most_bytes))


def fails_clearly(run: Crowd, name: str, store: str) -> None:
    """The process ends by itself, says which file it could not write, and leaves its store as it was."""
    assert run.ended(name) != 0
    said = run.log(name)
    assert "cannot be written" in said, said
    assert "Make room" in said, said
    assert run.whole(store)


def test_the_disk_of_a_node(tmp_path: Path, seed: int) -> None:
    with arena(tmp_path, "a b c", messages=60, seed=seed) as run:
        run.kill("b")
        run.start("b", small(run))
        fails_clearly(run, "b", "*_b.sqlite")
        run.start("b")
        run.finish()


def test_the_disk_of_a_station(tmp_path: Path, seed: int) -> None:
    """With enough messages for any station to have its part, wherever the hosts happen to be."""
    with town(tmp_path, "ann bob cat", messages=150, seed=seed) as run:
        run.kill("s2")
        run.start("s2", small(run, most_bytes=200_000))
        fails_clearly(run, "s2", "*_s2.sqlite")
        run.start("s2")
        run.finish()


def test_the_disk_of_a_host(tmp_path: Path, seed: int) -> None:
    with town(tmp_path, "ann bob cat", messages=60, seed=seed) as run:
        run.kill("bob")
        run.start("bob", small(run))
        fails_clearly(run, "bob", "bob.sqlite")
        run.start("bob")
        run.finish()
