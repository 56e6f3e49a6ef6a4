"""One local clock: what it carries, remembers, forgets and refuses."""

import pytest

from antecede.core.clocks.gateways import allocation_4, allocation_6
from antecede.core.clocks.memory import Memory, MemoryFull
from antecede.core.clocks.propagation import LocalClock
from antecede.core.clocks.stamp import Stamp
from antecede.core.clocks.topologies import hierarchical_triangle, star
from antecede.core.errors import Misuse, RemoteViolation

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
        LocalClock(TRIANGLES, "p0").receive(Stamp("p3", {}))
    with pytest.raises(RemoteViolation, match="allocate both ends from the same graph"):
        LocalClock(TRIANGLES, "p0").receive(Stamp("p1", {"p1": 1}))
