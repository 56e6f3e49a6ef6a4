"""Psync among processes that come, go and lie. What 002 says of it is in `tests/papers/test_002_psync.py`."""

from __future__ import annotations

import pytest

import antecede
from antecede import Message, MessageId, Packet, RemoteViolation
from antecede.core.ordering.psync import PsyncStamp
from tests.stage import Stage


def forged(before: dict[str, dict[str, int]], seq: int = 3) -> Packet:
    return Packet("b", Message(MessageId("b", seq), frozenset({"a"}), b"x"), PsyncStamp(before))


@pytest.mark.parametrize(
    "before",
    [{"a": {"c": 1}}, {"a": {"a": 7}}, {"b": {"c": 3}}, {"b": {"a": 9}}],
    ids=["mine", "to me", "same", "after"],
)
def test_a_stamp_that_no_process_can_have_made_is_refused(before: dict[str, dict[str, int]]) -> None:
    node = antecede.create("psync", process="a", processes=["a", "b", "c"])
    state = node.snapshot()
    with pytest.raises(RemoteViolation, match="does not belong"):
        node.receive(forged(before))
    assert node.snapshot() == state


def test_a_newcomer_is_told_what_others_are_owed_and_waits_for_nothing_old() -> None:
    stage = Stage("psync", ["a", "b", "c"])
    owed = stage.send("a", {"b"})
    stage.arrive(stage.send("a", {"c"}), "c")
    for name in ("a", "b", "c"):
        stage.call(name, "join", "new")
    stage.names.append("new")
    stage.nodes["new"], stage.delivered["new"] = stage.create("new"), []
    welcome = stage.send("c", {"new"})
    assert stage.arrive(welcome, "new") == [welcome.id]
    later = stage.send("new", {"b"})
    assert stage.arrive(later, "b") == []
    assert stage.arrive(owed, "b") == [owed.id, later.id]


def test_nobody_waits_for_a_message_of_a_process_that_left_and_nobody_names_it() -> None:
    stage = Stage("psync", ["a", "b", "c"])
    stage.send("c", {"b"})
    stage.arrive(stage.send("c", {"a"}), "a")
    last = stage.send("a", {"b"})
    assert stage.arrive(last, "b") == []
    for name in ("a", "b"):
        stage.call(name, "leave", "c")
    assert stage.delivered["b"] == [last.id]
    stamp = stage.packet(stage.send("b", {"a"}), "a").stamp
    assert stamp == PsyncStamp({})


def test_what_a_process_told_is_remembered_across_a_restart() -> None:
    stage = Stage("psync", ["a", "b", "c"])
    stage.send("a", {"c"})
    stage.send("a", {"b"})
    stage.restart("a")
    assert stage.packet(stage.send("a", {"b"}), "b").stamp == PsyncStamp({"a": {"b": 2}})
