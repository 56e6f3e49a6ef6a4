"""A process that stamps its messages: everything an ordering does not say for itself.

It numbers messages, checks what comes in, drops duplicates, delivers own copies, and runs the hold-back queue:
a packet is filed under its first unmet need; a delivery raises levels; raised levels release packets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from antecede.core.algorithm import Ordering
from antecede.core.effects import Deliver, Effect, Sent, Transmit
from antecede.core.errors import RemoteViolation
from antecede.core.holdback import HoldBack
from antecede.core.roster import Participant, checked_packet
from antecede.core.snapshot import values
from antecede.core.types import GroupId, Need, Packet, Pending, ProcessId, Reached
from antecede.core.wire import shapes
from antecede.core.wire.fields import Fields


@shapes.stamp(1, "Baseline")
@dataclass(frozen=True, slots=True)
class Baseline(Fields):
    """To a newcomer: of what I counted in each scope before you came, nothing was for you."""

    counts: Mapping[str, int]

    @property
    def entries(self) -> int:
        return len(self.counts)


@runtime_checkable
class CountsEverything(Protocol):
    """An ordering whose stamps count messages that a newcomer was never sent, so that it must be told."""

    def baseline(self, groups: Iterable[GroupId]) -> Mapping[str, int]:
        """Return what this process has counted so far, by scope, for a newcomer to `groups`."""
        ...

    def rebase(self, sender: ProcessId, counts: Mapping[str, int]) -> Iterable[Reached]:
        """Take what `sender` has counted, and return which levels that has raised."""
        ...


@runtime_checkable
class OrdersGroups(Protocol):
    """An ordering that knows in which groups its process is, and so has to hear of further ones."""

    def enter(self, groups: Iterable[GroupId]) -> None:
        """Take part in `groups`, too, from now on."""
        ...


class CountsBroadcasts:
    """The baseline of an ordering for broadcast, in which there is one scope: how many messages this process sent."""

    __slots__ = ()
    SCOPE = "all"
    delivered: dict[ProcessId, int]
    sent: int

    def baseline(self, groups: Iterable[GroupId]) -> Mapping[str, int]:  # noqa: ARG002
        return {self.SCOPE: self.sent} if self.sent else {}

    def rebase(self, sender: ProcessId, counts: Mapping[str, int]) -> Iterable[Reached]:
        count = max(counts.get(self.SCOPE, 0), self.delivered.get(sender, 0))
        self.delivered[sender] = count
        return (Reached(sender, count),)


@values.storable("Process")
@dataclass(slots=True)
class Process(Participant):
    """One process of a stamping algorithm: see `algorithm.Algorithm` for the contract."""

    ordering: Ordering
    held: HoldBack = field(default_factory=HoldBack)

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> list[Effect]:
        message = self.roster.message(dests, payload)
        effects: list[Effect] = [Sent(message)]
        others = sorted(message.dests - {self.process})
        if others:
            packet = None
            for to, stamp in zip(others, self.ordering.stamps(message, others), strict=True):
                if packet is None or packet.stamp is not stamp:
                    packet = Packet(self.process, message, stamp)
                effects.append(Transmit(to, packet))
        if self.process in message.dests:
            effects.append(Deliver(message))
        return effects

    def receive(self, packet: Packet) -> list[Effect]:
        checked_packet(packet)
        if packet.message is None:
            return self._take_control(packet)
        message = self.roster.accept(packet)
        if packet.sender in self.roster.departed:
            return []
        if not self.ordering.accepts(message, packet.stamp):
            raise RemoteViolation(f"{message.id} has a {type(packet.stamp).__name__} that does not belong on it")
        sender, seq = message.id
        if seq <= self.ordering.delivered.get(sender, 0) or message.id in self.held:
            return []
        needs = self._needs(packet)
        need = next(needs, None)
        if need is None:
            return self._deliver(packet)
        self.held.hold(packet, need, needs)
        return []

    def pending(self) -> tuple[Pending, ...]:
        return self.held.pending(self._needs)

    def join(self, process: ProcessId, groups: Iterable[GroupId] = ()) -> list[Effect]:
        known = len(self.roster.processes)
        joined = self.roster.join(process, groups)
        if process == self.process:
            return self._enter(joined)
        newcomer = joined if self.roster.addressing == "group" else len(self.roster.processes) > known
        if not newcomer or not isinstance(self.ordering, CountsEverything):
            return []  # what was in flight to one who had joined before is still wanted there
        return [Transmit(process, Packet(self.process, None, Baseline(self.ordering.baseline(joined))))]

    def leave(self, process: ProcessId) -> list[Effect]:
        self.roster.leave(process)
        if process == self.process:
            return []
        self.ordering.forget(process)
        self.held.resume(self._needs)
        return self._deliver(self.held.pop())

    def resume(self) -> None:
        held = self.held.packets.values()
        assert all(packet.message and self.ordering.accepts(packet.message, packet.stamp) for packet in held)
        count = len(held)
        self.held.resume(self._needs)
        assert len(self.held.packets) == count, "a message is held back that waits for nothing"

    def _enter(self, groups: list[GroupId]) -> list[Effect]:
        """Take part in further groups. What is held back waits for what its stamp counts there, too."""
        if isinstance(self.ordering, OrdersGroups):
            self.ordering.enter(groups)
            self.held.resume(self._needs)
        return []

    def _needs(self, packet: Packet) -> Iterator[Need]:
        assert packet.message is not None
        needs = self.ordering.unmet(packet.message, packet.stamp)
        return filter(self._is_wanted, needs) if self.roster.departed else needs

    def _is_wanted(self, need: Need) -> bool:
        return need.sender not in self.roster.departed

    def _take_control(self, packet: Packet) -> list[Effect]:
        if not isinstance(packet.stamp, Baseline) or not isinstance(self.ordering, CountsEverything):
            raise RemoteViolation(
                f"{packet.sender} sent a {type(packet.stamp).__name__}, which is of another algorithm"
            )
        if packet.sender == self.process:
            raise RemoteViolation(f"a baseline in the name of {self.process}, which is this process itself")
        if packet.sender in self.roster.departed:
            return []
        for mark in self.ordering.rebase(packet.sender, packet.stamp.counts):
            self.held.reached(mark)
        return self._deliver(self.held.pop())

    def _deliver(self, packet: Packet | None) -> list[Effect]:
        """Deliver `packet`, and all that its delivery releases."""
        effects: list[Effect] = []
        held, ordering = self.held, self.ordering
        while packet is not None:
            message = packet.message
            assert message is not None
            sender, seq = message.id
            if seq > ordering.delivered.get(sender, 0):  # or a sender that lies about its numbers turns it back
                ordering.delivered[sender] = seq
            for mark in ordering.deliver(message, packet.stamp):
                held.reached(mark)
            effects.append(Deliver(message))
            packet = held.pop()
        return effects
