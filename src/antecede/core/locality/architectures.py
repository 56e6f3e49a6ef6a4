"""Other architectures than asynchronous messages: synchronous messages, and shared variables (paper 004, section 1).

The paper describes its algorithms for asynchronous messages, "though extending it to other distributed system
architectures is quite simple", and does not say how. This is our reading: both are made of links of the same graph, so
every allocation, and every proof about one, holds as it is. `architecture` makes the graph.

A **shared variable** is a process of the graph that does nothing by itself. A write is a message to the variable, and a
read is a message from it, which takes no time. The variable's `LocalClock` lies beside its value:

    writer   stamp = clock.send("v") ------> v.receive(stamp)      and the value is stored
    reader   clock.receive(stamp) <--------- stamp = v.send("q")   and the value is loaded

A write is before a read if the variable was written before it was read: a reader comes after all earlier writers. Two
accesses of one variable must not run at the same time.

A **synchronous message** is one event of two processes, and both know afterwards what either knew before. It is a link
in each direction. `SynchronousClock` makes it of two messages, and of their four events one:

    p   propose --\\                /--> conclude      nothing else happens at p in between
    q              \\--> accept --/

The timestamp of p's part has p's own time when it proposed, and the entries of all others from when it concluded. So
an event is before p's part exactly if it is before q's part, and after the one exactly if it is after the other. Who
proposes waits; see to it that no circle of processes proposes to each other (`rendezvous` orders that by names).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from antecede.core.clocks.stamp import Arrival, ClockStamp
from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.locality.graph import BadGraph, Graph, Link, checked_link
from antecede.core.locality.local_clock import LocalClock
from antecede.core.roster import checked_names
from antecede.core.types import ProcessId


def architecture(
    *,
    messages: Iterable[Link] = (),
    synchronous: Iterable[Link] = (),
    variables: Mapping[ProcessId, tuple[Iterable[ProcessId], Iterable[ProcessId]]] | None = None,
) -> Graph:
    """Return the communication graph of processes and shared variables.

    `messages` are the links of asynchronous messages, and `synchronous` the pairs of processes between which messages
    are synchronous. `variables` are the writers and the readers of each shared variable. The name of a variable must
    not be that of a process. Between two processes that have both kinds of messages, a synchronous one overtakes the
    others: plan with `fifo=False`.
    """
    links = [checked_link(link) for link in messages]
    for one, other in map(checked_link, synchronous):
        links += [(one, other), (other, one)]
    accesses = {
        name: (checked_names(f"the writers of {name!r}", writers), checked_names(f"the readers of {name!r}", readers))
        for name, (writers, readers) in (variables or {}).items()
    }
    names = {name for link in links for name in link}
    for variable, (writers, readers) in accesses.items():
        strange = accesses.keys() & {*names, *writers, *readers}
        if strange:
            raise BadGraph(f"{min(strange)!r} is the name of a shared variable and of a process: rename one of them")
        links += [(writer, variable) for writer in writers] + [(variable, reader) for reader in readers]
    return Graph.of(links)


class SynchronousClock:
    """A `LocalClock` whose process also takes part in synchronous messages. Tell it every event, as a `LocalClock`."""

    def __init__(self, clock: LocalClock) -> None:
        self.clock = clock
        self._proposed_to: ProcessId | None = None
        self._proposed_at = 0
        self._is_joint = False

    @property
    def process(self) -> ProcessId:
        """Return the name of this process."""
        return self.clock.process

    def event(self) -> None:
        """Count an internal event."""
        self._refuse_open()
        self.clock.event()
        self._is_joint = False

    def send(self, to: ProcessId) -> ClockStamp:
        """Return the stamp for a new asynchronous message to `to`, or for a write to the shared variable `to`."""
        self._refuse_open()
        stamp = self.clock.send(to)
        self._is_joint = False
        return stamp

    def receive(self, stamp: ClockStamp) -> Arrival:
        """Take in an asynchronous message, or what was read from a shared variable."""
        self._refuse_open()
        arrival = self.clock.receive(stamp)
        self._is_joint = False
        return arrival

    def propose(self, to: ProcessId) -> ClockStamp:
        """Begin a synchronous message to `to`. Nothing else may happen here until `conclude`."""
        self._refuse_one_way(to)
        stamp = self.send(to)
        self._proposed_to, self._proposed_at = to, self.clock.clock.get(self.process, 0)
        return stamp

    def accept(self, stamp: ClockStamp) -> ClockStamp:
        """Take in a synchronous message, and return the answer by which its sender concludes."""
        self._refuse_one_way(stamp.sender)
        self.receive(stamp)
        return self.send(stamp.sender)

    def conclude(self, answer: ClockStamp) -> None:
        """End the synchronous message that this process proposed, with what the other process answered."""
        if answer.sender != self._proposed_to:
            raise RemoteViolation(
                f"{self.process!r} got an answer of {answer.sender!r}, and proposed to {self._proposed_to!r}"
            )
        self.clock.receive(answer)
        self._proposed_to, self._is_joint = None, True

    def timestamp(self) -> ClockStamp:
        """Return the timestamp of the latest event here, for `compare_events`. The plan must be for pairs."""
        self._refuse_open()
        stamp = self.clock.timestamp()
        if not self._is_joint:
            return stamp
        return replace(stamp, clock={**stamp.clock, self.process: self._proposed_at})

    def _refuse_open(self) -> None:
        if self._proposed_to is not None:
            raise Misuse(
                f"{self.process!r} has proposed a synchronous message to {self._proposed_to!r}: conclude it first"
            )

    def _refuse_one_way(self, other: ProcessId) -> None:
        graph = self.clock.allocation.graph
        if other not in graph.successors[self.process] or other not in graph.predecessors[self.process]:
            raise Misuse(f"{self.process!r} and {other!r} have no synchronous link: plan with one")
