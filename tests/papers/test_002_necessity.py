"""Kshemkalyani, Singhal: "Necessary and sufficient conditions on information for causal message ordering and their
optimal implementation" (002).

§3.6 and §7: nothing that a message carries can be left out, and it may be n^2 facts.

Theorem 2: take the causal past of a send, and nothing else. Leave one fact out of the message to one destination. Then
there is a continuation that breaks causal order, and it is the one of the proof.
"""

from __future__ import annotations

import pytest

from antecede import MessageId
from tests.papers.ks_events import KsEvent, Played, dots_of, play, replay, without_dot
from tests.properties.execution import Dot
from tests.stage import Stage


def bring_causes(played: Played, message: MessageId, to: str, missing: MessageId) -> None:
    """Deliver at `to` whatever precedes `message` and is for `to`, except `missing`."""
    precede = played.execution.precede(message)
    due = [cause for cause in precede if to in played.execution.messages[cause].dests and cause != missing]
    for cause in sorted(due, key=lambda one: len(played.execution.precede(one))):
        if (cause, to) not in played.execution.deliveries:
            played.deliver(played.execution.messages[cause], to)


def overtakes_if_dropped(played: Played, send: KsEvent, to: str, dot: Dot, *, dropped: bool) -> bool:
    """Continue the past of `send` without `dot` in the packet for `to`: is the message that it is about overtaken?

    If `to` is owed that message, the packet itself overtakes it. Otherwise `to` answers with a message to who is.
    """
    past = replay(played, send)
    sender, clock, dest = dot
    owed = MessageId(sender, clock)
    bring_causes(past, send.message.id, to, owed if to == dest else MessageId("", 0))
    packet = past.packet(send.message.id, to)
    past.stage.call(to, "receive", without_dot(packet, dot) if dropped else packet)
    if to == dest:
        return send.message.id in past.stage.delivered[to]
    past.execution.deliver(to, send.message.id)
    last = past.send(to, {dest})
    bring_causes(past, last.id, dest, owed)
    assert owed in past.execution.precede(last.id)
    assert owed not in past.stage.delivered[dest]
    return past.stage.arrive(last, dest) == [last.id]


@pytest.mark.parametrize("seed", range(12))
def test_3_6_theorem_2_a_message_without_any_one_of_its_facts_breaks_causal_order(seed: int) -> None:
    played = play(f"002 theorem 2 {seed}", sends=9)
    facts = 0
    for send in (event for event in played.events if event.is_send):
        for to in sorted(send.message.dests):
            for dot in sorted(dots_of(played.packet(send.message.id, to), to)):
                assert overtakes_if_dropped(played, send, to, dot, dropped=True), (send.message.id, to, dot)
                assert not overtakes_if_dropped(played, send, to, dot, dropped=False), (send.message.id, to, dot)
                facts += 1
    assert facts > 10


def everybody_is_owed(processes: int) -> tuple[Stage, Played, KsEvent]:
    """Everybody but `last` sends to all others; only `last` has these messages, when it sends to `p0`."""
    names = [f"p{number}" for number in range(processes - 1)]
    played = Played(Stage("ks", [*names, "last"]))
    for message in [played.send(name, {*names, "last"} - {name}) for name in names]:
        played.deliver(message, "last")
    played.send("last", {"p0"})
    return played.stage, played, played.events[-1]


@pytest.mark.parametrize("processes", [3, 4, 6, 10, 20])
def test_7_corollary_2_a_message_that_carries_a_fact_for_each_sender_and_destination(processes: int) -> None:
    """(n - 1) (n - 2): each of n - 1 senders owes a message to each but itself and the one who has them all."""
    stage, played, last = everybody_is_owed(processes)
    packet = stage.packet(last.message, "p0")
    assert packet.control_entries == (processes - 1) * (processes - 2)
    assert dots_of(packet, "p0") == played.execution.carried(last.message.id, "p0")
    assert len(last.before.log) == (processes - 1) * (processes - 2), "and so does the log"


def test_7_corollary_2_and_none_of_them_can_be_left_out() -> None:
    stage, played, last = everybody_is_owed(5)
    for dot in sorted(dots_of(stage.packet(last.message, "p0"), "p0")):
        assert overtakes_if_dropped(played, last, "p0", dot, dropped=True), dot
        assert not overtakes_if_dropped(played, last, "p0", dot, dropped=False), dot
