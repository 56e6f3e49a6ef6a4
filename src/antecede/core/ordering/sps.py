"""Sender permission to send: a message leaves when what precedes it is delivered everywhere.

Guarantees causal order for any multicast over any channels that lose nothing. Its stamp is two integers, however many
processes there are: the number of the packet on its channel, and the number up to which the sender's messages are
complete. The price is an acknowledgement from each destination, up to one more packet to each destination of a message
that has several, and that a message may wait at its sender. The application never waits.

A message is *complete* when all its destinations have delivered it. Channels are FIFO (`Numbered`), and what arrives is
delivered and acknowledged at once. Messages of one sender leave in the order in which they were sent. A message m
leaves when

1. every message that its sender delivered before it sent m is complete; the sender of such a message says so; and
2. every message that its sender sent before m is complete, or lacks only destinations that m has too.

       a ---- m ---> b, c          b knows of m, and c may not have it yet
       a <--- Ack --- b, c         m is complete
       a --- Complete ---> b, c    now b and c may send what they send because of m

**Completion is in order.** If m is complete, so is everything that precedes it, by induction over what precedes it. Let
m' be a message that the sender of m delivered, or sent, before it sent m. If m' was not complete when m left, the
sender of m sent it, and it lacked only destinations of m. They deliver m' before m, because channels are FIFO. So m' is
complete, and so is what precedes m'. That is why one number says which messages of a sender are complete, and why a
message to one destination is known to be complete by the one who delivers it.

**Causal order.** Let m' precede m, and let both have destination x. If the sender of m has sent m' too, x delivers m'
first, because channels are FIFO. Otherwise the sender of m has delivered m', or a message that m' precedes. That
message was complete when m left, and m' with it: x had delivered m' before m left.

**No deadlock.** Acknowledgements and `Complete` wait for nothing. So every message that has left becomes complete, and
the next one leaves.

Almeida (2026, arXiv 2601.11487) published the condition: reception is FIFO, and a process sends when what it has
delivered and sent before is delivered at all its destinations. We know the abstract only. The protocol, the second half
of rule 2 and the proofs are ours.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import takewhile

from antecede.core.effects import Deliver, Effect, Sent, Transmit
from antecede.core.errors import LimitReached, RemoteViolation
from antecede.core.holdback import HOLD_BACK_LIMIT
from antecede.core.ordering.mf import Ack
from antecede.core.roster import Participant, checked_packet
from antecede.core.snapshot import values
from antecede.core.types import GroupId, Message, Need, Packet, Pending, ProcessId
from antecede.core.wire import shapes
from antecede.core.wire.fields import Fields

SCOPE = "|to be delivered everywhere"


@shapes.stamp(33, "Complete")
@dataclass(frozen=True, slots=True)
class Complete(Fields):
    """All messages of the sender up to number `seq` are complete. It is on every message, and comes alone too."""

    seq: int

    @property
    def entries(self) -> int:
        return 1


@values.storable("SenderPermission")
@dataclass(slots=True)
class SenderPermission(Participant):
    """`buffer` has the messages that have not left, each with the last message of each process that must be complete
    before. `awaited[p]` are the numbers of the messages that p has not acknowledged, in the order in which they left.
    `untold` are the destinations that have to be told when a message of this process is complete, by its number.

    `delivered[p]` is the number of the last message of p that was delivered here. Those up to `complete[p]` are known
    to be complete.
    """

    limit: int = HOLD_BACK_LIMIT
    buffer: deque[tuple[Message, dict[ProcessId, int]]] = field(default_factory=deque)
    awaited: dict[ProcessId, deque[int]] = field(default_factory=dict)
    untold: dict[int, frozenset[ProcessId]] = field(default_factory=dict)
    delivered: dict[ProcessId, int] = field(default_factory=dict)
    complete: dict[ProcessId, int] = field(default_factory=dict)

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> list[Effect]:
        if len(self.buffer) >= self.limit:
            raise LimitReached(
                f"{len(self.buffer)} messages wait to leave, which is the limit: send again when some have left"
            )
        message = self.roster.message(dests, payload)
        effects: list[Effect] = [Sent(message)]
        if self.process in message.dests:
            effects.append(Deliver(message))
        if message.dests == {self.process}:
            return effects
        before = {p: seq for p, seq in self.delivered.items() if seq > self.complete.get(p, 0)}
        self.buffer.append((message, before))
        return effects + self._go_on()

    def receive(self, packet: Packet) -> list[Effect]:
        checked_packet(packet)
        sender, stamp = packet.sender, packet.stamp
        if packet.message is None and isinstance(stamp, Ack):
            return self._take_acknowledgement(sender, stamp.seq)
        if not isinstance(stamp, Complete):
            raise RemoteViolation(f"{sender} sent a {type(stamp).__name__}, which is of another algorithm")
        effects: list[Effect] = []
        known = stamp.seq
        if packet.message is not None:
            message = self.roster.accept(packet)
            seq = message.id.seq
            if seq <= max(self.delivered.get(sender, 0), stamp.seq):
                raise RemoteViolation(f"{message.id} came after later messages of {sender}, or is said to be complete")
            self.delivered[sender] = seq
            known = seq if message.dests <= {sender, self.process} else stamp.seq
            effects = [Deliver(message), Transmit(sender, Packet(self.process, None, Ack(seq)))]
        self.complete[sender] = max(known, self.complete.get(sender, 0))
        return effects + self._go_on()

    def pending(self) -> tuple[Pending, ...]:
        """Return the messages that wait to leave. Nothing waits on arrival."""
        return tuple(Pending(message, tuple(self._needs(message, before))) for message, before in self.buffer)

    def leave(self, process: ProcessId) -> list[Effect]:
        self.roster.leave(process)
        self.awaited.pop(process, None)
        for counted in (self.delivered, self.complete, *(before for _, before in self.buffer)):
            counted.pop(process, None)
        return self._go_on()

    def resume(self) -> None:
        left = [seq for seqs in self.awaited.values() for seq in seqs]
        assert all(self.awaited.values()), "nobody awaits an acknowledgement that is awaited"
        assert all(list(seqs) == sorted(set(seqs)) for seqs in self.awaited.values()), "messages left out of order"
        waiting = [message.id.seq for message, _ in self.buffer]
        assert max(left, default=0) < min(waiting, default=self.roster.sent + 1), "a message left, and waits to leave"

    def _go_on(self) -> list[Effect]:
        """Let messages leave whose turn it is, and tell the destinations of others that they are complete."""
        effects: list[Effect] = []
        told: set[ProcessId] = set()
        while self.buffer and self._may_leave(*self.buffer[0]):
            message, _ = self.buffer.popleft()
            seq = message.id.seq
            others = message.dests - {self.process}
            to = sorted(others - self.roster.departed)
            packet = Packet(self.process, message, Complete(min(self._complete_up_to(), seq - 1)))
            effects += [Transmit(dest, packet) for dest in to]
            for dest in to:
                self.awaited.setdefault(dest, deque()).append(seq)
            if len(others) > 1:
                self.untold[seq] = frozenset(to)
            told |= {*to}
        return effects + self._tell(told)

    def _tell(self, told: set[ProcessId]) -> list[Effect]:
        """Tell destinations which messages are complete, except those that have been `told` by a message just now."""
        up_to = self._complete_up_to()
        due = list(takewhile(lambda seq: seq <= up_to, self.untold))  # they are in the order in which they left
        to = {dest for seq in due for dest in self.untold.pop(seq)} - told - self.roster.departed
        return [Transmit(dest, Packet(self.process, None, Complete(up_to))) for dest in sorted(to)]

    def _may_leave(self, message: Message, before: dict[ProcessId, int]) -> bool:
        others_are_complete = all(self.complete.get(p, 0) >= seq for p, seq in before.items())
        return others_are_complete and self.awaited.keys() <= message.dests

    def _complete_up_to(self) -> int:
        """Return the number up to which the messages of this process are complete."""
        if self.awaited:
            return min(seqs[0] for seqs in self.awaited.values()) - 1
        return self.buffer[0][0].id.seq - 1 if self.buffer else self.roster.sent

    def _needs(self, message: Message, before: dict[ProcessId, int]) -> Iterable[Need]:
        for process, seq in sorted(before.items()):
            known = self.complete.get(process, 0)
            if seq > known:
                yield Need(process, known + 1, seq, SCOPE)
        first = self._complete_up_to() + 1
        if first < message.id.seq:
            yield Need(self.process, first, message.id.seq - 1, SCOPE)

    def _take_acknowledgement(self, sender: ProcessId, seq: int) -> list[Effect]:
        awaited = self.awaited.get(sender)
        if not awaited or awaited[0] != seq:
            raise RemoteViolation(f"{sender} acknowledges message {seq} of {self.process}, which it was not sent")
        awaited.popleft()
        if not awaited:
            del self.awaited[sender]
        return self._go_on()
