"""A number that was used for another message is noticed; a repetition is not, whichever release noted the first one."""

from dataclasses import replace

import pytest

from antecede.core.errors import RemoteViolation
from antecede.core.types import Message, MessageId
from antecede.runtime.state.format_2 import RECENT, join_checksums
from antecede.runtime.state.recent_messages import COUNT_MAX, REUSED_MAX, RecentMessages, ReusedNumber
from antecede.runtime.state.store import Store

PAID = Message(MessageId("a", 2), frozenset({"b", "c"}), b"paid")
GROUPED = replace(PAID, group="g1")
BY_EARLIER_CODE = bytes.fromhex("0161023322bf38")
"""The fact of a process that has got `PAID`, as it was before the destinations were noted."""
MIGRATED = join_checksums(BY_EARLIER_CODE, b"")


def number(seq: int) -> Message:
    return replace(PAID, id=MessageId("a", seq))


@pytest.fixture
def store() -> Store:
    return Store(None)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (PAID, replace(PAID, payload=b"not paid")),
        (PAID, replace(PAID, payload=b"")),
        (PAID, replace(PAID, dests=frozenset({"b"}))),
        (PAID, replace(PAID, dests=frozenset({"b", "d"}))),
        (PAID, replace(PAID, dests=frozenset({"b", "c", "d"}))),
        (PAID, GROUPED),
        (GROUPED, replace(GROUPED, group="g2")),
        (GROUPED, PAID),
    ],
)
def test_other_content_is_another_message(store: Store, first: Message, second: Message) -> None:
    recent = RecentMessages(store)
    assert not recent.is_other(first)
    recent.note(first)
    assert recent.is_other(second)
    recent.note(second)
    assert not recent.is_other(replace(first, dests=frozenset(sorted(first.dests, reverse=True))))
    recent.save()
    again = RecentMessages(store)
    assert (again.is_other(first), again.is_other(second)) == (False, True)


def test_a_checksum_of_an_earlier_release_is_of_the_payload_only(store: Store) -> None:
    """Nobody knows what the destinations were, so they raise no alarm; another payload does."""
    store.put(RECENT, MIGRATED)
    recent = RecentMessages(store)
    for _ in range(2):
        for same in (PAID, GROUPED, replace(PAID, dests=frozenset({"d"}))):
            assert not recent.is_other(same)
            recent.note(same)
        assert recent.is_other(replace(PAID, payload=b"not paid"))
        recent.note(number(3))
        recent.save()
        assert store.facts[RECENT].startswith(MIGRATED)
        recent = RecentMessages(store)
    assert recent.is_other(replace(number(3), dests=frozenset({"d"})))


def test_the_oldest_are_forgotten_first_and_those_of_an_earlier_release_before_all(store: Store) -> None:
    store.put(RECENT, MIGRATED)
    recent = RecentMessages(store)
    for seq in range(3, COUNT_MAX + 3):
        assert recent.is_other(replace(PAID, payload=b""))
        recent.note(number(seq))
    assert not recent.is_other(replace(PAID, payload=b""))
    recent.save()
    assert store.facts[RECENT].startswith(b"\0")
    recent = RecentMessages(store)
    assert recent.is_other(replace(number(3), payload=b""))
    recent.note(number(COUNT_MAX + 3))
    assert not recent.is_other(replace(number(3), payload=b""))
    assert recent.is_other(replace(number(4), payload=b""))


def test_numbers_that_are_used_twice_are_counted_and_the_oldest_forgotten(store: Store) -> None:
    recent = RecentMessages(store)
    for seq in range(1, REUSED_MAX + 2):
        recent.check(number(seq))
        recent.note(number(seq))
        recent.check(number(seq))
    for seq in (1, 1, *range(2, REUSED_MAX + 2)):
        with pytest.raises(RemoteViolation, match=f"number {seq} of a was used for another message before"):
            recent.check(replace(number(seq), payload=b"other"))
        assert recent.reused[ReusedNumber(MessageId("a", seq), None)] == (2 if recent.refused == 2 else 1)
    assert recent.refused == REUSED_MAX + 2
    assert sorted(one.message.seq for one in recent.reused) == [*range(2, REUSED_MAX + 2)]
