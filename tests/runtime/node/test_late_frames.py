"""Frames that could not be taken are known until they are, with whose they are and why."""

from antecede.runtime.node.late_frames import LateFrames


def test_a_frame_is_late_until_it_is_taken() -> None:
    late = LateFrames()
    late.forget("a", b"one")
    late.note("a", b"one", is_beyond_limit=False)
    late.note("a", b"two", is_beyond_limit=True)
    late.note("a", b"two", is_beyond_limit=True)
    late.note(None, b"three", is_beyond_limit=True)
    assert (late.beyond_limit, late.has_any_of("a"), late.has_any_of("b")) == (2, True, False)
    late.note("a", b"two", is_beyond_limit=False)
    assert late.beyond_limit == 1, "the room is there, and the names are missing"
    late.forget("a", b"one")
    late.forget("b", b"two")
    assert late.has_any_of("a")
    late.forget("a", b"two")
    assert not late.has_any_of("a")
