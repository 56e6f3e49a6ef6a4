"""The clocks of an allocation: keeping them (Propagation 2 to 4 of paper 004), and comparing two messages by them.

Names of the paper: `C_p` is `LocalClock.clock`, `T_m` is the stamp, `Arr_m` is `Arrival.known_at`. It is the vector
clock (Propagation 1) restricted to the clock set of the process, and a stamp to what the link needs: the
allocation's `link_set`, and on some links of channels that are not FIFO a sequence number.

Which of 2, 3 and 4 it is follows from the allocation: whole clocks travel or not, the process is a gateway or not. The
own clock counts events; a process whose clock nobody keeps, not even itself, counts nothing. A gateway keeps its own.

Every stamp is tested before anything changes. A duplicate is noticed if a number on the stamp shows it: the sender's
own entry on FIFO channels, the sequence number at a gateway that remembers the sender. Otherwise it is taken for
another message; the channel must not make any.

Determinations 2 to 4 compare two messages that arrived at one process (1 is `vector.compare`). Each is the same
question asked both ways, "was the sending of m1 before that of m2?", and differs in the evidence it takes. The paper's
test `p1 in ClockSet_p2` is here `p1 in m2.clock`: a receiver observes p1 whenever a sender of its own keeps p1's clock,
so the stamp shows it and the graph need not be asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from antecede.core.clocks.stamp import (
    VALUE_MAX,
    Arrival,
    ClockStamp,
    Order,
    is_value,
    refuse_impossible,
    refuse_misdirected,
    refuse_no_mapping,
    refuse_not_after,
)
from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.locality.allocation import Allocation, ProcessSet
from antecede.core.locality.gateway_memory import MEMORY_MAX, Memory
from antecede.core.locality.graph import Link
from antecede.core.roster import checked_names
from antecede.core.types import ProcessId


class LocalClock:
    """The clock of one process under `allocation`. Tell it every event, with `event`, `send`,
    `multicast` or `receive`.
    """

    def __init__(self, allocation: Allocation, process: ProcessId, *, memory_max: int = MEMORY_MAX) -> None:
        if process not in allocation.clocks:
            raise Misuse(f"{process!r} is not a process of the graph that the clocks were allocated for")
        self.allocation = allocation
        self.process = process
        self.clock = dict.fromkeys(sorted(allocation.clock_set(process)), 0)
        self.is_gateway = process in allocation.gateways
        self._memories = {
            p: Memory(allocation.fifo, memory_max) for p in sorted(allocation.remembered.get(process, ()))
        }
        self._links: dict[Link, tuple[ProcessSet, bool]] = {}
        self._sent: dict[ProcessId, int] = {}
        self._last_sent = 0
        self._arrived: dict[ProcessId, int] = {}
        self._heard: dict[ProcessId, int] = {}

    def event(self) -> None:
        """Count an internal event."""
        if self.process in self.clock:
            self.clock[self.process] += 1

    def send(self, to: ProcessId) -> ClockStamp:
        """Return the stamp for a new message to `to`."""
        return self.multicast([to])[to]

    def multicast(self, dests: Iterable[ProcessId]) -> dict[ProcessId, ClockStamp]:
        """Return the stamps for a new message to several processes, by receiver. The sending is one event.

        A process that has received a copy knows of the sending of all of them, so copies are not stamped one by one.
        """
        receivers = sorted(set(checked_names("the receivers", dests)))
        if not receivers:
            raise Misuse(f"a message of {self.process!r} has no receiver: give one or more")
        for to in receivers:
            if (self.process, to) not in self._links and to not in self.allocation.graph.successors[self.process]:
                raise Misuse(f"the graph has no link from {self.process!r} to {to!r}: allocate anew with it")
        self.event()
        self._last_sent = self.clock.get(self.process, 0)
        return {to: self._stamp(to) for to in receivers}

    def _stamp(self, to: ProcessId) -> ClockStamp:
        """Return what the clock puts on a message to `to` that is sent now."""
        wanted, numbered = self._link(self.process, to)
        clock = {p: time for p, time in self.clock.items() if p in wanted}
        if not numbered:
            return ClockStamp(self.process, clock, receiver=to)
        self._sent[to] = self._sent.get(to, 0) + 1
        return ClockStamp(self.process, clock, self._sent[to], to)

    def receive(self, stamp: ClockStamp) -> Arrival:
        """Take in a message. Keep the arrival for as long as the message is to be compared with others."""
        self._refuse_strange(stamp)
        self._refuse_impossible(stamp)
        news = self._news(stamp)
        now = self.clock.get(self.process, 0) + 1
        for process in news.keys() & self._memories.keys():
            self._memories[process].refuse_if_full(self.process, process, self._last_sent)
        self.event()
        for process in sorted(news):
            self.clock[process] = news[process]
            if process in self._memories:
                self._memories[process].note(news[process], now, self._last_sent)
        position = self._position(stamp)
        if self.allocation.fifo:
            self._arrived[stamp.sender] = position
            self._heard[stamp.sender] = stamp.clock.get(stamp.sender, 0)
        known_at = self._known_at(stamp, position, now) if self.is_gateway else None
        return Arrival(stamp.sender, position, stamp.clock, known_at, not self.allocation.partners)

    def timestamp(self) -> ClockStamp:
        """Return the timestamp of the latest event here, for `compare_events`. The plan must be for pairs."""
        return ClockStamp(self.process, {p: self.clock[p] for p in sorted(self.allocation.timestamp_set(self.process))})

    def _refuse_strange(self, stamp: ClockStamp) -> None:
        """Raise `RemoteViolation` if the stamp is not one of its link: it is of another graph, or forged."""
        if stamp.sender not in self.allocation.graph.predecessors[self.process]:
            raise RemoteViolation(f"{self.process!r} got a message of {stamp.sender!r}, but the graph has no such link")
        clocks, numbered = self._link(stamp.sender, self.process)
        refuse_misdirected(stamp, self.process)
        refuse_no_mapping(stamp)
        if set(stamp.clock) != clocks:
            raise RemoteViolation(
                f"a stamp of {stamp.sender!r} for {self.process!r} has the clocks {sorted(map(str, stamp.clock))}, not "
                f"{sorted(clocks)}: allocate both ends from the same graph and options"
            )
        if numbered != (stamp.sequence is not None):
            raise RemoteViolation(
                f"a stamp of {stamp.sender!r} for {self.process!r} has {'no' if numbered else 'a'} sequence number, "
                f"where messages carry {'one' if numbered else 'none'}: allocate both ends from the same graph and "
                f"options"
            )

    def _refuse_impossible(self, stamp: ClockStamp) -> None:
        """Raise `RemoteViolation` if no correct sender has these numbers.

        Others know of us at most the event after which we last sent, and count one more for it.
        """
        refuse_impossible(stamp, self.process, own_max=self._last_sent + 1 if self._last_sent else 0)
        if stamp.sequence is not None and not is_value(stamp.sequence, 1):
            raise RemoteViolation(
                f"a stamp of {stamp.sender!r} for {self.process!r} has the sequence number {stamp.sequence!r}, which "
                f"must be a whole number from 1 to {VALUE_MAX}"
            )
        if self.allocation.fifo and stamp.sender in stamp.clock:
            refuse_not_after(stamp, self.process, self._heard.get(stamp.sender, 0))
        elif stamp.sender in self._memories:
            memory = self._memories[stamp.sender]
            memory.refuse_taken(self.process, stamp.sender, self._position(stamp))
            refuse_not_after(stamp, self.process, memory.settled)

    def memory_entries(self) -> int:
        """Return how many steps of other clocks this gateway remembers now."""
        return sum(len(memory) for memory in self._memories.values())

    def space_entries(self) -> int:
        """Return how many numbers this clock keeps now. Arrivals and timestamps that were given out are not among them.

        They are the clock, the time of the last sending, what is counted for each link, and what a gateway remembers.
        """
        links = len(self._sent) + len(self._arrived) + len(self._heard)
        return len(self.clock) + 1 + links + sum(memory.space_entries() for memory in self._memories.values())

    def _news(self, stamp: ClockStamp) -> dict[ProcessId, int]:
        """Return the entries that the message knows better than we do.

        Of its sender it knows everything before the sending, and the sending itself.
        """
        news: dict[ProcessId, int] = {}
        for process, time in stamp.clock.items():
            known = time + 1 if process == stamp.sender else time
            if process != self.process and known > self.clock.get(process, known):
                news[process] = known
        return news

    def _position(self, stamp: ClockStamp) -> int:
        """Return its place among the messages of its sender: by number, by arrival if FIFO, or by the own clock."""
        if stamp.sequence is not None:
            return stamp.sequence
        if not self.allocation.fifo:
            return stamp.clock.get(stamp.sender, 0)
        return self._arrived.get(stamp.sender, 0) + 1

    def _known_at(self, stamp: ClockStamp, position: int, now: int) -> int:
        memory = self._memories.get(stamp.sender)
        if memory is None:
            return now
        return memory.first_above(stamp.clock[stamp.sender], position)

    def _link(self, sender: ProcessId, receiver: ProcessId) -> tuple[ProcessSet, bool]:
        """Return whose clocks the stamps of a link carry, and whether they are numbered."""
        link, allocation = (sender, receiver), self.allocation
        if link not in self._links:
            self._links[link] = (allocation.link_set(sender, receiver), allocation.is_numbered(sender, receiver))
        return self._links[link]


def determination_2(first: Arrival, second: Arrival, reaches: Callable[[ProcessId, ProcessId], bool]) -> Order:
    """Compare with full vector clocks. An entry counts only if the graph has a path that could have changed it."""
    return _order(first, second, lambda m1, m2: reaches(m1.sender, m2.sender) and _by_clock(m1, m2))


def determination_3(first: Arrival, second: Arrival) -> Order:
    """Compare with the clocks of Allocations 1 to 3."""
    return _order(first, second, _by_clock)


def determination_4(first: Arrival, second: Arrival, receiver: ProcessId) -> Order:
    """Return how two messages that arrived at `receiver` stand to each other, with the clocks of any allocation."""
    return _order(first, second, lambda m1, m2: _by_gateway(m1, m2, receiver) or _by_clock(m1, m2))


def _order(first: Arrival, second: Arrival, before: Callable[[Arrival, Arrival], bool]) -> Order:
    if not (first.is_ordered and second.is_ordered):
        raise Misuse("the plan is for chosen pairs of processes, and does not order arrivals: use `compare_events`")
    if first.sender == second.sender:
        return Order.BEFORE if first.position < second.position else Order.AFTER
    if before(first, second):
        return Order.BEFORE
    if before(second, first):
        return Order.AFTER
    return Order.CONCURRENT


def _by_clock(m1: Arrival, m2: Arrival) -> bool:
    """Return whether m2 knows more of p1 than p1 did when it sent m1."""
    p1 = m1.sender
    return p1 in m2.clock and p1 in m1.clock and m1.clock[p1] < m2.clock[p1]


def _by_gateway(m1: Arrival, m2: Arrival, receiver: ProcessId) -> bool:
    """Return whether m2 knows of the receiver at a time when the receiver already knew of m1."""
    return m1.known_at is not None and receiver in m2.clock and m1.known_at < m2.clock[receiver]
