"""Mostefaoui, Raynal: "Causal multicasts in overlapping groups: towards a low cost approach" (003).

§4.1: "If channels are FIFO resynch do not have to carry timestamp and a message multicast has not to carry the field
K[x]". The second part is the option `own_count=False` of `mr`. The first part is false: see the errata of §3.3.
"""

from __future__ import annotations

from random import Random

import pytest

from antecede import Packet, Transmit
from antecede.core.ordering.mr import PhaseStamp, ShortPhaseStamp
from antecede.judge.judge import judge
from tests.stage import Stage, destinations
from tests.worlds import World

NAMES = ["P1", "P2", "P3", "P4"]
GROUPS = {"g1": ["P1", "P2", "P3"], "g2": ["P2", "P3", "P4"], "g3": ["P1", "P4"]}


def packets_of(stage: Stage, seed: int) -> list[Packet]:
    """Send 60 messages. Bring packets in between, those of each channel in their order. Return those of messages."""
    chance = Random(seed)
    for _ in range(60):
        sender = chance.choice(stage.names)
        stage.send(sender, destinations(stage, sender, chance))
        for _ in range(chance.randint(0, 8)):
            if stage.flying:
                chosen = chance.choice(stage.flying)
                channel = (chosen.sender, chosen.to)
                stage.bring(next(flight for flight in stage.flying if (flight.sender, flight.to) == channel))
    stage.drain()
    effects = [effect for step in stage.steps for effect in step.effects]
    return [e.packet for e in effects if isinstance(e, Transmit) and e.packet.message is not None]


@pytest.mark.parametrize("seed", range(20))
def test_4_1_on_fifo_channels_a_message_does_not_carry_the_count_of_its_own_group(seed: int) -> None:
    """The same execution in both forms: the same deliveries, and one integer less on every message but the first."""
    long, short = (Stage("mr", NAMES, GROUPS, own_count=own) for own in (True, False))
    pairs = list(zip(packets_of(long, seed), packets_of(short, seed), strict=True))
    assert long.delivered == short.delivered
    for whole, less in pairs:
        assert isinstance(whole.stamp, PhaseStamp)
        assert isinstance(less.stamp, ShortPhaseStamp)
        assert whole.message is not None
        own = whole.message.group
        assert less.stamp.phase == {group: count for group, count in whole.stamp.phase.items() if group != own}
    saved = sum(whole.control_entries - less.control_entries for whole, less in pairs)
    assert saved > 0.9 * len(pairs)


def test_4_1_a_process_that_waits_for_its_timer_carries_the_count() -> None:
    """P2 has followed P1 to phase 1 and not said so (§3.5). Its message says it, in place of the resynchronisation."""
    stage = Stage("mr", NAMES, GROUPS, own_count=False, resynch_after_s=2.0)
    stage.arrive(stage.send("P1", "g1"), "P2")
    first, second = stage.send("P2", "g1"), stage.send("P2", "g1")
    assert stage.packet(first, "P3").stamp == PhaseStamp({"g1": 1})
    assert stage.packet(second, "P3").stamp == ShortPhaseStamp({})


def test_4_1_processes_with_and_without_the_count_understand_each_other() -> None:
    stage = Stage("mr", NAMES, GROUPS, own_count=False)
    stage.nodes["P1"] = Stage("mr", NAMES, GROUPS).nodes["P1"]
    packets_of(stage, 5)
    assert not any(stage.held(name) for name in NAMES)
    assert {type(packet.stamp) for packet in packets_of(stage, 6)} == {PhaseStamp, ShortPhaseStamp}


@pytest.mark.parametrize("further", [{}, {"numbered": True}, {"resynch_after_s": 0.7}, {"acyclic": True}])
def test_4_1_random_executions_keep_causal_order(further: dict[str, object]) -> None:
    """With processes that restart, join and leave."""
    for seed in range(150):
        world = World("mr", seed, processes_max=6, sends_max=20, options={"own_count": False, **further}).run()
        world.finished()
        assert judge(world.events).violations == 0
