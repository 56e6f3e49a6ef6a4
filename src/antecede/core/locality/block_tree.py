"""One strongly connected component as a house: its blocks, with directions forgotten, are rooms with doors between.

A path through the house passes the rooms on the one way between two processes, each room once, entering and
leaving it by different doors. The ways between all pairs out of a set of processes together are what is left of
the tree of rooms and doors when dead ends without any of them are cut off, again and again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from antecede.core.locality.blocks import Blocks, blocks
from antecede.core.locality.graph import Adjacency
from antecede.core.types import ProcessId


@dataclass(frozen=True, slots=True)
class House:
    """The blocks of one component, and which of them have a link that goes one way only."""

    blocks: Blocks
    one_way_rooms: frozenset[int]

    @staticmethod
    def of(links: Adjacency, component: tuple[ProcessId, ...]) -> House:
        inside = set(component)
        directed = {(p, q) for p in component for q in links[p] if q in inside}
        neighbours: dict[ProcessId, set[ProcessId]] = {p: set() for p in component}
        for p, q in directed:
            neighbours[p].add(q)
            neighbours[q].add(p)
        found = blocks({p: tuple(sorted(qs)) for p, qs in neighbours.items()})
        one_way = [(p, q) for p, q in directed if (q, p) not in directed]
        rooms = {number for p, q in one_way for number in found.of[p] if q in found.members[number]}
        return House(found, frozenset(rooms))

    def is_two_way(self, room: int) -> bool:
        return room not in self.one_way_rooms

    def rooms_between(self, processes: Collection[ProcessId]) -> list[int]:
        """The rooms on the ways between any two of `processes`, by number."""
        doors = {p: len(rooms) for p, rooms in self.blocks.of.items()}
        size = [len(members) for members in self.blocks.members]
        ends = sorted(p for p, count in doors.items() if count == 1 and p not in processes)
        while ends:
            end = ends.pop()
            for room in self.blocks.of[end]:
                if size[room] > 1:
                    size[room] -= 1
                    if size[room] == 1:
                        ends.extend(self._closed(room, doors, processes))
            doors[end] = 0
        return [room for room, left in enumerate(size) if left > 1]

    def _closed(self, room: int, doors: dict[ProcessId, int], processes: Collection[ProcessId]) -> Iterator[ProcessId]:
        """One process is left in `room`: it is no way any more. That process may have become a dead end itself."""
        for process in self.blocks.members[room]:
            if doors[process] > 0:
                doors[process] -= 1
                if doors[process] == 1 and process not in processes:
                    yield process

    def doors_towards(self, room: int, processes: Collection[ProcessId]) -> set[ProcessId]:
        """The members of `room` behind which, looking out of it, one of `processes` is found (or that are one)."""
        return {door for door in self.blocks.members[room] if self._leads_to(door, room, processes)}

    def _leads_to(self, door: ProcessId, room: int, processes: Collection[ProcessId]) -> bool:
        seen = {room}
        waiting = [door]
        while waiting:
            process = waiting.pop()
            if process in processes:
                return True
            for other in self.blocks.of[process]:
                if other not in seen:
                    seen.add(other)
                    waiting.extend(p for p in self.blocks.members[other] if p != process)
        return False
