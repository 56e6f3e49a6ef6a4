"""Mostefaoui-Raynal whose resynchronisations do not carry their phase: the option `bare_resynch` of `mr` (003 §4.1).

§4.1: "If channels are FIFO resynch do not have to carry timestamp", because by §3.3 they rise by two after a message
and by one after each other. By the statements of the paper this is false: who hears a message may skip many phases
at once (the errata of §3.3). It is true of `Phases`, which follows a resynchronisation as it follows a message:

    Each packet of a process about group x, message or resynchronisation, raises its phase there by one.

By induction: let j take packet n of i, which left i in phase n. Channels are FIFO, so j took packet n - 1 of i before,
and has been in phase n - 1 since; so it follows by one phase at most, and says so in one packet. Therefore the option
costs no packet. Without a count a resynchronisation raises what is expected of its sender by one.

A duplicate cannot be told from the next one, so the channels must not duplicate; `numbered=True` makes them so. A
resynchronisation that stands for several phases carries its count still. There are such only if a process waits for a
timer (§3.5), or when somebody joins: what is said to a newcomer, and what it says first.

    told_i^x  `told[x]`: the phase that the others expect of this process, once what it has sent has arrived. It is
              below K_i[x] only while this process waits for its timer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from antecede.core.effects import Effect, Sent, Transmit
from antecede.core.ordering.mr import Phases, Resynch, ShortPhases
from antecede.core.roster import checked_packet
from antecede.core.snapshot import values
from antecede.core.types import GroupId, Packet, ProcessId
from antecede.core.wire import shapes
from antecede.core.wire.fields import Fields


@shapes.stamp(34, "BareResynch")
@dataclass(frozen=True, slots=True)
class BareResynch(Fields):
    """resynch(x): the sender sends no message in the phase of group x that its receiver expects of it next."""

    group: GroupId


@values.storable("BarePhases")
@dataclass(slots=True)
class BarePhases(ShortPhases):
    """CTL_i whose resynchronisations carry no count, unless they stand for several phases."""

    told: dict[GroupId, int] = field(default_factory=dict)

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> list[Effect]:
        effects = Phases.send(self, dests, payload)
        assert isinstance(effects[0], Sent)
        group = effects[0].message.group
        assert group is not None
        self.told[group] = self.phase[group]
        return effects

    def receive(self, packet: Packet) -> list[Effect]:
        checked_packet(packet)
        if packet.message is None and isinstance(packet.stamp, BareResynch):
            group = packet.stamp.group
            following = self.expected.get(group, {}).get(packet.sender, 0) + 1
            packet = Packet(packet.sender, None, Resynch(group, following))
        return Phases.receive(self, packet)

    def _catch_up(self, group: GroupId) -> list[Effect]:
        """Say that this process has moved on: without the count, if by one phase."""
        skipped = self.phase.get(group, 0) - self.told.get(group, 0)
        if skipped != 1 or self.process in self.roster.departed:
            return Phases._catch_up(self, group)
        self.behind.pop(group, None)
        self.told[group] = self.phase[group]
        packet = Packet(self.process, None, BareResynch(group))
        return [Transmit(to, packet) for to in self._others(group)]

    def _announce(self, group: GroupId) -> list[Effect]:
        self.told[group] = self.phase.get(group, 0)
        return Phases._announce(self, group)
