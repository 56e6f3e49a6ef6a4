"""Prakash, Raynal, Singhal: "An Adaptive Causal Ordering Algorithm Suited to Mobile Computing Environments" (000).

§3, causal separators: what is known of the topology shrinks stamps, and so does what traffic teaches. `hierarchy` is
told the topology: a representative is the articulation point between its side and the rest of the network, and all
messages of its side go through it. `antecede.locality.separate` finds the articulation points. The inner algorithm
uses what traffic teaches among the representatives, or does not: `rst` sends counts of all channels, and `prs` only
those that matter.
"""

from __future__ import annotations

from random import Random
from statistics import mean
from typing import Any

import pytest

from antecede import Message, MessageId, Packet, Stamp, encode
from antecede.locality import Graph, separate
from tests.stage import Stage

SIDES = {f"r{side}": [f"{name}{side}" for name in "abc"] for side in range(1, 5)}
"""The processes of each side, by the articulation point that separates the side from the others."""
SIDE_OF = {name: head for head, others in SIDES.items() for name in (head, *others)}
NAMES = list(SIDE_OF)
LINKS = [
    *((one, other) for one in NAMES for other in NAMES if one < other and SIDE_OF[one] == SIDE_OF[other]),
    *((one, other) for one in SIDES for other in SIDES if one < other),
]
"""The network: all processes of a side are linked, and so are the articulation points."""


def reachable(start: str, without: str) -> set[str]:
    """Return what is connected to `start` if `without` is removed from the network."""
    found, todo = {start}, [start]
    while todo:
        here = todo.pop()
        near = {other for link in LINKS if here in link for other in link} - {without} - found
        found |= near
        todo += sorted(near)
    return found


def crossing_stamp(packet: Packet) -> Stamp:
    """Return what a packet carries for the order of messages, without channel numbers and identities."""
    stamp = packet.stamp
    while hasattr(stamp, "inner"):
        stamp = stamp.inner
    return stamp


def play(seed: int, algorithm: str, **options: Any) -> Stage:
    """Most messages stay on their side; the others go to one other side. The network brings packets in any order."""
    stage, random = Stage(algorithm, NAMES, **options), Random(f"separators {seed}")
    for _ in range(400):
        if stage.flying and random.random() < 0.7:
            stage.bring(random.choice(stage.flying))
        else:
            sender = random.choice(NAMES)
            away = random.choice([head for head in SIDES if head != SIDE_OF[sender]])
            side = SIDE_OF[sender] if random.random() < 0.7 else away
            others = [name for name in NAMES if SIDE_OF[name] == side and name != sender]
            stage.send(sender, set(random.sample(others, random.randint(1, 3))))
    return stage


def crossing(stage: Stage) -> list[Packet]:
    """Return the packets that went from one side to another."""
    return [flight.packet for flight in stage.brought if SIDE_OF[flight.sender] != SIDE_OF[flight.to]]


@pytest.mark.parametrize("head", SIDES)
def test_3_the_representative_of_a_side_is_an_articulation_point(head: str) -> None:
    assert reachable(SIDES[head][0], without=head) == set(SIDES[head])


def test_3_the_separators_are_found_in_the_links_of_the_network() -> None:
    assert separate(Graph.both_ways(LINKS)) == [SIDES]


@pytest.mark.parametrize("inner", ["rst", "prs", "ks"])
def test_3_a_message_to_the_other_side_carries_no_dependency_of_its_own_side(inner: str) -> None:
    packets = crossing(play(1, "hierarchy", representatives=separate(Graph.both_ways(LINKS)), inner=inner))
    assert len(packets) > 20
    assert all(names_in(crossing_stamp(packet)) <= SIDES.keys() for packet in packets)
    alone = crossing(play(1, inner))
    assert any(names_in(crossing_stamp(packet)) - SIDES.keys() for packet in alone)


def names_in(stamp: Stamp) -> set[str]:
    """Return the processes that a stamp names, by its bytes."""
    named = Packet("r1", Message(MessageId("r1", 1), frozenset({"r1"}), b""), stamp)
    return {name for name in NAMES if name.encode() in encode(named)}


@pytest.mark.parametrize("seed", range(3))
def test_3_topology_and_pattern_combined_send_less_than_either_alone(seed: int) -> None:
    def entries(algorithm: str, **options: Any) -> float:
        return mean(crossing_stamp(packet).entries for packet in crossing(play(seed, algorithm, **options)))

    pattern = entries("prs")
    topology, both = (entries("hierarchy", representatives=SIDES, inner=inner) for inner in ("rst", "prs"))
    assert both < 0.8 * topology
    assert both < 0.2 * pattern
