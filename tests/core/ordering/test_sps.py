"""Sender permission to send: which message leaves when, who is told what, and what is refused."""

from __future__ import annotations

from collections import deque
from random import Random
from typing import Any

import pytest

import antecede
from antecede import LimitReached, Message, MessageId, Packet, RemoteViolation, SnapshotError
from antecede.core.fifo import Number
from antecede.core.ordering.mf import Ack
from antecede.core.ordering.none import NoStamp
from antecede.core.ordering.sps import Complete, SenderPermission
from antecede.core.roster import Roster
from antecede.core.snapshot import values
from antecede.core.types import Stamp
from tests.stage import Stage, improvise


def new(names: str = "abcd", **options: Any) -> Stage:
    return Stage("sps", names, **options)


def flying(stage: Stage) -> list[str]:
    """What is on its way: a message by its identity, a control packet by its stamp without the channel number."""
    return [f"{f.sender}>{f.to} {f.packet.message.id if f.packet.message else inner(f.packet)}" for f in stage.flying]


def inner(packet: Packet) -> Stamp:
    assert isinstance(packet.stamp, Number)
    return packet.stamp.inner


def test_a_message_because_of_another_leaves_when_that_one_is_complete() -> None:
    """b answers a:1 to c, which does not have a:1 yet."""
    stage = new()
    first = stage.send("a", {"b", "c"})
    stage.arrive(first, "b")
    answer = stage.send("b", {"c"})
    assert stage.held("b") == ["b:1 waits for message 1 of a to be delivered everywhere"]
    stage.arrive_control("b", "a")
    stage.arrive(first, "c")
    assert flying(stage) == ["c>a Ack(seq=1)"]
    stage.arrive_control("c", "a")
    assert flying(stage) == ["a>b Complete(seq=1)", "a>c Complete(seq=1)"]
    stage.arrive_control("a", "b")
    assert not stage.held("b")
    stage.drain()
    assert stage.delivered["c"] == [first.id, answer.id]


def test_what_was_delivered_after_a_message_was_sent_does_not_keep_it() -> None:
    stage = new()
    stage.send("b", {"a"})
    kept = stage.send("b", {"c"})
    stage.arrive(stage.send("a", {"b", "d"}), "b")
    assert stage.held("b") == ["b:2 waits for message 1 of b to be delivered everywhere"]
    stage.bring(stage.flying[0])
    stage.arrive_control("a", "b")
    assert not stage.held("b")
    assert stage.packet(kept, "c").message == kept


def test_messages_to_the_same_destinations_or_more_follow_each_other_at_once() -> None:
    stage = new()
    sent = [stage.send("a", to) for to in ({"b"}, {"b"}, {"b", "c"}, {"a", "b", "c"}, {"b", "c", "d"})]
    assert not stage.held("a")
    later = stage.send("a", {"b", "d"})
    assert stage.held("a") == ["a:6 waits for messages 1 to 5 of a to be delivered everywhere"]
    stage.drain()
    assert stage.delivered["b"] == [message.id for message in [*sent, later]]
    assert stage.delivered["d"] == [sent[4].id, later.id]


def test_a_message_to_one_destination_costs_one_acknowledgement() -> None:
    stage = new()
    for _ in range(5):
        stage.send("a", {"b"})
        stage.send("b", {"a", "b"})
    stage.drain()
    assert len(stage.brought) == 20
    assert not any(stage.held(name) for name in "ab")


def test_who_gets_the_next_message_is_told_by_it() -> None:
    """a:2 waits for a:1. When a:1 is complete a:2 leaves, and says so to b; c is told by a packet of its own."""
    stage = new()
    first = stage.send("a", {"b", "c"})
    second = stage.send("a", {"b", "d"})
    for name in "bc":
        stage.arrive(first, name)
        stage.arrive_control(name, "a")
    assert inner(stage.packet(second, "b")) == Complete(1)
    assert stage.controls("a") == [("c", Number(2, Complete(1)))]
    stage.drain()


def test_a_stamp_is_two_integers_among_any_number_of_processes() -> None:
    for count in (3, 30):
        names = [f"p{number}" for number in range(count)]
        stage = improvise(Stage("sps", names), Random(count), 60)
        stamps = [flight.packet.stamp for flight in stage.brought]
        assert {stamp.entries for stamp in stamps} == {2}


def test_a_message_to_oneself_is_complete_at_once() -> None:
    stage = new()
    own = stage.send("a", {"a"})
    other = stage.send("a", {"a", "b"})
    assert inner(stage.packet(other, "b")) == Complete(1)
    stage.drain()
    assert stage.delivered["a"] == [own.id, other.id]


def test_nobody_waits_for_a_destination_that_has_left() -> None:
    stage = new()
    first = stage.send("a", {"b", "c"})
    stage.arrive(first, "b")
    stage.arrive_control("b", "a")
    later = stage.send("a", {"b", "d"})
    to_nobody = stage.send("a", {"c"})
    assert len(stage.held("a")) == 2
    stage.call("a", "leave", "c")
    assert stage.held("a") == ["a:3 waits for message 2 of a to be delivered everywhere"]
    stage.flying = [flight for flight in stage.flying if flight.to != "c"]
    stage.drain()
    assert stage.delivered["d"] == [later.id]
    assert not stage.held("a")
    assert to_nobody.id not in stage.delivered["c"]


def test_nobody_waits_for_the_word_of_a_sender_that_has_left() -> None:
    stage = new()
    stage.arrive(stage.send("a", {"b", "c"}), "b")
    answer = stage.send("b", {"d"})
    stage.call("b", "leave", "a")
    assert stage.arrive(answer, "d") == [answer.id]


def test_the_destinations_left_of_a_message_are_told() -> None:
    """c has left before a:1 leaves. b counts it as a destination, and waits for word of a."""
    stage = new()
    stage.send("a", {"d"})
    second = stage.send("a", {"b", "c"})
    stage.call("a", "leave", "c")
    stage.bring(stage.flying[0])
    stage.arrive_control("d", "a")
    stage.arrive(second, "b")
    stage.send("b", {"d"})
    assert stage.held("b") == [
        "b:1 waits for messages 2 to 2 of a to be delivered everywhere".replace("s 2 to 2", " 2")
    ]
    stage.drain()
    assert not stage.held("b")


def test_a_full_buffer_refuses_and_changes_nothing() -> None:
    stage = new(hold_back_limit=1)
    stage.send("a", {"b"})
    stage.send("a", {"c"})
    before = stage.nodes["a"].snapshot()
    with pytest.raises(LimitReached, match="1 messages wait to leave, which is the limit"):
        stage.send("a", {"c"})
    assert stage.nodes["a"].snapshot() == before


@pytest.mark.parametrize(
    ("message", "stamp", "told"),
    [
        (None, Ack(1), "b acknowledges message 1 of a, which it was not sent"),
        (None, NoStamp(), "b sent a NoStamp, which is of another algorithm"),
        (Message(MessageId("b", 1), frozenset("a"), b""), Ack(1), "b sent a Ack, which is of another algorithm"),
        (
            Message(MessageId("b", 1), frozenset("a"), b""),
            Complete(1),
            "b:1 came after later messages of b, or is said",
        ),
        (
            Message(MessageId("c", 1), frozenset("a"), b""),
            Complete(0),
            "b sent a packet with message c:1, which is not",
        ),
    ],
)
def test_what_nobody_could_have_sent_is_refused(message: Message | None, stamp: Stamp, told: str) -> None:
    a = antecede.create("sps", process="a", processes=[*"abc"])
    before = a.snapshot()
    with pytest.raises(RemoteViolation) as caught:
        a.receive(Packet("b", message, Number(1, stamp)))
    assert str(caught.value).startswith(told)
    assert a.snapshot() == before


def test_messages_and_acknowledgements_in_a_wrong_order_are_refused() -> None:
    stage = new("ab")
    first, second = stage.send("b", {"a"}), stage.send("b", {"a"})
    assert (first.id.seq, second.id.seq) == (1, 2)
    with pytest.raises(RemoteViolation, match="a acknowledges message 2 of b"):
        stage.nodes["b"].receive(Packet("a", None, Number(1, Ack(2))))
    stage.drain()
    with pytest.raises(RemoteViolation, match="b:2 came after later messages of b"):
        stage.nodes["a"].receive(Packet("b", second, Number(3, Complete(0))))


def test_a_snapshot_that_contradicts_itself_is_refused() -> None:
    message = Message(MessageId("a", 1), frozenset("b"), b"")
    odd = [
        SenderPermission(Roster.of("a", "multicast", [*"ab"], None), awaited={"b": deque()}),
        SenderPermission(Roster.of("a", "multicast", [*"ab"], None), awaited={"b": deque([2, 1])}),
        SenderPermission(
            Roster.of("a", "multicast", [*"ab"], None), buffer=deque([(message, {})]), awaited={"b": deque([1])}
        ),
    ]
    for state in odd:
        with pytest.raises(SnapshotError):
            antecede.restore(values.dumps(state))
