"""Mostefaoui, Raynal: "Causal multicasts in overlapping groups: towards a low cost approach" (003).

The example of §4.2 step by step, the rules of §3 and §4.1, and what §3.5 and §5 say about cost.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random

from antecede import Message, SetTimer
from antecede.core.ordering.isis import IsisStamp
from antecede.core.ordering.mr import PhaseStamp, Resynch
from antecede.core.ordering.none import NoStamp
from tests.properties.execution import Execution
from tests.stage import Stage

GROUPS = {"g1": ["P1", "P2"], "g2": ["P2", "P3"], "g3": ["P1", "P3"]}


def k(stage: Stage, message: Message, to: str) -> list[int]:
    """K(m), written [g1, g2, g3]."""
    stamp = stage.packet(message, to).stamp
    assert isinstance(stamp, PhaseStamp)
    return [stamp.phase.get(group, 0) for group in sorted(GROUPS)]


def k_of(stage: Stage, process: str) -> list[int]:
    """K_i, written [g1, g2, g3]."""
    phases = getattr(stage.nodes[process], "phase")  # noqa: B009 - not part of the Algorithm protocol
    return [phases.get(group, 0) for group in sorted(GROUPS)]


def test_4_2_the_example_of_figure_5() -> None:
    stage = Stage("mr", ["P1", "P2", "P3"], GROUPS)
    m1 = stage.send("P1", "g1")
    assert k(stage, m1, "P2") == [0, 0, 0]
    m2 = stage.send("P1", "g3")
    assert k(stage, m2, "P3") == [1, 0, 0]
    assert stage.arrive(m2, "P3") == [m2.id]
    assert stage.controls("P3") == [("P1", Resynch("g3", 1))]
    m3 = stage.send("P3", "g2")
    assert k(stage, m3, "P2") == [1, 0, 1]
    assert stage.arrive(m3, "P2") == [], "P2 has not heard of phase 1 of g1"
    assert stage.held("P2") == ["P3:1 waits for phase 1 of P1 in g1; phase 1 of P2 in g1"]
    assert stage.arrive(m1, "P2") == [m1.id, m3.id]
    assert k_of(stage, "P2") == [1, 1, 1]
    stage.drain()
    assert all(not stage.held(name) for name in stage.names)


def test_2_3_isis_needs_a_vector_a_group_for_the_same_example() -> None:
    """m3 carries counts of g1 and g3, though P3 is not in g1, "in the back of" which m1 was sent."""
    stage = Stage("isis", ["P1", "P2", "P3"], GROUPS)
    m1, m2 = stage.send("P1", "g1"), stage.send("P1", "g3")
    stage.arrive(m2, "P3")
    m3 = stage.send("P3", "g2")
    stamp = stage.packet(m3, "P2").stamp
    assert isinstance(stamp, IsisStamp)
    assert stamp.vectors == {"g1": {"P1": 1}, "g2": {"P3": 1}, "g3": {"P1": 1}}
    assert stage.arrive(m3, "P2") == []
    assert stage.arrive(m1, "P2") == [m1.id, m3.id]


def test_3_2_BS1_a_broadcast_carries_no_timestamp_and_is_delivered_to_its_sender_at_once() -> None:
    stage = Stage("mr-broadcast", ["P1", "P2"])
    message = stage.send("P1", stage.names)
    assert stage.packet(message, "P2").stamp == NoStamp()
    assert stage.delivered["P1"] == [message.id]


def test_3_2_BS2_who_is_behind_says_so_to_everybody() -> None:
    """Figure 3: a process that did not send in a phase announces the next one."""
    stage = Stage("mr-broadcast", ["P1", "P2", "P3"])
    message = stage.send("P1", stage.names)
    stage.arrive(message, "P2")
    assert [(to, resynch.phase) for to, resynch in stage.controls("P2")] == [("P1", 1), ("P3", 1)]


def test_3_2_BS4_a_message_of_phase_1_waits_until_everybody_has_left_phase_0() -> None:
    stage = Stage("mr-broadcast", ["P1", "P2", "P3"])
    first, second = stage.send("P1", stage.names), stage.send("P1", stage.names)
    assert stage.arrive(first, "P2") == [first.id]
    assert stage.arrive(second, "P2") == []
    assert stage.held("P2") == ["P1:2 waits for phase 1 of P3"]
    stage.arrive(first, "P3")
    assert stage.arrive_control("P3", "P2") == [second.id]


def test_3_3_figure_4_the_timestamps_of_successive_broadcasts() -> None:
    """+1 between messages, +2 from a message to a resynch, +1 between resynchs, and 0 from a resynch to a message.

    P1 sends in phases 0 and 1, is silent in 2 and 3, in which P2 sends, and sends again in 4 and 5. (Who hears nothing
    of some phases skips them at once; then the increase is not regular, which is in the errata.)
    """
    stage = Stage("mr", ["P1", "P2"], {"g": ["P1", "P2"]})
    for _ in range(2):
        stage.arrive(stage.send("P1", "g"), "P2")
    for _ in range(2):
        stage.arrive(stage.send("P2", "g"), "P1")
    for _ in range(2):
        stage.send("P1", "g")
    sent = [flight.packet for flight in [*stage.brought, *stage.flying] if flight.sender == "P1"]
    stamps = [packet.stamp for packet in sent]
    assert [(type(stamp), stamp.phase) for stamp in stamps if isinstance(stamp, Resynch)] == [
        (Resynch, 3),
        (Resynch, 4),
    ]
    timestamps = [stamp.phase.get("g", 0) if isinstance(stamp, PhaseStamp) else stamp.phase for stamp in stamps]  # type: ignore[attr-defined]  # a Resynch
    assert timestamps == [0, 1, 3, 4, 4, 5]


def lone_phases(algorithm: str, phases: int) -> int:
    """Each phase, everybody sends before anything of the phase arrives: how many resynchronisations were there?"""
    groups = {"g": ["P1", "P2", "P3", "P4"]} if algorithm == "mr" else None
    stage = Stage(algorithm, ["P1", "P2", "P3", "P4"], groups)
    for _ in range(phases):
        for name in stage.names:
            stage.send(name, "g" if groups else stage.names)
        in_turn(stage, Random(f"phases {phases}"))
    assert all(len(order) == 4 * phases for order in stage.delivered.values())
    return sum(flight.packet.message is None for flight in stage.brought)


def in_turn(stage: Stage, random: Random) -> None:
    """Bring everything, channel by channel in a random order, first in first out."""
    while stage.flying:
        bring_first(stage, random)


def bring_first(stage: Stage, random: Random) -> None:
    """Bring the oldest packet of a channel that is chosen at random."""
    chosen = random.choice(stage.flying)
    stage.bring(next(f for f in stage.flying if (f.sender, f.to) == (chosen.sender, chosen.to)))


def test_3_5_a_perfectly_synchronous_execution_sends_no_resynch() -> None:
    assert lone_phases("mr-broadcast", 5) == 0
    assert lone_phases("mr", 5) == 0


def test_3_5_one_process_that_hears_before_it_sends_is_enough_for_a_resynch() -> None:
    stage = Stage("mr-broadcast", ["P1", "P2"])
    message = stage.send("P1", stage.names)
    stage.arrive(message, "P2")
    stage.send("P2", stage.names)
    stage.drain()
    assert sum(flight.packet.message is None for flight in stage.brought) >= 1


def behind_with_a_timer() -> Stage:
    stage = Stage("mr", ["P1", "P2", "P3"], {"g": ["P1", "P2", "P3"]}, resynch_after_s=2.0)
    stage.call("P2", "tick", 10.0)
    stage.arrive(stage.send("P1", "g"), "P2")
    return stage


def test_3_5_instead_of_a_resynch_a_timer_is_set() -> None:
    stage = behind_with_a_timer()
    assert SetTimer(12.0) in stage.steps[-1].effects
    assert stage.controls("P2") == []


def test_3_5_if_the_timer_expires_the_resynch_is_sent() -> None:
    stage = behind_with_a_timer()
    assert stage.call("P2", "tick", 11.9) == []
    stage.call("P2", "tick", 12.0)
    assert stage.controls("P2") == [("P1", Resynch("g", 1)), ("P3", Resynch("g", 1))]


def test_3_5_if_a_message_is_sent_first_the_timer_is_switched_off() -> None:
    stage = behind_with_a_timer()
    stage.send("P2", "g")
    assert stage.call("P2", "tick", 12.0) == []
    assert stage.controls("P2") == []


def test_4_1_GS4_simultaneous_candidates_are_delivered_in_the_order_of_their_timestamps() -> None:
    """c holds m2, then m1, and both wait for d in g0 alone. m1 precedes m2, so it must go first."""
    groups = {"g0": ["a", "c", "d"], "g1": ["a", "b", "c"], "g2": ["b", "c"]}
    stage = Stage("mr", ["a", "b", "c", "d"], groups)
    m0 = stage.send("a", "g0")
    m1 = stage.send("a", "g1")
    stage.arrive(m1, "b")
    m2 = stage.send("b", "g2")
    assert stage.arrive(m2, "c") == []
    assert stage.arrive(m0, "c") == [m0.id]
    assert stage.arrive(m1, "c") == []
    assert stage.held("c") == [
        "b:1 waits for phase 1 of d in g0; phase 1 of b in g1",
        "a:2 waits for phase 1 of d in g0",
    ]
    stage.arrive_control("b", "c")
    assert stage.held("c") == ["b:1 waits for phase 1 of d in g0", "a:2 waits for phase 1 of d in g0"]
    stage.arrive(m0, "d")
    assert stage.arrive_control("d", "c") == [m1.id, m2.id]


def random_multicasts(seed: int) -> tuple[Stage, Execution, list[dict[str, dict[str, int]]]]:
    """Overlapping groups, FIFO channels, sends and arrivals in random order; and K of every process after each step."""
    random = Random(f"003 4.4 {seed}")
    names = ["P1", "P2", "P3", "P4", "P5"]
    groups = {f"g{number}": random.sample(names, random.randint(2, 4)) for number in range(1, 5)} | {"g0": names}
    stage, execution = Stage("mr", names, groups), Execution()
    stage.witnesses.append(execution.observe)
    steps: list[dict[str, dict[str, int]]] = []
    sends = 20
    while sends or stage.flying:
        if sends and (not stage.flying or random.random() < 0.3):
            sender = random.choice(names)
            stage.send(sender, random.choice([group for group, members in groups.items() if sender in members]))
            sends -= 1
        else:
            bring_first(stage, random)
        steps.append({name: dict(getattr(stage.nodes[name], "phase")) for name in names})  # noqa: B009 - as in k_of
    return stage, execution, steps


def test_4_4_1_lemma_1_the_vectors_K_never_decrease() -> None:
    grown = 0
    for seed in range(30):
        _, _, steps = random_multicasts(seed)
        for before, after in pairwise(steps):
            for name in before:
                assert all(after[name].get(group, 0) >= phase for group, phase in before[name].items())
                grown += before[name] != after[name]
    assert grown > 1_000


def test_4_4_1_lemma_2_timestamps_grow_along_causality() -> None:
    """m1 -> m2: K(m1) is nowhere above K(m2), and below it in the group of m1."""
    pairs = elsewhere = 0
    for seed in range(30):
        stage, execution, _ = random_multicasts(seed)
        stamps = {
            flight.packet.message.id: flight.packet.stamp.phase
            for flight in stage.brought
            if flight.packet.message is not None and isinstance(flight.packet.stamp, PhaseStamp)
        }
        for second, later in stamps.items():
            for first in execution.precede(second):
                group = execution.messages[first].group
                assert group is not None
                assert all(later.get(x, 0) >= phase for x, phase in stamps[first].items())
                assert later.get(group, 0) > stamps[first].get(group, 0)
                pairs += 1
                elsewhere += second.sender not in execution.messages[first].dests
    assert pairs > 2_000
    assert elsewhere > 100, "and where the sender of m2 is not in the group of m1: case 2.2 of the proof"


def reversed_channel(numbered: bool) -> list[object]:
    stage = Stage("mr", ["P1", "P2"], {"g": ["P1", "P2"]}, numbered=numbered)
    sent = [stage.send("P1", "g") for _ in range(3)]
    for message in reversed(sent):
        stage.arrive(message, "P2")
    return [sent.index(message) for message in sent if message.id in stage.delivered["P2"]]


def test_3_4_on_channels_that_are_not_FIFO_numbers_bring_back_the_order() -> None:
    assert reversed_channel(numbered=True) == [0, 1, 2]


def test_3_4_without_numbers_messages_that_were_overtaken_are_lost() -> None:
    assert reversed_channel(numbered=False) == [2]


def test_3_4_a_number_is_that_of_the_channel_not_of_the_sender() -> None:
    stage = Stage("mr", ["P1", "P2", "P3"], GROUPS, numbered=True)
    stage.send("P1", "g1")
    to_p3 = stage.send("P1", "g3")
    assert stage.arrive(to_p3, "P3") == [to_p3.id], "the first packet of P1 to P3, though not the first of P1"


def test_5_2_a_timestamp_has_at_most_one_entry_a_group_where_isis_has_one_a_member_and_group() -> None:
    groups = {"g0": ["a", "b", "c", "d"], "g1": ["a", "b", "c"], "g2": ["b", "c", "d"], "g3": ["a", "d"]}
    entries = {}
    for algorithm in ("mr", "isis"):
        stage = Stage(algorithm, ["a", "b", "c", "d"], groups)
        for _ in range(2):  # in the second round a hears of g2, which it is not in
            for group, members in groups.items():
                for member in members:
                    stage.send(member, group)
            stage.drain()
        entries[algorithm] = stage.packet(stage.send("a", "g0"), "b").control_entries
    assert entries == {"mr": len(groups), "isis": sum(map(len, groups.values()))}


def test_5_1_mr_may_wait_for_a_resynch_where_nothing_that_precedes_is_missing() -> None:
    """The price: P2 has all that precedes m2, and holds it until P3 is heard of; isis does not."""
    groups = {"g": ["P1", "P2", "P3"]}
    instants = {}
    for algorithm in ("mr", "isis"):
        stage = Stage(algorithm, ["P1", "P2", "P3"], groups)
        m1, m2 = stage.send("P1", "g"), stage.send("P1", "g")
        instants[algorithm] = [len(stage.arrive(m1, "P2")), len(stage.arrive(m2, "P2"))]
    assert instants == {"mr": [1, 0], "isis": [1, 1]}
