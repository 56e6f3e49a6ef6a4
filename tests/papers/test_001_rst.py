"""Alagar, Venkatesan: "Causally Ordered Message Delivery in Mobile Systems" (001).

§3, the RST algorithm, sentence by sentence. SENT is `sent`, DELIV is `received`; entries that are zero are not stored.
"""

from __future__ import annotations

from typing import Any

from antecede.core.ordering.rst import RstStamp
from tests.stage import Stage


def st(stage: Stage, message: Any, to: str) -> dict[str, dict[str, int]]:
    stamp = stage.packet(message, to).stamp
    assert isinstance(stamp, RstStamp)
    return {sender: dict(row) for sender, row in stamp.sent.items() if row}


def test_3_P_i_appends_its_current_value_of_SENT_and_then_increments_it() -> None:
    stage = Stage("rst", ["P1", "P2", "P3"])
    first = stage.send("P1", {"P2"})
    assert st(stage, first, "P2") == {}
    assert stage.ordering("P1").sent == {"P1": {"P2": 1}}
    second = stage.send("P1", {"P2"})
    assert st(stage, second, "P2") == {"P1": {"P2": 1}}
    assert stage.ordering("P1").sent == {"P1": {"P2": 2}}


def test_3_a_message_is_delivered_if_DELIV_k_is_at_least_ST_k_i_for_all_k() -> None:
    stage = Stage("rst", ["P1", "P2"])
    first, second = stage.send("P1", {"P2"}), stage.send("P1", {"P2"})
    assert stage.arrive(first, "P2") == [first.id]
    assert stage.arrive(second, "P2") == [second.id]


def test_3_if_not_it_is_queued_till_it_is() -> None:
    stage = Stage("rst", ["P1", "P2", "P3"])
    direct = stage.send("P1", {"P3"})
    via = stage.send("P1", {"P2"})
    stage.arrive(via, "P2")
    late = stage.send("P2", {"P3"})
    assert st(stage, late, "P3") == {"P1": {"P3": 1, "P2": 1}}
    assert stage.arrive(late, "P3") == []
    assert stage.held("P3") == ["P2:1 waits for message 1 of P1 to P3"]
    assert stage.arrive(direct, "P3") == [direct.id, late.id]


def test_3_on_delivery_DELIV_is_incremented_by_one() -> None:
    stage = Stage("rst", ["P1", "P2", "P3"])
    for to in ({"P3"}, {"P2"}, {"P2"}):
        message = stage.send("P1", to)
        if "P2" in to:
            stage.arrive(message, "P2")
    assert stage.ordering("P2").received == {"P1": 2}, "it counts messages to P2; the last has number 3"
    assert stage.ordering("P2").delivered == {"P1": 3}


def test_3_SENT_j_i_is_set_to_ST_j_i_plus_one() -> None:
    stage = Stage("rst", ["P1", "P2"])
    for expected in (1, 2, 3):
        stage.arrive(stage.send("P1", {"P2"}), "P2")
        assert stage.ordering("P2").sent["P1"]["P2"] == expected


def test_3_SENT_becomes_the_maximum_of_ST_and_SENT_for_all_j_and_k() -> None:
    stage = Stage("rst", ["P1", "P2", "P3", "P4"])
    stage.send("P1", {"P4"})
    stage.send("P2", {"P4"})
    stage.send("P2", {"P4"})
    stage.arrive(stage.send("P1", {"P3"}), "P3")
    stage.arrive(stage.send("P2", {"P3"}), "P3")
    assert stage.ordering("P3").sent == {"P1": {"P4": 1, "P3": 1}, "P2": {"P4": 2, "P3": 1}}
    answer = stage.send("P3", {"P1"})
    stage.arrive(answer, "P1")
    assert stage.ordering("P1").sent["P2"] == {"P4": 2, "P3": 1}, "P1 learns of P2 through P3"
    assert stage.ordering("P1").sent["P1"] == {"P4": 1, "P3": 1}, "and nothing new of itself"


def test_3_N_times_N_integers_are_appended_at_most() -> None:
    stage = Stage("rst", names := ["P1", "P2", "P3", "P4"])
    for _ in range(3):
        for name in names:
            stage.send(name, names)
        stage.drain()
    last = stage.send("P1", names)
    assert stage.packet(last, "P2").control_entries == 4 * 3, "the diagonal stays zero: own copies are not counted"


def test_3_multicast_counts_one_message_for_each_destination() -> None:
    """A change of ours: the paper's messages have one destination. A receiver learns of the other copies too."""
    stage = Stage("rst", ["P1", "P2", "P3"])
    both = stage.send("P1", {"P2", "P3"})
    stage.arrive(both, "P2")
    assert stage.ordering("P2").sent == {"P1": {"P2": 1, "P3": 1}}
    effect = stage.send("P2", {"P3"})
    assert stage.arrive(effect, "P3") == []
    assert stage.arrive(both, "P3") == [both.id, effect.id]
