"""Arrivals as text: what was written is read, what is not an arrival is refused, and verdicts stay the same."""

import random

import pytest

from antecede.core.clocks.stamp import Arrival, Order
from antecede.core.errors import Misuse
from antecede.core.locality.arrival_text import compare_texts, read_arrival, write_arrival
from tests.core.locality.executions import random_execution
from tests.core.locality.graphs import random_graph
from tests.core.locality.judge import local
from tests.fuzz_locality import allocations

GOOD = '{"receiver":"r","sender":"p","position":3,"clock":{"p":4,"r":0},"known_at":7}'


def test_what_was_written_is_read() -> None:
    arrival = Arrival("p", 3, {"p": 4, "r": 0}, 7)
    assert write_arrival(arrival, "r") == GOOD
    assert read_arrival(GOOD) == ("r", arrival)
    plain = Arrival("p", 1, {})
    assert read_arrival(write_arrival(plain, "é")) == ("é", plain)


@pytest.mark.parametrize("fifo", [True, False])
@pytest.mark.parametrize("seed", range(10))
def test_texts_are_compared_as_the_arrivals_are(seed: int, fifo: bool) -> None:
    chance = random.Random(f"texts {seed}")
    graph = random_graph(chance, processes_max=7)
    steps = random_execution(chance, graph, 40, fifo=fifo)
    for made in allocations(graph, fifo):
        accused = local(made)
        for receiver, arrived in accused.run(steps).items():
            texts = [(m, write_arrival(m, receiver)) for _, m in arrived]
            for at, (m2, second) in enumerate(texts):
                for m1, first in texts[:at]:
                    assert compare_texts(first, second) is accused.compare(receiver, m1, m2)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "nonsense",
        "[" * 100_000,
        None,
        GOOD.replace('"r","sender"', '1,"sender"'),
        GOOD.replace('"p","position"', 'null,"position"'),
        GOOD.replace('"position":3', '"position":-3'),
        GOOD.replace('"position":3', '"position":true'),
        GOOD.replace('{"p":4,"r":0}', "[]"),
        GOOD.replace('"p":4', '"p":"4"'),
        GOOD.replace('"known_at":7', '"known_at":null'),
        GOOD.replace('"clock"', '"clocks"'),
    ],
)
def test_what_is_not_an_arrival_is_refused(text: str) -> None:
    with pytest.raises(Misuse, match="is not an arrival: give the attribute local_clock"):
        read_arrival(text)


def test_only_two_messages_of_one_receiver_are_compared() -> None:
    first = write_arrival(Arrival("p", 1, {}), "r")
    assert compare_texts(first, write_arrival(Arrival("p", 2, {}), "r")) is Order.BEFORE
    with pytest.raises(Misuse, match="one message arrived at 'r' and the other at 's'"):
        compare_texts(first, write_arrival(Arrival("p", 2, {}), "s"))
    with pytest.raises(Misuse, match="both texts are of message 1 of 'p'"):
        compare_texts(first, first)


def test_arrivals_under_a_plan_for_pairs_are_not_written() -> None:
    with pytest.raises(Misuse, match="does not order arrivals"):
        write_arrival(Arrival("p", 1, {}, is_ordered=False), "r")
