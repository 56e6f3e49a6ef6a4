"""The hold-back queue: indexed by what is missing, bounded, and never scanned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

import antecede
from antecede import HoldBackFull, Message, MessageId, Need, Packet
from antecede.core.holdback import HoldBack
from antecede.core.ordering.ks import Ks
from antecede.core.ordering.none import NoStamp
from antecede.core.ordering.prs import Prs, PrsStamp
from antecede.core.ordering.rst import Rst
from antecede.core.ordering.vector import Vector
from antecede.core.types import Reached, Stamp
from tests.stage import Stage

BACKLOG = 10_000


def packet(name: str, seq: int = 1) -> Packet:
    return Packet(name, Message(MessageId(name, seq), frozenset({"me"}), b""), NoStamp())


def waiting_for(*needs: tuple[str, int]) -> Iterator[Need]:
    return iter([Need(sender, level, level) for sender, level in needs])


def popped(held: HoldBack) -> list[str]:
    return [ready.sender for ready in iter(held.pop, None)]


def test_a_packet_without_needs_is_ready_at_once() -> None:
    held = HoldBack()
    held.offer(packet("a"), waiting_for())
    assert len(held) == 0
    assert popped(held) == ["a"]


def test_a_packet_waits_for_one_need_after_the_other() -> None:
    held = HoldBack()
    held.offer(packet("p"), waiting_for(("a", 1), ("b", 2)))
    held.reached(Reached("b", 1))
    assert popped(held) == []
    held.reached(Reached("a", 1))
    assert popped(held) == []
    held.reached(Reached("b", 2))
    assert popped(held) == ["p"]
    assert len(held) == 0


def test_a_level_releases_all_that_waited_for_no_more_than_it() -> None:
    held = HoldBack()
    for name, level in (("p", 3), ("q", 1), ("r", 4), ("s", 3)):
        held.offer(packet(name), waiting_for(("a", level)))
    held.reached(Reached("a", 3))
    assert popped(held) == ["q", "p", "s"], "by level, then by arrival"
    held.reached(Reached("a", 9))
    assert popped(held) == ["r"]


def test_scopes_are_different_things_to_wait_for() -> None:
    held = HoldBack()
    held.offer(packet("p"), iter([Need("a", 1, 1, "|in g1")]))
    held.reached(Reached("a", 5, "|in g2"))
    held.reached(Reached("a", 5))
    assert popped(held) == []
    held.reached(Reached("a", 1, "|in g1"))
    assert popped(held) == ["p"]


def test_packets_that_become_ready_together_come_out_by_rank() -> None:
    held = HoldBack()
    ranks = {"p": 2, "q": 0, "r": 1}
    for name, rank in ranks.items():
        held.offer(packet(name), waiting_for(("a", 1)), rank)
    held.reached(Reached("a", 1), lambda ready: ranks[ready.sender])
    assert popped(held) == ["q", "r", "p"]


def test_a_held_message_is_known_by_its_id() -> None:
    held = HoldBack()
    held.offer(packet("p", 7), waiting_for(("a", 1)))
    assert MessageId("p", 7) in held
    assert MessageId("p", 8) not in held
    held.reached(Reached("a", 1))
    assert MessageId("p", 7) not in held


def test_nobody_waits_for_a_sender_that_is_given_up() -> None:
    held = HoldBack()
    held.offer(packet("p"), waiting_for(("gone", 1)))
    held.offer(packet("q"), waiting_for(("gone", 2), ("a", 1)))
    held.give_up("gone")
    assert popped(held) == ["p"]
    held.reached(Reached("a", 1))
    assert popped(held) == ["q"]


def test_at_the_limit_a_packet_that_must_wait_is_refused_and_nothing_is_lost() -> None:
    held = HoldBack(limit=2)
    for name in ("p", "q"):
        held.offer(packet(name), waiting_for(("a", 1)))
    with pytest.raises(HoldBackFull, match="Refused: message r:1, waiting for message 1 of a"):
        held.offer(packet("r"), waiting_for(("a", 1)))
    held.reached(Reached("a", 1))
    assert popped(held) == ["p", "q"]
    held.offer(packet("r"), waiting_for(("b", 1)))
    assert len(held) == 1, "there is room again"


def test_at_the_limit_a_packet_that_can_be_delivered_is_accepted() -> None:
    held = HoldBack(limit=1)
    held.offer(packet("p"), waiting_for(("a", 1)))
    held.offer(packet("q"), waiting_for())
    assert popped(held) == ["q"]


def test_own_packets_are_not_refused() -> None:
    held = HoldBack(limit=0)
    held.offer(packet("p"), waiting_for(("a", 1)), refuse=False)
    assert len(held) == 1


def test_resume_files_everything_anew() -> None:
    held = HoldBack()
    held.offer(packet("p"), waiting_for(("a", 1)))
    held.offer(packet("q"), waiting_for(("a", 1)))
    held.resume(lambda again: waiting_for() if again.sender == "p" else waiting_for(("b", 1)))
    assert popped(held) == ["p"]
    held.reached(Reached("a", 1))
    assert popped(held) == []
    held.reached(Reached("b", 1))
    assert popped(held) == ["q"]


@pytest.mark.parametrize(("algorithm", "ordering"), [("ks", Ks), ("prs", Prs), ("rst", Rst), ("vector", Vector)])
def test_the_needs_of_a_reverse_backlog_are_looked_at_once_each(
    algorithm: str, ordering: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    """10,000 packets of a, the last first: a list of held packets that is scanned would look 50 million times."""
    looked: Counter[str] = Counter()
    unmet = ordering.unmet  # type: ignore[attr-defined]  # an Ordering

    def counted(self: object, message: Message, stamp: Stamp) -> Iterator[Need]:
        looked["packets"] += 1
        for need in unmet(self, message, stamp):
            looked["needs"] += 1
            yield need

    monkeypatch.setattr(ordering, "unmet", counted)
    stage = Stage(algorithm, ["a", "b"])
    sent = [stage.send("a", {"a", "b"}) for _ in range(BACKLOG)]
    node = stage.nodes["b"]
    for flight in reversed(stage.flying[1:]):
        assert node.receive(flight.packet) == []
    assert len(node.receive(stage.flying[0].packet)) == len(sent)
    assert looked == {"packets": BACKLOG, "needs": BACKLOG - 1}


def test_each_need_of_a_random_backlog_is_looked_at_at_most_once() -> None:
    """Packets with many needs each; every one is filed under one of them at a time."""
    random = Random("needs")
    levels: Counter[str] = Counter()
    looked = 0

    def needs(wanted: list[tuple[str, int]]) -> Iterator[Need]:
        nonlocal looked
        for sender, level in wanted:
            looked += 1
            if levels[sender] < level:
                yield Need(sender, level, level)

    held, total = HoldBack(), 0
    for number in range(2_000):
        wanted = [(f"s{random.randrange(20)}", random.randint(1, 50)) for _ in range(random.randint(1, 10))]
        total += len(wanted)
        held.offer(packet(f"p{number}"), needs(wanted))
    for level in range(1, 51):
        for sender in random.sample(range(20), 20):
            levels[f"s{sender}"] = level
            held.reached(Reached(f"s{sender}", level))
    assert len(popped(held)) == 2_000
    assert looked == total


def test_the_limit_of_a_process_is_an_option_and_a_refused_packet_may_be_offered_again() -> None:
    stage = Stage("ks", ["a", "b"], hold_back_limit=2)
    sent = [stage.send("a", {"b"}) for _ in range(4)]
    for message in (sent[3], sent[2]):
        stage.arrive(message, "b")
    before = stage.nodes["b"].snapshot()
    with pytest.raises(HoldBackFull):
        stage.arrive(sent[1], "b")
    assert stage.nodes["b"].snapshot() == before
    assert stage.arrive(sent[0], "b") == [sent[0].id]
    assert stage.arrive(sent[1], "b") == [message.id for message in sent[1:]]
    assert antecede.restore(stage.nodes["b"].snapshot()).pending() == ()


def test_a_number_that_comes_late_by_a_lie_does_not_turn_back_what_is_delivered() -> None:
    node = antecede.create("prs", process="me", processes=["me", "a", "b"])

    def of(sender: str, seq: int, **needs: int) -> Packet:
        message = Message(MessageId(sender, seq), frozenset({"me"}), b"")
        return Packet(sender, message, PrsStamp({"me": needs} if needs else {}))

    assert node.receive(of("a", 1, b=1)) == []
    fifth = of("a", 5)
    assert len(node.receive(fifth)) == 1
    assert len(node.receive(of("b", 1))) == 2
    assert node.receive(fifth) == []
