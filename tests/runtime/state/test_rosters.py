"""Lists of names by number, and those that have not come."""

import pytest

from antecede.runtime.state.rosters import AWAITED_MAX, Rosters, UnknownRoster
from antecede.runtime.state.store import Store


def test_senders_that_do_not_exist_do_not_fill_the_memory() -> None:
    rosters = Rosters(Store(None), [])
    for number in range(2 * AWAITED_MAX):
        with pytest.raises(UnknownRoster):
            rosters.codec_of(f"nobody {number}", 1)
    assert len(rosters.awaited) == AWAITED_MAX
    rosters.learn("nobody 0", 1, ("a", "b"))
    with pytest.raises(UnknownRoster):
        rosters.codec_of("somebody", 1)
    assert len(rosters.awaited) == AWAITED_MAX
    assert ("somebody", 1) in rosters.awaited, "a list that has come makes room for another"
