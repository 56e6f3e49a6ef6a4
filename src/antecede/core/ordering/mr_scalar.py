"""Mostefaoui-Raynal with one count for all groups (003 §5.2).

Guarantees causal order for multicast within overlapping groups over FIFO channels (`numbered=True` makes them so, at
one more count a packet). Its stamp is one integer, however many groups there are; the price is resynchronisation
packets in all groups, and waiting for them: it is not delay-optimal. Of `isis`, `mr` and `mr-scalar` it has the
smallest stamps and waits longest. The hold-back limit must be above what can be in flight, as with `mr`.

§5.2: "use only one integer to timestamp messages independently from the group they are multicast to. In that case a
process receiving a message m multicast to g_x would have to broadcast, if necessary, a resynch message to all the
groups it belongs to". The paper says no more. So a process has one phase, and the statements of §4.1 are those of one
group: the neighbours, who are all that share a group with this process. "If necessary" means to those neighbours who
have not been told of the phase yet:

    expected_i[j]  `expected[j]`: the next phase of neighbour j is at least this
    K_i            `phase`
    (ours)         `told[j]`: neighbour j knows that the next phase of this process is at least this

    GS1 `send`, GS2 `_arrive`, GS3 `_take_resynch`, GS4 `_unmet`, and the hold-back queue's rank

Safety: stamps grow along causality. If m1 precedes m2 and both came here, m2 waits until the sender of m1 is past the
phase of m1, so m1 has arrived, and has the lower rank. Liveness: who takes a message or a resynchronisation that says
"phase t" follows to t and sees to it that each neighbour is told of t, and each neighbour does the same. A sender tells
its own group only, so it may be ahead of what others know of it: what they are told decides, and not its own phase.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from antecede.core.effects import Deliver, Effect, Sent, SetTimer, Transmit
from antecede.core.errors import RemoteViolation
from antecede.core.holdback import HoldBack
from antecede.core.roster import Participant, checked_packet, checked_time
from antecede.core.snapshot import values
from antecede.core.types import GroupId, Message, Need, Packet, Pending, ProcessId, Reached
from antecede.core.wire import shapes


@shapes.stamp(25, "ScalarPhase")
@dataclass(frozen=True, slots=True)
class ScalarPhase:
    """Of a message, the phase it was sent in. Of a resynchronisation, the sender's next phase is not below this."""

    phase: int

    @property
    def entries(self) -> int:
        return 1

    def write(self, to: shapes.Writer) -> None:
        to.uint(self.phase)

    @classmethod
    def read(cls, source: shapes.Reader) -> ScalarPhase:
        return cls(source.uint())


@values.storable("ScalarPhases")
@dataclass(slots=True)
class ScalarPhases(Participant):
    """CTL_i with one integer. Neighbours are to be told of phase `due`; with a timer, since `behind_since`."""

    held: HoldBack = field(default_factory=HoldBack)
    resynch_after_s: float = 0.0
    expected: dict[ProcessId, int] = field(default_factory=dict)
    told: dict[ProcessId, int] = field(default_factory=dict)
    phase: int = 0
    due: int = 0
    behind_since: float | None = None
    now: float = 0.0

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> list[Effect]:
        message = self.roster.message(dests, payload)
        packet = Packet(self.process, message, ScalarPhase(self.phase))  # GS1
        self.phase += 1
        to = sorted(message.dests - {self.process})
        self.told.update(dict.fromkeys(to, self.phase))
        if not self._untold():
            self.behind_since = None  # §3.5: the message says it, and the timer is switched off
        return [Sent(message), *(Transmit(one, packet) for one in to), Deliver(message), *self._drain()]

    def receive(self, packet: Packet) -> list[Effect]:
        checked_packet(packet)
        if packet.sender in self.roster.departed:
            return []
        if not isinstance(packet.stamp, ScalarPhase):
            raise RemoteViolation(
                f"{packet.sender} sent a {type(packet.stamp).__name__}, which is of another algorithm"
            )
        if packet.message is not None:
            return self._arrive(packet, self.roster.accept(packet), packet.stamp.phase)
        return self._take_resynch(packet.sender, packet.stamp.phase)

    def tick(self, now: float) -> list[Effect]:
        self.now = checked_time(now)
        if self.behind_since is None or now < self.behind_since + self.resynch_after_s:
            return []
        return self._announce(self._untold())

    def pending(self) -> tuple[Pending, ...]:
        return self.held.pending(self._unmet)

    def join(self, process: ProcessId, groups: Iterable[GroupId] = ()) -> list[Effect]:
        known = self._neighbours()
        joined = self.roster.join(process, groups)
        self.held.resume(self._unmet, rank)  # what is held waits for the newcomer too, or later packets would overtake
        if process == self.process:
            to = [name for name in self._neighbours() if name not in known]
        else:
            to = [process] if any(group in self.roster.my_groups for group in joined) else []
        return self._announce(to) if to and self.phase else []

    def leave(self, process: ProcessId) -> list[Effect]:
        self.roster.leave(process)
        if process == self.process:
            return []
        for kept in (self.expected, self.told):
            kept.pop(process, None)
        self.held.give_up(process, rank)
        return self._drain()

    def resume(self) -> None:
        for packet in self.held.packets.values():
            assert packet.message is not None, "a control packet is held"
            assert isinstance(packet.stamp, ScalarPhase), "a packet of another algorithm is held"
        self.held.resume(self._unmet, rank)

    def _arrive(self, packet: Packet, message: Message, phase: int) -> list[Effect]:
        """Take a message: GS2. Channels are FIFO, so a phase below the one expected is that of a duplicate."""
        group = message.group
        if group not in self.roster.my_groups or message.dests - self.roster.groups[group] - self.roster.departed:
            raise RemoteViolation(f"{message.id} to group {group!r} with {sorted(message.dests)}: other members here")
        if phase < self.expected.get(packet.sender, 0):
            return []
        self.held.offer(packet, self._unmet(packet), phase)
        self._expect(packet.sender, phase + 1)
        effects = self._follow(phase + 1)
        return effects + self._drain()

    def _take_resynch(self, sender: ProcessId, phase: int) -> list[Effect]:
        """Take a resynchronisation: GS3."""
        if sender not in self._neighbours():
            raise RemoteViolation(f"{sender} resynchronised, and shares no group with {self.process}")
        self._expect(sender, phase)
        effects = self._follow(phase)
        return effects + self._drain()

    def _follow(self, phase: int) -> list[Effect]:
        """Bring this process up to `phase`, and say so in all its groups, at once or when the timer does (§3.5)."""
        self.phase = max(self.phase, phase)
        self.due = max(self.due, phase)
        untold = self._untold()
        if not untold or not self.resynch_after_s:
            return self._announce(untold)
        if self.behind_since is not None:
            return []
        self.behind_since = self.now
        return [SetTimer(self.now + self.resynch_after_s)]

    def _untold(self) -> list[ProcessId]:
        """Return the neighbours that do not know yet that this process follows: those to whom it is necessary."""
        return [name for name in self._neighbours() if self.told.get(name, 0) < self.due]

    def _announce(self, to: list[ProcessId]) -> list[Effect]:
        if self.process in self.roster.departed:
            return []  # nobody waits for a process that has left
        packet = Packet(self.process, None, ScalarPhase(self.phase))
        self.told.update(dict.fromkeys(to, self.phase))
        if not self._untold():
            self.behind_since = None
        return [Transmit(one, packet) for one in to]

    def _neighbours(self) -> list[ProcessId]:
        """Return the other processes that share a group with this one."""
        groups = self.roster.groups
        return sorted(frozenset[ProcessId]().union(*(groups[name] for name in self.roster.my_groups)) - {self.process})

    def _unmet(self, packet: Packet) -> Iterator[Need]:
        """Yield the neighbours that have not reached the phase the message was sent in: GS4."""
        phase = rank(packet)
        for neighbour in self._neighbours():
            known = self.expected.get(neighbour, 0)
            if known < phase and neighbour not in self.roster.departed:  # it may have left while this waited
                yield Need(neighbour, known + 1, phase, "phase|")

    def _expect(self, neighbour: ProcessId, phase: int) -> None:
        self.expected[neighbour] = max(self.expected.get(neighbour, 0), phase)
        self.held.reached(Reached(neighbour, self.expected[neighbour], "phase|"), rank)

    def _drain(self) -> list[Effect]:
        effects: list[Effect] = []
        while (packet := self.held.pop()) is not None:
            assert packet.message is not None
            effects.append(Deliver(packet.message))
        return effects


def rank(packet: Packet) -> int:
    """Return the timestamp, by which messages that become deliverable together are ordered."""
    assert isinstance(packet.stamp, ScalarPhase)
    return packet.stamp.phase
