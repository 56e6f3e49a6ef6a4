"""A few random roaming worlds of each protocol; `python -m tests.fuzz_mobile` runs as many as one likes."""

from __future__ import annotations

import pytest

from antecede.core.mobile.protocols import protocols
from tests.fuzz_mobile import batch, execute
from tests.mobile_worlds import MobileWorld

FAILED_ONCE = (  # each fails again with its mistake put back
    ("roam", 0),  # a hint of where luggage goes came before the luggage, which was then refused
    ("roam", 7),  # a question that came round was dropped, though the luggage had come and gone
    ("roam", 34),  # two stations that waited kept each other's questions
)


@pytest.mark.parametrize("protocol", sorted(protocols()))
def test_random_worlds_hold(protocol: str) -> None:
    counts, failures = batch([(protocol, seed) for seed in range(60)])
    assert not failures
    assert counts[f"{protocol} deliveries"] > 1000
    if not protocols()[protocol].inhibits:
        assert counts[f"{protocol} held for nothing"] == 0


@pytest.mark.parametrize(("protocol", "seed"), FAILED_ONCE)
def test_seeds_that_failed_once(protocol: str, seed: int) -> None:
    execute(protocol, seed)


def test_a_world_is_decided_by_its_seed() -> None:
    assert MobileWorld("roam", 5).run().events == MobileWorld("roam", 5).run().events


@pytest.mark.parametrize("protocol", ["av1", "prs-mobile"])
def test_the_worlds_find_what_is_wrong_with_the_printed_forms(protocol: str) -> None:
    broken = 0
    for seed in range(40):
        try:
            world = MobileWorld(protocol, seed, options={"printed": True})
            world.run()
            world.finished()
        except AssertionError:
            broken += 1
    assert broken
