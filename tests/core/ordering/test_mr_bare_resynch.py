"""Resynchronisations without a count: when they have none, when they do, and who may send them."""

from __future__ import annotations

from typing import Any

import pytest

import antecede
from antecede import Misuse, Packet, RemoteViolation, Transmit
from antecede.core.ordering.mr import Resynch, ShortPhaseStamp
from antecede.core.ordering.mr_bare_resynch import BareResynch
from tests.stage import Stage

GROUPS = {"g": [*"abc"]}
BARE = BareResynch("g")


def stage_of(**options: Any) -> Stage:
    return Stage("mr", "abc", GROUPS, own_count=False, bare_resynch=True, **options)


def phase_of(stage: Stage, member: str, at: str) -> int:
    """Return the phase of `member` that the process `at` expects."""
    node: Any = stage.nodes[at]
    node = getattr(node, "inner", node)
    return int(node.expected["g"].get(member, 0))


def test_who_follows_by_one_phase_says_so_without_a_count() -> None:
    stage = stage_of()
    first, second = stage.send("a", "g"), stage.send("a", "g")
    assert {type(flight.packet.stamp) for flight in stage.flying} == {ShortPhaseStamp}
    for message in (first, second):
        stage.arrive(message, "b")
    assert stage.controls("b") == [("a", BARE), ("c", BARE)] * 2
    assert len({id(flight.packet) for flight in stage.flying if flight.sender == "b"}) == 2, "two sends, each to all"
    stage.restart("b")
    stage.restart("c")
    for phase in (1, 2):
        stage.arrive_control("b", "c")
        assert phase_of(stage, "b", "c") == phase_of(stage, "c", "c") == phase
    assert stage.arrive(first, "c") == [first.id]
    assert stage.arrive(second, "c") == [second.id], "b has said that it is in phase 2"


def test_who_waited_for_its_timer_says_one_phase_without_a_count_and_several_with_it() -> None:
    stage = stage_of(resynch_after_s=2.0)
    messages = [stage.send("a", "g") for _ in range(3)]
    stage.arrive(messages[0], "b")
    stage.call("b", "tick", 2.0)
    assert stage.controls("b") == [("a", BARE), ("c", BARE)]
    for message in messages[1:]:
        stage.arrive(message, "b")
    stage.restart("b")
    stage.call("b", "tick", 4.0)
    assert stage.controls("b")[2:] == [("a", Resynch("g", 3)), ("c", Resynch("g", 3))]
    stage.arrive(stage.send("a", "g"), "b")
    stage.call("b", "tick", 6.0)
    assert stage.controls("b")[4:] == [("a", BARE), ("c", BARE)]
    stage.drain()
    assert phase_of(stage, "b", "c") == 4


def test_a_newcomer_is_told_the_count_and_says_it_once() -> None:
    stage = stage_of()
    for _ in range(5):
        stage.send("a", "g")
    stage.drain()
    for process in "abc":
        stage.call(process, "join", "d", ["g"])
    stage.nodes["d"] = antecede.create("mr", process="d", groups={"g": [*"abcd"]}, own_count=False, bare_resynch=True)
    stage.delivered["d"] = []
    assert [stamp for to, stamp in stage.controls("a") if to == "d"] == [Resynch("g", 5)]
    stage.arrive_control("a", "d")
    assert {stamp for _, stamp in stage.controls("d")} == {Resynch("g", 5)}
    sent = stage.send("a", "g")
    stage.drain()
    assert stage.delivered["d"] == [sent.id]
    assert [flight.packet.stamp for flight in stage.brought if flight.sender == "d"][3:] == [BARE] * 3
    assert {phase_of(stage, member, "a") for member in "abcd"} == {6}


def test_who_has_left_follows_and_says_nothing() -> None:
    stage = stage_of()
    stage.call("b", "leave", "b")
    message = stage.send("a", "g")
    assert stage.arrive(message, "b") == [message.id]
    assert stage.controls("b") == []


def test_over_numbered_channels_a_duplicate_does_not_count() -> None:
    stage = stage_of(numbered=True)
    stage.arrive(stage.send("a", "g"), "b")
    packet = next(flight.packet for flight in stage.flying if flight.sender == "b" and flight.to == "c")
    for _ in range(3):
        stage.call("c", "receive", packet)
    assert phase_of(stage, "b", "c") == 1


def test_only_members_resynchronise_a_group() -> None:
    a = stage_of().nodes["a"]
    for stamp in (BareResynch("elsewhere"), BARE):
        before = a.snapshot()
        with pytest.raises(RemoteViolation, match="no such member here"):
            a.receive(Packet("z", None, stamp))
        assert a.snapshot() == before


def test_without_the_option_it_is_refused() -> None:
    a = antecede.create("mr", process="a", groups=GROUPS)
    with pytest.raises(RemoteViolation, match="sent a BareResynch, which is of another algorithm"):
        a.receive(Packet("b", None, BARE))


def test_messages_must_leave_the_count_out_too() -> None:
    with pytest.raises(Misuse, match="give own_count=False with it"):
        antecede.create("mr", process="a", groups=GROUPS, bare_resynch=True)


def test_it_fits_among_acyclic_groups() -> None:
    stage = stage_of(acyclic=True)
    message = stage.send("a", "g")
    effects = stage.call("b", "receive", stage.packet(message, "b"))
    assert [effect.packet.stamp for effect in effects if isinstance(effect, Transmit)] == [BARE, BARE]
    stage.restart("b")
    stage.drain()
    assert stage.delivered["c"] == [message.id]
