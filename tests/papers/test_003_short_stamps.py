"""Mostefaoui, Raynal: "Causal multicasts in overlapping groups: towards a low cost approach" (003).

§4.1: "If channels are FIFO resynch do not have to carry timestamp and a message multicast has not to carry the field
K[x]". The second part is the option `own_count=False` of `mr`, and the first part is `bare_resynch=True`. As the
statements are printed the first part is false: see the errata of §3.3.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from antecede import Effect, Packet, Transmit, encode
from antecede import sim as simulation
from antecede.core.ordering.mr import PhaseStamp, Resynch, ShortPhaseStamp
from antecede.core.ordering.mr_bare_resynch import BareResynch
from antecede.judge.judge import judge
from antecede.sim import Distribution, Groups, Network, Parameters, Workload
from tests.stage import Stage, destinations
from tests.worlds import World

BARE = {"own_count": False, "bare_resynch": True}
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


@pytest.mark.parametrize("seed", range(20))
def test_4_1_on_fifo_channels_no_packet_carries_the_count_of_its_own_group(seed: int) -> None:
    """The same execution with the counts: the same deliveries, and one integer more on every packet."""
    stages = [Stage("mr", NAMES, GROUPS, **options) for options in (dict[str, Any](), BARE)]
    for stage in stages:
        packets_of(stage, seed)
    assert stages[0].delivered == stages[1].delivered
    long, bare = ([flight.packet for flight in stage.brought] for stage in stages)
    assert [packet.message for packet in long] == [packet.message for packet in bare]
    assert {type(packet.stamp) for packet in bare} == {ShortPhaseStamp, BareResynch}
    saved = [(one, len(encode(one)) - len(encode(other))) for one, other in zip(long, bare, strict=True)]
    assert {count for packet, count in saved if packet.message is None} == {1}
    assert sum(count for packet, count in saved if packet.message is not None) > 50


def test_4_1_without_timers_each_packet_of_a_process_raises_its_phase_by_one() -> None:
    """Which is why the option costs no packet, and what the rules of §3.3 say: +1, +2, +1 and 0."""
    for seed in range(100):
        stage = Stage("mr", NAMES, GROUPS)
        packets_of(stage, seed)
        following: Counter[tuple[str, str, str]] = Counter()
        for flight in stage.brought:
            stamp, message = flight.packet.stamp, flight.packet.message
            if isinstance(stamp, Resynch):
                group, phase = stamp.group, stamp.phase
            else:
                assert isinstance(stamp, PhaseStamp)
                assert message is not None
                assert message.group is not None
                group, phase = message.group, stamp.phase.get(message.group, 0) + 1
            following[flight.sender, flight.to, group] += 1
            assert phase == following[flight.sender, flight.to, group]


@pytest.mark.parametrize(("resynch_after_s", "smaller"), [(0.0, 1.0), (0.5, 0.6)])
def test_4_1_what_it_saves_is_bytes_and_it_costs_no_packet(resynch_after_s: float, smaller: float) -> None:
    """12 processes in groups of four, over 1,000 messages: as many control packets, and a byte less on most of them."""
    counted = [control_packets(resynch_after_s, **options) for options in (dict[str, Any](own_count=False), BARE)]
    (packets, size), (as_many, less) = counted
    assert packets == as_many > 2000
    assert size - less >= smaller * packets


def control_packets(resynch_after_s: float, **options: Any) -> tuple[int, int]:
    """Return the number of control packets in a simulated run, and of their bytes."""
    sizes: list[int] = []

    class Weighing(simulation.World):
        def _carry_out(self, process: str, effects: list[Effect], answered: str | None = None) -> None:
            packets = [effect.packet for effect in effects if isinstance(effect, Transmit)]
            sizes.extend(len(encode(packet)) for packet in packets if packet.message is None)
            super()._carry_out(process, effects, answered)

    network = Network(Distribution("uniform", 0.4, 0.3), fifo=True)
    options |= {"resynch_after_s": resynch_after_s}
    parameters = Parameters(
        algorithm="mr", processes=12, network=network, workload=Workload(groups=Groups(4, 2)), options=options
    )
    assert Weighing(parameters).run().undelivered == 0
    return len(sizes), sum(sizes)


@pytest.mark.parametrize("form", [{"own_count": False}, BARE], ids=["own_count", "bare_resynch"])
@pytest.mark.parametrize("further", [{}, {"numbered": True}, {"resynch_after_s": 0.7}, {"acyclic": True}])
def test_4_1_random_executions_keep_causal_order(further: dict[str, object], form: dict[str, object]) -> None:
    """With processes that restart, join and leave."""
    for seed in range(150):
        world = World("mr", seed, processes_max=6, sends_max=20, options={**form, **further}).run()
        world.finished()
        assert judge(world.events).violations == 0
