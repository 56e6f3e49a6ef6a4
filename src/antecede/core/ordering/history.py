"""Birman-Joseph, the first ISIS: a message brings its causally preceding messages along (002 §1, 000 §3).

Guarantees causal order for any multicast, over channels that may reorder and even lose packets: what a lost packet
held comes with the next message of its causal future. It never holds back. Its stamp is messages: all that precede
and are not known to have been delivered everywhere.

Garbage collection: each process keeps a table of the last message of each sender that each process is known to have
delivered, and sends it along; a message that all its destinations are known to have delivered is no longer carried.
A process that only listens would never tell, so after `acknowledge_every` deliveries without a send it transmits
its row by itself. What is carried is bounded by `hold_back_limit`: at it, sends and packets with news are refused.

"In the face of network failures, techniques from [25] can be adapted for log management to maintain causal consistency"
(002 §8). [25] is the replicated log of Wuu and Bernstein: the log and the table above are that. With `repeat_after_s` a
process whose messages are not known to have been delivered sends its log again after that time, to those who lack
them, until they answer with their rows. Then everything is delivered in causal order over channels that lose any
number of packets, as long as they do not lose all; nobody has to send anything else, and no packet is retransmitted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from antecede.core.effects import Deliver, Effect, Sent, SetTimer, Transmit
from antecede.core.errors import HoldBackFull, LimitReached, RemoteViolation
from antecede.core.holdback import HOLD_BACK_LIMIT
from antecede.core.roster import Participant, checked_packet, checked_time
from antecede.core.snapshot import values
from antecede.core.types import GroupId, Message, MessageId, Packet, ProcessId
from antecede.core.vectors import greatest, rows_without
from antecede.core.wire import shapes

Known = Mapping[ProcessId, Mapping[ProcessId, int]]


@shapes.stamp(11, "HistoryStamp")
@dataclass(frozen=True, slots=True)
class HistoryStamp:
    """The preceding messages in causal order, and process -> sender -> last message known to be delivered there."""

    before: tuple[Message, ...]
    known: Known

    @property
    def entries(self) -> int:
        return len(self.before)

    def write(self, to: shapes.Writer) -> None:
        to.table(self.known)
        to.uint(len(self.before))
        for message in self.before:
            to.message(message)
            to.bytes(message.payload)

    @classmethod
    def read(cls, source: shapes.Reader) -> HistoryStamp:
        known = source.table()
        before = []
        for _ in range(source.count()):
            identity, dests, group = source.message()
            before.append(Message(identity, dests, source.bytes(), group))
        return cls(tuple(before), known)


@values.storable("History")
@dataclass(slots=True)
class History(Participant):
    """`carried` is in causal order: a message is learned of after what precedes it, or with it."""

    acknowledge_every: int = 16
    limit: int = HOLD_BACK_LIMIT
    carried: dict[MessageId, Message] = field(default_factory=dict)
    known: dict[ProcessId, dict[ProcessId, int]] = field(default_factory=dict)
    unacknowledged: int = 0

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> list[Effect]:
        if len(self.carried) >= self.limit:
            raise LimitReached(
                f"{len(self.carried)} messages are carried, which is the limit: send again when some are delivered"
            )
        message = self.roster.message(dests, payload)
        effects: list[Effect] = [Sent(message)]
        others = sorted(message.dests - {self.process})
        if others:
            packet = Packet(self.process, message, self._stamp())
            effects += [Transmit(to, packet) for to in others]
            self.carried[message.id] = message
        self.unacknowledged = 0
        if self.process in message.dests:
            self._note_delivery(message)
            effects.append(Deliver(message))
        return effects

    def receive(self, packet: Packet) -> list[Effect]:
        checked_packet(packet)
        stamp = packet.stamp
        if not isinstance(stamp, HistoryStamp):
            raise RemoteViolation(f"{packet.sender} sent a {type(stamp).__name__}, which is of another algorithm")
        messages = stamp.before if packet.message is None else (*stamp.before, self.roster.accept(packet))
        news = [message for message in messages if self._is_news(message)]
        if news and len(self.carried) + len(news) > self.limit:
            raise HoldBackFull(
                f"{len(self.carried)} messages are carried, and the limit is {self.limit}: offer this packet later"
            )
        effects: list[Effect] = []
        for message in news:
            if message.id not in self.carried:  # a packet may name a message twice
                self.carried[message.id] = message
                if self.process in message.dests:
                    self._note_delivery(message)
                    self.unacknowledged += 1
                    effects.append(Deliver(message))
        for process, row in rows_without(stamp.known, self.roster.departed).items():
            if process != self.process:  # nobody knows better what was delivered here
                self.known[process] = greatest(self.known.get(process, {}), row)
        self._collect()
        return effects + self._acknowledge()

    def leave(self, process: ProcessId) -> list[Effect]:
        self.roster.leave(process)
        if process != self.process:
            self.known = {name: dict(row) for name, row in rows_without(self.known, {process}).items()}
            self._collect()
        return []

    def _stamp(self) -> HistoryStamp:
        return HistoryStamp(tuple(self.carried.values()), {name: dict(row) for name, row in self.known.items()})

    def _is_news(self, message: Message) -> bool:
        """Return whether the message is to be delivered here, or is for others and is not carried yet."""
        sender, seq = message.id
        if message.id in self.carried or sender == self.process or sender in self.roster.departed:
            return False
        return self.process not in message.dests or seq > self.known.get(self.process, {}).get(sender, 0)

    def _note_delivery(self, message: Message) -> None:
        self.known.setdefault(self.process, {})[message.id.sender] = message.id.seq

    def _collect(self) -> None:
        self.carried = {
            key: message for key, message in self.carried.items() if not self._is_delivered_everywhere(message)
        }

    def _is_delivered_everywhere(self, message: Message) -> bool:
        sender, seq = message.id
        return sender in self.roster.departed or all(
            dest == sender or dest in self.roster.departed or self.known.get(dest, {}).get(sender, 0) >= seq
            for dest in message.dests
        )

    def _acknowledge(self) -> list[Effect]:
        if self.unacknowledged < self.acknowledge_every:
            return []
        self.unacknowledged = 0
        row = self._row()
        return [Transmit(to, row) for to in self.roster.others]

    def _row(self) -> Packet:
        return Packet(self.process, None, HistoryStamp((), {self.process: dict(self.known.get(self.process, {}))}))


@values.storable("RepeatedHistory")
@dataclass(slots=True)
class RepeatedHistory(History):
    """A history that is sent again until it is known to have arrived. At `due` a timer goes off; None if there is none.

    Only the author of a message repeats it, with all that it carries: what precedes the message is among that.
    """

    repeat_after_s: float = 1.0
    due: float | None = None
    now: float = 0.0

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> list[Effect]:
        return History.send(self, dests, payload) + self._set_timer()

    def receive(self, packet: Packet) -> list[Effect]:
        effects = History.receive(self, packet)
        is_repetition = packet.message is None and packet.stamp.entries > 0
        return [*effects, Transmit(packet.sender, self._row())] if is_repetition and self._knows(packet) else effects

    def tick(self, now: float) -> list[Effect]:
        self.now = checked_time(now)
        if self.due is None or now < self.due:
            return []
        self.due = None
        packet = Packet(self.process, None, self._stamp())
        return [*(Transmit(to, packet) for to in self._lacking()), *self._set_timer()]

    def _knows(self, packet: Packet) -> bool:
        return packet.sender in self.roster.processes and packet.sender != self.process

    def _set_timer(self) -> list[Effect]:
        if self.due is not None or not self._lacking():
            return []
        self.due = self.now + self.repeat_after_s
        return [SetTimer(self.due)]

    def _lacking(self) -> list[ProcessId]:
        """Return who is not known to have delivered a message of this process that was sent to it."""
        own = [message for message in self.carried.values() if message.sender == self.process]
        return sorted(
            {dest for message in own for dest in message.dests if not self._is_delivered(message, dest)}
            - {self.process}
            - self.roster.departed
        )

    def _is_delivered(self, message: Message, dest: ProcessId) -> bool:
        return self.known.get(dest, {}).get(message.sender, 0) >= message.id.seq
