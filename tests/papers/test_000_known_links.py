"""Prakash, Raynal, Singhal: "An Adaptive Causal Ordering Algorithm Suited to Mobile Computing Environments" (000).

§3, "topology and communication pattern can be combined": `prs` and `ks`, whose stamps shrink by what traffic teaches,
are told the links of the network, to which messages keep, and leave out what is then useless.
"""

from __future__ import annotations

from random import Random

import pytest
from bench.locality.known_links import NETWORKS, measure

from antecede.sim import Result
from tests.hierarchies import random_network
from tests.stage import Stage, destinations

ALGORITHMS = pytest.mark.parametrize("algorithm", ["ks", "prs"])
SHARES = dict(zip(NETWORKS, [0.15, 0.25, 0.65, 1.0, 0.3], strict=True))
"""The bytes of a stamp with links are less than this part of those without."""


def bytes_and_entries(result: Result) -> tuple[float, float]:
    assert result.bytes_mean is not None
    assert result.entries_mean is not None
    return result.bytes_mean, result.entries_mean


@ALGORITHMS
@pytest.mark.parametrize("name", NETWORKS)
def test_3_links_make_stamps_smaller_and_nothing_is_later(algorithm: str, name: str) -> None:
    plain, linked = (measure(algorithm, NETWORKS[name], told=told, seed=7, oracle=True) for told in (False, True))
    assert (linked.violations, linked.needless_share) == (0, 0.0)
    assert (linked.delay_mean_s, linked.delay_max_s) == (plain.delay_mean_s, plain.delay_max_s)
    (size, entries), (plain_size, plain_entries) = map(bytes_and_entries, (linked, plain))
    assert size < SHARES[name] * plain_size
    assert entries < plain_entries


@ALGORITHMS
def test_3_on_a_tree_nothing_remains_but_what_passed_between_two_neighbors(algorithm: str) -> None:
    result = measure(algorithm, NETWORKS["a tree of 40"], told=True, seed=7)
    assert result.entries_max <= 2


def play(stages: list[Stage], random: Random) -> None:
    """Send and bring the same on all stages, and compare what is delivered."""
    first = stages[0]
    for _ in range(120):
        if first.flying and random.random() < 0.6:
            at = random.randrange(len(first.flying))
            delivered = [stage.bring(stage.flying[at]) for stage in stages]
            assert all(one == delivered[0] for one in delivered)
        else:
            sender = random.choice(first.names)
            dests = destinations(first, sender, random)
            for stage in stages:
                stage.send(sender, dests)


@ALGORITHMS
@pytest.mark.parametrize("seed", range(40))
def test_3_messages_are_delivered_at_the_same_steps_as_without_links(algorithm: str, seed: int) -> None:
    random = Random(f"known links {seed}")
    names = [f"p{number}" for number in range(random.randint(3, 10))]
    links = random_network(random, names).links
    stages = [Stage(algorithm, names, links=links), Stage(algorithm, names), Stage("rst", names)]
    play(stages, random)
    entries = [sum(flight.packet.control_entries for flight in [*s.flying, *s.brought]) for s in stages]
    assert entries[0] <= entries[1]
