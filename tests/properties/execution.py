"""An oracle that knows a whole execution, and what the Propagation Constraints demand of it (002 §3.4).

Every send and every delivery is an event; its past is an explicit set of events, kept as the bits of one number. No
clock of any algorithm is looked at.

"d is a destination of M(i,a)" must be in the log after event e if M was sent at or before e, and neither has e seen

    PC1  its delivery at d: Delivery_d(M) at or before e, nor
    PC2  another send to d after it: M -> (k,c), with (k,c) at or before e and d a destination of M(k,c).

The packet of M(j,b) for q carries what the log had before the send, less what is about a destination of M(j,b) other
than q. The copy a process sends to itself is delivered at once and owed to nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from antecede import Deliver, Effect, Message, MessageId, Sent

Dot = tuple[str, int, str]
"""(i, t, d): message t of i is owed to d."""


@dataclass
class Execution:
    """`past[p]`: the events at or before the last of p. `before[m]`: those before the send of m."""

    events: int = 0
    messages: dict[MessageId, Message] = field(default_factory=dict)
    past: dict[str, int] = field(default_factory=dict)
    before: dict[MessageId, int] = field(default_factory=dict)
    sends: dict[MessageId, int] = field(default_factory=dict)
    deliveries: dict[tuple[MessageId, str], int] = field(default_factory=dict)
    _addressed: dict[str, list[MessageId]] = field(default_factory=dict)

    def observe(self, process: str, effect: Effect) -> None:
        if isinstance(effect, Sent):
            self.send(effect.message)
        elif isinstance(effect, Deliver):
            self.deliver(process, effect.message.id)

    def send(self, message: Message) -> None:
        self.messages[message.id] = message
        self.before[message.id] = self.past.get(message.sender, 0)
        self.sends[message.id] = self._event(message.sender)
        for dest in message.dests - {message.sender}:
            self._addressed.setdefault(dest, []).append(message.id)

    def deliver(self, at: str, message: MessageId) -> None:
        self.past[at] = self.past.get(at, 0) | self.before[message] | self.sends[message]
        self.deliveries[message, at] = self._event(at)

    def log(self, process: str) -> set[Dot]:
        """What LOG must hold at `process` now."""
        return set(self._owed(self.past.get(process, 0)))

    def carried(self, message: MessageId, to: str) -> set[Dot]:
        """What the packet of `message` for `to` must carry."""
        others = self.messages[message].dests - {to}
        return {dot for dot in self._owed(self.before[message]) if dot[2] not in others}

    def precede(self, message: MessageId) -> list[MessageId]:
        """The messages whose send happened before the send of `message`."""
        return [other for other, event in self.sends.items() if event & self.before[message]]

    def known(self, process: str) -> list[MessageId]:
        """The messages whose send is at or before the last event of `process`."""
        return [other for other, event in self.sends.items() if event & self.past.get(process, 0)]

    def _owed(self, past: int) -> Iterator[Dot]:
        for dest, addressed in self._addressed.items():
            known = [message for message in addressed if self.sends[message] & past]
            guaranteed = 0
            for message in known:
                guaranteed |= self.before[message]
            for message in known:
                delivered = self.deliveries.get((message, dest), 0) & past
                if not delivered and not self.sends[message] & guaranteed:
                    yield (*message, dest)

    def _event(self, process: str) -> int:
        event = 1 << self.events
        self.events += 1
        self.past[process] = self.past.get(process, 0) | event
        return event
