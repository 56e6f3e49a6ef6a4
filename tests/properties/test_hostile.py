"""A spoiled packet that is still a packet: it is taken, or refused with the state as it was; nothing crashes.

What a liar can make others believe is another matter. Here every process stays in a state that can be saved,
restored, asked what it holds back, and used.
"""

from __future__ import annotations

from random import Random

import pytest

import antecede
from antecede import AntecedeError, Packet, WireError
from tests.properties.packets import ALGORITHMS, spoiled
from tests.stage import Stage, destinations, stage_for


def spoiled_packet(stage: Stage, random: Random) -> tuple[str, Packet] | None:
    flight, other = random.choice(stage.flying), random.choice(stage.flying)
    data = spoiled(antecede.encode(flight.packet), antecede.encode(other.packet), random)
    try:
        return flight.to, antecede.decode(data)
    except WireError:
        return None


def slip_in(stage: Stage, to: str, packet: Packet) -> bool:
    """Bring the packet; the effects go nowhere. Was it taken?"""
    node = stage.nodes[to]
    before = node.snapshot()
    try:
        node.receive(packet)
    except AntecedeError:
        assert node.snapshot() == before, f"refused, and yet changed: {packet}"
        return False
    stage.restart(to)
    assert stage.held(to) == [str(waiting) for waiting in node.pending()]
    return True


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_spoiled_packets_among_good_ones(algorithm: str) -> None:
    taken = refused = 0
    for seed in range(30):
        random = Random(f"hostile {algorithm} {seed}")
        stage = stage_for(algorithm, random, processes=4)
        for _ in range(60):
            if not stage.flying or random.random() < 0.4:
                sender = random.choice(stage.names)
                stage.send(sender, destinations(stage, sender, random))
            elif random.random() < 0.3:
                stage.bring(random.choice(stage.flying))
            elif (found := spoiled_packet(stage, random)) is not None:
                if slip_in(stage, *found):
                    taken += 1
                else:
                    refused += 1
    assert taken
    assert refused
