"""The token: who waits for it, who is given it, and who is told that a turn has passed."""

from __future__ import annotations

import pytest

import antecede
from antecede import LimitReached, Transmit
from antecede.core.ordering.serial import Token, Turn
from tests.stage import Stage


def test_at_the_limit_of_what_waits_for_the_token_a_message_is_refused_until_the_token_came() -> None:
    stage = Stage("serial-multicast", "ab", hold_back_limit=2)
    sent = [stage.send("b", {"a"}) for _ in range(2)]
    before = stage.nodes["b"].snapshot()
    with pytest.raises(LimitReached, match="2 messages wait for the token, which is the limit: send again when some"):
        stage.send("b", {"a"})
    assert stage.nodes["b"].snapshot() == before
    stage.drain()
    assert stage.delivered["a"] == [message.id for message in sent]
    assert stage.send("b", {"a"}).id.seq == 3


@pytest.mark.parametrize("algorithm", ["serial-broadcast", "serial-multicast"])
def test_a_process_that_leaves_with_the_token_gives_it_to_the_next_though_nobody_asked(algorithm: str) -> None:
    stage = Stage(algorithm, "abc", token_at="b")
    (effect,) = stage.call("b", "leave", "b")
    assert isinstance(effect, Transmit)
    assert effect.to == "c"
    assert isinstance(effect.packet.stamp, Token)
    stage.drain()
    for process in "ac":
        stage.call(process, "leave", "b")
    last = stage.send("c", {"a", "c"})
    stage.drain()
    assert stage.delivered["a"] == [last.id]


def test_a_process_that_leaves_with_the_token_gives_it_to_one_that_asked() -> None:
    stage = Stage("serial-multicast", "abc", token_at="b")
    waiting = stage.send("a", {"c"})
    stage.call("b", "leave", "b")
    assert [to for to, stamp in stage.controls("b") if isinstance(stamp, Token)] == ["c"], "b has not heard a's request"
    stage.drain()
    assert stage.delivered["c"] == [waiting.id]


def test_the_last_process_keeps_the_token_when_it_leaves() -> None:
    alone = antecede.create("serial-broadcast", process="a", processes=["a"])
    assert alone.leave("a") == []


def test_a_newcomer_is_told_of_the_turn_of_a_broadcast_that_was_sent_before_it_came() -> None:
    """b's message waits for the token while c joins: it is not for c, but c must not wait for its turn for ever."""
    stage = Stage("serial-broadcast", "ab")
    before = stage.send("b", {"a", "b"})
    stage.names.append("c")
    stage.nodes["c"], stage.delivered["c"] = stage.create("c"), []
    for process in "ab":
        stage.call(process, "join", "c")
    stage.arrive_control("b", "a")
    stage.arrive_control("a", "b")
    assert [(to, stamp) for to, stamp in stage.controls("b") if isinstance(stamp, Turn)] == [("c", Turn(1, {"c": 0}))]
    after = stage.send("b", {*"abc"})
    assert stage.arrive(after, "c") == []
    stage.drain()
    assert stage.delivered == {"a": [before.id, after.id], "b": [before.id, after.id], "c": [after.id]}
