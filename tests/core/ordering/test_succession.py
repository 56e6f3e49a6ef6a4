"""Roles that are handed over: which packets are refused, who may leave, and what happens to who is in between."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import antecede
from antecede import (
    Message,
    MessageId,
    Misuse,
    Packet,
    RemoteViolation,
    SnapshotError,
    Transmit,
    decode,
    encode,
)
from antecede.core.fifo import Number
from antecede.core.ordering.hops import Across, Down
from antecede.core.ordering.ks import KsStamp
from antecede.core.ordering.succession import (
    PART_BYTES_MAX,
    PARTS_MAX,
    Quiet,
    Resign,
    Role,
    RolePart,
    Succeed,
    Succession,
)
from antecede.core.roster import Roster
from antecede.core.snapshot import values
from antecede.core.types import Stamp
from tests.stage import Stage

CLUSTERS = {"r": ["s", "t"], "x": ["y"]}
NAMES = [*"rstxy"]


def new(**options: Any) -> Stage:
    return Stage("hierarchy", NAMES, representatives=CLUSTERS, **options)


def resigned(*quiet: str) -> Stage:
    """r leaves, and those in `quiet` have heard of it."""
    stage = new()
    stage.call("r", "leave", "r")
    for name in quiet:
        stage.arrive_control("r", name)
    return stage


def inside(stage: Stage, name: str) -> Any:
    node: Any = stage.nodes[name]
    return node.inner


def refused(stage: Stage, process: str, sender: str, stamp: Stamp, told: str) -> None:
    """`process` refuses a packet, as an object and over the wire, and is as it was."""
    node: Any = stage.nodes[process]
    before = node.snapshot()
    packet = Packet(sender, None, Number(node.received.get(sender, 0) + 1, stamp))
    for one in (packet, decode(encode(packet))):
        with pytest.raises(RemoteViolation) as caught:
            node.receive(one)
        assert str(caught.value).startswith(told)
        assert node.snapshot() == before


WRONG_AT_FIRST: list[tuple[str, str, Stamp, str]] = [
    ("s", "t", Resign(), "t resigned, and plays no role that s has to do with"),
    ("s", "x", Resign(), "x resigned, and plays no role that s has to do with"),
    ("x", "s", Resign(), "s resigned, and plays no role that x has to do with"),
    ("x", "x", Resign(), "a packet came to x in its own name"),
    ("r", "s", Quiet(), "s is quiet, and r did not ask for it"),
    ("s", "r", RolePart(1, 1, b""), "r handed over a role that s cannot take from it"),
    ("x", "r", RolePart(1, 1, b""), "r handed over a role that x cannot take from it"),
    ("t", "s", Succeed("r"), "s says that it plays role r, which nobody handed over to it"),
    ("t", "s", Succeed("nobody"), "s says that it plays role nobody, which nobody handed over to it"),
    ("t", "s", Number(1, Quiet()), "s sent a Number, which is of another algorithm"),
]


@pytest.mark.parametrize(("process", "sender", "stamp", "told"), WRONG_AT_FIRST)
def test_what_nobody_could_have_sent_is_refused(process: str, sender: str, stamp: Stamp, told: str) -> None:
    refused(new(), process, sender, stamp, told)


def test_a_role_goes_from_its_player_to_its_cluster_only() -> None:
    stage = resigned("s", "t", "x")
    refused(stage, "s", "r", Resign(), "r resigned, and plays no role that s has to do with")
    refused(stage, "s", "t", RolePart(1, 1, b""), "t handed over a role that s cannot take from it")
    refused(stage, "t", "x", Succeed("r"), "x says that it plays role r, which nobody handed over to it")
    refused(stage, "t", "t", Succeed("r"), "a packet came to t in its own name")
    refused(stage, "t", "s", Succeed("x"), "s says that it plays role x, which nobody handed over to it")


def test_parts_come_one_after_the_other_and_there_are_not_too_many() -> None:
    stage = resigned("s")
    for number, count in ((0, 1), (2, 2), (2, 1), (1, PARTS_MAX + 1)):
        refused(stage, "s", "r", RolePart(number, count, b"x"), f"part {number} of {count} of a role, after part 0")


def a_role(stage: Stage) -> Role:
    player = inside(stage, "r")
    return Role(player.inner, player.carried, player.representative, {}, [])


def test_what_is_not_the_role_is_refused() -> None:
    """A representative is believed about messages; what it hands over must at least fit together."""
    stage = resigned("s")
    role = a_role(stage)
    refused(stage, "s", "r", RolePart(1, 1, b"nothing"), "not a snapshot")
    wrong = values.dumps(Roster("r", "multicast"))
    refused(stage, "s", "r", RolePart(1, 1, wrong), "a Roster where a role was expected")
    numbered = Role(stage.nodes["r"], {}, role.representative, {}, [])
    refused(stage, "s", "r", numbered.as_parts()[0], "a Role where a role was expected")
    of_x = Role(inside(stage, "x").inner, {}, role.representative, {}, [])
    refused(stage, "s", "r", of_x.as_parts()[0], "r handed over another role than r")
    elsewhere = Role(role.inner, {}, {"s": "x"}, {}, [])
    refused(stage, "s", "r", elsewhere.as_parts()[0], "r handed over another role than r")


def test_a_role_whose_messages_are_missing_is_refused() -> None:
    """x sends r two messages; the second came first, so the inner algorithm of r holds it back."""
    stage = Stage("hierarchy", NAMES, representatives=CLUSTERS)
    stage.send("x", {"t"})
    late = stage.send("x", {"y", "t"})
    inner = inside(stage, "r")
    packet: Any = stage.packet(late, "r")
    inner.receive(Packet("x", late, packet.stamp.inner))
    assert stage.held("r") == ["x:2 waits for message 1 of x among the representatives"]
    stage.call("r", "leave", "r")
    stage.arrive_control("r", "s")
    empty = Role(inner.inner, {}, inner.representative, {}, [])
    refused(stage, "s", "r", empty.as_parts()[0], "a role in which a message is held back that is not carried")


def test_a_role_whose_parts_do_not_fit_together_is_refused() -> None:
    """Each is a role that its player made up: of other roles, players or destinations, or with a packet of none."""
    stage = resigned("s")
    role = a_role(stage)
    message = Message(MessageId("y", 1), frozenset("s"), b"")
    vector: Any = antecede.create("vector", process="r", processes=[*"rx"])
    isis: Any = antecede.create("isis", process="r", processes=[*"rx"], groups={"g": [*"rx"]})
    fewer = Roster.of("r", "multicast", ["r"], None)
    grouped = Roster.of("r", "group", [*"rx"], {"g": [*"rx"]})
    for odd in (
        replace(role, inner=vector),
        replace(role, inner=isis),
        replace(role, inner=replace(inside(stage, "r").inner, roster=fewer)),
        replace(role, inner=replace(inside(stage, "r").inner, roster=grouped)),
        replace(role, representative={**role.representative, "y": "nobody"}),
        replace(role, players={"x": "s"}),
        replace(role, players={"nobody": "s"}),
        replace(role, kept=[("nobody", Packet("r", message, Down()))]),
        replace(role, kept=[("s", Packet("r", None, Down()))]),
        replace(role, kept=[("s", Packet("r", message, Quiet()))]),
    ):
        refused(stage, "s", "r", odd.as_parts()[0], "")
    node: Any = stage.nodes["s"]
    node.receive(Packet("r", None, Number(node.received["r"] + 1, role.as_parts()[0])))


def test_a_role_of_several_levels_has_none_that_is_handed_over_inside() -> None:
    levels = [{"r": ["s"], "x": ["y"]}, {"r": ["x"]}]
    stage = Stage("hierarchy", "rsxy", representatives=levels)
    stage.call("r", "leave", "r")
    stage.arrive_control("r", "s")
    role = a_role(stage)
    role.inner.succession.resigning = True  # type: ignore[attr-defined]  # the level above is a hierarchy too
    refused(stage, "s", "r", role.as_parts()[0], "a Role where a role was expected")


def test_a_part_is_no_longer_than_parts_are() -> None:
    stage = resigned("s")
    long = RolePart(1, 2, bytes(PART_BYTES_MAX + 1))
    refused(stage, "s", "r", long, f"a part of a role with {PART_BYTES_MAX + 1} bytes")


def test_a_message_that_is_held_back_and_waits_for_nothing_is_no_state() -> None:
    """What was held back would be forgotten, and its message would be missing when it is delivered."""
    stage = Stage("ks", "abc")
    stage.send("a", {"b"})
    second = stage.send("a", {"b"})
    stage.arrive(second, "b")
    node: Any = stage.nodes["b"]
    node.ordering.delivered["a"] = 1
    with pytest.raises(SnapshotError, match="held back that waits for nothing"):
        antecede.restore(node.snapshot())


def test_a_snapshot_of_a_hierarchy_that_contradicts_itself_is_refused() -> None:
    """It resigns and stays, keeps a packet without a message, or has an algorithm inside that cannot be."""
    mf: Any = antecede.create("mf", process="r", processes=[*"rx"])
    for changes in (
        {"succession": Succession(resigning=True)},
        {"succession": Succession(kept=[("s", Packet("r", None, Down()))])},
        {"inner": mf},
    ):
        node: Any = new().nodes["r"]
        node.inner = replace(node.inner, **changes)
        with pytest.raises(SnapshotError, match="parts do not fit together"):
            antecede.restore(node.snapshot())


def test_two_messages_are_not_forwarded_as_one() -> None:
    """The second would take the place of the first, which is held back."""
    levels = [{"a": [], "c": ["d"], "g": ["h"], "e": []}, {"a": ["e"], "c": [], "g": []}]
    a = antecede.create("hierarchy", process="a", processes=[*"acdegh"], representatives=levels)

    def across(number: int, inner: int, stamp: KsStamp) -> Packet:
        message = Message(MessageId("d", number), frozenset("a"), b"")
        above = Across(MessageId("c", inner), frozenset("a"), stamp)
        return Packet("c", message, Number(number, Across(MessageId("c", 5), frozenset("a"), above)))

    a.receive(across(1, 1, KsStamp({}, {"a": {"g": 1}}, {"g": 1})))
    before = a.snapshot()
    with pytest.raises(RemoteViolation, match="c forwarded d:2 as c:5, which is another message"):
        a.receive(across(2, 2, KsStamp({}, {}, {"c": 1})))
    assert a.snapshot() == before


def test_a_representative_that_has_not_handed_over_is_not_let_go_by_its_neighbours() -> None:
    stage = new()
    for name in "stx":
        before = stage.nodes[name].snapshot()
        with pytest.raises(Misuse, match="'r' represents a cluster and has not handed that over"):
            stage.call(name, "leave", "r")
        assert stage.nodes[name].snapshot() == before
    stage.call("y", "leave", "r")


def test_a_neighbour_that_is_quiet_may_be_told_before_it_hears_of_the_successor() -> None:
    stage = resigned("s", "t", "x")
    kept = stage.send("t", {"y"})
    for name in "stx":
        stage.arrive_control(name, "r")
    stage.arrive_control("r", "s")
    stage.arrive_control("s", "r")
    stage.call("t", "leave", "r")
    stage.restart("t")
    stage.drain()
    assert stage.delivered["y"] == [kept.id]


def test_nobody_waits_for_the_answer_of_a_process_that_was_given_up() -> None:
    """s will never answer, and t is the successor. x, which represents others, could not be given up."""
    stage = resigned("t", "x")
    for name in "tx":
        stage.arrive_control(name, "r")
    with pytest.raises(Misuse, match="'x' represents a cluster and has not handed that over"):
        stage.call("r", "leave", "x")
    effects = stage.call("r", "leave", "s")
    assert [effect.to for effect in effects if isinstance(effect, Transmit)] == ["t"]


def test_if_the_whole_cluster_is_given_up_the_role_ends_with_its_player() -> None:
    """A message for r's own cluster is on its way from y; r takes it, and x drops what it keeps when r is gone."""
    stage = resigned("x")
    stage.arrive_control("x", "r")
    sent = stage.send("r", {"y"})
    assert stage.held("r") == ["r:1 waits for successor 1 of r"]
    for name in "st":
        stage.call("x", "leave", name)
        stage.call("y", "leave", name)
    stage.call("r", "leave", "s")
    assert stage.call("r", "leave", "t")
    kept = stage.send("y", {"r"})
    stage.arrive(kept, "x")
    assert stage.held("x") == ["y:1 waits for successor 1 of r"]
    stage.arrive(sent, "x")
    assert not inside(stage, "r").is_handing_over
    stage.call("x", "leave", "r")
    assert not stage.held("x")
    stage.drain()
    assert stage.delivered["y"] == [sent.id]


def test_newcomers_to_the_cluster_are_asked_too() -> None:
    """Names decide where a newcomer is placed: q goes through x, and q5 through r."""
    stage = resigned()
    placed = {name: inside(stage, "r")._representative_of(name) for name in ("q", "q1", "q2", "q3", "q4", "q5")}
    near = next(name for name, role in placed.items() if role == "r")
    far = next(name for name, role in placed.items() if role == "x")
    assert stage.call("r", "join", far) == []
    assert stage.call("r", "join", near) == [Transmit(near, Packet("r", None, Number(1, Resign())))]
    assert stage.call("r", "join", near) == []
    assert inside(stage, "r").succession.awaited == {"s", "t", "x", near}


def test_a_representative_that_waits_for_the_successor_of_another_leaves_after_that() -> None:
    """r has gone, and x has not heard of its successor yet when x leaves. x asks s, and not r, to be quiet."""
    stage = resigned("s", "t", "x")
    for name in "stx":
        stage.arrive_control(name, "r")
    stage.arrive_control("r", "s")
    stage.arrive_control("s", "r")
    for name in "xy":
        stage.call(name, "leave", "r")
    assert stage.call("x", "leave", "x") == []
    assert inside(stage, "x").is_handing_over
    stage.restart("x")
    stage.arrive_control("s", "x")
    assert [(flight.to, flight.packet.stamp.inner) for flight in stage.flying if flight.sender == "x"] == [  # type: ignore[attr-defined]  # every packet is numbered
        ("s", Resign()),
        ("y", Resign()),
    ]
    stage.drain()
    assert not inside(stage, "x").is_handing_over
    assert inside(stage, "y").inner is not None
    sent = stage.send("t", {"y"})
    stage.drain()
    assert stage.delivered["y"] == [sent.id]


def test_a_successor_that_is_leaving_itself_hands_the_role_on() -> None:
    stage = resigned("s", "t", "x")
    stage.call("s", "leave", "s")
    stage.drain()
    assert inside(stage, "s").is_handing_over
    for name in "tsxy":
        stage.call(name, "leave", "r")
    stage.drain()
    assert inside(stage, "t").inner is not None
    assert inside(stage, "x").succession.players == {"r": "t"}
    assert not inside(stage, "s").is_handing_over


def test_a_successor_knows_of_departures_that_its_predecessor_did_not_hear_of() -> None:
    """z, alone in its cluster, has left; s was told and r was not."""
    stage = Stage("hierarchy", [*NAMES, "z"], representatives={**CLUSTERS, "z": []})
    for name in "stxy":
        stage.call(name, "leave", "z")
    stage.call("r", "leave", "r")
    stage.flying = [flight for flight in stage.flying if flight.to != "z"]
    for name in "stx":
        stage.arrive_control("r", name)
        stage.arrive_control(name, "r")
    stage.call("r", "leave", "z")
    stage.drain()
    assert sorted(set(inside(stage, "s").representative.values())) == ["r", "x"]
    with pytest.raises(Misuse, match="'z' is not among the processes"):
        stage.call("s", "leave", "z")


def test_only_hierarchies_take_time_to_hand_over() -> None:
    for algorithm in ("mr-broadcast", "hierarchy"):
        options: dict[str, Any] = {} if algorithm == "hierarchy" else {"numbered": True}
        node: Any = antecede.create(algorithm, process="a", processes=["a", "b"], **options)
        assert not node.is_handing_over


@pytest.mark.parametrize(
    ("successors", "told"),
    [
        (["r"], "successors must be a mapping of each representative that has left to one, not ['r']"),
        ({"r": ""}, "a name must be a string that is not empty, not ''"),
        ({"s": "t"}, "'t' succeeds 's': the first must be among the processes, the other not"),
        ({"r": "z"}, "'z' succeeds 'r': the first must be among the processes, the other not"),
        ({"r": "y"}, "'y' succeeds 'r', and is not in its cluster"),
        ({"r": "s", "q": "t"}, "'q' has a successor, and is not among the representatives"),
    ],
)
def test_successors_are_there_and_those_before_them_are_not(successors: Any, told: str) -> None:
    with pytest.raises(Misuse) as caught:
        antecede.create("hierarchy", process="t", processes=[*"stxy"], representatives=CLUSTERS, successors=successors)
    assert str(caught.value) == told
