"""The space of a process (paper 004, section 3): what a plan counts, against what running clocks really keep."""

import random
from collections import deque
from collections.abc import Iterable, Iterator, Mapping

import pytest

from antecede.core.clocks.stamp import Arrival, ClockStamp
from antecede.core.errors import Misuse
from antecede.core.locality.allocation import Allocation
from antecede.core.locality.gateway_memory import Memory
from antecede.core.locality.graph import Graph
from antecede.core.locality.local_clock import LocalClock
from antecede.core.locality.pairs import PairAllocations
from antecede.core.locality.plan import Cost, cost, cost_of_vectors, plan, saving
from antecede.lab.topologies import hierarchical_triangle, star
from tests.core.locality.executions import random_execution
from tests.core.locality.graphs import random_graph
from tests.core.locality.judge import System, drive
from tests.fuzz_locality import allocations

CONFIGURATION = {"allocation", "process", "is_gateway", "_links", "_fifo", "_limit"}
"""Attributes that are the same in every execution: the plan, and what is read off it."""


def numbers_in(kept: object) -> int:
    """Count the numbers in an object, in whatever it is made of. Names are not counted."""
    if isinstance(kept, int):
        return 1
    if kept is None or isinstance(kept, str):
        return 0
    return sum(map(numbers_in, parts_of(kept)))


def parts_of(kept: object) -> Iterable[object]:
    if isinstance(kept, dict):
        return (*kept, *kept.values())
    if isinstance(kept, Arrival):
        return (kept.clock, kept.position, kept.known_at)
    if isinstance(kept, ClockStamp):
        return (kept.clock, kept.sequence)
    if isinstance(kept, LocalClock):
        return [value for name, value in vars(kept).items() if name not in CONFIGURATION]
    if isinstance(kept, Memory):
        return [getattr(kept, name) for name in Memory.__slots__ if name not in CONFIGURATION]
    assert isinstance(kept, list | deque), f"unexpected {kept!r}"
    return kept


def remembered_numbers(clock: LocalClock) -> int:
    """The numbers that a gateway remembers of its neighbours, which depend on the execution."""
    return numbers_in(clock._memories) - 2 * len(clock._memories)


def peaks(made: Allocation, kept: int, chance: random.Random, messages: int) -> dict[str, int]:
    """The most numbers that each process has at any time, without what it remembers. It keeps its last timestamps."""
    clocks = {p: LocalClock(made, p) for p in made.graph.processes}
    timestamps: dict[str, deque[Arrival | ClockStamp]] = {p: deque(maxlen=kept) for p in clocks}
    peak = dict.fromkeys(clocks, 0)

    def look(process: str) -> None:
        clock = clocks[process]
        assert clock.space_entries() == numbers_in(clock)
        if process in made.partners:
            timestamps[process].append(clock.timestamp())
        found = numbers_in(clock) - remembered_numbers(clock) + numbers_in(timestamps[process])
        peak[process] = max(peak[process], found)

    def event(process: str) -> None:
        clocks[process].event()
        look(process)

    def send(process: str, to: str) -> ClockStamp:
        stamp = clocks[process].send(to)
        look(process)
        return stamp

    def receive(process: str, stamp: ClockStamp) -> Arrival:
        arrival = clocks[process].receive(stamp)
        assert arrival.entries == numbers_in(arrival)
        if not made.partners:
            timestamps[process].append(arrival)
        look(process)
        return arrival

    drive(System(event, send, receive), random_execution(chance, made.graph, messages, fifo=made.fifo))
    return peak


def every_allocation(chance: random.Random, graph: Graph, fifo: bool) -> Iterator[Allocation]:
    yield from allocations(graph, fifo)
    p, q = chance.sample(graph.processes, 2)
    yield PairAllocations(graph, [(p, q)], fifo=fifo).allocation_3()


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("fifo", [True, False])
def test_no_process_has_more_numbers_than_were_counted(seed: int, fifo: bool) -> None:
    chance = random.Random(seed)
    graph = random_graph(chance, processes_max=6)
    kept = chance.randint(0, 4)
    for made in every_allocation(chance, graph, fifo):
        counted = cost(made, kept)
        peak = peaks(made, kept, chance, messages=40)
        most = counted.clock_entries_max + counted.kept_entries_max + counted.link_entries_max
        assert max(peak.values()) <= most
        assert sum(peak.values()) <= counted.space_entries


@pytest.mark.parametrize("fifo", [True, False])
@pytest.mark.parametrize("kept", [0, 1, 3])
def test_what_was_counted_is_reached(kept: int, fifo: bool) -> None:
    """On a star all links of a process are alike, so that in the end every process has what was counted for it."""
    for made in every_allocation(random.Random(2), star(3), fifo):
        peak = peaks(made, kept, random.Random(1), messages=120)
        assert sum(peak.values()) == cost(made, kept).space_entries, made.name


def by_kind(found: Cost) -> Mapping[str, tuple[int, int]]:
    return {
        "clock": (found.clock_entries, found.clock_entries_max),
        "kept": (found.kept_entries, found.kept_entries_max),
        "link": (found.link_entries, found.link_entries_max),
    }


def test_the_numbers_of_a_star_are_those_of_its_figure() -> None:
    """All keep the centre's clock. The centre also notes arrivals. It hears from three, the others from one."""
    found = by_kind(plan(star(3), kept=10).cost)
    assert found == {"clock": (4, 1), "kept": (10 * (3 + 2 + 2 + 2), 30), "link": (7 + 3 * 3, 7)}


def test_vector_clocks_take_1_and_e_p_times_n() -> None:
    found = cost_of_vectors(star(3), kept=10)
    assert found.space_entries == 4 * (1 + 10) * 4
    assert found.clock_entries_max + found.kept_entries_max == (1 + 10) * 4


def test_timestamps_that_are_kept_can_change_the_choice() -> None:
    """Clocks that are a little larger in the processes can be smaller on the messages that are kept."""
    graphs = [random_graph(random.Random(seed)) for seed in range(200)]
    changed = [graph for graph in graphs if plan(graph).allocation.name != plan(graph, kept=50).allocation.name]
    assert changed
    for graph in changed:
        without, with_kept = plan(graph).allocation, plan(graph, kept=50)
        assert with_kept.cost.clock_entries + with_kept.cost.kept_entries < sum(
            (cost(without, 50).clock_entries, cost(without, 50).kept_entries)
        )


def test_the_saving_in_words_counts_them() -> None:
    assert saving(plan(hierarchical_triangle(13, 3), kept=10)).endswith(
        "With 10 timestamps that each process keeps, and what it notes of each link, it has at most "
        "68.2 numbers on average instead of 143, besides what gateways remember."
    )
    assert saving(plan(star(3), kept=10)).endswith("at most 27.5 numbers on average instead of 44.")


@pytest.mark.parametrize("kept", [-1, True, 1.5])
def test_what_is_kept_is_a_number(kept: int) -> None:
    with pytest.raises(Misuse, match="give a whole number from 0"):
        plan(star(3), kept=kept)
