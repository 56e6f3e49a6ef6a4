"""Frames: what goes in comes out, and nothing else is taken."""

import random
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.core.errors import TooNew, WireError
from antecede.runtime import frames
from antecede.runtime.envelopes import NodeEnvelopes


@given(st.integers(0, 2**40), st.lists(st.binary(min_size=1, max_size=300), min_size=1, max_size=20))
def test_packets_come_back(roster: int, encoded: list[bytes]) -> None:
    assert frames.parse(frames.packets(roster, encoded)) == frames.Packets(roster, tuple(encoded))


@given(st.integers(0, 2**40), st.lists(st.text(min_size=1, max_size=80), min_size=1, max_size=20))
def test_names_come_back(number: int, names: list[str]) -> None:
    assert frames.parse(frames.roster(number, names)) == frames.RosterFrame(number, tuple(names))


@pytest.mark.parametrize("kind", [frames.SETTLED, frames.FAREWELL])
def test_a_word_about_leaving_comes_back(kind: int) -> None:
    assert frames.parse(frames.leaving_word(kind)) == frames.LeavingWord(kind)


@pytest.mark.parametrize("turn", [0, 1, 300, frames.TURN_MAX])
def test_a_turn_comes_back(turn: int) -> None:
    assert frames.parse(frames.leaving_word(frames.LEAVING, turn)) == frames.LeavingWord(frames.LEAVING, turn)
    for wrong in (
        frames.leaving_word(frames.LEAVING, turn)[:-1],
        frames.leaving_word(frames.LEAVING, frames.TURN_MAX + 1),
    ):
        with pytest.raises(WireError):
            frames.parse(wrong)


@pytest.mark.parametrize("kind", [frames.LEAVING, frames.SETTLED])
@pytest.mark.parametrize("last", [1, 300, frames.TURN_MAX])
def test_the_number_of_a_last_message_comes_back_and_is_not_in_form_1(kind: int, last: int) -> None:
    turn = 7 if kind == frames.LEAVING else 0
    word = frames.leaving_word(kind, turn, last)
    assert frames.parse(word) == frames.LeavingWord(kind, turn, last)
    assert frames.without_last(word) == frames.leaving_word(kind, turn)
    assert NodeEnvelopes(frames.NEWEST_FORM, 1).wrap("b", None, word) == frames.leaving_word(kind, turn)
    with pytest.raises(WireError):
        frames.parse(frames.leaving_word(kind, turn, frames.TURN_MAX + 1))


@pytest.mark.parametrize(
    "data", [b"", b"\0", b"\4", b"\3\0", b"\1", b"\1\0", b"\1\0\0", b"\1\0\5abc", b"\2\1\1\xff", b"\1" + b"\xff" * 20]
)
def test_what_is_no_frame_is_refused(data: bytes) -> None:
    with pytest.raises(WireError):
        frames.parse(data)


@pytest.mark.parametrize(
    "said", ['["\\ud800"]', '["ann", "\\udfff"]', '["ann", ""]', '["ann", 5]', '{"ann": 1}', '"ann"']
)
@pytest.mark.parametrize("kind", [frames.KNOWN, frames.REMOVED])
def test_a_frame_about_a_host_has_names_that_are_text(kind: int, said: str) -> None:
    """Half a surrogate pair passes through JSON, and cannot be written to a store."""
    with pytest.raises(WireError, match="does not name one"):
        frames.parse(bytes((kind,)) + said.encode())


def test_any_bytes_are_a_frame_or_refused() -> None:
    chance = random.Random(1)
    for _ in range(20_000):
        data = chance.randbytes(chance.randrange(40))
        with suppress(WireError):
            frames.parse(bytes([chance.randrange(4)]) + data)


@pytest.mark.parametrize("kind", [frames.ENVELOPE + 1, frames.ENVELOPE + frames.LATER_KINDS])
def test_the_next_kinds_above_the_highest_are_of_a_later_release(kind: int) -> None:
    later = bytes((kind,)) + b"anything"
    assert frames.open_envelope(later).frame == later, "who wants to see a seal finds none"
    with pytest.raises(TooNew, match=f"a frame has kind {kind}, and this release reads kinds up to 9"):
        frames.parse(later)


UNUSED_KIND = bytes((frames.ENVELOPE + frames.LATER_KINDS + 1,))


@pytest.mark.parametrize(
    "data", [b"", b"\0", b"\0anything", frames.envelope(1, b"\1\0\1a"), UNUSED_KIND + b"anything", b"\xff"]
)
def test_a_kind_that_was_never_used_is_damage(data: bytes) -> None:
    with pytest.raises(WireError) as refusal:
        frames.parse(data)
    assert not isinstance(refusal.value, TooNew)
