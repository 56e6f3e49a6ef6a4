"""A few random executions with riders and on known links; `python -m tests.fuzz --option answers_ride` and `--option
links` run as many as one likes.
"""

from __future__ import annotations

import pytest

from antecede.core.known_links import KnownLinks, Pairs
from antecede.core.types import Packet, ProcessId
from antecede.sim.channels import Channels
from tests.fuzz import VARIANTS, batch, choose, count, describe

WITH_RIDERS = choose(None, "answers_ride")
WITH_LINKS = choose(None, "links")


def test_every_algorithm_that_resynchronises_has_executions_with_riders() -> None:
    assert [VARIANTS[variant][0] for variant in WITH_RIDERS] == ["mr", "mr-broadcast", "mr-scalar"]
    assert set(WITH_RIDERS) & set(choose("mr", None)) == set(choose("mr", "answers_ride")) != set()


@pytest.mark.parametrize("variant", WITH_RIDERS, ids=describe)
def test_random_executions_with_riders_hold(variant: int) -> None:
    counts, failures = batch([(variant, seed) for seed in range(60)])
    assert not failures, "\n".join(failures)
    assert counts[f"{describe(variant)} executions"] == 60
    assert counts[f"{describe(variant)} deliveries"] > 1500
    assert counts["riders"] > 300


@pytest.mark.parametrize("variant", WITH_RIDERS, ids=describe)
def test_an_execution_with_riders_is_decided_by_its_seed(variant: int) -> None:
    assert count(variant, 7) == count(variant, 7) != count(variant, 8)


@pytest.mark.parametrize("variant", WITH_RIDERS, ids=describe)
def test_riders_that_get_lost_are_a_finding_with_its_command(variant: int, monkeypatch: pytest.MonkeyPatch) -> None:
    let_ride = Channels.let_ride

    def throw_off(channels: Channels, source: ProcessId, dests: list[ProcessId], packet: Packet) -> list[ProcessId]:
        left = let_ride(channels, source, dests, packet)
        if channels._answerable is not None:
            channels._answerable.riders.clear()
        return left

    monkeypatch.setattr(Channels, "let_ride", throw_off)
    _, failures = batch([(variant, seed) for seed in range(20)])
    assert len(failures) > 5
    assert all("never delivered" in failure.splitlines()[0] for failure in failures)
    assert all(f"-m tests.fuzz --replay {variant}:" in failure.splitlines()[-1] for failure in failures)


@pytest.mark.parametrize("variant", WITH_LINKS, ids=describe)
def test_random_executions_on_known_links_hold(variant: int) -> None:
    counts, failures = batch([(variant, seed) for seed in range(150)])
    assert not failures, "\n".join(failures)
    assert counts[f"{describe(variant)} executions"] == 150
    assert counts[f"{describe(variant)} deliveries"] > 1500


@pytest.mark.parametrize("variant", WITH_LINKS, ids=describe)
def test_stamps_that_leave_out_too_much_are_a_finding_with_its_command(
    variant: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the entries that processes pass on about the messages of others."""

    def of_sender_only(node: KnownLinks, sender: str, to: str) -> Pairs:
        return {sender: frozenset({to})} if to in node._links_around(sender, to).get(sender, ()) else {}

    monkeypatch.setattr(KnownLinks, "_pairs_told", of_sender_only)
    _, failures = batch([(variant, seed) for seed in range(150)])
    assert failures
    assert all(f"-m tests.fuzz --replay {variant}:" in failure.splitlines()[-1] for failure in failures)
