"""The communication graph: which process may write to which, static and known beforehand (paper 004, section 3).

A link p -> q stands for any number of messages from p to q. What is wrong with a graph is said when it is built:
a link from a process to itself, a link to a process that is not among those declared, a graph without links.
A link given twice is one link.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from antecede.core.errors import Misuse
from antecede.core.types import ProcessId

Link: TypeAlias = tuple[ProcessId, ProcessId]
Adjacency: TypeAlias = Mapping[ProcessId, tuple[ProcessId, ...]]


class BadGraph(Misuse):
    """The links do not make a communication graph. The message says which link is wrong, and what to do."""


@dataclass(frozen=True, slots=True)
class Graph:
    """A communication graph: processes and one-way links, both sorted by name. `Graph.of` and `Graph.both_ways` build
    it.
    """

    successors: Adjacency
    predecessors: Adjacency

    def __post_init__(self) -> None:
        if not any(self.successors.values()):
            raise BadGraph("the graph has no links, so there are no messages to compare: give at least one link")

    @staticmethod
    def of(links: Iterable[Link], processes: Iterable[ProcessId] | None = None) -> Graph:
        """Return the graph of `links`. If `processes` are given, links may name no others."""
        unique = sorted(set(map(checked_link, links)))
        declared = set(map(_name, processes)) if processes is not None else None
        for sender, receiver in unique:
            _refuse_bad_link(sender, receiver, declared)
        names = sorted(declared if declared is not None else {name for link in unique for name in link})
        successors: dict[ProcessId, list[ProcessId]] = {name: [] for name in names}
        for sender, receiver in unique:
            successors[sender].append(receiver)
        return Graph({p: tuple(qs) for p, qs in successors.items()}, reversed_links(successors))

    @staticmethod
    def both_ways(links: Iterable[Link], processes: Iterable[ProcessId] | None = None) -> Graph:
        """Return the graph of `links` and their reverses."""
        given = [checked_link(link) for link in links]
        return Graph.of([*given, *((receiver, sender) for sender, receiver in given)], processes)

    @property
    def processes(self) -> tuple[ProcessId, ...]:
        """Return all processes."""
        return tuple(self.successors)

    @property
    def links(self) -> tuple[Link, ...]:
        """Return all links, as pairs of sender and receiver."""
        return tuple((p, q) for p, qs in self.successors.items() for q in qs)

    @property
    def is_two_way(self) -> bool:
        """Return whether every link has its reverse."""
        return self.successors == self.predecessors


def checked_link(link: object) -> Link:
    """Return a pair of names, or raise `BadGraph` if it is anything else. A string of two letters is not a pair."""
    if not (isinstance(link, tuple | list) and len(link) == 2):
        raise BadGraph(f"{link!r} is not a link: give pairs of names, ('a', 'b')")
    return (_name(link[0]), _name(link[1]))


def _name(name: object) -> ProcessId:
    if not isinstance(name, str):
        raise BadGraph(f"{name!r} is not the name of a process: give a string")
    return name


def _refuse_bad_link(sender: ProcessId, receiver: ProcessId, declared: set[ProcessId] | None) -> None:
    if not sender or not receiver:
        raise BadGraph(f"link {sender!r} -> {receiver!r} has an end without a name: name both ends")
    if sender == receiver:
        raise BadGraph(
            f"{sender!r} has a link to itself: remove it, a process knows the order of its own events without a clock"
        )
    for name in (sender, receiver):
        if declared is not None and name not in declared:
            raise BadGraph(f"link {sender!r} -> {receiver!r} names {name!r}, which is not among the processes declared")


def reachable(links: Adjacency, sources: Iterable[ProcessId], avoiding: ProcessId | None = None) -> set[ProcessId]:
    """Return all that can be reached from `sources` along `links`, the sources included, without passing `avoiding`."""
    found = set(sources)
    waiting = list(found)
    while waiting:
        for after in links[waiting.pop()]:
            if after not in found and after != avoiding:
                found.add(after)
                waiting.append(after)
    return found


def without(links: Adjacency, process: ProcessId) -> dict[ProcessId, tuple[ProcessId, ...]]:
    """Return `links` without `process` and all its links."""
    return {p: tuple(q for q in qs if q != process) for p, qs in links.items() if p != process}


def reversed_links(links: Mapping[ProcessId, Sequence[ProcessId]]) -> dict[ProcessId, tuple[ProcessId, ...]]:
    """Return `links` with every link the other way round."""
    backwards: dict[ProcessId, list[ProcessId]] = {p: [] for p in links}
    for p, qs in links.items():
        for q in qs:
            backwards[q].append(p)
    return {p: tuple(qs) for p, qs in backwards.items()}
