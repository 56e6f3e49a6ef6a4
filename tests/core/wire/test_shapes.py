"""The sets of names that a codec remembers: they save work, they are limited, and they never change an answer."""

from __future__ import annotations

from itertools import combinations, islice

from antecede import Codec, Message, MessageId, Packet
from antecede.core.ordering.none import NoStamp
from antecede.core.wire.shapes import LIST, SETS_KEPT_MAX, Reader, Sets

ROSTER = tuple(f"p{number:02}" for number in range(64))


def test_a_set_that_was_read_before_is_read_from_memory() -> None:
    sets = Sets()
    data = bytes((2 << 2 | LIST, 1, 2))
    first, second = (Reader(data, ROSTER, met=len(ROSTER), sets=sets).names() for _ in range(2))
    assert first == {"p01", "p03"}
    assert second is first


def test_more_sets_than_are_remembered_are_all_read_right() -> None:
    codec = Codec(ROSTER)
    several = list(islice(combinations(ROSTER, 3), 2 * SETS_KEPT_MAX + 1))
    messages = [Message(MessageId("p00", 1), frozenset(dests), b"") for dests in several]
    for message in [*messages, *messages]:
        packet = Packet("p00", message, NoStamp())
        assert codec.decode(codec.encode(packet)) == packet


def test_at_the_limit_the_memory_of_sets_starts_anew() -> None:
    sets = Sets()
    for number in range(SETS_KEPT_MAX):
        sets.keep((number, b""), ([], frozenset()))
    assert len(sets.known) == SETS_KEPT_MAX
    sets.keep((SETS_KEPT_MAX, b""), (["a"], frozenset("a")))
    assert sets.known == {(SETS_KEPT_MAX, b""): (["a"], frozenset("a"))}
