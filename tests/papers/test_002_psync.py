"""Kshemkalyani, Singhal: "Necessary and sufficient conditions on information for causal message ordering and their
optimal implementation" (002).

What §1 says of Psync: "The CO algorithm in [18] is similar to [4] but carries message-ids rather than entire messages
in the control information. Furthermore, unnecessary control information is not sent if the sending host had sent it
before."
"""

from __future__ import annotations

from collections import Counter
from random import Random

from antecede import Message, MessageId, encode
from antecede.core.ordering.history import HistoryStamp
from antecede.core.ordering.psync import PsyncStamp
from tests.properties.lockstep import perform
from tests.stage import Stage, improvise

NAMES = ("a", "b", "c", "d")


def identifiers(stage: Stage, message: Message, to: str) -> set[tuple[str, str]]:
    """Return the messages that a packet names, such as ("a:1", "bc") for one to b and c."""
    stamp = stage.packet(message, to).stamp
    assert isinstance(stamp, PsyncStamp)
    dests: dict[MessageId, set[str]] = {}
    for sender, row in stamp.before.items():
        for dest, seq in row.items():
            dests.setdefault(MessageId(sender, seq), set()).add(dest)
    assert stamp.entries == len(dests)
    return {(str(identity), "".join(sorted(to))) for identity, to in dests.items()}


def answer_after_two(algorithm: str) -> tuple[Stage, Message]:
    """a sends to b and c, and then to d; d passes it on to b, who has got nothing else."""
    stage = Stage(algorithm, NAMES)
    stage.send("a", {"b", "c"}, b"first")
    second = stage.send("a", {"d"}, b"second")
    stage.arrive(second, "d")
    return stage, stage.send("d", {"b"}, b"third")


def test_1_psync_names_messages_instead_of_carrying_them() -> None:
    psync, message = answer_after_two("psync")
    assert identifiers(psync, message, "b") == {("a:1", "bc")}
    history, same = answer_after_two("history")
    stamp = history.packet(same, "b").stamp
    assert isinstance(stamp, HistoryStamp)
    assert b"first" in {carried.payload for carried in stamp.before}
    assert b"first" not in encode(psync.packet(message, "b"))


def test_1_psync_waits_for_the_messages_that_are_named_and_addressed_to_it() -> None:
    stage, third = answer_after_two("psync")
    assert stage.arrive(third, "b") == []
    assert stage.held("b") == ["d:1 waits for message 1 of a"]
    first = stage.flying[0].packet.message
    assert first is not None
    assert stage.arrive(first, "b") == [first.id, third.id]


def test_1_psync_passes_on_what_is_for_others() -> None:
    """b hears of the first message from d before it arrives, and c, who has not got it, hears of it from b."""
    stage = Stage("psync", NAMES)
    first, second = stage.send("a", {"c"}), stage.send("a", {"d"})
    stage.arrive(second, "d")
    third = stage.send("d", {"b"})
    assert identifiers(stage, third, "b") == {("a:1", "c")}
    assert stage.arrive(third, "b") == [third.id]
    fourth = stage.send("b", {"c"})
    assert identifiers(stage, fourth, "c") == {("a:1", "c")}
    assert stage.arrive(fourth, "c") == []
    assert stage.arrive(first, "c") == [first.id, fourth.id]


def test_1_psync_sends_no_identifier_to_a_host_twice() -> None:
    named = 0
    for seed in range(60):
        stage = improvise(Stage("psync", NAMES), Random(f"psync {seed}"), sends=25)
        told: Counter[tuple[str, str, str, str, int]] = Counter()
        for flight in stage.brought:
            stamp = flight.packet.stamp
            assert isinstance(stamp, PsyncStamp)
            for sender, row in stamp.before.items():
                told.update((flight.sender, flight.to, sender, dest, seq) for dest, seq in row.items())
        assert set(told.values()) <= {1}
        named += len(told)
    assert named > 2_000


def test_1_psync_only_names_the_message_before_in_a_dialogue() -> None:
    """What b sends to a is not told to a again, so that a stamp has what its sender sent last, and nothing else."""
    stage = Stage("psync", NAMES)
    for number in range(1, 6):
        for one, other in (("a", "b"), ("b", "a")):
            message = stage.send(one, {other})
            before = {(f"{one}:{number - 1}", other)} if number > 1 else set()
            assert identifiers(stage, message, other) == before
            stage.arrive(message, other)


def test_1_psync_the_last_message_of_a_sender_to_a_destination_stands_for_those_before() -> None:
    stage = Stage("psync", NAMES)
    for _ in range(5):
        stage.send("a", {"b", "c"})
    last = stage.send("a", {"c"})
    assert identifiers(stage, stage.send("a", {"d"}), "d") == {("a:5", "b"), (str(last.id), "c")}
    for _ in range(200):
        improvise(stage, Random("context"), sends=1)
        assert all(len(row) < len(NAMES) for name in NAMES for row in stage.ordering(name).last.values())


def test_1_psync_keeps_order_for_any_destinations() -> None:
    """`perform` compares the deliveries of each step with those that an oracle of explicit pasts allows."""
    for seed in range(40):
        assert not perform({"psync": {}, "ks": {}}, seed, sends=30).oracle.violations
