"""Mostefaoui, Raynal: "Causal multicasts in overlapping groups: towards a low cost approach" (003).

The graph of groups of §2.1, and the small stamps of §2.3 and §4.3 where it has no cycle. That the option is refused
elsewhere is in `core/test_acyclic.py`; here it is forced on groups with a cycle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

import pytest

import antecede
from antecede import Algorithm, MessageId, Misuse, Packet, Stamp, Transmit, encode
from antecede.core.acyclic import AcyclicGroups, find_obstacle
from antecede.core.ordering.isis import Isis, IsisStamp
from antecede.core.ordering.mr import Phases, PhaseStamp
from antecede.core.process import Process
from antecede.judge.judge import judge
from tests.group_trees import tree_of_groups, wide_tree_of_groups
from tests.stage import Stage, destinations
from tests.worlds import World

FIGURE_1 = {"g1": ["P1", "P2"], "g2": ["P2", "P3"], "g3": ["P1", "P3"]}
SHARING_TWO = {"g1": ["A", "B", "C"], "g2": ["A", "B", "D"]}
ROW = {"g1": ["a", "b", "c"], "g2": ["c", "d", "e"], "g3": ["e", "f", "g"], "g4": ["g", "h", "i"]}
SEEDS = range(150)
BOTH = pytest.mark.parametrize("algorithm", ["isis", "mr"])


def force_acyclic(algorithm: str, process: str, groups: Mapping[str, Sequence[str]]) -> AcyclicGroups:
    """A process with `acyclic`, and without the check of its groups."""
    inner = antecede.create(algorithm, process=process, groups=groups)
    assert isinstance(inner, Process | Phases)
    return AcyclicGroups(inner, {group: frozenset(members) for group, members in groups.items()})


def forced_stage(algorithm: str, groups: Mapping[str, Sequence[str]]) -> Stage:
    stage = Stage(algorithm, sorted({name for members in groups.values() for name in members}), groups)
    stage.nodes = {name: force_acyclic(algorithm, name, groups) for name in stage.names}
    return stage


class CyclicWorld(World):
    """Random executions in the groups of Figure 1, with `acyclic` forced."""

    def _random_groups(self) -> dict[str, list[str]]:
        self.names = ["P1", "P2", "P3"]
        return {group: list(members) for group, members in FIGURE_1.items()}

    def _create(self, name: str) -> Algorithm:
        return force_acyclic(self.algorithm, name, self.groups)


class JoiningWorld(World):
    """Random executions whose newcomers join two groups if these then form no cycle, and one otherwise."""

    in_two = 0

    def _join(self) -> None:
        self.newcomers += 1
        name = f"q{self.newcomers}"
        groups = sorted(self.random.sample(sorted(self.groups), min(2, len(self.groups))))
        try:
            antecede.restore(self.nodes[self.names[0]].snapshot()).join(name, groups)
        except Misuse:
            groups = groups[:1]
        self.in_two += len(groups) == 2
        for group in groups:
            self._add_member(group, name)
        joined = {other: self.nodes[other].join(name, groups) for other in self.names}
        self.names.append(name)
        self.nodes[name] = self._create(name)
        for other, effects in joined.items():
            self._carry_out(other, effects)


def test_2_1_the_graph_of_figure_1_a_has_a_cycle() -> None:
    graph = antecede.group_graph(FIGURE_1)
    assert graph.edges == {("g1", "g2"): ("P2",), ("g1", "g3"): ("P1",), ("g2", "g3"): ("P3",)}
    assert graph.cycle == ("g1", "g2", "g3")
    assert not graph.is_acyclic


def test_2_1_two_groups_have_one_edge_however_many_processes_they_share() -> None:
    """ "two groups are immediate neighbors if there is a process that is member of these two groups" """
    graph = antecede.group_graph(SHARING_TWO)
    assert graph.edges == {("g1", "g2"): ("A", "B")}
    assert graph.is_acyclic


def test_2_1_three_groups_that_share_a_process_are_a_cycle() -> None:
    assert antecede.group_graph({"g1": ["P", "A"], "g2": ["P", "B"], "g3": ["P", "C"]}).cycle == ("g1", "g2", "g3")


@BOTH
def test_2_3_figure_1_b_own_groups_are_not_enough_in_a_cycle(algorithm: str) -> None:
    """m1 is sent "in the back of P3", whose m3 says nothing about g1, and overtakes m1."""
    stage = forced_stage(algorithm, FIGURE_1)
    m1, m2 = stage.send("P1", "g1"), stage.send("P1", "g3")
    assert stage.arrive(m2, "P3") == [m2.id]
    m3 = stage.send("P3", "g2")
    assert stage.arrive(m3, "P2") == [m3.id], "before m1, which precedes it"
    assert stage.arrive(m1, "P2") == [m1.id]


def test_4_3_own_groups_are_not_enough_for_mr_if_two_groups_share_two_processes() -> None:
    """The execution of the erratum of §4.3: the graph has no cycle, and m2 overtakes m1 and m0."""
    stage = forced_stage("mr", SHARING_TWO)
    m0, m1, m2 = perform_erratum(stage)
    assert stage.delivered["B"] == [m2, m0, m1]


def test_2_3_own_groups_are_enough_for_isis_if_two_groups_share_two_processes() -> None:
    stage = Stage("isis", "ABCD", SHARING_TWO, acyclic=True)
    assert stage.delivered["B"] == perform_erratum(stage)


def perform_erratum(stage: Stage) -> list[MessageId]:
    m0 = stage.send("D", "g2")
    hear(stage, "A", "D")
    m1 = stage.send("A", "g1")
    hear(stage, "C", "A")
    m2 = stage.send("C", "g1")
    hear(stage, "B", "C")
    while stage.flying:
        for sender in "ABCD":
            for name in "ABCD":
                hear(stage, name, sender)
    return [m0.id, m1.id, m2.id]


def hear(stage: Stage, name: str, sender: str) -> None:
    """Bring all that is in flight from `sender` to `name`, in the order it was sent."""
    for flight in [flight for flight in stage.flying if (flight.sender, flight.to) == (sender, name)]:
        stage.bring(flight)


@BOTH
def test_2_3_random_executions_in_a_cycle_break_causal_order(algorithm: str) -> None:
    violated = 0
    for seed in range(60):
        world = CyclicWorld(algorithm, seed, strict=False, dynamic=False).run()
        assert not world.oracle.lost()
        violated += bool(judge(world.events).violations)
    assert violated > 0


@pytest.mark.parametrize(("algorithm", "further"), [("isis", {}), ("mr", {}), ("mr", {"numbered": True})])
def test_2_3_and_4_3_random_executions_without_a_cycle_keep_causal_order(
    algorithm: str, further: dict[str, object]
) -> None:
    """With processes that restart, join and leave; nobody holds back a message of `isis` without need."""
    groups = 0
    for seed in SEEDS:
        world = World(algorithm, seed, processes_max=8, sends_max=20, options={"acyclic": True, **further}).run()
        world.finished()
        assert judge(world.events).violations == 0
        groups = max(groups, len(world.groups))
    assert groups > 3, "the groups were too few"


def test_2_3_newcomers_in_two_groups_keep_causal_order_as_long_as_there_is_no_cycle() -> None:
    in_two = 0
    for seed in SEEDS:
        world = JoiningWorld("isis", seed, processes_max=8, sends_max=40, options={"acyclic": True})
        world.run()
        world.finished()
        assert judge(world.events).violations == 0
        in_two += world.in_two
    assert in_two > 20


@BOTH
def test_2_3_and_4_3_a_process_keeps_and_sends_control_information_of_its_own_groups_only(algorithm: str) -> None:
    stage = Stage(algorithm, "abcdefghi", ROW, acyclic=True)
    for packet in perform(stage, 7):
        assert {group for group in counts_of(packet.stamp) if packet.sender not in ROW[group]} == set()
    for name, node in stage.nodes.items():
        assert isinstance(node, AcyclicGroups)
        known = node.inner.phase if isinstance(node.inner, Phases) else isis_of(node.inner).vectors
        assert {group for group in known if name not in ROW[group]} == set()


def counts_of(stamp: Stamp) -> Mapping[str, object]:
    assert isinstance(stamp, IsisStamp | PhaseStamp)
    return stamp.vectors if isinstance(stamp, IsisStamp) else stamp.phase


def isis_of(process: Process) -> Isis:
    assert isinstance(process.ordering, Isis)
    return process.ordering


@BOTH
def test_2_3_and_4_3_stamps_are_smaller(algorithm: str) -> None:
    """The same execution with and without the option: the most entries of a stamp, and the bytes of all packets."""
    wide, small = (perform(Stage(algorithm, "abcdefghi", ROW, **options), 7) for options in ({}, {"acyclic": True}))
    most = [max(packet.control_entries for packet in packets) for packets in (wide, small)]
    assert most == ([12, 6] if algorithm == "isis" else [4, 2])
    sizes = [sum(len(encode(packet)) for packet in packets) for packets in (wide, small)]
    assert sizes[1] < sizes[0] * 0.8


def perform(stage: Stage, seed: int) -> list[Packet]:
    """Send 120 messages, each of which arrives before the next, and return the packets of messages."""
    chance = Random(seed)
    for _ in range(120):
        sender = chance.choice(stage.names)
        stage.send(sender, destinations(stage, sender, chance))
        stage.drain()
    effects = [effect for step in stage.steps for effect in step.effects]
    return [e.packet for e in effects if isinstance(e, Transmit) and e.packet.message is not None]


def test_the_trees_of_groups_of_the_random_executions_have_no_cycle() -> None:
    for seed in SEEDS:
        chance = Random(seed)
        names = [f"p{number}" for number in range(chance.randint(2, 9))]
        assert find_obstacle(antecede.group_graph(tree_of_groups(chance, names)), one_shared=True) == ""
        assert antecede.group_graph(wide_tree_of_groups(chance, names)).is_acyclic
