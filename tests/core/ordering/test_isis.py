"""What a newcomer is told of the groups, and what it believes."""

from __future__ import annotations

import antecede
from antecede import Deliver, Message, MessageId, Packet
from antecede.core.ordering.isis import IsisStamp
from antecede.core.process import Baseline

GROUPS = {"g": ["a", "b"], "h": ["b", "c"]}


def of_b(seq: int) -> Packet:
    """The `seq`-th message of b to group g, all of whose messages went there."""
    return Packet("b", Message(MessageId("b", seq), frozenset("ab"), b"", "g"), IsisStamp({"g": {"b": seq}}))


def test_a_baseline_of_a_group_this_process_is_not_in_changes_nothing() -> None:
    a = antecede.create("isis", process="a", groups=GROUPS)
    before = a.snapshot()
    assert a.receive(Packet("b", None, Baseline({"h": 5}))) == []
    assert a.snapshot() == before


def test_a_baseline_below_what_was_delivered_since_changes_nothing() -> None:
    """The baseline was overtaken by the messages that b sent after it."""
    a = antecede.create("isis", process="a", groups=GROUPS)
    for seq in (1, 2):
        a.receive(of_b(seq))
    before = a.snapshot()
    assert a.receive(Packet("b", None, Baseline({"g": 1}))) == []
    assert a.snapshot() == before


def test_a_baseline_releases_what_waited_for_the_messages_it_counts() -> None:
    a = antecede.create("isis", process="a", groups=GROUPS)
    third = of_b(3)
    assert a.receive(third) == []
    assert third.message is not None
    assert a.receive(Packet("b", None, Baseline({"g": 2, "h": 9}))) == [Deliver(third.message)]
