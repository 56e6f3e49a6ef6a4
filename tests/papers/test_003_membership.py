"""Mostefaoui, Raynal: "Causal multicasts in overlapping groups: towards a low cost approach" (003).

Its conclusion: "to allow them to join or to leave dynamically a group" is future work. Here a running process joins a
further group. It calls `join` with its own name, and then everybody else does; with `isis` and `mr` one after the
other, with messages in between.
"""

from __future__ import annotations

from typing import Any

import pytest

import antecede
from antecede import Message, MessageId, Misuse, Packet, RemoteViolation, Transmit
from antecede.core.ordering.mr import PhaseStamp, Resynch
from antecede.core.ordering.mr_scalar import ScalarPhase
from antecede.core.process import Baseline
from antecede.judge.judge import judge
from tests.group_trees import tree_of_groups
from tests.stage import Stage
from tests.worlds import World

GROUPS = {"x": ["a", "b"], "y": ["b", "c"]}
FORMS: list[tuple[str, dict[str, object]]] = [
    ("isis", {}),
    ("mr", {}),
    ("mr", {"numbered": True, "resynch_after_s": 0.7}),
    ("mr", {"own_count": False}),
    ("mr-scalar", {}),
    ("mr-scalar", {"numbered": True, "resynch_after_s": 0.7}),
]


class TwoTrees(World):
    """Random executions in two trees of groups that share no process at first."""

    def _random_groups(self) -> dict[str, list[str]]:
        cut = len(self.names) // 2
        trees = [tree_of_groups(self.random, half) for half in (self.names[:cut], self.names[cut:])]
        return {f"{group}{side}": members for side, tree in enumerate(trees) for group, members in tree.items()}


def c_joins(stage: Stage) -> None:
    for process in ("c", "a", "b"):
        stage.call(process, "join", "c", ["x"])


@pytest.mark.parametrize(("algorithm", "options"), FORMS, ids=str)
def test_random_executions_keep_causal_order(algorithm: str, options: dict[str, object]) -> None:
    """With messages in flight, processes that restart, newcomers, and processes that leave."""
    further = 0
    for seed in range(150):
        world = World(algorithm, seed, options=dict(options)).run()
        world.finished()
        assert judge(world.events).violations == 0
        further += world.further
        for process, group in sorted(world.joined_late):
            assert process in world.gone or world.nodes[process].send(group, b""), "it may send in the end"
    assert further > 30


@pytest.mark.parametrize(("algorithm", "options"), [("isis", {}), ("mr", {}), ("mr", {"numbered": True})], ids=str)
def test_random_executions_without_a_cycle_keep_causal_order(algorithm: str, options: dict[str, object]) -> None:
    further = 0
    for seed in range(150):
        world = TwoTrees(algorithm, seed, processes_max=8, options={"acyclic": True, **options}).run()
        world.finished()
        assert judge(world.events).violations == 0
        further += world.further
    assert further > 15


@pytest.mark.parametrize("algorithm", ["isis", "mr", "mr-scalar"])
def test_a_group_of_two_becomes_one_of_three(algorithm: str) -> None:
    stage = Stage(algorithm, "abc", GROUPS)
    before = stage.send("a", "x")
    stage.arrive(before, "b")
    c_joins(stage)
    stage.drain()
    sent = [stage.send("b", "x"), stage.send("c", "x"), stage.send("c", "y"), stage.send("a", "x")]
    stage.drain()
    assert set(stage.delivered["c"]) == {message.id for message in sent}
    assert set(stage.delivered["a"]) == {before.id, sent[0].id, sent[1].id, sent[3].id}
    assert not any(stage.held(process) for process in stage.names)


def test_of_each_member_the_newcomer_delivers_what_is_sent_after_it_was_told() -> None:
    """With `isis` members may hear of it one after the other: b sends in between, and c waits for what a says then."""
    stage = Stage("isis", "abc", GROUPS)
    stage.call("c", "join", "c", ["x"])
    without_c = stage.send("a", "x")
    stage.arrive(without_c, "b")
    stage.call("b", "join", "c", ["x"])
    with_c = stage.send("b", "x")
    assert without_c.dests == {"a", "b"}
    assert with_c.dests == {"a", "b", "c"}
    assert stage.arrive(with_c, "c") == []
    assert stage.held("c") == ["b:1 waits for message 1 of a in x"]
    assert stage.call("a", "join", "c", ["x"]) == [Transmit("c", Packet("a", None, Baseline({"x": 1})))]
    stage.restart("c")
    assert stage.arrive_control("a", "c") == [with_c.id]


def test_what_is_held_back_then_waits_for_the_members_of_the_group() -> None:
    """c holds b's second message to y back when it joins x, in which that message counts one of a."""
    stage = Stage("isis", "abc", GROUPS)
    first = stage.send("b", "y")
    stage.arrive(stage.send("a", "x"), "b")
    second = stage.send("b", "y")
    assert stage.arrive(second, "c") == []
    stage.call("c", "join", "c", ["x"])
    assert stage.arrive(first, "c") == [first.id]
    assert stage.held("c") == ["b:2 waits for message 1 of a in x"]
    stage.call("a", "join", "c", ["x"])
    assert stage.arrive_control("a", "c") == [second.id]


def test_mr_members_hear_one_after_the_other() -> None:
    """b counts c and sends to it, and a does not yet. c waits for a, and a takes what is for c too, and what c says."""
    stage = Stage("mr", "abc", GROUPS)
    stage.call("c", "join", "c", ["x"])
    without_c = stage.send("a", "x")
    stage.arrive(without_c, "b")
    stage.call("b", "join", "c", ["x"])
    with_c = stage.send("b", "x")
    assert without_c.dests == {"a", "b"}
    assert with_c.dests == {"a", "b", "c"}
    assert stage.arrive_control("b", "c") == []
    assert stage.arrive(with_c, "c") == []
    assert stage.held("c") == ["b:1 waits for phase 1 of a in x"]
    stage.restart("c")
    for flight in [flight for flight in stage.flying if flight.to == "a"]:
        stage.bring(flight)
    assert stage.delivered["a"] == [without_c.id, with_c.id], "it takes what is for c too"
    with pytest.raises(Misuse, match=r"'c' has joined group 'x' and heard nothing of \['a'\] in it: send to it when"):
        stage.send("c", "x")
    stage.call("a", "join", "c", ["x"])
    assert stage.arrive_control("a", "c") == [with_c.id]
    assert stage.send("c", "x").dests == {"a", "b", "c"}


@pytest.mark.parametrize("is_careless", [False, True])
def test_mr_a_process_that_sent_to_members_who_do_not_count_it_would_be_overtaken(is_careless: bool) -> None:
    """b counts c, and a does not. What c sends to x comes to b, and through y and z to a, which does not wait for c."""
    stage = Stage("mr", "abcd", {"x": ["a", "b"], "y": ["b", "d"], "z": ["a", "d"], "w": ["b", "c"]})
    stage.call("c", "join", "c", ["x"])
    stage.call("b", "join", "c", ["x"])
    stage.arrive_control("b", "c")
    with pytest.raises(Misuse, match=r"heard nothing of \['a'\]"):
        stage.send("c", "x")
    if is_careless:
        c: Any = stage.nodes["c"]
        c.awaited.clear()
    else:
        stage.call("a", "join", "c", ["x"])
        stage.arrive_control("a", "c")
    of_c = stage.send("c", "x")
    stage.arrive(of_c, "b")
    stage.arrive(through_y := stage.send("b", "y"), "d")
    through_z = stage.send("d", "z")
    while any((flight.sender, flight.to) == ("b", "a") for flight in stage.flying):
        stage.arrive_control("b", "a")
    assert stage.delivered["d"] == [through_y.id, through_z.id]
    assert stage.arrive(through_z, "a") == ([through_z.id] if is_careless else [])
    stage.drain()
    assert stage.delivered["a"] == ([through_z.id, of_c.id] if is_careless else [of_c.id, through_z.id])


def test_mr_a_process_that_joins_does_not_await_members_who_leave() -> None:
    stage = Stage("mr", "abc", GROUPS)
    stage.call("c", "join", "c", ["x"])
    stage.call("b", "join", "c", ["x"])
    stage.arrive_control("b", "c")
    stage.call("c", "leave", "a")
    assert stage.send("c", "x").dests == {"b", "c"}


def test_mr_what_is_for_somebody_who_is_not_here_is_refused() -> None:
    a = antecede.create("mr", process="a", groups=GROUPS)
    for dests in ("abz", "az"):
        message = Message(MessageId("b", 1), frozenset(dests), b"", "x")
        with pytest.raises(RemoteViolation, match="other members here"):
            a.receive(Packet("b", message, PhaseStamp({})))


def test_mr_a_process_that_knows_the_phase_of_the_group_says_so_when_it_joins() -> None:
    """c knows of phase 1 of x through y. Nobody else would bring it to announce itself, and the others wait for it."""
    stage = Stage("mr", "abc", GROUPS)
    stage.arrive(stage.send("a", "x"), "b")
    through = stage.send("b", "y")
    assert stage.packet(through, "c").stamp == PhaseStamp({"x": 1})
    stage.arrive(through, "c")
    effects = stage.call("c", "join", "c", ["x"])
    assert effects == [Transmit(to, Packet("c", None, Resynch("x", 1))) for to in ("a", "b")]
    stage.restart("c")
    for member in "ab":
        stage.call(member, "join", "c", ["x"])
        stage.arrive_control(member, "c")
    assert stage.packet(stage.send("c", "x"), "a").stamp == PhaseStamp({"x": 1, "y": 1})


def test_mr_scalar_a_process_that_joins_tells_its_new_neighbours_only() -> None:
    stage = Stage("mr-scalar", "abc", GROUPS)
    assert stage.call("c", "join", "c", ["x"]) == [], "in phase 0 there is nothing to say"
    other = Stage("mr-scalar", "abc", GROUPS)
    other.send("c", "y")
    assert other.call("c", "join", "c", ["x"]) == [Transmit("a", Packet("c", None, ScalarPhase(1)))]


def test_a_process_that_would_close_a_cycle_of_groups_is_refused_by_itself_too() -> None:
    row = {"g1": ["a", "b"], "g2": ["b", "c"], "g3": ["c", "d"]}
    a = antecede.create("mr", process="a", groups=row, acyclic=True)
    before = a.snapshot()
    with pytest.raises(Misuse, match="the graph of groups has a cycle"):
        a.join("a", ["g3"])
    assert a.snapshot() == before


def test_a_process_that_dropped_what_it_was_told_of_a_group_is_refused() -> None:
    """c has delivered a message of b that counts one of a to x. If c sent to x now, its message would not say so."""
    stage = Stage("isis", "abc", GROUPS, acyclic=True)
    stage.arrive(stage.send("a", "x"), "b")
    stage.arrive(stage.send("b", "y"), "c")
    before = stage.nodes["c"].snapshot()
    with pytest.raises(Misuse, match="'c' did not count the messages to group 'x' that it was told of in 'y'"):
        stage.call("c", "join", "c", ["x"])
    assert stage.nodes["c"].snapshot() == before


def test_mr_acyclic_a_process_joins_a_group_that_nobody_of_its_own_is_in() -> None:
    apart = {"g1": ["a", "b"], "g2": ["c", "d"]}
    stage = Stage("mr", "abcd", apart, acyclic=True)
    for name, group in (("d", "g2"), ("a", "g1"), ("b", "g1")):
        stage.send(name, group)
    for process in "bacd":
        stage.call(process, "join", "b", ["g2"])
    stage.drain()
    last = stage.send("b", "g2")
    stage.drain()
    assert stage.delivered["c"] == [MessageId("d", 1), last.id]
    assert stage.delivered["b"] == [MessageId("b", 1), MessageId("a", 1), last.id]
    assert not any(stage.held(process) for process in stage.names)
