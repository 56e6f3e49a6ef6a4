"""Mostefaoui-Raynal for one group: messages carry no stamp at all (003 §3.2 and §3.3, repaired).

Guarantees causal order for broadcast over FIFO channels (`numbered=True` makes them so, at one count a packet). Its
stamp is nothing; the price is resynchronisation packets and waiting for them: it is not delay-optimal.

On a FIFO channel the phase of a message is the one expected of its sender: one more than that of its last message,
or what its last resynchronisation said. With `resynch_after_s` (§3.5) a process that has moved on without saying so
stamps its next message with its phase, in place of the resynchronisation that it saves.

    expected_i[j]  `expected[j]`;  expected_i[i]  `expected[me]`
    BS1 `send`, BS2 `_arrive`, BS3 `_take_resynch`, BS4 `_unmet`

§3.3 says that resynchronisations need not carry their phase either, because successive timestamps grow by one, two,
one or nothing. By its statements that is false, since a process may fall behind by several phases at once. Here they
carry it. (It is true of processes that follow resynchronisations too: `mr_bare_resynch`, if channels do not duplicate.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from antecede.core.effects import Deliver, Effect, Sent, SetTimer, Transmit
from antecede.core.errors import RemoteViolation
from antecede.core.holdback import HoldBack
from antecede.core.ordering.mr import PhaseStamp, Resynch, rank
from antecede.core.ordering.none import NoStamp
from antecede.core.roster import Participant, checked_packet, checked_time
from antecede.core.snapshot import values
from antecede.core.types import GroupId, Message, Need, Packet, Pending, ProcessId, Reached

EVERYONE = "everyone"
"""The name of the one group, in packets that name their group."""


@values.storable("BroadcastPhases", removed={3: ""})
@dataclass(slots=True)
class BroadcastPhases(Participant):
    """CTL_i of the basic protocol. A held packet has its inferred phase as a stamp."""

    held: HoldBack = field(default_factory=HoldBack)
    resynch_after_s: float = 0.0
    expected: dict[ProcessId, int] = field(default_factory=dict)
    arrived: dict[ProcessId, int] = field(default_factory=dict)
    behind_since: float | None = None
    now: float = 0.0

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> list[Effect]:
        message = self.roster.message(dests, payload)
        silent = self.behind_since is not None  # others do not know the phase yet: this message tells them
        packet = Packet(self.process, message, PhaseStamp({EVERYONE: self._phase}) if silent else NoStamp())  # BS1
        self._expect(self.process, self._phase + 1)
        self.behind_since = None
        effects: list[Effect] = [Sent(message)]
        effects += [Transmit(to, packet) for to in self.roster.others]
        if self.process in message.dests:
            effects.append(Deliver(message))
        return effects + self._drain()

    def receive(self, packet: Packet) -> list[Effect]:
        checked_packet(packet)
        if packet.sender in self.roster.departed:
            return []
        if packet.message is not None and isinstance(packet.stamp, NoStamp | PhaseStamp):
            return self._arrive(packet, self.roster.accept(packet))
        if packet.message is None and isinstance(packet.stamp, Resynch):
            return self._take_resynch(packet.sender, packet.stamp)
        raise RemoteViolation(f"{packet.sender} sent a {type(packet.stamp).__name__}, which is of another algorithm")

    def tick(self, now: float) -> list[Effect]:
        self.now = checked_time(now)
        if self.behind_since is None or now < self.behind_since + self.resynch_after_s:
            return []
        return self._announce()

    def pending(self) -> tuple[Pending, ...]:
        return self.held.pending(self._unmet)

    def join(self, process: ProcessId, groups: Iterable[GroupId] = ()) -> list[Effect]:
        self.roster.join(process, groups)
        self.held.resume(self._unmet, rank)  # what is held waits for the newcomer too, or later packets would overtake
        return self._announce()

    def leave(self, process: ProcessId) -> list[Effect]:
        self.roster.leave(process)
        if process == self.process:
            return []
        for kept in (self.arrived, self.expected):
            kept.pop(process, None)
        self.held.give_up(process, rank)
        return self._drain()

    def resume(self) -> None:
        assert all(packet.message is not None for packet in self.held.packets.values()), "a control packet is held"
        self.held.resume(self._unmet, rank)

    @property
    def _phase(self) -> int:
        return self.expected.get(self.process, 0)

    def _arrive(self, packet: Packet, message: Message) -> list[Effect]:
        """Take a message: BS2. Channels are FIFO, so a number at or below the last one is a duplicate."""
        if message.id.seq <= self.arrived.get(packet.sender, 0):
            return []
        phase = self.expected.get(packet.sender, 0)
        if isinstance(packet.stamp, PhaseStamp):
            phase = max(phase, packet.stamp.phase.get(EVERYONE, 0))
        stamped = Packet(packet.sender, message, PhaseStamp({EVERYONE: phase}))
        self.held.offer(stamped, self._unmet(stamped), phase)
        self.arrived[packet.sender] = message.id.seq
        self._expect(packet.sender, phase + 1)
        effects = self._follow(phase + 1)
        return effects + self._drain()

    def _take_resynch(self, sender: ProcessId, stamp: Resynch) -> list[Effect]:
        """Take a resynchronisation: BS3."""
        self._expect(sender, stamp.phase)
        effects = self._follow(stamp.phase)
        return effects + self._drain()

    def _follow(self, phase: int) -> list[Effect]:
        """Bring this process up to `phase`, and say so at once or when the timer does (§3.5): the end of BS2."""
        if self._phase >= phase:
            return []
        self._expect(self.process, phase)
        if not self.resynch_after_s:
            return self._announce()
        if self.behind_since is not None:
            return []
        self.behind_since = self.now
        return [SetTimer(self.now + self.resynch_after_s)]

    def _announce(self) -> list[Effect]:
        self.behind_since = None
        if self.process in self.roster.departed:
            return []  # nobody waits for a process that has left
        packet = Packet(self.process, None, Resynch(EVERYONE, self._phase))
        return [Transmit(to, packet) for to in self.roster.others]

    def _unmet(self, packet: Packet) -> Iterator[Need]:
        """Yield the processes that have not reached the phase the message was sent in: BS4."""
        assert isinstance(packet.stamp, PhaseStamp)
        phase = packet.stamp.phase[EVERYONE]
        for member in sorted(self.roster.processes):
            known = self.expected.get(member, 0)
            if known < phase and member not in self.roster.departed:  # it may have left while this waited
                yield Need(member, known + 1, phase, "phase|")

    def _expect(self, member: ProcessId, phase: int) -> None:
        self.expected[member] = max(self.expected.get(member, 0), phase)
        self.held.reached(Reached(member, self.expected[member], "phase|"), rank)

    def _drain(self) -> list[Effect]:
        effects: list[Effect] = []
        while (packet := self.held.pop()) is not None:
            assert packet.message is not None
            effects.append(Deliver(packet.message))
        return effects
