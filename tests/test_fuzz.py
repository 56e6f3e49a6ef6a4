"""A few random executions with riders, on known links and with other options; `python -m tests.fuzz` runs as many as
one likes.
"""

from __future__ import annotations

import sys
from typing import Any

import pytest

import antecede
from antecede import algorithms
from antecede.core.known_links import KnownLinks, Pairs
from antecede.core.types import Packet, ProcessId
from antecede.sim.channels import Channels
from tests import fuzz_mobile
from tests.fuzz import VARIANTS, batch, choose, count, describe, main
from tests.worlds import World

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


def test_every_option_is_in_some_variant() -> None:
    offered = {option for info in algorithms().values() for option in info.options}
    fuzzed = {option for _, options in VARIANTS for option in options}
    assert offered - fuzzed == {"hold_back_limit", "successors"}, "tests of their own fill queues and name successors"


@pytest.mark.parametrize("variant", [*choose(None, "memory"), *choose(None, "token_at")], ids=describe)
def test_random_executions_with_a_small_memory_and_a_token_elsewhere_hold(variant: int) -> None:
    counts, failures = batch([(variant, seed) for seed in range(60)])
    assert not failures, "\n".join(failures)
    assert counts[f"{describe(variant)} deliveries"] > 1000


@pytest.mark.parametrize("variant", choose("none", "memory"), ids=describe)
def test_what_is_repeated_after_it_was_forgotten_is_a_finding(variant: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """So the executions reach the limit of the memory, and come back with what is beyond it."""
    monkeypatch.setattr(World, "_may_be_forgotten", lambda *_: False)
    counts, failures = batch([(variant, seed) for seed in range(60)])
    assert failures
    assert all(" twice" in failure.splitlines()[0] for failure in failures)
    assert counts[f"{describe(variant)} failed"] == len(failures)


@pytest.mark.parametrize("variant", choose(None, "token_at"), ids=describe)
def test_the_last_process_has_the_token_first(variant: int, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[object] = []
    create = antecede.create

    def note(name: str, **options: Any) -> antecede.Algorithm:
        given.append(options["token_at"])
        return create(name, **options)

    monkeypatch.setattr(antecede, "create", note)
    name, options = VARIANTS[variant]
    names = World(name, 1, options=dict(options)).names
    assert given == [names[-1]] * len(names)


def test_each_variant_has_so_many_executions(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["fuzz", "--each", "3", "--algorithm", "none"])
    assert main() == 0
    said = capsys.readouterr().out
    lines = [line for line in said.splitlines() if line.startswith("none")]
    assert [line.split()[-4:-2] for line in lines] == [["3", "0"]] * len(choose("none", None))
    assert f"{3 * len(lines)} executions" in said


def test_each_protocol_has_so_many_worlds(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["fuzz_mobile", "--each", "3", "--protocol", "ks, no stations"])
    assert fuzz_mobile.main() == 0
    assert "3 worlds from seed 1: 0 failed" in capsys.readouterr().out


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
