"""Kshemkalyani, Singhal: "Necessary and sufficient conditions on information for causal message ordering and their
optimal implementation" (002).

§7.1, asymmetric organisation: "This logic can be extended to a multi-level hierarchy".
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from antecede.core.ordering.hierarchy import Hierarchy
from antecede.judge.judge import judge
from tests.stage import Stage, improvise
from tests.worlds import World


def test_7_1_hierarchy_of_three_levels_a_process_talks_to_its_own_representatives_only() -> None:
    """Eight processes in pairs; of the four representatives two represent the others; of these one the other."""
    levels = [{"a": "b", "c": "d", "e": "f", "g": "h"}, {"a": "c", "e": "g"}, {"a": "e"}]
    chosen = [{head: [other] for head, other in level.items()} for level in levels]
    stage = Stage("hierarchy", "abcdefgh", representatives=chosen)
    improvise(stage, Random("levels"), sends=40)
    pairs = {frozenset(pair) for level in levels for pair in level.items()}
    assert {frozenset((flight.sender, flight.to)) for flight in stage.brought} == pairs
    assert {flight.packet.control_entries for flight in stage.brought} == {1}, "one at the top: nothing to order"
    farthest = stage.send("d", {"h"})
    stage.drain()
    way = [(flight.sender, flight.to) for flight in stage.brought if flight.packet.message == farthest]
    assert way == [("d", "c"), ("c", "a"), ("a", "e"), ("e", "g"), ("g", "h")]
    assert stage.delivered["h"][-1] == farthest.id


@pytest.mark.parametrize("seed", range(40))
def test_7_1_hierarchies_of_many_levels_keep_causal_order(seed: int) -> None:
    """Random levels, with messages that overtake each other, restarts, newcomers, and processes that leave."""
    world = World("hierarchy", seed, processes_max=12, sends_max=40).run()
    world.finished()
    assert judge(world.events).violations == 0
    for node in world.nodes.values():
        assert not any(level.carried for level in levels_inside(node)), "a message is kept that is not needed any more"


def levels_inside(node: Any) -> list[Hierarchy]:
    """The hierarchies of a process, the lowest level first."""
    found, level = [], node.inner
    while isinstance(level, Hierarchy):
        found.append(level)
        level = level.inner
    return found
