"""Kshemkalyani, Singhal: "Necessary and sufficient conditions on information for causal message ordering and their
optimal implementation" (002).

§8: "In the face of network failures, techniques from [25] can be adapted for log management to maintain causal
consistency." Here `history` with `repeat_after_s` keeps the log and the table of [25], over channels that lose packets.
"""

from __future__ import annotations

import antecede
from antecede import Deliver, Message, MessageId, Packet, SetTimer, Transmit
from antecede.core.ordering.history import HistoryStamp
from antecede.judge.judge import judge
from tests.stage import Stage
from tests.worlds import World


def test_8_random_executions_that_lose_packets_deliver_everything_in_causal_order() -> None:
    """Up to half of the packets are lost; processes restart, join and leave; in the end nothing is repeated."""
    lossy = 0
    for seed in range(200):
        world = World("history", seed, options={"repeat_after_s": 0.7}).run()
        assert world.oracle.lost(world.gone) == []
        world.finished()
        assert judge(world.events).violations == 0
        lossy += world.loss > 0
    assert lossy > 100


def test_8_without_repetition_the_same_losses_lose_messages() -> None:
    worlds = [World("history", seed, loss=0.5).run() for seed in range(30)]
    assert sum(bool(world.oracle.lost(world.gone)) for world in worlds) > 10


def test_8_a_message_is_sent_again_with_the_log_until_its_receiver_answers() -> None:
    """a's message to b is lost, and so is b's first answer; b delivers once."""
    stage = Stage("history", "abc", repeat_after_s=1.0)
    effects = stage.call("a", "send", {"b"}, b"x")
    assert SetTimer(1.0) in effects
    message = MessageId("a", 1)
    stage.flying.clear()
    stage.restart("a")
    for now in (1.0, 2.0):
        [again, timer] = stage.call("a", "tick", now)
        assert isinstance(again, Transmit)
        assert isinstance(again.packet.stamp, HistoryStamp)
        assert (again.to, timer) == ("b", SetTimer(now + 1.0))
        assert [carried.id for carried in again.packet.stamp.before] == [message]
        stage.arrive_control("a", "b")
        assert stage.controls("b") == [("a", HistoryStamp((), {"b": {"a": 1}}))]
        if now == 1.0:
            stage.flying.clear()
    assert stage.delivered["b"] == [message]
    stage.arrive_control("b", "a")
    assert stage.call("a", "tick", 3.0) == []


def test_8_before_its_time_a_tick_repeats_nothing_and_an_answer_is_not_answered() -> None:
    stage = Stage("history", "ab", repeat_after_s=1.0)
    stage.call("a", "send", {"b"}, b"x")
    assert stage.call("a", "tick", 0.5) == []
    assert stage.call("b", "receive", Packet("a", None, HistoryStamp((), {"a": {}}))) == []


def test_8_who_is_not_known_gets_no_answer() -> None:
    b = antecede.create("history", process="b", processes=["a", "b"], repeat_after_s=1.0)
    message = Message(MessageId("a", 1), frozenset("b"), b"")
    assert b.receive(Packet("z", None, HistoryStamp((message,), {}))) == [Deliver(message)]
