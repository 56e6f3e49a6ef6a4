"""One phase for all groups: strange packets, duplicates, timers, newcomers, and processes that leave."""

from __future__ import annotations

from typing import Any

import pytest

import antecede
from antecede import Message, MessageId, Packet, RemoteViolation, SetTimer, SnapshotError, Transmit
from antecede.core.ordering.ks import KsStamp
from antecede.core.ordering.mr_scalar import ScalarPhase
from tests.stage import Stage

ROW = {"g1": ["a", "b"], "g2": ["b", "c"]}
TRIO = {"g": [*"abc"]}


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (
            Packet("b", Message(MessageId("b", 1), frozenset("ab"), b"", "g1"), KsStamp({}, {}, {})),
            "b sent a KsStamp, which is of another algorithm",
        ),
        (
            Packet("b", Message(MessageId("b", 1), frozenset("ab"), b"", "g2"), ScalarPhase(0)),
            "b:1 to group 'g2' with .'a', 'b'.: other members here",
        ),
        (Packet("c", None, ScalarPhase(3)), "c resynchronised, and shares no group with a"),
    ],
    ids=["a stamp of another algorithm", "a message to a group of others", "a word of who shares no group"],
)
def test_a_packet_that_cannot_be_is_refused(wrong: Packet, why: str) -> None:
    a = antecede.create("mr-scalar", process="a", groups=ROW)
    before = a.snapshot()
    with pytest.raises(RemoteViolation, match=why):
        a.receive(wrong)
    assert a.snapshot() == before


def test_a_message_that_arrives_again_changes_nothing() -> None:
    stage = Stage("mr-scalar", "abc", TRIO)
    first = stage.send("a", "g")
    assert stage.arrive(first, "b") == [first.id]
    before = stage.nodes["b"].snapshot()
    assert stage.arrive(first, "b") == []
    assert stage.nodes["b"].snapshot() == before


def behind_with_a_timer() -> Stage:
    """At time 10, b hears of phase 1, and sets a timer of two seconds instead of saying so."""
    stage = Stage("mr-scalar", "abc", ROW, resynch_after_s=2.0)
    stage.call("b", "tick", 10.0)
    stage.arrive(stage.send("a", "g1"), "b")
    assert SetTimer(12.0) in stage.steps[-1].effects
    return stage


def test_the_timer_says_it_in_all_groups() -> None:
    stage = behind_with_a_timer()
    assert stage.call("b", "tick", 11.9) == []
    stage.call("b", "tick", 12.0)
    assert stage.controls("b") == [("a", ScalarPhase(1)), ("c", ScalarPhase(1))]
    assert stage.call("b", "tick", 14.0) == []


def test_a_message_to_one_group_leaves_the_timer_on_for_the_other() -> None:
    stage = behind_with_a_timer()
    stage.send("b", "g1")
    stage.call("b", "tick", 12.0)
    assert stage.controls("b") == [("c", ScalarPhase(2))]


def test_messages_to_all_groups_switch_the_timer_off() -> None:
    stage = behind_with_a_timer()
    stage.send("b", "g1")
    stage.send("b", "g2")
    assert stage.call("b", "tick", 12.0) == []


def test_what_is_held_waits_for_a_newcomer_who_is_told_the_phase() -> None:
    """b holds a's second message back for c. When d joins, d is waited for too, and answers."""
    stage = Stage("mr-scalar", "abc", TRIO)
    first, second = stage.send("a", "g"), stage.send("a", "g")
    stage.arrive(first, "b")
    assert stage.arrive(second, "b") == []
    [told] = stage.call("b", "join", "d", ["g"])
    assert told == Transmit("d", Packet("b", None, ScalarPhase(2)))
    assert stage.held("b") == ["a:2 waits for phase 1 of c; phase 1 of d"]
    d = antecede.create("mr-scalar", process="d", groups={"g": [*"abcd"]})
    [answer] = [e.packet for e in d.receive(told.packet) if isinstance(e, Transmit) and e.to == "b"]
    stage.call("b", "receive", answer)
    assert stage.held("b") == ["a:2 waits for phase 1 of c"]


def test_a_newcomer_to_other_groups_and_one_before_the_first_message_are_told_nothing() -> None:
    stage = Stage("mr-scalar", "abc", ROW)
    assert stage.call("a", "join", "d", ["g1"]) == []
    stage.send("a", "g1")
    assert stage.call("a", "join", "e", ["g2"]) == []


def test_nobody_waits_for_a_process_that_left() -> None:
    stage = Stage("mr-scalar", "abc", TRIO)
    first, second = stage.send("a", "g"), stage.send("a", "g")
    stage.arrive(first, "b")
    assert stage.arrive(second, "b") == []
    stage.call("b", "leave", "c")
    assert stage.delivered["b"] == [first.id, second.id]
    assert stage.call("b", "receive", Packet("c", None, ScalarPhase(7))) == []


def test_a_process_that_leaves_delivers_nothing_early_and_says_nothing_more() -> None:
    stage = Stage("mr-scalar", "abc", TRIO)
    first, second = stage.send("a", "g"), stage.send("a", "g")
    stage.arrive(first, "b")
    assert stage.arrive(second, "b") == []
    said = len(stage.controls("b"))
    assert stage.call("b", "leave", "b") == []
    stage.restart("b")
    assert stage.held("b") == ["a:2 waits for phase 1 of c"]
    stage.arrive(first, "c")
    assert stage.arrive_control("c", "b") == [second.id]
    stage.arrive(stage.send("a", "g"), "b")
    assert len(stage.controls("b")) == said


@pytest.mark.parametrize(
    ("held", "why"),
    [
        (Packet("b", None, ScalarPhase(9)), "a control packet is held"),
        (Packet("b", Message(MessageId("b", 1), frozenset("ab"), b"", "g1"), KsStamp({}, {}, {})), "another algorithm"),
    ],
    ids=["a control packet", "a packet of another algorithm"],
)
def test_a_forged_snapshot_is_refused(held: Packet, why: str) -> None:
    process: Any = antecede.create("mr-scalar", process="a", groups=ROW)
    process.held.packets, process.held.serial = {1: held}, 1
    with pytest.raises(SnapshotError, match=why):
        antecede.restore(process.snapshot())


def test_a_newcomer_is_told_and_the_timer_for_the_others_stays_on() -> None:
    stage = behind_with_a_timer()
    assert stage.call("b", "join", "d", ["g1"]) == [Transmit("d", Packet("b", None, ScalarPhase(1)))]
    stage.call("b", "tick", 12.0)
    assert {to for to, _ in stage.controls("b")} == {"a", "c", "d"}
