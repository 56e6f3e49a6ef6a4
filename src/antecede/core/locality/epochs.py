"""Changing the plan while processes run: a link is added or removed, a process comes. This is ours.

Paper 004 takes the links to be static and known beforehand. Here each plan has a number, its epoch, and every message
carries the epoch of its sender. A process adopts the next plan when it is told of it, and at the latest before it takes
a message of that epoch. It keeps one clock for each epoch, which starts at 0; messages of earlier epochs that come late
go to the clock of their own epoch. There is no barrier: each process adopts the plan when it likes.

    p  ------- send m1 ----| adopt 2 |---- send m3 ---------------
    q  --------------------------------------- adopt 2 | take m3 ----     m3 is of epoch 2: q adopts it before
    r  ----| adopt 2 |---- take m1 -------------------------------     m1 is of epoch 1: its clock takes it

From when comparisons are right: two events (or sendings) of one epoch can be compared at once, by the plan of that
epoch. A chain of messages from one to the other never leads into a later epoch and back: who takes a message of an
epoch is in that epoch or in a later one, and what it sends after that is not of an earlier one. So all messages of the
chain are of this epoch, and went over links of its graph; each was received by a process that was still in the epoch,
so its clock carried the news on. The events of one epoch are an execution of their own, for which the plan is right.
Messages that come late lead nowhere in it.

Events of different epochs cannot be compared. The later is not before the earlier; whether it is after it or concurrent
is not known, because the news of the earlier event may have travelled over processes that did not keep that clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from antecede.core.clocks.stamp import Arrival, ClockStamp, Order, is_value
from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.locality.allocation import Allocation, ProcessSet
from antecede.core.locality.gateway_memory import MEMORY_MAX
from antecede.core.locality.graph import Graph, Link
from antecede.core.locality.local_clock import LocalClock, determination_4
from antecede.core.locality.pairs import compare_events
from antecede.core.locality.plan import Plan, plan
from antecede.core.types import ProcessId


class PlanMissing(Misuse):
    """A message is of an epoch whose plan this process does not have yet. Nothing changed: adopt it, and try again."""


@dataclass(frozen=True, slots=True)
class EpochStamp:
    """The stamp of a message, or the timestamp of an event, and the epoch that it is of."""

    epoch: int
    stamp: ClockStamp


@dataclass(frozen=True, slots=True)
class EpochArrival:
    """A message as its receiver remembers it, and the epoch in which it was sent."""

    epoch: int
    arrival: Arrival


@dataclass(frozen=True, slots=True)
class ClockChange:
    """Whose clocks a process starts to keep when a plan is replaced by another, and whose it keeps no longer."""

    starts: ProcessSet
    stops: ProcessSet


def add_links(old: Plan, links: Iterable[Link], *, memory: bool = True) -> Plan:
    """Return the plan for the graph of `old` with more links, for the same channels and the same pairs.

    The links may name new processes. `memory` is that of `plan`.
    """
    before = old.allocation
    connected = Graph.of([*before.graph.links, *links])
    graph = Graph.of(connected.links, {*connected.processes, *before.graph.processes})
    pairs = [(p, q) for p, others in before.partners.items() for q in sorted(others) if p < q]
    return plan(graph, fifo=before.fifo, memory=memory, pairs=pairs or None, kept=old.kept)


def clock_changes(old: Allocation, new: Allocation) -> dict[ProcessId, ClockChange]:
    """Return for each process of `new` what changes for it, if anything does."""
    changes: dict[ProcessId, ClockChange] = {}
    for process in new.graph.processes:
        before = old.clock_set(process) if process in old.clocks else frozenset()
        after = new.clock_set(process)
        if before != after:
            changes[process] = ClockChange(after - before, before - after)
    return changes


class ChangingClock:
    """The clock of one process whose plan may change. It is used as a `LocalClock` is, and told of each new plan."""

    def __init__(
        self, allocation: Allocation, process: ProcessId, *, epoch: int = 1, memory_max: int = MEMORY_MAX
    ) -> None:
        self.process = process
        self.epoch = epoch
        self._memory_max = memory_max
        self._clocks = {epoch: LocalClock(allocation, process, memory_max=memory_max)}

    def adopt(self, epoch: int, allocation: Allocation) -> None:
        """Go on by the plan of the next epoch. Every process must get the same plan for it."""
        if epoch != self.epoch + 1:
            raise Misuse(f"{self.process!r} is in epoch {self.epoch}: adopt epoch {self.epoch + 1} next, not {epoch}")
        self._clocks[epoch] = LocalClock(allocation, self.process, memory_max=self._memory_max)
        self.epoch = epoch

    def release(self, epoch: int) -> None:
        """Forget the clock of an earlier epoch. No message of it may be on the way to this process any more."""
        if epoch >= self.epoch:
            raise Misuse(f"{self.process!r} is in epoch {self.epoch}: only earlier epochs can be released, not {epoch}")
        self._clocks.pop(epoch, None)

    def event(self) -> None:
        """Count an internal event."""
        self._clocks[self.epoch].event()

    def send(self, to: ProcessId) -> EpochStamp:
        """Return the stamp for a new message to `to`."""
        return EpochStamp(self.epoch, self._clocks[self.epoch].send(to))

    def receive(self, stamp: EpochStamp) -> EpochArrival:
        """Take in a message. Raise `PlanMissing` if it is of a later epoch than this process is in."""
        if is_value(stamp.epoch, self.epoch + 1):
            raise PlanMissing(
                f"{self.process!r} is in epoch {self.epoch} and got a message of epoch {stamp.epoch}: adopt the plan "
                f"of epoch {self.epoch + 1}, and receive the message then"
            )
        if not is_value(stamp.epoch) or stamp.epoch not in self._clocks:
            raise RemoteViolation(
                f"{self.process!r} got a message of epoch {stamp.epoch!r}, which it has released or never was in"
            )
        arrival = self._clocks[stamp.epoch].receive(stamp.stamp)
        if stamp.epoch < self.epoch:
            self.event()
        return EpochArrival(stamp.epoch, arrival)

    def timestamp(self) -> EpochStamp:
        """Return the timestamp of the latest event here, for `compare_events`. The plan must be for pairs."""
        return EpochStamp(self.epoch, self._clocks[self.epoch].timestamp())

    def compare(self, first: EpochArrival, second: EpochArrival) -> Order:
        """Return how two messages that arrived here stand to each other. Raise `Misuse` if their epochs differ."""
        _refuse_different(first.epoch, second.epoch)
        return determination_4(first.arrival, second.arrival, self.process)


def compare_epoch_events(first: EpochStamp, second: EpochStamp, allocation: Allocation) -> Order:
    """Return how two events of a pair stand to each other, by the `allocation` of their epoch.

    Raise `Misuse` if their epochs differ.
    """
    _refuse_different(first.epoch, second.epoch)
    return compare_events(first.stamp, second.stamp, allocation)


def _refuse_different(first: int, second: int) -> None:
    if first != second:
        raise Misuse(
            f"events of epochs {first} and {second} cannot be compared: the one of epoch {max(first, second)} is not "
            f"before the other, and no more is known"
        )
