"""Messages that carry what precedes them: the limit of what is carried, and packets that repeat themselves."""

from __future__ import annotations

import pytest

import antecede
from antecede import Deliver, HoldBackFull, Message, MessageId, Packet
from antecede.core.ordering.history import HistoryStamp
from tests.stage import Stage


def message(sender: str, seq: int, dests: str) -> Message:
    return Message(MessageId(sender, seq), frozenset(dests), b"")


def test_a_packet_that_would_have_more_carried_than_the_limit_is_refused_until_there_is_room() -> None:
    """c carries one message for d, and may carry two: a packet with two more of them is too much."""
    c = antecede.create("history", process="c", processes=[*"abcd"], hold_back_limit=2)
    c.receive(Packet("a", None, HistoryStamp((message("a", 1, "d"),), {})))
    more = Packet("b", message("b", 2, "cd"), HistoryStamp((message("b", 1, "d"),), {}))
    before = c.snapshot()
    with pytest.raises(HoldBackFull, match="1 messages are carried, and the limit is 2: offer this packet later"):
        c.receive(more)
    assert c.snapshot() == before
    c.receive(Packet("d", None, HistoryStamp((), {"d": {"a": 1}})))
    assert more.message is not None
    assert c.receive(more) == [Deliver(more.message)]


def test_a_packet_that_names_a_message_twice_has_it_delivered_once() -> None:
    b = antecede.create("history", process="b", processes=["a", "b"])
    first, second = message("a", 1, "b"), message("a", 2, "b")
    assert b.receive(Packet("a", second, HistoryStamp((first, first), {}))) == [Deliver(first), Deliver(second)]


def test_a_process_that_leaves_still_carries_what_others_do_not_have() -> None:
    """c leaves before a's message reaches b; the copy that c sends along still gets there."""
    stage = Stage("history", "abc")
    first = stage.send("a", {"b", "c"})
    stage.arrive(first, "c")
    assert stage.call("c", "leave", "c") == []
    second = stage.send("c", {"b"})
    assert stage.arrive(second, "b") == [first.id, second.id]
