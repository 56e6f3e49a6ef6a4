"""Phases of several groups: a process that leaves, and a message that arrives again."""

from __future__ import annotations

import pytest

from antecede import Message, Misuse
from antecede.core.ordering.mr import PhaseStamp, ShortPhaseStamp
from tests.stage import Stage


def b_leaves_early() -> tuple[Stage, Message, Message]:
    """b holds a's second message back for c, and leaves before c's word comes."""
    stage = Stage("mr", "abc", {"g": [*"abc"]})
    first, second = stage.send("a", "g"), stage.send("a", "g")
    stage.arrive(first, "b")
    assert stage.arrive(second, "b") == []
    assert stage.call("b", "leave", "b") == []
    return stage, first, second


def test_a_process_that_leaves_delivers_nothing_early_and_sends_nothing_more() -> None:
    stage, _, second = b_leaves_early()
    assert [waiting.message for waiting in stage.nodes["b"].pending()] == [second]
    with pytest.raises(Misuse, match="'b' is not in group 'g': only members send to a group"):
        stage.send("b", "g")


def test_a_process_that_left_says_what_it_waits_for_and_is_the_same_after_a_restart() -> None:
    stage, _, _ = b_leaves_early()
    assert stage.held("b") == ["a:2 waits for phase 1 of c in g"]
    stage.restart("b")
    assert stage.held("b") == ["a:2 waits for phase 1 of c in g"]
    assert stage.call("b", "tick", 10.0) == []


def test_a_late_word_of_another_member_releases_what_a_process_that_left_still_holds() -> None:
    """c catches up with a, and so with a phase that b has not heard of; b answers nobody."""
    stage, first, second = b_leaves_early()
    stage.restart("b")
    stage.arrive(first, "c")
    assert stage.arrive_control("c", "b") == [second.id]
    third = stage.send("a", "g")
    stage.arrive(second, "c")
    stage.arrive_control("c", "b")
    assert stage.arrive(third, "b") == [third.id]
    assert [to for to, _ in stage.controls("b")] == ["a", "c", "a", "c"], "b has said something since it left"


def test_a_message_that_arrives_again_is_not_delivered_again() -> None:
    stage = Stage("mr", "ab", {"g": [*"ab"]})
    message = stage.send("a", "g")
    assert stage.arrive(message, "b") == [message.id]
    assert stage.arrive(message, "b") == []


def test_without_own_count_a_process_that_waits_for_its_timer_says_its_phase() -> None:
    """b has followed a to phase 1 without saying so, and its next message says it."""
    stage = Stage("mr", "abc", {"g": [*"abc"]}, own_count=False, resynch_after_s=2.0)
    stage.arrive(stage.send("a", "g"), "b")
    first, second = stage.send("b", "g"), stage.send("b", "g")
    assert stage.packet(first, "c").stamp == PhaseStamp({"g": 1})
    assert stage.packet(second, "c").stamp == ShortPhaseStamp({})
