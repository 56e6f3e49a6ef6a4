"""Processes that meet, share variables and send messages at random, and the truth about their events as sets."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from antecede.core.clocks.stamp import ClockStamp, Order
from antecede.core.locality.architectures import SynchronousClock, architecture
from antecede.core.locality.local_clock import LocalClock
from antecede.core.locality.pairs import compare_events
from antecede.core.locality.plan import plan

NAMES = ["a", "b", "c", "d", "e"]


@dataclass(frozen=True)
class Event:
    """A part of event `number` at a process: what happened before, as a set of events, and the timestamp."""

    number: int
    process: str
    past: frozenset[int]
    stamp: ClockStamp


class Machine:
    """Processes that meet, share variables and send messages, all of it decided by chance.

    The truth is a set for each process and variable: the events that are before whatever happens there next.
    """

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.meetings = chance.sample(list(combinations(NAMES, 2)), chance.randint(1, 5))
        self.messages = [(p, q) for p in NAMES for q in NAMES if p != q and chance.random() < 0.1]
        self.variables = {name: (self._some(), self._some()) for name in ("v", "w")}
        graph = architecture(messages=self.messages, synchronous=self.meetings, variables=self.variables)
        names = [name for name in NAMES if name in graph.processes]
        pairs = chance.sample(list(combinations(names, 2)), chance.randint(1, 3))
        overtaking = {*self.meetings} & {(min(link), max(link)) for link in self.messages}
        self.allocation = plan(graph, pairs=pairs, fifo=not overtaking).allocation
        self.clocks = {name: SynchronousClock(LocalClock(self.allocation, name)) for name in names}
        self.memory = {name: LocalClock(self.allocation, name) for name in self.variables}
        self.pasts: dict[str, set[int]] = {name: set() for name in [*names, *self.variables]}
        self.transit: list[tuple[str, ClockStamp, frozenset[int]]] = []
        self.events: list[Event] = []
        self.count = 0

    def _some(self) -> list[str]:
        return self.chance.sample(NAMES, self.chance.randint(1, 3))

    def run(self, steps: int) -> Machine:
        for _ in range(steps):
            self.count += 1
            self.chance.choice([self.meet, self.meet, self.write, self.read, self.send, self.arrive, self.think])()
        return self

    def meet(self) -> None:
        p, q = self.chance.sample(self.chance.choice(self.meetings), 2)
        answer = self.clocks[q].accept(self.clocks[p].propose(q))
        self.clocks[p].conclude(answer)
        both = self.pasts[p] | self.pasts[q] | {self.count}
        for name in (p, q):
            self.pasts[name] |= both
            self.note(name)

    def write(self) -> None:
        variable = self.chance.choice(["v", "w"])
        writer = self.chance.choice(self.variables[variable][0])
        self.memory[variable].receive(self.clocks[writer].send(variable))
        self.pasts[writer].add(self.count)
        self.pasts[variable] |= self.pasts[writer]
        self.note(writer)

    def read(self) -> None:
        variable = self.chance.choice(["v", "w"])
        reader = self.chance.choice(self.variables[variable][1])
        self.clocks[reader].receive(self.memory[variable].send(reader))
        self.pasts[reader] |= self.pasts[variable] | {self.count}
        self.note(reader)

    def send(self) -> None:
        if self.messages:
            p, q = self.chance.choice(self.messages)
            stamp = self.clocks[p].send(q)
            self.pasts[p].add(self.count)
            self.transit.append((q, stamp, frozenset(self.pasts[p])))
            self.note(p)

    def arrive(self) -> None:
        if self.transit:
            q, stamp, past = self.transit.pop(0)
            self.clocks[q].receive(stamp)
            self.pasts[q] |= past | {self.count}
            self.note(q)

    def think(self) -> None:
        name = self.chance.choice(sorted(self.clocks))
        self.clocks[name].event()
        self.pasts[name].add(self.count)
        self.note(name)

    def note(self, name: str) -> None:
        if name in self.allocation.partners:
            past = frozenset(self.pasts[name] - {self.count})
            self.events.append(Event(self.count, name, past, self.clocks[name].timestamp()))


@dataclass(frozen=True)
class Verdict:
    """What the timestamps say about two events, and what is true."""

    first: Event
    second: Event
    said: Order
    true: Order


def judge_machine(machine: Machine) -> Iterator[Verdict]:
    """Compare any two events of the pairs that the clocks of the machine are planned for."""
    for first, second in combinations(machine.events, 2):
        is_pair = second.process in {first.process, *machine.allocation.partners[first.process]}
        if first.number != second.number and is_pair:
            said = compare_events(first.stamp, second.stamp, machine.allocation)
            yield Verdict(first, second, said, truth(first, second))


def truth(first: Event, second: Event) -> Order:
    if first.number in second.past:
        return Order.BEFORE
    return Order.AFTER if second.number in first.past else Order.CONCURRENT
