"""Channels that are not FIFO, made FIFO: a number on every packet, for the algorithms that need it (003 §3.4, 002
§7.1).

`Numbered` is an algorithm around an algorithm. Each packet to a process carries the next number of that channel;
a packet that comes too early is kept until its predecessors are here; one that comes again is dropped. A packet
that was kept and then finds the hold-back queue of the algorithm inside full is kept on, and tried again after every
call that may have made room.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from antecede.core.algorithm import Algorithm, HandsOver
from antecede.core.effects import Effect, Transmit
from antecede.core.errors import HoldBackFull, RemoteViolation
from antecede.core.holdback import HOLD_BACK_LIMIT
from antecede.core.roster import checked_packet
from antecede.core.snapshot import values
from antecede.core.types import GroupId, Need, Packet, Pending, ProcessId, Stamp
from antecede.core.wire import shapes


@shapes.stamp(15, "Number")
@dataclass(frozen=True, slots=True)
class Number:
    """The packet's number on its channel, from 1, and the stamp of the algorithm inside."""

    number: int
    inner: Stamp

    @property
    def entries(self) -> int:
        return 1 + self.inner.entries

    def write(self, to: shapes.Writer) -> None:
        to.uint(self.number)
        to.stamp(self.inner)

    @classmethod
    def read(cls, source: shapes.Reader) -> Number:
        return cls(source.uint(), source.stamp())


@values.storable("Numbered")
@dataclass(slots=True)
class Numbered:
    """`inner` over numbered channels.

    `early[p][n]` is packet n of p, which came before its predecessors. The channels in `stuck` have a packet whose
    predecessors are here too, and for which there was no room inside.
    """

    inner: Algorithm
    limit: int = HOLD_BACK_LIMIT
    sent: dict[ProcessId, int] = field(default_factory=dict)
    received: dict[ProcessId, int] = field(default_factory=dict)
    early: dict[ProcessId, dict[int, Packet]] = field(default_factory=dict)
    held: int = 0
    stuck: set[ProcessId] = field(default_factory=set)
    departed: set[ProcessId] = field(default_factory=set)

    @property
    def process(self) -> ProcessId:
        return self.inner.process

    @property
    def is_handing_over(self) -> bool:
        return isinstance(self.inner, HandsOver) and self.inner.is_handing_over

    @property
    def awaited_to_hand_over(self) -> set[ProcessId]:
        return self.inner.awaited_to_hand_over if isinstance(self.inner, HandsOver) else set()

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> list[Effect]:
        return self._number(self.inner.send(dests, payload)) + self._catch_up()

    def receive(self, packet: Packet) -> list[Effect]:
        checked_packet(packet)
        stamp, sender = packet.stamp, packet.sender
        if sender == self.process:
            raise RemoteViolation(f"a packet came to {sender} in its own name")
        if not isinstance(stamp, Number):
            raise RemoteViolation(f"{sender} sent a {type(stamp).__name__} without a channel number")
        bare = Packet(sender, packet.message, stamp.inner)
        early = self.early.get(sender, {})
        expected = self.received.get(sender, 0) + 1
        if sender in self.departed or stamp.number < expected or stamp.number in early:
            return []
        if stamp.number > expected:
            if self.held >= self.limit:
                raise HoldBackFull(
                    f"{self.held} packets wait for earlier ones of their channel, which is the limit: "
                    "offer this one later"
                )
            self.held += 1
            self.early.setdefault(sender, {})[stamp.number] = bare
            return []
        effects = self.inner.receive(bare)
        self.received[sender] = expected
        return self._number(effects) + self._catch_up(sender)

    def tick(self, now: float) -> list[Effect]:
        return self._number(self.inner.tick(now)) + self._catch_up()

    def pending(self) -> tuple[Pending, ...]:
        early = tuple(
            Pending(
                packet.message,
                (Need(sender, self.received.get(sender, 0) + 1, number - 1, f"packet|to {self.process}"),),
            )
            for sender, packets in sorted(self.early.items())
            for number, packet in sorted(packets.items())
            if packet.message is not None
        )
        return self.inner.pending() + early

    def join(self, process: ProcessId, groups: Iterable[GroupId] = ()) -> list[Effect]:
        return self._number(self.inner.join(process, groups))

    def leave(self, process: ProcessId) -> list[Effect]:
        effects = self._number(self.inner.leave(process))
        self.departed.add(process)
        self.stuck.discard(process)
        self.held -= len(self.early.pop(process, {}))
        for counted in (self.sent, self.received):
            counted.pop(process, None)
        return effects + self._catch_up()

    def snapshot(self) -> bytes:
        return values.dumps(self)

    def resume(self) -> None:
        self.inner.resume()

    def _catch_up(self, *channels: ProcessId) -> list[Effect]:
        """Take the packets that were early and now are not, on these channels and on those that were stuck."""
        effects: list[Effect] = []
        to_try = sorted({*channels, *self.stuck})
        while to_try:
            taken = self._take_early(to_try.pop(0), effects)
            if taken:
                to_try = sorted({*to_try, *self.stuck})  # there may be room now
        return effects

    def _take_early(self, sender: ProcessId, effects: list[Effect]) -> bool:
        """Return whether a packet was taken. A packet that the algorithm inside refuses is dropped: it was bad."""
        early = self.early.get(sender, {})
        before = len(early)
        self.stuck.discard(sender)
        while (number := self.received.get(sender, 0) + 1) in early:
            try:
                effects += self._number(self.inner.receive(early[number]))
            except RemoteViolation:
                pass  # refused now as it would have been on arrival; the channel goes on
            except HoldBackFull:
                self.stuck.add(sender)
                break
            del early[number]
            self.held -= 1
            self.received[sender] = number
        if not early:
            self.early.pop(sender, None)
        return len(early) < before

    def _number(self, effects: list[Effect]) -> list[Effect]:
        return [self._add_number(effect) if isinstance(effect, Transmit) else effect for effect in effects]

    def _add_number(self, effect: Transmit) -> Transmit:
        packet = effect.packet
        number = self.sent[effect.to] = self.sent.get(effect.to, 0) + 1
        return Transmit(effect.to, Packet(packet.sender, packet.message, Number(number, packet.stamp)))
