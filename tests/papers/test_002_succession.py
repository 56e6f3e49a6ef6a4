"""Kshemkalyani, Singhal: "Necessary and sufficient conditions on information for causal message ordering and their
optimal implementation" (002).

§7.1, asymmetric organisation: "Processes are grouped together based on having a common process to represent the
processes at the higher level in the hierarchy." Here that process may leave, and another one represents them.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import antecede
from antecede import Deliver, Misuse
from antecede.core.ordering.succession import Quiet, Resign, RolePart, Succeed
from antecede.judge.judge import judge
from tests.stage import Stage
from tests.worlds import World

CLUSTERS = {"r": ["s", "t"], "x": ["y"]}
NAMES = [*"rstxy"]


class Departures(World):
    """Random executions in which processes come and go also when time passes, of which a hierarchy takes no notice."""

    def _tick(self, now: float) -> None:
        self.now = now
        self._membership()


def is_handing_over(node: Any) -> bool:
    return bool(node.is_handing_over)


def awaited_by(node: Any) -> set[str]:
    return set(node.awaited_to_hand_over)


def told(stage: Stage) -> list[tuple[str, str, type]]:
    """The control packets in flight: from whom, to whom, and what they say."""
    return [
        (flight.sender, flight.to, type(flight.packet.stamp.inner))  # type: ignore[attr-defined]  # every packet is numbered
        for flight in stage.flying
        if flight.packet.message is None
    ]


def test_7_1_a_representative_hands_its_role_over_with_messages_on_their_way() -> None:
    """t's first message is on its way to r when r resigns, and t's second waits for the successor."""
    stage = Stage("hierarchy", NAMES, representatives=CLUSTERS)
    first = stage.send("t", {"s", "y"})
    stage.call("r", "leave", "r")
    assert told(stage) == [("r", to, Resign) for to in "stx"]
    stage.arrive_control("r", "t")
    second = stage.send("t", {"s", "y"})
    assert [flight.packet.message for flight in stage.flying if flight.sender == "t"] == [first, None]
    assert stage.held("t") == ["t:2 waits for successor 1 of r"]
    stage.arrive(first, "r")
    assert stage.held("r") == ["t:1 waits for successor 1 of r"], "it may be the last that goes to s and x"
    for name in "sx":
        stage.arrive_control("r", name)
    for name, awaited in zip("stx", ("stx", "tx", "x"), strict=True):
        assert is_handing_over(stage.nodes["r"])
        assert awaited_by(stage.nodes["r"]) == set(awaited)
        stage.restart("r")
        stage.arrive_control(name, "r")
    assert awaited_by(stage.nodes["r"]) == {"s"}, "the successor has to say that it has the role"
    assert told(stage) == [("r", "s", RolePart)]
    assert stage.arrive_control("r", "s") == [first.id], "what r would have sent down to s"
    assert told(stage) == [("s", to, Succeed) for to in "rtx"]
    stage.drain()
    assert not is_handing_over(stage.nodes["r"])
    assert awaited_by(stage.nodes["r"]) == set()
    for name in "stxy":
        stage.call(name, "leave", "r")
    third = stage.send("y", {"s", "t", "x"})
    stage.drain()
    assert stage.delivered == {
        "r": [],
        "s": [first.id, second.id, third.id],
        "t": [third.id],
        "x": [third.id],
        "y": [first.id, second.id],
    }
    assert not any(stage.held(name) for name in NAMES)


def test_7_1_packets_are_exchanged_with_the_cluster_and_the_other_representatives_only() -> None:
    """Three packets for each neighbour, and the role. y, in another cluster, hears of nothing."""
    stage = Stage("hierarchy", NAMES, representatives=CLUSTERS)
    stage.call("r", "leave", "r")
    stage.drain()
    control = [(flight.sender, flight.to) for flight in stage.brought]
    assert not any("y" in pair for pair in control)
    assert len(control) == 3 + 3 + 1 + 3
    kinds = [type(flight.packet.stamp.inner) for flight in stage.brought]  # type: ignore[attr-defined]  # every packet is numbered
    assert {kind: kinds.count(kind) for kind in kinds} == {Resign: 3, Quiet: 3, RolePart: 1, Succeed: 3}


def test_7_1_a_role_of_many_messages_travels_in_parts() -> None:
    stage = Stage("hierarchy", NAMES, representatives=CLUSTERS)
    stage.call("r", "leave", "r")
    sent = [stage.send("t", {"y"}, bytes(200_000)) for _ in range(3)]
    stage.drain()
    parts = [f.packet.stamp.inner for f in stage.brought if isinstance(f.packet.stamp.inner, RolePart)]  # type: ignore[attr-defined]  # every packet is numbered
    assert [(part.number, part.count) for part in parts] == [(1, 3), (2, 3), (3, 3)]
    assert stage.delivered["y"] == [message.id for message in sent]


def test_7_1_who_is_alone_in_its_cluster_leaves_and_its_role_ends() -> None:
    stage = Stage("hierarchy", "rsxy", representatives={"r": [], "x": ["y"], "s": []})
    last = stage.send("r", {"s", "y"})
    stage.drain()
    assert stage.call("r", "leave", "r") == []
    assert not is_handing_over(stage.nodes["r"])
    for name in "sxy":
        stage.call(name, "leave", "r")
        roles: Any = stage.nodes[name]
        assert sorted(set(roles.inner.representative.values())) == ["s", "x"]
    after = stage.send("s", {"y"})
    stage.drain()
    assert stage.delivered["y"] == [last.id, after.id]


@pytest.mark.parametrize("inner", ["ks", "prs", "rst", "ses"])
def test_7_1_representatives_leave_and_causal_order_is_kept(inner: str) -> None:
    """Random levels, with messages in flight, restarts in the middle of a hand-over, newcomers, and more who leave."""
    handed_over = 0
    for seed in range(60):
        world = Departures("hierarchy", seed, processes_max=12, sends_max=60, options={"inner": inner}).run()
        world.finished()
        verdict = judge(world.events)
        assert (verdict.violations, verdict.duplicates, verdict.spurious) == (0, 0, 0)
        handed_over += world.handed_over
        for node in world.nodes.values():
            inside: Any = node
            assert not inside.inner.carried
            assert not inside.inner.succession.kept
            assert not inside.inner.succession.quiet
    assert handed_over > 40


def test_7_1_all_of_a_cluster_leave_one_after_the_other() -> None:
    """Each successor hands the role over in turn, under its first name, until nobody is left and the role ends."""
    names = [*"abcde", "x", "y"]
    stage = Stage("hierarchy", names, representatives={"a": [*"bcde"], "x": ["y"]})
    random, sent = Random("cluster"), 0
    for leaving in "abcde":
        stage.names.remove(leaving)
        for _ in range(4):
            stage.send(random.choice(stage.names), {"y"})
            sent += 1
        stage.drain()
        stage.call(leaving, "leave", leaving)
        while stage.flying:
            if random.random() < 0.2 and sent < 60:
                stage.send(random.choice(stage.names), {"y"})
                sent += 1
            stage.restart(random.choice(stage.names))
            stage.bring(random.choice(stage.flying))
        for name in stage.names:
            stage.call(name, "leave", leaving)
    assert len(stage.delivered["y"]) == sent
    assert not any(stage.held(name) for name in stage.names)


def test_7_1_a_newcomer_is_told_who_plays_the_roles_of_those_who_left() -> None:
    stage = Stage("hierarchy", NAMES, representatives=CLUSTERS)
    stage.call("r", "leave", "r")
    stage.drain()
    for name in "stxy":
        stage.call(name, "leave", "r")
        stage.call(name, "join", "q")
    present = {"r": ["s", "t"], "x": ["y"]}
    stage.nodes["q"] = antecede.create(
        "hierarchy", process="q", processes=[*"stxyq"], representatives=present, successors={"r": "s"}
    )
    stage.delivered["q"] = []
    sent = stage.send("q", {"t", "y"})
    back = stage.send("y", {"q"})
    stage.drain()
    assert stage.delivered["t"] == [sent.id]
    assert set(stage.delivered["y"]) == {sent.id}
    assert stage.delivered["q"] == [back.id]


def test_7_1_who_represents_others_above_and_has_no_successor_stays() -> None:
    """r represents x among the representatives, and is alone in its cluster. x represents nobody above."""
    levels = [{"r": [], "x": ["y"]}, {"r": ["x"]}]
    stage = Stage("hierarchy", "rxy", representatives=levels)
    for name in "rx":
        before = stage.nodes[name].snapshot()
        with pytest.raises(Misuse, match="'r' represents 'x' on a higher level, and nobody else is in its own cluster"):
            stage.call(name, "leave", "r")
        assert stage.nodes[name].snapshot() == before
    stage.call("x", "leave", "x")
    stage.drain()
    sent = stage.send("r", {"y"})
    effects = stage.bring(stage.flying[0])
    assert effects == [sent.id]
    assert [step.effects for step in stage.steps][-1] == [Deliver(sent)]
