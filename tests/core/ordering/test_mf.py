"""The output buffer: how many messages may wait in it, and what is dropped on arrival."""

from __future__ import annotations

import pytest

from antecede import LimitReached, RemoteViolation
from antecede.core.ordering.mf import Ack
from antecede.core.ordering.none import NoStamp
from antecede.core.types import Packet
from tests.stage import Stage


def test_at_the_limit_of_the_buffer_a_message_is_refused_until_one_has_left() -> None:
    stage = Stage("mf", ["a", "b"], hold_back_limit=2)
    first, _ = stage.send("a", {"b"}), stage.send("a", {"b"})
    before = stage.nodes["a"].snapshot()
    with pytest.raises(LimitReached, match="2 messages wait to leave, which is the limit: send again when some have"):
        stage.send("a", {"b"})
    assert stage.nodes["a"].snapshot() == before
    stage.arrive(first, "b")
    stage.arrive_control("b", "a")
    assert stage.send("a", {"b"}).id.seq == 3


def test_a_message_of_a_process_that_left_is_neither_delivered_nor_acknowledged() -> None:
    stage = Stage("mf", ["a", "b"])
    late = stage.send("a", {"b"})
    stage.call("b", "leave", "a")
    assert stage.arrive(late, "b") == []
    assert stage.controls("b") == []


def test_a_control_packet_that_acknowledges_nothing_is_refused() -> None:
    stage = Stage("mf", ["a", "b"])
    with pytest.raises(RemoteViolation, match="a control packet of b where a message was expected"):
        stage.call("a", "receive", Packet("b", None, NoStamp()))


def test_an_acknowledgement_of_another_than_the_first_message_changes_nothing() -> None:
    stage = Stage("mf", ["a", "b", "c"])
    stage.send("a", {"b"})
    before = stage.nodes["a"].snapshot()
    for sender, seq in (("b", 2), ("c", 1)):
        assert stage.call("a", "receive", Packet(sender, None, Ack(seq))) == []
    assert stage.nodes["a"].snapshot() == before
