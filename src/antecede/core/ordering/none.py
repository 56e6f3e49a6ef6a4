"""No ordering: every message is delivered as it arrives. The baseline that experiments compare with.

Its stamp is empty. It needs nothing of the channels and promises nothing; only duplicates are dropped, by
remembering the last `memory` messages of each sender, or up to twice as many.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

from antecede.core.effects import Deliver, Effect, Sent, Transmit
from antecede.core.errors import RemoteViolation
from antecede.core.roster import Participant, checked_packet
from antecede.core.snapshot import values
from antecede.core.types import GroupId, Packet, ProcessId
from antecede.core.wire import shapes
from antecede.core.wire.fields import Empty


@shapes.stamp(10, "NoStamp")
@dataclass(frozen=True, slots=True)
class NoStamp(Empty):
    """Nothing."""


@values.storable("Unordered")
@dataclass(slots=True)
class Unordered(Participant):
    """A process that delivers as it receives. `seen` keeps insertion order, so the oldest can be forgotten."""

    memory: int = 65_536
    seen: dict[ProcessId, dict[int, None]] = field(default_factory=dict)

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> list[Effect]:
        message = self.roster.message(dests, payload)
        packet = Packet(self.process, message, NoStamp())
        effects: list[Effect] = [Sent(message)]
        effects += [Transmit(to, packet) for to in sorted(message.dests - {self.process})]
        return [*effects, Deliver(message)] if self.process in message.dests else effects

    def resume(self) -> None:
        assert self.memory > 0, f"it remembers {self.memory} messages"

    def receive(self, packet: Packet) -> list[Effect]:
        if type(packet) is not Packet:
            checked_packet(packet)
        roster = self.roster
        message = roster.accept(packet)
        if type(packet.stamp) is not NoStamp:
            raise RemoteViolation(f"{message.id} has a {type(packet.stamp).__name__}, which is of another algorithm")
        sender, seq = message.id
        seen = self.seen.get(sender)
        if seen is None:
            seen = self.seen[sender] = {}
        if seq in seen or sender in roster.departed:
            return []
        seen[seq] = None
        if (
            len(seen) > 2 * self.memory
        ):  # many at once: each first key that is deleted makes the next one slower to find
            self.seen[sender] = dict.fromkeys(islice(seen, self.memory + 1, None))
        return [Deliver(message)]

    def leave(self, process: ProcessId) -> list[Effect]:
        self.roster.leave(process)
        self.seen.pop(process, None)
        return []
