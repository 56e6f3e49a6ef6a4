"""Whether an allocation of clocks (004) misjudges two messages of a random execution. Explicit causal pasts tell.

Sends and arrivals come in random order. Some links are slow, so that long ways round overtake them. All that is left to
chance comes from the seed alone: two allocations for one graph see the same execution.
"""

from __future__ import annotations

from random import Random

from antecede.core.clocks.stamp import Arrival, ClockStamp, Order
from antecede.core.locality.allocation import Allocation
from antecede.core.locality.graph import Link
from antecede.core.locality.local_clock import LocalClock, determination_4
from antecede.core.types import ProcessId
from antecede.sim.chance import stream

PACES = (1.0, 1.0, 0.3, 0.03)


def misjudges(allocation: Allocation, seed: int, *, messages: int, fifo: bool) -> bool:
    """Return whether the allocation misjudges a pair of the `messages` of the execution that `seed` decides."""
    chance = stream(seed, "locality")
    execution = _Execution(allocation, chance)
    eagerness = chance.uniform(0.3, 0.8)
    while execution.sent < messages or execution.transit:
        if execution.sent < messages and (not execution.transit or chance.random() > eagerness):
            execution.send(*chance.choice(allocation.graph.links))
        elif execution.arrive(fifo=fifo):
            return True
    return False


class _Execution:
    """Clocks as allocated; beside them, as bits, the messages that each process and each message knows of."""

    def __init__(self, allocation: Allocation, chance: Random) -> None:
        self.chance, self.sent = chance, 0
        self.transit: dict[Link, list[tuple[int, ClockStamp]]] = {}
        self._clocks = {process: LocalClock(allocation, process) for process in allocation.graph.processes}
        self._paces = {link: chance.choice(PACES) for link in allocation.graph.links}
        self._known = dict.fromkeys(allocation.graph.processes, 0)
        self._pasts: list[int] = []
        self._arrived: dict[ProcessId, list[tuple[int, Arrival]]] = {}

    def send(self, sender: ProcessId, receiver: ProcessId) -> None:
        number, self.sent = self.sent, self.sent + 1
        self.transit.setdefault((sender, receiver), []).append((number, self._clocks[sender].send(receiver)))
        self._pasts.append(self._known[sender])
        self._known[sender] |= 1 << number

    def arrive(self, *, fifo: bool) -> bool:
        """Let a message arrive, and return whether it is misjudged beside one that arrived there before."""
        link = self.chance.choices(list(self.transit), [self._paces[one] for one in self.transit])[0]
        waiting, receiver = self.transit[link], link[1]
        number, stamp = waiting.pop(0 if fifo else self.chance.randrange(len(waiting)))
        if not waiting:
            del self.transit[link]
        arrival = self._clocks[receiver].receive(stamp)
        self._known[receiver] |= self._pasts[number] | 1 << number
        earlier = self._arrived.setdefault(receiver, [])
        earlier.append((number, arrival))
        return any(
            determination_4(first, arrival, receiver) is not self._truth(other, number) for other, first in earlier[:-1]
        )

    def _truth(self, first: int, second: int) -> Order:
        if self._pasts[second] >> first & 1:
            return Order.BEFORE
        return Order.AFTER if self._pasts[first] >> second & 1 else Order.CONCURRENT
