"""What the Propagation Constraints PC1 and PC2 of 002 §3 ask of a message, from the whole execution.

`Knowledge` keeps, for each process and each message, the explicit set of facts in its causal past: which messages were
sent, and which were delivered where. "d is a destination of M" has to be known at a send unless that past has M
delivered at d, or a later message to d, sent knowing of M, which M can not come after.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from antecede import Message, MessageId, Packet
from antecede.core.ordering.ks import KsStamp
from antecede.core.ordering.prs import PrsStamp

Dot = tuple[MessageId, str]
"""A message, and a process it is still owed to."""


def carried(packet: Packet) -> set[Dot]:
    """What a packet of `ks` or `prs` says is owed. The sender's own row of a barrier is no constraint, and left out."""
    stamp = packet.stamp
    if isinstance(stamp, PrsStamp):
        rows = stamp.barrier.items()
        return {(MessageId(k, x), dest) for dest, row in rows if dest != packet.sender for k, x in row.items()}
    assert isinstance(stamp, KsStamp)
    owed = {(MessageId(i, t), d) for i, entries in stamp.owed.items() for t, dests in entries.items() for d in dests}
    return owed | {(MessageId(i, t), d) for d, row in stamp.due.items() for i, t in row.items()}


@dataclass
class Knowledge:
    """Told of every send and every delivery. Own copies, delivered at once, are owed to nobody."""

    messages: dict[MessageId, Message] = field(default_factory=dict)
    sent: dict[str, frozenset[MessageId]] = field(default_factory=dict)
    delivered: dict[str, frozenset[Dot]] = field(default_factory=dict)
    past: dict[MessageId, tuple[frozenset[MessageId], frozenset[Dot]]] = field(default_factory=dict)

    def send(self, message: Message) -> None:
        me = message.sender
        self.messages[message.id] = message
        self.past[message.id] = self.sent.get(me, frozenset()), self.delivered.get(me, frozenset())
        self.sent[me] = self.past[message.id][0] | {message.id}

    def deliver(self, at: str, message: Message) -> None:
        sent, delivered = self.past[message.id]
        self.sent[at] = self.sent.get(at, frozenset()) | sent | {message.id}
        self.delivered[at] = self.delivered.get(at, frozenset()) | delivered | {(message.id, at)}

    def known_sent(self, message: MessageId) -> Iterator[Dot]:
        """Every (predecessor, destination) in the past of the send of `message`."""
        for before in sorted(self.past[message][0]):
            for dest in sorted(self.messages[before].dests - {before.sender}):
                yield before, dest

    def has_delivered(self, message: MessageId, dot: Dot) -> bool:
        return dot in self.past[message][1]

    def superseded(self, message: MessageId, dot: Dot) -> bool:
        before, dest = dot
        return any(
            dest in self.messages[later].dests and before in self.past[later][0] for later in self.past[message][0]
        )

    def owed(self, message: MessageId) -> set[Dot]:
        """What the sender of `message` must know to be owed when it sends it."""
        return {
            dot
            for dot in self.known_sent(message)
            if not self.has_delivered(message, dot) and not self.superseded(message, dot)
        }

    def required(self, message: MessageId, to: str) -> set[Dot]:
        """What the packet with `message` to one of its destinations must carry, and nothing else may."""
        dests = self.messages[message].dests
        return {(before, dest) for before, dest in self.owed(message) if dest not in dests or dest == to}
