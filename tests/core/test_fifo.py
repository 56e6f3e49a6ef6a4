"""Numbered channels: what comes early waits, what comes again is dropped, and a bad packet stops nobody."""

from __future__ import annotations

from dataclasses import replace

import pytest

import antecede
from antecede import HoldBackFull, Packet, RemoteViolation
from antecede.core.fifo import Number, Numbered
from antecede.core.ordering.none import NoStamp
from tests.stage import Stage

GROUP = {"g": ["a", "b"]}


def numbered(count: int, **options: int) -> tuple[Stage, list[Packet]]:
    """`count` messages from a to b, and their packets in the order they were sent."""
    stage = Stage("mr", ["a", "b"], GROUP, numbered=True, **options)
    for _ in range(count):
        stage.send("a", "g")
    return stage, [flight.packet for flight in stage.flying]


def delivered(stage: Stage, packet: Packet) -> list[int]:
    effects = stage.call("b", "receive", packet)
    return [effect.message.id.seq for effect in effects if isinstance(effect, antecede.Deliver)]


def test_packets_are_numbered_from_one_on_each_channel() -> None:
    _, packets = numbered(3)
    assert [packet.stamp.number for packet in packets if isinstance(packet.stamp, Number)] == [1, 2, 3]


def test_early_packets_wait_and_follow_in_order() -> None:
    stage, packets = numbered(4)
    assert [delivered(stage, packets[at]) for at in (3, 1, 2)] == [[], [], []]
    assert delivered(stage, packets[0]) == [1, 2, 3, 4]


def test_duplicates_of_early_and_of_past_packets_are_dropped() -> None:
    stage, packets = numbered(2)
    assert delivered(stage, packets[1]) == []
    assert delivered(stage, packets[1]) == []
    assert delivered(stage, packets[0]) == [1, 2]
    for packet in packets:
        assert stage.call("b", "receive", packet) == []


def test_pending_says_which_packets_of_the_channel_are_missing() -> None:
    stage, packets = numbered(4)
    delivered(stage, packets[3])
    delivered(stage, packets[1])
    assert stage.held("b") == ["a:2 waits for packet 1 of a to b", "a:4 waits for packets 1 to 3 of a to b"]


def test_at_the_limit_an_early_packet_is_refused_and_the_next_one_is_not() -> None:
    stage, packets = numbered(4, hold_back_limit=1)
    delivered(stage, packets[2])
    with pytest.raises(
        HoldBackFull, match="1 packets wait for earlier ones of their channel, which is the limit: offer this one later"
    ):
        delivered(stage, packets[3])
    assert delivered(stage, packets[0]) == [1]
    assert delivered(stage, packets[1]) == [2, 3]
    assert delivered(stage, packets[3]) == [4]


def test_a_packet_without_a_number_is_refused() -> None:
    stage, packets = numbered(1)
    with pytest.raises(RemoteViolation, match="a sent a NoStamp without a channel number"):
        delivered(stage, replace(packets[0], stamp=NoStamp()))


def test_a_bad_packet_that_came_early_does_not_stop_the_channel() -> None:
    stage, packets = numbered(3)
    assert delivered(stage, replace(packets[1], stamp=Number(2, NoStamp()))) == []
    assert delivered(stage, packets[2]) == []
    assert delivered(stage, packets[0]) == [1, 3]


def test_a_bad_packet_that_comes_in_turn_is_refused_and_its_number_is_still_awaited() -> None:
    stage, packets = numbered(1)
    before = stage.nodes["b"].snapshot()
    with pytest.raises(RemoteViolation):
        delivered(stage, replace(packets[0], stamp=Number(1, NoStamp())))
    assert stage.nodes["b"].snapshot() == before
    assert delivered(stage, packets[0]) == [1]


def test_what_was_early_survives_a_restart() -> None:
    stage, packets = numbered(3)
    delivered(stage, packets[2])
    stage.restart("b")
    delivered(stage, packets[1])
    stage.restart("b")
    assert delivered(stage, packets[0]) == [1, 2, 3]


def test_early_packets_of_a_process_that_left_are_forgotten() -> None:
    stage, packets = numbered(3)
    delivered(stage, packets[2])
    node = stage.nodes["b"]
    assert isinstance(node, Numbered)
    assert node.held == 1
    node.leave("a")
    assert node.held == 0
    assert node.pending() == ()


def test_an_early_packet_that_the_inner_algorithm_has_no_room_for_is_tried_again() -> None:
    """Room comes with a packet of c; a sends nothing more, and nobody offers its last packet again."""
    stage = Stage("mr", ["a", "b", "c"], {"g": ["a", "b", "c"]}, numbered=True, hold_back_limit=2)
    sent = [stage.send("a", "g") for _ in range(4)]
    for message in (sent[3], sent[2], sent[0], sent[1]):
        stage.arrive(message, "b")
    assert stage.delivered["b"] == [sent[0].id], "two wait for c within mr, and the last has no room there"
    stage.restart("b")
    for message in sent:
        stage.arrive(message, "c")
        while controls := [flight for flight in stage.flying if flight.packet.message is None]:
            stage.bring(controls[0])
    assert not stage.flying
    assert stage.delivered["b"] == [message.id for message in sent]
