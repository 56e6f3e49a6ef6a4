"""Build the networks of paper 004 as graphs (postal example, Fig. 4, star, ring, hierarchical triangle), and others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from antecede.core.locality.graph import Graph, Link
from antecede.core.types import ProcessId


def postal(world: int = 5) -> Graph:
    """Return the example of section 1: Mom and Dad write to each other and to Bob, and Bob writes to the world.

    Nobody in the world writes to the family.
    """
    others = _names("other", world)
    family = [("mom", "dad"), ("dad", "mom"), ("mom", "bob"), ("dad", "bob")]
    return Graph.of([*family, ("bob", others[0]), *((p, q) for p in others for q in others if p != q)])


def figure_4() -> Graph:
    """Return the graph of Fig. 4: A, B and C write to D; D and E write to each other."""
    return Graph.of([("A", "D"), ("B", "D"), ("C", "D"), ("D", "E"), ("E", "D")])


def star(satellites: int) -> Graph:
    """Return the star of section 5: a centre, and satellites that write to it and hear from it."""
    return Graph.both_ways(("centre", satellite) for satellite in _names("p", satellites))


def ring(processes: int, *, both_ways: bool = True) -> Graph:
    """Return the ring of section 5. The paper means links both ways; with links one way no process has two senders."""
    names = _names("p", processes)
    links = list(zip(names, [*names[1:], names[0]], strict=True))
    return Graph.both_ways(links) if both_ways else Graph.of(links)


def chain(processes: int) -> Graph:
    """Return a line of processes, each linked both ways with the next."""
    names = _names("p", processes)
    return Graph.both_ways(pairwise(names))


def tree(processes: int) -> Graph:
    """Return a binary tree, filled from the top, with links both ways."""
    names = _names("p", processes)
    return Graph.both_ways((names[number], names[(number - 1) // 2]) for number in range(1, processes))


def complete(processes: int) -> Graph:
    """Return the graph in which every process writes to every other."""
    names = _names("p", processes)
    return Graph.of((p, q) for p in names for q in names if p != q)


def hierarchical_triangle(processes: int, width: int) -> Graph:
    """Return the graph of section 5, Fig. 5: every process is the apex of a triangle with `width` processes below it.

    All processes in a triangle write to each other. The graph is filled from the top, level by level, until there are
    enough processes.
    """
    return Graph.both_ways(_triangle_links(_names("p", processes), width))


def _triangle_links(names: list[ProcessId], width: int) -> Iterator[Link]:
    for number, apex in enumerate(names):
        below = names[number * width + 1 : number * width + 1 + width]
        members = [apex, *below]
        yield from ((p, q) for place, p in enumerate(members) for q in members[place + 1 :])


def _names(prefix: str, count: int) -> list[ProcessId]:
    """Return names that sort by their numbers."""
    digits = len(str(count - 1))
    return [f"{prefix}{number:0{digits}}" for number in range(count)]
