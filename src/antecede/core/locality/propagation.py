"""Keeping the clocks of an allocation: Propagation 2 to 4 of paper 004, and the memory of Allocation 6.

Names of the paper: `C_p` is `LocalClock.clock`, `T_m` is the stamp, `Arr_m` is `Arrival.known_at`. It is the vector
clock (Propagation 1) restricted to the clock set of the process, and a stamp to what the link needs: the
allocation's `link_set`, and on some links of channels that are not FIFO a sequence number.

Which of 2, 3 and 4 it is follows from the allocation: whole clocks travel or not, the process is a gateway or not. The
own clock counts events; a process whose clock nobody keeps, not even itself, counts nothing. A gateway keeps its own.

Every stamp is tested before anything changes. A duplicate is noticed where a number on the stamp shows it: the sender's
own entry on FIFO channels, the sequence number at a gateway that remembers the sender. Elsewhere it is taken for
another message; the channel must not make any.
"""

from __future__ import annotations

from antecede.core.clocks.stamp import (
    VALUE_MAX,
    Arrival,
    ClockStamp,
    is_value,
    refuse_impossible,
    refuse_misdirected,
    refuse_no_mapping,
    refuse_not_after,
)
from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.locality.allocation import Allocation, ProcessSet
from antecede.core.locality.gateway_memory import MEMORY_MAX, Memory
from antecede.core.types import ProcessId


class LocalClock:
    """The clock of one process under `allocation`. Tell it every event, with `event`, `send` or `receive`."""

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
        self._expected: dict[ProcessId, tuple[ProcessSet, bool]] = {}
        self._link_sets: dict[ProcessId, ProcessSet] = {}
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
        wanted = self._link_set(to)
        self.event()
        self._last_sent = self.clock.get(self.process, 0)
        clock = {p: time for p, time in self.clock.items() if p in wanted}
        if not self.allocation.is_numbered(self.process, to):
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
        return Arrival(stamp.sender, position, stamp.clock, known_at)

    def _refuse_strange(self, stamp: ClockStamp) -> None:
        """A stamp carries just what its link was given; another was made for another graph, or is forged."""
        allocation = self.allocation
        if stamp.sender not in allocation.graph.predecessors[self.process]:
            raise RemoteViolation(f"{self.process!r} got a message of {stamp.sender!r}, but the graph has no such link")
        if stamp.sender not in self._expected:
            numbered = allocation.is_numbered(stamp.sender, self.process)
            self._expected[stamp.sender] = (allocation.link_set(stamp.sender, self.process), numbered)
        clocks, numbered = self._expected[stamp.sender]
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
        """Others know of us at most the event after which we last sent, and count one more for it."""
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

    def _news(self, stamp: ClockStamp) -> dict[ProcessId, int]:
        """What the message knows better than we do; of its sender it knows all before the sending, and that itself."""
        news: dict[ProcessId, int] = {}
        for process, time in stamp.clock.items():
            known = time + 1 if process == stamp.sender else time
            if process != self.process and known > self.clock.get(process, known):
                news[process] = known
        return news

    def _position(self, stamp: ClockStamp) -> int:
        """Among the messages of its sender: by its number, by arrival if FIFO, else by the sender's own clock."""
        if stamp.sequence is not None:
            return stamp.sequence
        if not self.allocation.fifo:
            return stamp.clock[stamp.sender]
        return self._arrived.get(stamp.sender, 0) + 1

    def _known_at(self, stamp: ClockStamp, position: int, now: int) -> int:
        memory = self._memories.get(stamp.sender)
        if memory is None:
            return now
        return memory.first_above(stamp.clock[stamp.sender], position)

    def _link_set(self, to: ProcessId) -> ProcessSet:
        if to not in self._link_sets:
            if to not in self.allocation.graph.successors[self.process]:
                raise Misuse(f"the graph has no link from {self.process!r} to {to!r}: allocate anew with it")
            self._link_sets[to] = self.allocation.link_set(self.process, to)
        return self._link_sets[to]
