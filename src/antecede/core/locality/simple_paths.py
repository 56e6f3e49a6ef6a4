"""Who lies on a simple path from one process to others: the question every allocation asks.

In directed graphs the question is NP-complete, so it is cut into pieces that mostly are not:

* Different strongly connected components never disturb each other. A component of one process is on a simple path
  when it is on any path: that is exact by reachability, and so are all acyclic graphs.
* Inside a component, forget the directions: a directed simple path also goes from block to block (`block_tree`), so
  blocks off the way are out, exactly. In a block whose links all go both ways, everybody is in, exactly.
* What remains is one block with one-way links, from one door to another: see `simple_path_search`.

`SimplePaths.method` says the worst that was needed: `exact`, `enumerated` or `over-approximated`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from antecede.core.locality.block_tree import House
from antecede.core.locality.components import strongly_connected
from antecede.core.locality.graph import Adjacency, reachable, reversed_links
from antecede.core.locality.simple_path_search import Budget, Crossing, Method, worst
from antecede.core.types import ProcessId


class SimplePaths:
    """Answers for one set of links; what is found out about a component is kept for the next question."""

    def __init__(self, links: Adjacency, budget: Budget) -> None:
        self.method = Method.EXACT
        self._links = links
        self._backwards = reversed_links(links)
        self._component = strongly_connected(links)
        self._budget = budget
        self._houses: dict[ProcessId, House] = {}
        self._crossings: dict[frozenset[ProcessId], Crossing] = {}
        self._crossed: dict[tuple[frozenset[ProcessId], ProcessId, ProcessId], frozenset[ProcessId]] = {}

    def through(self, source: ProcessId, targets: Iterable[ProcessId]) -> set[ProcessId]:
        """All processes on simple paths from `source` to any of `targets`, ends included; empty if there are none."""
        if source not in self._links:
            return set()
        reach = reachable(self._links, [source])
        goals = {target for target in targets if target in reach and target != source}
        useful = reachable(self._backwards, goals) & reach
        found: set[ProcessId] = set()
        for process in sorted(useful):
            if process in found:
                continue
            component = self._component[process]
            if len(component) == 1:
                found.add(process)
            elif process == component[0]:
                found |= self._within(component, source, goals, useful)
        return found

    def _within(
        self, component: tuple[ProcessId, ...], source: ProcessId, goals: set[ProcessId], useful: set[ProcessId]
    ) -> set[ProcessId]:
        """The part of the answer in one component: between where paths come in and where they end or go out."""
        inside = set(component)
        exits = {p for p in component if p in goals or any(q in useful and q not in inside for q in self._links[p])}
        entries = (
            {source}
            if source in inside
            else {p for p in component if any(q in useful and q not in inside for q in self._backwards[p])}
        )
        house = self._house(component)
        found = entries & exits
        for room in house.rooms_between(entries | exits):
            found |= self._through_room(house, room, entries, exits)
        return found

    def _house(self, component: tuple[ProcessId, ...]) -> House:
        if component[0] not in self._houses:
            self._houses[component[0]] = House.of(self._links, component)
        return self._houses[component[0]]

    def _through_room(
        self, house: House, room: int, entries: Collection[ProcessId], exits: Collection[ProcessId]
    ) -> frozenset[ProcessId]:
        members = house.blocks.members[room]
        if house.is_two_way(room):
            return members
        found: frozenset[ProcessId] = frozenset()
        for door_in in sorted(house.doors_towards(room, entries)):
            for door_out in sorted(house.doors_towards(room, exits)):
                if door_in != door_out and len(found) < len(members):
                    found |= self._crossing(members, door_in, door_out)
        return found

    def _crossing(self, room: frozenset[ProcessId], source: ProcessId, target: ProcessId) -> frozenset[ProcessId]:
        if room not in self._crossings:
            self._crossings[room] = Crossing(self._links, self._backwards, room, self._budget)
        key = (room, source, target)
        if key not in self._crossed:
            self._crossed[key], method = self._crossings[room].members(source, target)
            self.method = worst([self.method, method])
        return self._crossed[key]
