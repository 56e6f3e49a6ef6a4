"""Phases of one group: duplicates, strange packets, and the timer that stands in for a resynchronisation (003 §3.5)."""

from __future__ import annotations

import pytest

import antecede
from antecede import Message, MessageId, Packet, RemoteViolation, SetTimer
from antecede.core.ordering.ks import KsStamp
from antecede.core.ordering.mr import PhaseStamp, Resynch
from antecede.core.ordering.mr_broadcast import EVERYONE
from antecede.core.ordering.none import NoStamp
from tests.stage import Stage

MESSAGE = Message(MessageId("b", 1), frozenset("ab"), b"")


@pytest.mark.parametrize(
    "wrong",
    [
        Packet("b", MESSAGE, KsStamp({}, {}, {})),
        Packet("b", MESSAGE, Resynch(EVERYONE, 1)),
        Packet("b", None, NoStamp()),
    ],
    ids=["a stamp of another algorithm", "a resynchronisation with a message", "a message's stamp without a message"],
)
def test_a_packet_of_another_algorithm_is_refused(wrong: Packet) -> None:
    a = antecede.create("mr-broadcast", process="a", processes=["a", "b"])
    before = a.snapshot()
    with pytest.raises(RemoteViolation, match=f"b sent a {type(wrong.stamp).__name__}, which is of another algorithm"):
        a.receive(wrong)
    assert a.snapshot() == before


def test_a_message_that_arrives_again_changes_nothing() -> None:
    stage = Stage("mr-broadcast", "ab")
    first = stage.send("a", {*"ab"})
    assert stage.arrive(first, "b") == [first.id]
    before = stage.nodes["b"].snapshot()
    assert stage.arrive(first, "b") == []
    assert stage.nodes["b"].snapshot() == before


def test_a_process_that_leaves_keeps_what_it_holds_back_and_what_it_knows() -> None:
    """b holds a's second message back for c; after b has said that it leaves, c's word still releases it."""
    stage = Stage("mr-broadcast", "abc")
    first, second = stage.send("a", {*"abc"}), stage.send("a", {*"abc"})
    stage.arrive(first, "b")
    assert stage.arrive(second, "b") == []
    assert stage.call("b", "leave", "b") == []
    stage.arrive(first, "c")
    assert stage.arrive_control("c", "b") == [second.id]


def test_a_process_that_left_says_nothing_more() -> None:
    """a's message, a timer that was set before, and a newcomer are no reason to resynchronise."""
    stage = behind_with_a_timer()
    assert stage.call("b", "leave", "b") == []
    stage.restart("b")
    stage.call("b", "tick", 12.0)
    stage.arrive(stage.send("a", {*"abc"}), "b")
    stage.call("b", "tick", 20.0)
    stage.call("b", "join", "d")
    assert stage.controls("b") == []


def behind_with_a_timer() -> Stage:
    """At time 10, b hears of phase 1, and sets a timer of two seconds instead of saying so."""
    stage = Stage("mr-broadcast", "abc", resynch_after_s=2.0)
    stage.call("b", "tick", 10.0)
    stage.arrive(stage.send("a", {*"abc"}), "b")
    assert SetTimer(12.0) in stage.steps[-1].effects
    return stage


def test_if_the_timer_expires_the_resynchronisation_is_sent_once() -> None:
    stage = behind_with_a_timer()
    assert stage.call("b", "tick", 11.9) == []
    stage.call("b", "tick", 12.0)
    assert stage.controls("b") == [("a", Resynch(EVERYONE, 1)), ("c", Resynch(EVERYONE, 1))]
    assert stage.call("b", "tick", 20.0) == []


def test_if_a_message_is_sent_first_it_tells_the_phase_and_the_timer_does_nothing() -> None:
    stage = behind_with_a_timer()
    message = stage.send("b", {*"abc"})
    assert stage.packet(message, "c").stamp == PhaseStamp({EVERYONE: 1})
    assert stage.call("b", "tick", 12.0) == []
    assert stage.controls("b") == []
