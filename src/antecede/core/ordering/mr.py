"""Mostefaoui-Raynal: phases and resynchronisation, one count for each group (003 §4).

Guarantees causal order for multicast within overlapping groups over FIFO channels (`numbered=True` makes them so).
Its stamp is one count a group, far less than `isis`; the price is resynchronisation packets, and waiting for them:
it is not delay-optimal. With `acyclic=True` its stamp is the counts of the sender's own groups (§4.3, `core.acyclic`);
groups must not overlap in a cycle, nor two of them share two processes. With `own_count=False` a message does not
carry the count of its own group, which its receivers know on a FIFO channel (§4.1). With `bare_resynch=True` too, nor
do resynchronisations (`core.ordering.mr_bare_resynch`); then the channels must not duplicate. A message that is
refused for want of room holds up the resynchronisations behind it, so with a hold-back limit that is reached processes
may wait for each other for ever: keep it above what can be in flight.

    expected_i^x[j]  `expected[x][j]`: the next phase of j in group x is at least this
    K_i[x]           `phase[x]`: the highest phase known of group x; for a group of `me`, expected_i^x[i]
    pending_i        the hold-back queue, in which a message waits for a member of a group to reach a phase

    GS1 `send`, GS2 `_arrive`, GS3 `_take_resynch`, GS4 `_unmet`, and the hold-back queue's rank: messages that
    become deliverable together are delivered in the order of their timestamps (§3.1, GS4).

Of several values for `expected`, the greatest counts. A process that hears of a phase ahead of its own through a
resynchronisation follows it too, which is what makes a newcomer, who was not sent the message itself, catch up.
§3.5: with `resynch_after_s`, a process that falls behind sets a timer, and resynchronises only if it has sent
nothing by then.

A running process c joins a further group x (ours; the conclusion leaves it open). It calls `join` first, and waits for
all members from then on. The members call it later, one by one, with messages in flight. After its call a member sends
c all that it sends in x, its phase first, and nothing before. So when c has heard of a member in x, that member counts
it, and until c has heard of all (`awaited`), `send` to x is refused. Why order is kept:

* c delivers after all that precedes and is for it: the count in x goes by a member's first word to c, and rises by its
  packets, which are FIFO.
* A member that does not count c yet waits for no message of c to x, and there is none: the first one is sent after the
  calls of all, so what follows it meets members that wait for c. What c said of its phase before that is kept.

Without the refusal a message through a process outside the group overtakes that of c. Nobody else joins before all
have heard of c, or two who join might not count each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Self

from antecede.core.effects import Deliver, Effect, Sent, SetTimer, Transmit
from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.holdback import HoldBack
from antecede.core.roster import Participant, checked_packet, checked_time
from antecede.core.snapshot import values
from antecede.core.types import GroupId, Message, Need, Packet, Pending, ProcessId, Reached
from antecede.core.wire import shapes
from antecede.core.wire.fields import Fields


@dataclass(frozen=True, slots=True)
class PhaseCounts:
    """The wire form of a timestamp that has a phase for each of some groups."""

    phase: Mapping[GroupId, int]

    @property
    def entries(self) -> int:
        return len(self.phase)

    def write(self, to: shapes.Writer) -> None:
        to.vector(self.phase)

    @classmethod
    def read(cls, source: shapes.Reader) -> Self:
        return cls(source.vector())


@shapes.stamp(12, "PhaseStamp")
@dataclass(frozen=True, slots=True)
class PhaseStamp(PhaseCounts):
    """K: the phase of each group; of the message's own group too. Zeros are not sent."""


@shapes.stamp(27, "ShortPhaseStamp")
@dataclass(frozen=True, slots=True)
class ShortPhaseStamp(PhaseCounts):
    """K without the message's own group (§4.1): its phase there is the one that the receiver expects of the sender."""


@shapes.stamp(13, "Resynch")
@dataclass(frozen=True, slots=True)
class Resynch(Fields):
    """resynch(t, x): the sender's next phase in group x is not below t."""

    group: GroupId
    phase: int

    @property
    def entries(self) -> int:
        return 1


@values.storable("Phases", removed={3: ""}, added=1)
@dataclass(slots=True)
class Phases(Participant):
    """CTL_i, at process `roster.me`."""

    held: HoldBack = field(default_factory=HoldBack)
    resynch_after_s: float = 0.0
    expected: dict[GroupId, dict[ProcessId, int]] = field(default_factory=dict)
    phase: dict[GroupId, int] = field(default_factory=dict)
    arrived: dict[ProcessId, int] = field(default_factory=dict)
    behind: dict[GroupId, float] = field(default_factory=dict)
    now: float = 0.0
    awaited: dict[GroupId, set[ProcessId]] = field(default_factory=dict)

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> list[Effect]:
        if isinstance(dests, str) and dests in self.awaited:
            missing = sorted(self.awaited[dests])
            raise Misuse(
                f"{self.process!r} has joined group {dests!r} and heard nothing of {missing} in it: send to it when "
                "they have called join for it, too"
            )
        message = self.roster.message(dests, payload)
        assert message.group is not None
        packet = Packet(self.process, message, self._stamp(message.group))  # GS1
        self.phase[message.group] = self.phase.get(message.group, 0) + 1
        self._expect(message.group, self.process, self.phase[message.group])
        self.behind.pop(message.group, None)
        effects: list[Effect] = [Sent(message)]
        effects += [Transmit(to, packet) for to in self._others(message.group)]
        return [*effects, Deliver(message), *self._drain()]

    def receive(self, packet: Packet) -> list[Effect]:
        checked_packet(packet)
        if packet.sender in self.roster.departed:
            return []
        if packet.message is not None and isinstance(packet.stamp, PhaseStamp | ShortPhaseStamp):
            return self._arrive(packet.sender, self.roster.accept(packet), packet.stamp)
        if packet.message is None and isinstance(packet.stamp, Resynch):
            return self._take_resynch(packet.sender, packet.stamp)
        raise RemoteViolation(f"{packet.sender} sent a {type(packet.stamp).__name__}, which is of another algorithm")

    def tick(self, now: float) -> list[Effect]:
        self.now = checked_time(now)
        late = sorted(group for group, since in self.behind.items() if now >= since + self.resynch_after_s)
        effects = [effect for group in late for effect in self._catch_up(group)]
        return effects + self._drain()

    def pending(self) -> tuple[Pending, ...]:
        return self.held.pending(self._unmet)

    def join(self, process: ProcessId, groups: Iterable[GroupId] = ()) -> list[Effect]:
        joined = self.roster.join(process, groups)
        if process == self.process:  # from now on K[x] is the phase of a member, which the announcement below says
            for group in joined:
                self._expect(group, process, self.phase.get(group, 0))
            self.awaited |= {group: set(others) for group in joined if (others := self._others(group))}
        self.held.resume(self._unmet, rank)  # what is held waits for the newcomer too, or later packets would overtake
        mine = [group for group in joined if group in self.roster.my_groups]
        return [effect for group in mine for effect in self._announce(group)]

    def leave(self, process: ProcessId) -> list[Effect]:
        self.roster.leave(process)
        if process == self.process:
            return []
        self.arrived.pop(process, None)
        for row in self.expected.values():
            row.pop(process, None)
        for group in list(self.awaited):
            self._hear(group, process)
        self.held.give_up(process, rank)
        return self._drain()

    def resume(self) -> None:
        assert self.behind.keys() <= self.roster.groups.keys(), "behind in a group that there is not"
        assert all(packet.message is not None for packet in self.held.packets.values()), "a control packet is held"
        self.held.resume(self._unmet, rank)

    def _arrive(self, sender: ProcessId, message: Message, stamp: PhaseStamp | ShortPhaseStamp) -> list[Effect]:
        """Take a message: GS2. Channels are FIFO, so a number at or below the last one is a duplicate."""
        group = message.group
        if group not in self.roster.my_groups or message.dests - self.roster.processes - self.roster.departed:
            raise RemoteViolation(f"{message.id} to group {group!r} with {sorted(message.dests)}: other members here")
        if message.id.seq <= self.arrived.get(sender, 0):
            return []
        whole = self._complete(sender, group, stamp)
        packet, phase = Packet(sender, message, whole), whole.phase.get(group, 0)
        self.held.offer(packet, self._unmet(packet), rank(packet))
        self.arrived[sender] = message.id.seq
        self._hear(group, sender)
        self._expect(group, sender, phase + 1)
        effects = self._follow(group, phase + 1)
        return effects + self._drain()

    def _hear(self, group: GroupId, member: ProcessId) -> None:
        """Note that `member` counts this process as a member, or has left."""
        awaited = self.awaited.get(group, set())
        awaited.discard(member)
        if not awaited:
            self.awaited.pop(group, None)

    def _complete(self, sender: ProcessId, group: GroupId, stamp: PhaseStamp | ShortPhaseStamp) -> PhaseStamp:
        """Return the timestamp with the phase in the message's own group, which a short one leaves out."""
        if isinstance(stamp, PhaseStamp):
            return stamp
        known = self.expected.get(group, {}).get(sender, 0)
        return PhaseStamp({**stamp.phase, group: known} if known else stamp.phase)

    def _take_resynch(self, sender: ProcessId, stamp: Resynch) -> list[Effect]:
        """Take a resynchronisation: GS3."""
        if stamp.group not in self.roster.my_groups or sender not in self.roster.processes:
            raise RemoteViolation(f"{sender} resynchronised group {stamp.group!r}: no such member here")
        self._hear(stamp.group, sender)
        self._expect(stamp.group, sender, stamp.phase)
        effects = self._follow(stamp.group, stamp.phase)
        return effects + self._drain()

    def _follow(self, group: GroupId, phase: int) -> list[Effect]:
        """Bring this process up to `phase`, at once or when the timer says so: the end of GS2."""
        if self.phase.get(group, 0) >= phase:
            return []
        self.phase[group] = phase
        self._expect(group, self.process, phase)
        if not self.resynch_after_s:
            return self._catch_up(group)
        if group in self.behind:
            return []
        self.behind[group] = self.now
        return [SetTimer(self.now + self.resynch_after_s)]

    def _catch_up(self, group: GroupId) -> list[Effect]:
        self.behind.pop(group, None)
        return self._announce(group)

    def _announce(self, group: GroupId) -> list[Effect]:
        if self.process in self.roster.departed:
            return []  # nobody waits for a process that has left
        packet = Packet(self.process, None, Resynch(group, self.phase.get(group, 0)))
        return [Transmit(to, packet) for to in self._others(group)]

    def _unmet(self, packet: Packet) -> Iterator[Need]:
        """Yield the members of this process's groups that have not reached the phase the message was sent in: GS4."""
        assert isinstance(packet.stamp, PhaseStamp)
        for group in self.roster.my_groups:
            phase = packet.stamp.phase.get(group, 0)
            for member in sorted(self.roster.groups[group]):
                known = self.expected.get(group, {}).get(member, 0)
                if known < phase and member not in self.roster.departed:  # it may have left while this waited
                    yield Need(member, known + 1, phase, f"phase|in {group}")

    def _expect(self, group: GroupId, member: ProcessId, phase: int) -> None:
        row = self.expected.setdefault(group, {})
        row[member] = max(row.get(member, 0), phase)
        self.held.reached(Reached(member, row[member], f"phase|in {group}"), rank)

    def _stamp(self, group: GroupId) -> PhaseStamp | ShortPhaseStamp:  # noqa: ARG002 - other forms need the group
        """Return the timestamp of a message to `group`."""
        return PhaseStamp(self._phases())

    def _phases(self) -> dict[GroupId, int]:
        return {group: phase for group, phase in sorted(self.phase.items()) if phase}

    def _others(self, group: GroupId) -> list[ProcessId]:
        return sorted(self.roster.groups[group] - {self.process})

    def _drain(self) -> list[Effect]:
        effects: list[Effect] = []
        while (packet := self.held.pop()) is not None:
            assert packet.message is not None
            assert isinstance(packet.stamp, PhaseStamp)
            for group, phase in packet.stamp.phase.items():
                if group not in self.roster.my_groups:
                    self.phase[group] = max(self.phase.get(group, 0), phase)
            effects.append(Deliver(packet.message))
        return effects


@values.storable("ShortPhases", added=1)
@dataclass(slots=True)
class ShortPhases(Phases):
    """CTL_i whose messages leave out the count of their own group (§4.1).

    The others expect of this process the phase of its last message plus one, or of its last resynchronisation. That is
    its own phase, unless it waits for a timer before it resynchronises (§3.5): then its message carries the count.
    Resynchronisations carry their phase; `mr_bare_resynch` leaves it out.
    """

    def _stamp(self, group: GroupId) -> PhaseStamp | ShortPhaseStamp:
        whole = self._phases()
        if group in self.behind:
            return PhaseStamp(whole)
        return ShortPhaseStamp({each: phase for each, phase in whole.items() if each != group})


def rank(packet: Packet) -> int:
    """Return the sum of the timestamp: if K1 < K2 then the sum of K1 is below that of K2."""
    assert isinstance(packet.stamp, PhaseStamp)
    return sum(packet.stamp.phase.values())
