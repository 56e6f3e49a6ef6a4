"""Algorithms of 000 and 001 that stamp messages, with the steps in which the papers differ from the core.

`Bare` runs an ordering without what `Process` adds: it sends a copy to every destination, the sender among them if it
is one, and of the packets here it delivers the first that is ready, in order of arrival. With `at_once` the copy for
the sender does not travel: it is received within the send.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from antecede.core.algorithm import Ordering
from antecede.core.effects import Deliver, Effect, Sent, Transmit
from antecede.core.ordering.prs import Prs, PrsStamp
from antecede.core.ordering.rst import Rst, RstStamp
from antecede.core.types import Message, MessageId, Packet, ProcessId, Stamp
from antecede.core.vectors import greatest

PickRow = Callable[[ProcessId, ProcessId, Sequence[ProcessId]], ProcessId]
"""Of which process the one row is that is sent, given the sender, the destination and the names of all."""


@dataclass
class Bare:
    """A process that knows nothing but the procedures of the paper."""

    me: str
    paper: Ordering
    at_once: bool = False
    seq: int = 0
    held: list[Packet] = field(default_factory=list)

    def send(self, dests: str | Iterable[str], payload: bytes) -> list[Effect]:
        self.seq += 1
        message = Message(MessageId(self.me, self.seq), frozenset(dests), payload)
        dests = sorted(message.dests)
        stamps = self.paper.stamps(message, dests)
        packets = {to: Packet(self.me, message, stamp) for to, stamp in zip(dests, stamps, strict=True)}
        own = packets.pop(self.me, None) if self.at_once else None
        effects: list[Effect] = [Sent(message), *(Transmit(to, packet) for to, packet in packets.items())]
        return effects if own is None else effects + self.receive(own)

    def receive(self, packet: Packet) -> list[Effect]:
        self.held.append(packet)
        effects: list[Effect] = []
        while (ready := next(filter(self._is_ready, self.held), None)) is not None:
            assert ready.message is not None
            self.held.remove(ready)
            sender, seq = ready.message.id
            self.paper.delivered[sender] = seq
            self.paper.deliver(ready.message, ready.stamp)
            effects.append(Deliver(ready.message))
        return effects

    def _is_ready(self, packet: Packet) -> bool:
        assert packet.message is not None
        return next(iter(self.paper.unmet(packet.message, packet.stamp)), None) is None


@dataclass
class PrintedPrs(Prs):
    """000 §5.2, in which a sender may be one of its destinations.

    `row`, if given, names the one row of the barrier that is sent to a destination in the place of all (§8.2). With
    `counts_own` a process counts its own messages as delivered to itself when it sends them, so that it never waits for
    one of them: Delivered_i[i, i] := sent_i, which the paper does not say.
    """

    names: Sequence[ProcessId] = ()
    row: PickRow | None = None
    counts_own: bool = False

    def stamps(self, message: Message, others: Sequence[ProcessId]) -> list[Stamp]:
        if self.counts_own:
            self.delivered[self.me] = message.id.seq
        if self.row is None:
            return super().stamps(message, others)
        rows = [self.barrier.get(self.row(self.me, to, self.names), {}) for to in others]
        super().stamps(message, others)
        return [PrsStamp(dict.fromkeys(self.names, row)) for row in rows]

    def learn(self, message: Message, stamp: Stamp) -> None:
        sender, seq = message.id
        if sender in message.dests:  # step 5 for the sender; step 7 subtracts what the stamp says of it
            self.barrier[sender] = greatest(self.barrier.get(sender, {}), {sender: seq})
        super().learn(message, stamp)


@dataclass
class PrintedRst(Rst):
    """001 §3: SENT_i counts a message for the process that delivers it, and for no other destination of it."""

    def learn(self, message: Message, stamp: Stamp) -> None:
        assert isinstance(stamp, RstStamp)
        j = message.sender
        self.sent[j] = {**self.sent.get(j, {}), self.me: stamp.sent.get(j, {}).get(self.me, 0) + 1}
        for k, theirs in stamp.sent.items():
            self.sent[k] = greatest(self.sent.get(k, {}), theirs)
