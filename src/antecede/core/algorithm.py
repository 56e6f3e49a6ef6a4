"""Theory of operation: what an algorithm is, and what it asks of its caller.

An **algorithm** is one process's part of a causal ordering protocol, as a state machine without time, chance
or input and output. Calls go in, a list of effects comes out, and the driver owes it five things:

1. carry out the effects of one call in order, all of them, before the next call;
2. bring every `Transmit` to its destination at least once; duplicates are harmless (but not to `mr` with
   `bare_resynch=True` without `numbered=True`), and order between packets matters only to algorithms whose traits say
   that they need FIFO channels. A packet refused with `HoldBackFull` is
   offered again later; on a FIFO channel, before those behind it;
3. call `tick(now)` at or after the time of a `SetTimer`; `now` never runs backwards;
4. make the state and the effects durable together, if a process is to survive a crash: take `snapshot()`
   after a call, and do not transmit what is not saved;
5. tell every process of a newcomer with `join` before it is sent anything, and of a departure with `leave` once nothing
   of the departed is wanted any more. Tell all processes of a departure before the next newcomer is admitted. Names are
   not reused. With `mr`, `mr-broadcast` and `mr-scalar`, everybody has called `join` before the newcomer sends. A
   running process that joins a further group calls `join` with its own name, before the others do, and nobody else
   joins before all have. With `mr` its `send` to the group raises `Misuse` until it has heard of every member; with
   `mr-scalar` all of them call it before a packet that any of these calls led to arrives. With `hierarchy`, a
   representative that has called `leave` with its own name stays until `is_handing_over` is false; the others are told
   then. One process leaves at a time: it has heard of all who left before it, and nobody comes until all have heard
   that it has left.

Most algorithms only put a stamp on a message and hold packets back until their stamp allows delivery. For these
an **ordering** is the algorithm of the paper and nothing else: what to stamp (`stamps`), the delivery condition
(`unmet`), and what delivery changes (`deliver`); `process.Process` is the rest, once for all of them. Algorithms
that exchange control packets of their own (`mr*`, `mf`, `rendezvous`, `sps`, `serial-*`, `hierarchy`, `history`) are
whole algorithms.

A message to oneself is delivered within `send`: whatever could have caused it and was addressed to this process
has been delivered here already, or the process would not know of it. (The serialised algorithms put it in its
turn instead.) So algorithms whose papers exclude the sender from the destinations need no change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

from antecede.core.effects import Effect
from antecede.core.types import GroupId, Message, Need, Packet, Pending, ProcessId, Reached, Stamp


@runtime_checkable
class Algorithm(Protocol):
    """One process of a causal ordering algorithm. It does no I/O: calls go in, and a list of effects comes out."""

    @property
    def process(self) -> ProcessId:
        """Return the name of this process."""
        ...

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> list[Effect]:
        """Send `payload` to `dests`. The first effect is `Sent`. Raise `Misuse`, and change nothing, if `dests` are
        wrong.
        """
        ...

    def receive(self, packet: Packet) -> list[Effect]:
        """Take a packet from the network. A duplicate has no effect.

        `RemoteViolation` and `HoldBackFull` refuse the packet and leave the state as it was.
        """
        ...

    def tick(self, now: float) -> list[Effect]:
        """Tell the algorithm that the time is `now`. This has no effect on an algorithm that set no timer."""
        ...

    def pending(self) -> tuple[Pending, ...]:
        """Return what is held back, in the order of arrival, each message with everything that it still waits for."""
        ...

    def join(self, process: ProcessId, groups: Iterable[GroupId] = ()) -> list[Effect]:
        """Admit a newcomer, who may be sent to from now on. `groups` are the groups that it joins.

        With the algorithm's own name: take part in further groups. Of each of their members, this process delivers
        what that member sends to the group after its own call of `join`, and nothing from before.
        """
        ...

    def leave(self, process: ProcessId) -> list[Effect]:
        """Stop waiting for `process`, which sends nothing more. With the algorithm's own name: hand over, and leave."""
        ...

    def snapshot(self) -> bytes:
        """Return the whole state as bytes, for `restore`."""
        ...

    def resume(self) -> None:
        """Rebuild what a snapshot leaves out. `restore` calls it once."""
        ...


@runtime_checkable
class HandsOver(Protocol):
    """An algorithm in which a process that leaves may have to exchange packets with the others before it can go."""

    @property
    def is_handing_over(self) -> bool:
        """Return whether this process has called `leave` with its own name, and the others still need it."""
        ...

    @property
    def awaited_to_hand_over(self) -> set[ProcessId]:
        """Return the processes whose packets this process waits for before it can go."""
        ...


class Ordering(Protocol):
    """The paper's part of a stamping algorithm: one predicate and two transitions.

    `delivered` is the sequence number of the last message of each sender delivered here. Messages of one sender are
    causally ordered among themselves, so a lower number has been delivered, or was never meant for this process.

    The stamp that `unmet` and `deliver` are given is one that `accepts` has accepted.
    """

    delivered: dict[ProcessId, int]

    def stamps(self, message: Message, others: Sequence[ProcessId]) -> list[Stamp]:
        """Return the stamp for each of `others`, the destinations but the sender, sorted; then take the new state."""
        ...

    def accepts(self, message: Message, stamp: Stamp) -> bool:
        """Return whether a correct process of the same algorithm may have put this stamp on the message."""
        ...

    def unmet(self, message: Message, stamp: Any) -> Iterator[Need]:
        """Yield what the message still waits for: the delivery condition, evaluated lazily on the present state."""
        ...

    def deliver(self, message: Message, stamp: Any) -> Iterable[Reached]:
        """Take the state after a delivery, and return which levels it has raised."""
        ...

    def forget(self, process: ProcessId) -> None:
        """Drop what is kept about a process that left."""
        ...
