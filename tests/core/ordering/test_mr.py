"""Phases of several groups: what a process does that leaves."""

from __future__ import annotations

import pytest

from antecede import Misuse
from tests.stage import Stage


def test_a_process_that_leaves_delivers_nothing_early_and_sends_nothing_more() -> None:
    """b holds a's second message back for c, and leaves before c's word comes."""
    stage = Stage("mr", "abc", {"g": [*"abc"]})
    first, second = stage.send("a", "g"), stage.send("a", "g")
    stage.arrive(first, "b")
    assert stage.arrive(second, "b") == []
    assert stage.call("b", "leave", "b") == []
    assert [waiting.message for waiting in stage.nodes["b"].pending()] == [second]
    with pytest.raises(Misuse, match="'b' is not in group 'g': only members send to a group"):
        stage.send("b", "g")
