"""Random executions in which a message goes to several processes, with the truth beside every verdict."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from antecede.core.clocks.stamp import Arrival, ClockStamp, Order
from antecede.core.locality.allocation import Allocation
from antecede.core.locality.arrival_text import compare_texts, write_arrival
from antecede.core.locality.graph import Graph
from antecede.core.locality.local_clock import LocalClock, determination_4
from tests.core.locality.executions import truth
from tests.replay import Drawing

Made = tuple[str, str, int]
"""A step: `send` or `receive`, the process, and the number of the message."""


@dataclass(frozen=True, slots=True)
class MulticastVerdict:
    receiver: str
    first: int
    second: int
    said: Order
    true: Order


def random_multicasts(chance: random.Random, graph: Graph, *, fifo: bool) -> tuple[list[Made], dict[int, list[str]]]:
    """Return a random execution, and the receivers of each message."""
    steps: list[Made] = []
    dests: dict[int, list[str]] = {}
    transit: dict[tuple[str, str], list[int]] = {}
    writers = [p for p in graph.processes if graph.successors[p]]
    while len(dests) < 40 or transit:
        if len(dests) < 40 and chance.random() < 0.4:
            sender, number = chance.choice(writers), len(dests)
            near = graph.successors[sender]
            dests[number] = chance.sample(near, chance.randint(1, len(near)))
            steps.append(("send", sender, number))
            for to in dests[number]:
                transit.setdefault((sender, to), []).append(number)
        elif transit:
            link = chance.choice(list(transit))
            waiting = transit[link]
            steps.append(("receive", link[1], waiting.pop(0 if fifo else chance.randrange(len(waiting)))))
            if not waiting:
                del transit[link]
    draw_multicasts(steps, dests)
    return steps, dests


def draw_multicasts(steps: list[Made], dests: dict[int, list[str]]) -> Drawing:
    """Return a drawing of an execution."""
    drawing = Drawing()
    for kind, process, number in steps:
        drawing.add(process, f"{kind} {number}" + (f" to {', '.join(dests[number])}" if kind == "send" else ""))
    return drawing


def pasts(steps: list[Made]) -> dict[int, int]:
    """For each message, as bits, all messages whose sending happened before its own."""
    known: dict[str, int] = {}
    past: dict[int, int] = {}
    for kind, process, number in steps:
        if kind == "send":
            past[number] = known.get(process, 0)
        known[process] = known.get(process, 0) | past[number] | 1 << number
    return past


def run(allocation: Allocation, steps: list[Made], dests: dict[int, list[str]]) -> dict[str, list[tuple[int, Arrival]]]:
    clocks = {p: LocalClock(allocation, p) for p in allocation.graph.processes}
    stamps: dict[int, dict[str, ClockStamp]] = {}
    arrived: dict[str, list[tuple[int, Arrival]]] = {}
    for kind, process, number in steps:
        if kind == "send":
            stamps[number] = clocks[process].multicast(dests[number])
        else:
            arrived.setdefault(process, []).append((number, clocks[process].receive(stamps[number][process])))
    return arrived


def multicast_verdicts(
    allocation: Allocation, steps: list[Made], dests: dict[int, list[str]], *, by_texts: bool = False
) -> Iterator[MulticastVerdict]:
    """Yield what is said of each two messages with one receiver, and what is true.

    `by_texts` compares the texts of the arrivals, as a trace has them. That takes much longer.
    """
    past = pasts(steps)
    for receiver, messages in run(allocation, steps, dests).items():
        texts = [write_arrival(arrival, receiver) for _, arrival in messages] if by_texts else []
        for at, (second, m2) in enumerate(messages):
            for earlier, (first, m1) in enumerate(messages[:at]):
                said = compare_texts(texts[earlier], texts[at]) if by_texts else determination_4(m1, m2, receiver)
                yield MulticastVerdict(receiver, first, second, said, truth(past, first, second))
