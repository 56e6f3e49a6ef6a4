"""Rendezvous: synchronous unicasts, which keep causal order without control information (002 §7.1).

Guarantees for unicasts, over any channels that lose nothing, that an execution can be drawn as if each message took no
time: there is no crown. This is more than causal order. Its stamp is nothing. The price is that a process does nothing
while it waits: it takes part in one exchange at a time. A message to a lower name costs an acknowledgement. A message
to a higher name costs an acknowledgement, a request and a permission.

    to a lower name                 to a higher name

    b ---- message ----> a          a ---- request -----> b
    b waits              |          |                     |  when it is b's turn
    b <---- Ack -------- a          a <--- permission --- b  waits
                                    a ---- message -----> b
                                    a waits               |
                                    a <---- Ack --------- b

The application never waits. `Sent` says that the message exists. The send event of a message is that it leaves, which
is its `Transmit`: so it is in the traces of the simulator and the runtime. By `Sent` there may be crowns.
Messages of one sender leave in the order in which they were sent. A process that waits sends nothing but requests, and
delivers nothing but the message that it gave permission for. Everything else that arrives waits for its turn: at most
one packet of each other process, because that process has one exchange at a time too.

**No crown.** Let T(m) be the time at which m is delivered. The sender of m has no other event from the time at which m
leaves until the acknowledgement arrives, which is after T(m). So at each process, the order of T is the order of its
events. Move each send to T(m): every process sees what it saw before, and messages take no time. A message to oneself
is delivered at once, even while the process waits. It is in no crown: both of its events are at one process, where the
event before them precedes the event after them in any case.

**Causal order.** A run without a crown keeps causal order. It also holds for `Sent`: if `Sent` of m precedes `Sent` of
m', then T(m) < T(m'), by induction over the chain from m to m'. The sender of m lets its next message leave after T(m),
and so does the receiver of m. A destination delivers in the order of T.

**No deadlock.** Every wait ends, by induction over the names. If a process waits for the acknowledgement of a message
to a higher name, it had permission: the other process waits for this very message, and acknowledges it on arrival. In
all other cases a process waits for a lower name, whose own waits end. Between two waits that process takes its turns:
first a permission that it was given, then the others in the order in which they came. So it sends the message that it
has permission for, or delivers the message that waits there. Two processes that send to each other at the same time do
not block each other: only the one with the higher name sends without a permission, and the other still delivers.

002 says that synchronous unicasts need nothing, and not how they are made. The protocol is ours; compare Murty and Garg
(1995), who order messages synchronously with acknowledgements.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from antecede.core.effects import Deliver, Effect, Sent, Transmit
from antecede.core.errors import LimitReached, RemoteViolation
from antecede.core.holdback import HOLD_BACK_LIMIT
from antecede.core.ordering.mf import Ack
from antecede.core.ordering.none import NoStamp
from antecede.core.roster import Participant, checked_packet
from antecede.core.snapshot import values
from antecede.core.types import GroupId, Message, MessageId, Need, Packet, Pending, ProcessId
from antecede.core.wire import shapes
from antecede.core.wire.fields import Fields


@shapes.stamp(22, "SendRequest")
@dataclass(frozen=True, slots=True)
class SendRequest(Fields):
    """The sender of this packet asks for permission to send its message `seq`."""

    seq: int

    @property
    def entries(self) -> int:
        return 1


@shapes.stamp(23, "SendPermission")
@dataclass(frozen=True, slots=True)
class SendPermission(Fields):
    """The process that this is sent to may send its message `seq`. The sender of this packet waits for the message."""

    seq: int

    @property
    def entries(self) -> int:
        return 1


@values.storable("Rendezvous")
@dataclass(slots=True)
class Rendezvous(Participant):
    """One process, which waits if `awaited` is a message: its own to be acknowledged, or another's to arrive.

    The first message of `buffer` is being exchanged, or is to be exchanged next. `turns` are packets that wait until
    this process does not: requests and messages of others, and one permission for the first message of `buffer`. This
    process gives itself that permission if the destination has a lower name. `taken` is the number of the last request
    or message of each other process.
    """

    limit: int = HOLD_BACK_LIMIT
    buffer: deque[Message] = field(default_factory=deque)
    awaited: MessageId | None = None
    turns: deque[Packet] = field(default_factory=deque)
    taken: dict[ProcessId, int] = field(default_factory=dict)

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> list[Effect]:
        if len(self.buffer) >= self.limit:
            raise LimitReached(
                f"{len(self.buffer)} messages wait to leave, which is the limit: send again when some have left"
            )
        message = self.roster.message(dests, payload)
        if message.dests == {self.process}:
            return [Sent(message), Deliver(message)]
        self.buffer.append(message)
        return [Sent(message), *(self._begin_exchange() if len(self.buffer) == 1 else [])]

    def receive(self, packet: Packet) -> list[Effect]:
        checked_packet(packet)
        stamp = packet.stamp
        if packet.sender in self.roster.departed:
            return []
        if packet.message is None and isinstance(stamp, Ack | SendPermission):
            return self._take_answer(packet, stamp)
        if packet.message is None and isinstance(stamp, SendRequest):
            if packet.sender >= self.process or stamp.seq < 1:
                raise RemoteViolation(f"{packet.sender} asks {self.process} for permission to send message {stamp.seq}")
            return self._take_in(packet, stamp.seq)
        message = self.roster.accept(packet)
        if not isinstance(stamp, NoStamp) or len(message.dests) != 1:
            raise RemoteViolation(f"{message.id} is not a unicast of this algorithm")
        if message.id == self.awaited:
            self.awaited = None
            return [*self._deliver(message), *self._take_turns()]
        return self._take_in(packet, message.id.seq)

    def pending(self) -> tuple[Pending, ...]:
        """Return the messages that wait for their turn to be delivered, and those that wait to leave."""
        needs = self._awaited_needs()
        arrived = [packet.message for packet in self.turns if packet.message is not None]
        waiting = [Pending(message, needs) for message in arrived]
        if self.buffer and not self._has_begun():
            first = self.buffer[0]
            needs = (*needs, Need(min(first.dests), first.id.seq, first.id.seq, "permission|"))
        return (*waiting, *(Pending(message, needs) for message in self.buffer))

    def leave(self, process: ProcessId) -> list[Effect]:
        self.roster.leave(process)
        if process == self.process:
            return []
        self.taken.pop(process, None)
        was_first = bool(self.buffer) and self.buffer[0].dests == {process}
        gone = {process, self.process} if was_first else {process}
        self.buffer = deque(message for message in self.buffer if message.dests != {process})
        self.turns = deque(packet for packet in self.turns if packet.sender not in gone)
        if self.awaited is not None and self.awaited.sender in gone:
            self.awaited = None
        return self._begin_exchange() if was_first and self.buffer else self._take_turns()

    def resume(self) -> None:
        assert all(len(message.dests) == 1 for message in self.buffer), "a message in the buffer is not a unicast"
        has_left = self.awaited is not None and self.awaited.sender == self.process
        assert not has_left or (self.buffer and self.buffer[0].id == self.awaited), "it waits for no message of its own"
        permissions = [packet.sender for packet in self.turns if isinstance(packet.stamp, SendPermission)]
        may_permit = {self.process, *self.buffer[0].dests} if self.buffer else set()
        assert may_permit.issuperset(permissions), "a permission is for no message"
        assert len(permissions) + has_left <= 1, "a message may leave twice"
        asks_or_brings = sum(
            packet.message is not None or isinstance(packet.stamp, SendRequest) for packet in self.turns
        )
        assert asks_or_brings + len(permissions) == len(self.turns), "a turn is for nothing"

    def _begin_exchange(self) -> list[Effect]:
        """Ask for permission to send the first message of the buffer, or wait for this process's own turn to send."""
        message = self.buffer[0]
        to, seq = min(message.dests), message.id.seq
        if to > self.process:
            return [Transmit(to, Packet(self.process, None, SendRequest(seq))), *self._take_turns()]
        self.turns.append(Packet(self.process, None, SendPermission(seq)))
        return self._take_turns()

    def _take_turns(self) -> list[Effect]:
        """Take one turn after the other until this process waits for something."""
        effects: list[Effect] = []
        while self.turns and self.awaited is None:
            packet = self.turns.popleft()
            if isinstance(packet.stamp, SendRequest):
                self.awaited = MessageId(packet.sender, packet.stamp.seq)
                permission = Packet(self.process, None, SendPermission(packet.stamp.seq))
                effects.append(Transmit(packet.sender, permission))
            elif packet.message is not None:
                effects += self._deliver(packet.message)
            else:
                message = self.buffer[0]
                self.awaited = message.id
                effects.append(Transmit(min(message.dests), Packet(self.process, message, NoStamp())))
        return effects

    def _take_in(self, packet: Packet, seq: int) -> list[Effect]:
        """Give a request or a message its turn. Drop a duplicate.

        What else waits of this sender can only be forged, and is dropped too: so `turns` stays small.
        """
        sender = packet.sender
        if seq <= self.taken.get(sender, 0):
            return []
        self.taken[sender] = seq
        self.turns = deque([*(waiting for waiting in self.turns if waiting.sender != sender), packet])
        return self._take_turns()

    def _take_answer(self, packet: Packet, stamp: Ack | SendPermission) -> list[Effect]:
        """End the exchange of the first message of the buffer, or send it. What answers another is a duplicate."""
        if not self.buffer or self.buffer[0].id.seq != stamp.seq or self.buffer[0].dests != {packet.sender}:
            return []
        if isinstance(stamp, SendPermission):
            if not self._has_begun():
                self.turns.appendleft(packet)
            return self._take_turns()
        if self.awaited != self.buffer[0].id:
            return []
        self.buffer.popleft()
        self.awaited = None
        return self._begin_exchange() if self.buffer else self._take_turns()

    def _deliver(self, message: Message) -> list[Effect]:
        return [Deliver(message), Transmit(message.sender, Packet(self.process, None, Ack(message.id.seq)))]

    def _has_begun(self) -> bool:
        """Return whether the first message of the buffer has left, or may leave in its turn."""
        has_left = self.awaited == self.buffer[0].id
        return has_left or any(isinstance(packet.stamp, SendPermission) for packet in self.turns)

    def _awaited_needs(self) -> tuple[Need, ...]:
        if self.awaited is None:
            return ()
        sender, seq = self.awaited
        if sender == self.process:
            return (Need(min(self.buffer[0].dests), seq, seq, "|to be acknowledged"),)
        return (Need(sender, seq, seq, "|to arrive"),)
