"""Mattern-Fuenfrocken: the output buffer waits for the transport's acknowledgement (002 §7.1 and §1).

Guarantees causal order for unicast over any channels that lose nothing. Its stamp is nothing; the price is an
acknowledgement for each message, and that a message may wait in the output buffer of its sender. The application
never waits.

The next message leaves when the one before it is known to be in the input buffer of its destination, so the
exchange is as if communication were synchronous. The input buffer is first in, first out: here, arrival is
delivery.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from antecede.core.effects import Deliver, Effect, Sent, Transmit
from antecede.core.errors import LimitReached, RemoteViolation
from antecede.core.holdback import HOLD_BACK_LIMIT
from antecede.core.ordering.none import NoStamp
from antecede.core.roster import Participant, checked_packet
from antecede.core.snapshot import values
from antecede.core.types import GroupId, Message, Need, Packet, Pending, ProcessId
from antecede.core.wire import shapes
from antecede.core.wire.fields import Fields


@shapes.stamp(14, "Ack")
@dataclass(frozen=True, slots=True)
class Ack(Fields):
    """The transport's acknowledgement of message `seq` of the process it is sent to."""

    seq: int

    @property
    def entries(self) -> int:
        return 1


@values.storable("OutputBuffer")
@dataclass(slots=True)
class OutputBuffer(Participant):
    """The first message of `buffer` has left and is not acknowledged; the others wait behind it."""

    limit: int = HOLD_BACK_LIMIT
    buffer: deque[Message] = field(default_factory=deque)
    delivered: dict[ProcessId, int] = field(default_factory=dict)

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> list[Effect]:
        if len(self.buffer) >= self.limit:
            raise LimitReached(
                f"{len(self.buffer)} messages wait to leave, which is the limit: send again when some have left"
            )
        message = self.roster.message(dests, payload)
        if message.dests == {self.process}:
            return [Sent(message), Deliver(message)]
        self.buffer.append(message)
        return [Sent(message), *(self._leave_buffer() if len(self.buffer) == 1 else [])]

    def receive(self, packet: Packet) -> list[Effect]:
        checked_packet(packet)
        if isinstance(packet.stamp, Ack) and packet.message is None:
            return self._take_acknowledgement(packet.sender, packet.stamp.seq)
        message = self.roster.accept(packet)
        if not isinstance(packet.stamp, NoStamp) or len(message.dests) != 1:
            raise RemoteViolation(f"{message.id} is not a unicast of this algorithm")
        sender, seq = message.id
        if sender in self.roster.departed:
            return []
        acknowledgement = Transmit(sender, Packet(self.process, None, Ack(seq)))
        if seq <= self.delivered.get(sender, 0):
            return [acknowledgement]
        self.delivered[sender] = seq
        return [Deliver(message), acknowledgement]

    def pending(self) -> tuple[Pending, ...]:
        """Return the messages that wait to leave, for the acknowledgement of the first. Nothing waits on arrival."""
        if not self.buffer:
            return ()
        first = self.buffer[0]
        need = Need(min(first.dests), first.id.seq, first.id.seq, "|to be acknowledged")
        return tuple(Pending(message, (need,)) for message in self.buffer)

    def leave(self, process: ProcessId) -> list[Effect]:
        self.roster.leave(process)
        self.delivered.pop(process, None)
        waited = bool(self.buffer) and self.buffer[0].dests == {process}
        self.buffer = deque(message for message in self.buffer if message.dests != {process})
        return self._leave_buffer() if waited and self.buffer else []

    def resume(self) -> None:
        assert all(len(message.dests) == 1 for message in self.buffer), "a message in the buffer is not a unicast"

    def _leave_buffer(self) -> list[Effect]:
        message = self.buffer[0]
        return [Transmit(min(message.dests), Packet(self.process, message, NoStamp()))]

    def _take_acknowledgement(self, sender: ProcessId, seq: int) -> list[Effect]:
        """Take the first message out of the buffer if this acknowledges it. An older acknowledgement is a duplicate."""
        if not self.buffer or self.buffer[0].id.seq != seq or self.buffer[0].dests != {sender}:
            return []
        self.buffer.popleft()
        return self._leave_buffer() if self.buffer else []
