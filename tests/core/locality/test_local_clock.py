"""One local clock: what it carries, remembers, forgets and refuses."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from antecede.core.clocks.stamp import Arrival, ClockStamp, Order
from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.locality.allocation import Allocation, allocation_3
from antecede.core.locality.gateway_memory import Memory, MemoryFull
from antecede.core.locality.gateways import allocation_4, allocation_6
from antecede.core.locality.local_clock import LocalClock, determination_3
from antecede.lab.topologies import complete, hierarchical_triangle, star

TRIANGLES = allocation_6(hierarchical_triangle(5, 2))


def test_a_stamp_carries_the_clocks_of_its_link() -> None:
    stamp = LocalClock(TRIANGLES, "p1").send("p3")
    assert stamp.clock == {"p1": 1, "p3": 0, "p4": 0}
    assert stamp.entries == 3


def test_a_process_that_nobody_compares_by_counts_nothing() -> None:
    satellite = LocalClock(allocation_4(star(3)), "p0")
    satellite.event()
    assert satellite.send("centre").clock == {"centre": 0}


def test_a_sequence_number_travels_only_where_nothing_else_orders() -> None:
    assert LocalClock(allocation_4(star(3), fifo=False), "p0").send("centre").sequence is None
    assert LocalClock(allocation_6(star(3), fifo=False), "p0").send("centre").sequence == 1
    assert LocalClock(allocation_6(star(3), fifo=True), "p0").send("centre").sequence is None


def test_a_gateway_knows_of_a_message_since_it_first_heard_of_it() -> None:
    clocks = {p: LocalClock(TRIANGLES, p) for p in TRIANGLES.graph.processes}
    slow = clocks["p0"].send("p1")
    clocks["p2"].receive(clocks["p0"].send("p2"))
    assert clocks["p1"].receive(clocks["p2"].send("p1")).known_at == 1
    assert clocks["p1"].receive(slow).known_at == 1
    clocks["p1"].send("p3")
    assert clocks["p1"].receive(clocks["p0"].send("p1")).known_at == 4


def test_steps_are_forgotten_when_no_message_can_ask_for_them() -> None:
    fifo = Memory(fifo=True, limit=10)
    for value, now in ((2, 1), (4, 2), (6, 3)):
        fifo.note(value, now, last_sent=now)
    assert fifo.first_above(3, position=1) == 2
    assert len(fifo) == 1


def test_steps_between_which_nothing_was_sent_are_one() -> None:
    memory = Memory(fifo=True, limit=10)
    for value, now, last_sent in ((2, 1, 0), (4, 2, 0), (6, 3, 0), (8, 5, 4)):
        memory.note(value, now, last_sent)
    assert len(memory) == 2
    assert memory.first_above(3, position=1) == 1
    assert memory.first_above(6, position=2) == 5


def test_without_fifo_steps_are_kept_for_messages_that_were_overtaken() -> None:
    memory = Memory(fifo=False, limit=10)
    for value, now in ((2, 1), (4, 2), (6, 3)):
        memory.note(value, now, last_sent=now)
    assert memory.first_above(4, position=2) == 3
    assert len(memory) == 3
    assert memory.first_above(1, position=1) == 1
    assert len(memory) == 1
    assert memory.first_above(5, position=3) == 3
    assert len(memory) == 0


def test_a_full_memory_refuses_and_changes_nothing() -> None:
    gateway = LocalClock(TRIANGLES, "p1", memory_max=1)
    sender, other = (LocalClock(TRIANGLES, p) for p in ("p0", "p2"))
    other.receive(sender.send("p2"))
    gateway.receive(other.send("p1"))
    gateway.send("p3")
    other.receive(sender.send("p2"))
    before = dict(gateway.clock)
    with pytest.raises(MemoryFull, match="'p1' remembers 1 steps of 'p0'"):
        gateway.receive(other.send("p1"))
    assert gateway.clock == before
    assert gateway.memory_entries() == 1


def test_what_does_not_fit_the_graph_is_refused() -> None:
    with pytest.raises(Misuse, match="'zz' is not a process of the graph"):
        LocalClock(TRIANGLES, "zz")
    with pytest.raises(Misuse, match="no link from 'p0' to 'p3'"):
        LocalClock(TRIANGLES, "p0").send("p3")
    with pytest.raises(RemoteViolation, match="the graph has no such link"):
        LocalClock(TRIANGLES, "p0").receive(ClockStamp("p3", {}))
    with pytest.raises(RemoteViolation, match="allocate both ends from the same graph"):
        LocalClock(TRIANGLES, "p0").receive(ClockStamp("p1", {"p1": 1}))


def system(allocation: Allocation) -> dict[str, LocalClock]:
    return {p: LocalClock(allocation, p) for p in allocation.graph.processes}


def state(clock: LocalClock) -> tuple[dict[str, int], int]:
    return dict(clock.clock), clock.memory_entries()


def refused(clock: LocalClock, stamp: ClockStamp, complaint: str) -> None:
    before = state(clock)
    with pytest.raises(RemoteViolation, match=complaint):
        clock.receive(stamp)
    assert state(clock) == before


@pytest.mark.parametrize("made", [allocation_3, allocation_6])
def test_on_fifo_channels_a_message_is_taken_once_and_in_order(made: Callable[..., Allocation]) -> None:
    clocks = system(made(hierarchical_triangle(5, 2)))
    first, second, third = (clocks["p0"].send("p1") for _ in range(3))
    clocks["p1"].receive(second)
    refused(clocks["p1"], second, "it is a duplicate, or was overtaken")
    refused(clocks["p1"], first, "it is a duplicate, or was overtaken")
    assert clocks["p1"].receive(third).position == 2


BAD_VALUES = (-1, 0, 2.5, 10**30, 2**63 - 1, True, "x", None, float("nan"))


@pytest.mark.parametrize("fifo", [True, False])
@pytest.mark.parametrize("value", BAD_VALUES, ids=repr)
def test_a_gateway_that_took_messages_refuses_what_no_clock_says(value: object, fifo: bool) -> None:
    clocks = system(allocation_6(hierarchical_triangle(5, 2), fifo=fifo))
    clocks["p1"].receive(clocks["p0"].send("p1"))
    honest = clocks["p0"].send("p1")
    forged = replace(honest, clock={**honest.clock, "p0": value})  # type: ignore[dict-item]  # the wrong type is the test
    refused(clocks["p1"], forged, "of the clock of 'p0', which must be a whole number from 1")
    clocks["p1"].receive(honest)


@pytest.mark.parametrize("value", [*BAD_VALUES[:1], *BAD_VALUES[2:4], *BAD_VALUES[5:]], ids=repr)
def test_so_it_does_of_the_clocks_of_others(value: object) -> None:
    clocks = system(TRIANGLES)
    honest = clocks["p0"].send("p1")
    forged = replace(honest, clock={**honest.clock, "p2": value})  # type: ignore[dict-item]  # the wrong type is the test
    refused(clocks["p1"], forged, "of the clock of 'p2', which must be a whole number from 0")


@pytest.mark.parametrize("fifo", [True, False])
def test_honest_messages_after_a_lie_in_bounds_are_refused_in_words(fifo: bool) -> None:
    clocks = system(allocation_6(hierarchical_triangle(5, 2), fifo=fifo))
    lie = clocks["p0"].send("p1")
    clocks["p1"].receive(replace(lie, clock={**lie.clock, "p0": 2**62}))
    refused(clocks["p1"], clocks["p0"].send("p1"), "or one of the two is forged")


def test_nobody_knows_more_of_a_process_than_it_told() -> None:
    clocks = system(TRIANGLES)
    stamp = clocks["p0"].send("p1")
    refused(clocks["p1"], replace(stamp, clock={**stamp.clock, "p1": 1}), "'p1', which must be .* from 0 to 0")
    clocks["p0"].receive(clocks["p1"].send("p0"))
    echo = clocks["p0"].send("p1")
    assert echo.clock["p1"] == 2
    refused(clocks["p1"], replace(echo, clock={**echo.clock, "p1": 3}), "'p1', which must be .* from 0 to 2")
    clocks["p1"].receive(echo)


@pytest.mark.parametrize("number", [0, -5, 10**30, "x", 1.0, True], ids=repr)
def test_a_sequence_number_counts_from_one(number: int) -> None:
    clocks = system(allocation_6(star(3), fifo=False))
    stamp = clocks["p0"].send("centre")
    refused(clocks["centre"], replace(stamp, sequence=number), "has the sequence number .* from 1 to")


def test_a_missing_or_needless_number_is_named() -> None:
    numbered, plain = (system(allocation_6(star(3), fifo=fifo)) for fifo in (False, True))
    stamp = replace(numbered["p0"].send("centre"), sequence=None)
    refused(numbered["centre"], stamp, "has no sequence number, where messages carry one")
    stamp = replace(plain["p0"].send("centre"), sequence=1)
    refused(plain["centre"], stamp, "has a sequence number, where messages carry none")


def test_without_fifo_a_gateway_that_remembers_takes_a_number_once() -> None:
    clocks = system(allocation_6(star(3), fifo=False))
    stamps = [clocks["p0"].send("centre") for _ in range(3)]
    for stamp in (stamps[2], stamps[0]):
        clocks["centre"].receive(stamp)
        refused(clocks["centre"], stamp, f"has taken message {stamp.sequence} of 'p0' before")
    assert clocks["centre"].receive(stamps[1]).position == 2


def test_messages_that_overtook_one_that_does_not_come_are_limited() -> None:
    allocation = allocation_6(star(3), fifo=False)
    sender, gateway = LocalClock(allocation, "p0"), LocalClock(allocation, "centre", memory_max=2)
    late, *rest = (sender.send("centre") for _ in range(4))
    for stamp in rest[:2]:
        gateway.receive(stamp)
    with pytest.raises(MemoryFull, match="2 messages of 'p0' that overtook message 1"):
        gateway.receive(rest[2])
    gateway.receive(late)
    gateway.receive(rest[2])


def test_a_stamp_is_for_one_receiver() -> None:
    clocks = system(allocation_3(complete(3)))
    refused(clocks["p1"], clocks["p0"].send("p2"), "'p1' got a stamp that 'p0' made for 'p2'")


def test_a_stamp_without_a_clock_is_refused() -> None:
    refused(LocalClock(TRIANGLES, "p1"), ClockStamp("p0", None), "is None, not a mapping")  # type: ignore[arg-type]  # the wrong type is the test


def test_determination_3_orders_messages_by_the_clocks_of_their_senders() -> None:
    """At p2: m1 of p0; m2 of p1, who had heard of p0 after m1; and m0 of p1, who had not."""
    clocks = system(allocation_3(complete(3)))
    to_p2, after = clocks["p0"].send("p2"), clocks["p0"].send("p1")
    unaware = clocks["p1"].send("p2")
    clocks["p1"].receive(after)
    aware = clocks["p1"].send("p2")
    m1, m0, m2 = (clocks["p2"].receive(stamp) for stamp in (to_p2, unaware, aware))
    assert determination_3(m1, m2) is Order.BEFORE
    assert determination_3(m2, m1) is Order.AFTER
    assert determination_3(m1, m0) is Order.CONCURRENT
    assert (determination_3(m0, m2), determination_3(m2, m0)) == (Order.BEFORE, Order.AFTER)


def test_determination_3_does_not_look_at_what_only_a_gateway_knows() -> None:
    first, second = Arrival("a", 1, {"a": 1}, known_at=1), Arrival("b", 1, {"r": 5})
    assert determination_3(first, second) is Order.CONCURRENT
