"""Frames that cannot be read are remembered for as long as the broker offers them."""

from antecede.runtime.watch.unreadable import COUNT_MAX, GONE_AFTER_S, UnreadableFrames


def test_each_frame_has_its_own_reason() -> None:
    frames = UnreadableFrames()
    frames.note("a", b"1", "kind 10")
    frames.note("b", b"2", "kind 11")
    frames.note("a", b"1", "kind 10")
    found = [frames.find("a", b"1"), frames.find("b", b"2")]
    assert [one.reason for one in found if one is not None] == ["kind 10", "kind 11"]
    assert (frames.find("a", b"2"), frames.has("b", b"1"), frames.has("b", b"2")) == (None, False, True)
    assert [frame.sender for frame in frames.all()] == ["a", "b"]


def test_the_oldest_of_too_many_is_forgotten() -> None:
    frames = UnreadableFrames()
    for number in range(COUNT_MAX + 1):
        frames.note("a", b"%d" % number, "kind 10")
    assert (len(frames.all()), frames.has("a", b"0"), frames.has("a", b"1")) == (COUNT_MAX, False, True)


def test_the_frames_of_one_process_are_forgotten_with_it() -> None:
    frames = UnreadableFrames()
    for sender in ("a", "b", None):
        frames.note(sender, b"1", "kind 10")
    frames.forget_sender("a")
    assert [frame.sender for frame in frames.all()] == ["b", None]
    assert (frames.has_from("a"), frames.has_from("b")) == (False, True)


def test_a_frame_that_is_not_offered_any_more_is_forgotten() -> None:
    frames, kept = UnreadableFrames(), []
    frames.note("a", b"removed", "kind 10")
    frames.note("a", b"there", "kind 10")
    for now in (0.0, GONE_AFTER_S - 1, GONE_AFTER_S):
        frames.expire(now, is_receiving=True)
        kept.append((frames.has("a", b"removed"), frames.has("a", b"there")))
        frames.note("a", b"there", "kind 10")
    assert kept == [(True, True), (True, True), (False, True)]


def test_the_time_without_a_broker_does_not_count() -> None:
    frames = UnreadableFrames()
    frames.note("a", b"1", "kind 10")
    for now, is_receiving in ((0.0, True), (100.0, False), (200.0, True), (200.0 + GONE_AFTER_S - 1, True)):
        frames.expire(now, is_receiving=is_receiving)
        assert frames.has("a", b"1")
    frames.expire(200.0 + GONE_AFTER_S, is_receiving=True)
    assert frames.all() == []
