"""Mostefaoui, Raynal: "Causal multicasts in overlapping groups: towards a low cost approach" (003).

One integer for all groups: the third corner of the trade-off of §5.2.
"""

from __future__ import annotations

from random import Random

import antecede
from antecede import Message, MessageId, Transmit
from antecede.core.ordering.mr_scalar import ScalarPhase
from tests.stage import Stage
from tests.worlds import World

FIGURE_1 = {"g1": ["P1", "P2"], "g2": ["P2", "P3"], "g3": ["P1", "P3"]}
ROW = {"g1": ["P1", "P2"], "g2": ["P2", "P3"]}


class StampedWorld(World):
    """Random executions that keep the timestamp of every message."""

    def __post_init__(self) -> None:
        self.stamps: dict[MessageId, int] = {}
        super().__post_init__()

    def _carry_out(self, process: str, effects: list[antecede.Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Transmit) and effect.packet.message is not None:
                assert isinstance(effect.packet.stamp, ScalarPhase)
                self.stamps[effect.packet.message.id] = effect.packet.stamp.phase
        super()._carry_out(process, effects)


def entries_of(stage: Stage, message: Message, to: str) -> int:
    return stage.packet(message, to).control_entries


def test_5_2_a_message_carries_one_integer_however_many_groups_there_are() -> None:
    names = ["P1", "P2", "P3", "P4"]
    random = Random("003 5.2")
    groups = {f"g{number}": random.sample(names, 3) for number in range(8)} | {"all": names}
    entries = {}
    for algorithm in ("isis", "mr", "mr-scalar"):
        stage = Stage(algorithm, names, groups)
        for _ in range(2):
            for group, members in groups.items():
                for member in members:
                    stage.send(member, group)
            stage.drain()
        entries[algorithm] = entries_of(stage, stage.send("P1", "all"), "P2")
    assert entries == {"isis": sum(map(len, groups.values())), "mr": len(groups), "mr-scalar": 1}


def test_5_2_who_receives_a_message_resynchronises_in_all_its_groups() -> None:
    """P2 tells P3 too, though the message was not for the group of P3; with `mr` it tells P1 only."""
    told = {}
    for algorithm in ("mr", "mr-scalar"):
        stage = Stage(algorithm, ["P1", "P2", "P3"], ROW)
        stage.arrive(stage.send("P1", "g1"), "P2")
        told[algorithm] = [(to, stamp.phase) for to, stamp in stage.controls("P2")]
    assert told == {"mr": [("P1", 1)], "mr-scalar": [("P1", 1), ("P3", 1)]}


def test_5_2_the_cycle_of_figure_1_with_one_integer() -> None:
    stage = Stage("mr-scalar", ["P1", "P2", "P3"], FIGURE_1)
    m1, m2 = stage.send("P1", "g1"), stage.send("P1", "g3")
    assert stage.arrive(m2, "P3") == [], "P3 has heard nothing of P2"
    stage.arrive_control("P3", "P2")
    assert stage.arrive_control("P2", "P3") == [m2.id]
    m3 = stage.send("P3", "g2")
    assert [stage.packet(m, to).stamp for m, to in ((m1, "P2"), (m2, "P3"), (m3, "P2"))] == [
        ScalarPhase(0),
        ScalarPhase(1),
        ScalarPhase(2),
    ]
    assert stage.arrive(m3, "P2") == [], "m1 is in the back of P3"
    assert stage.arrive(m1, "P2") == [m1.id]
    stage.drain()
    assert stage.delivered["P2"] == [m1.id, m3.id]
    assert not any(stage.held(name) for name in stage.names)


def test_5_2_who_is_ahead_answers_those_who_do_not_know_it() -> None:
    """P1 is in phase 3 by messages that P3 is not sent. P3 holds a message of phase 1 back until it hears so."""
    stage = Stage("mr-scalar", ["P1", "P2", "P3", "P4"], {"g1": ["P1", "P2"], "g2": ["P1", "P3"], "g3": ["P3", "P4"]})
    for _ in range(3):
        stage.send("P1", "g1")
    first, second = stage.send("P4", "g3"), stage.send("P4", "g3")
    assert stage.arrive(first, "P3") == [first.id]
    assert stage.arrive(second, "P3") == []
    assert stage.held("P3") == ["P4:2 waits for phase 1 of P1"]
    stage.arrive_control("P3", "P1")
    assert stage.controls("P1") == [("P3", ScalarPhase(3))], "P2 was told by the messages"
    assert stage.arrive_control("P1", "P3") == [second.id]


def test_5_2_the_smallest_stamps_wait_longest() -> None:
    """P2 has all that precedes the second message. With one integer it waits for P3, who is in another group."""
    instants = {}
    for algorithm in ("isis", "mr", "mr-scalar"):
        stage = Stage(algorithm, ["P1", "P2", "P3"], ROW)
        first, second = stage.send("P1", "g1"), stage.send("P1", "g1")
        instants[algorithm] = [len(stage.arrive(first, "P2")), len(stage.arrive(second, "P2"))]
    assert instants == {"isis": [1, 1], "mr": [1, 1], "mr-scalar": [1, 0]}


def test_5_2_random_executions_keep_causal_order_and_timestamps_grow_along_causality() -> None:
    pairs = 0
    for seed in range(150):
        world = StampedWorld("mr-scalar", seed)
        world.run().finished()
        for second, phase in world.stamps.items():
            for first in world.oracle.past[second] & world.stamps.keys():
                assert world.stamps[first] < phase
                pairs += 1
    assert pairs > 2_000
