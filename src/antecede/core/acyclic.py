"""Groups without cycles: `isis` and `mr` with stamps about one group (003 §2.3, §4.3).

`AcyclicGroups` is an algorithm around an algorithm. It needs a graph of groups without a cycle in which no two groups
share more than one process, and refuses all others. There, "a process then manages only control information related
to groups it belongs to" (§4.3). Whoever receives a message shares with its sender the group of the message and no
other. So nobody would read what a stamp says about further groups, and the stamp is about this group alone.

Why it is enough: let m1 precede m2, and let both be for process d. If they are for two groups, d is the only way from
one group to the other, so d itself delivered m1 before it took part in what led to m2. If they are for the same group,
every detour through other groups leaves and returns through one process, which knows the counts of the group.

A process that left still counts as a member of its groups: what it passed on may be on its way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from antecede.core.algorithm import Algorithm
from antecede.core.effects import Effect, Transmit
from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.group_graph import group_graph
from antecede.core.ordering.isis import IsisStamp
from antecede.core.ordering.mr import PhaseStamp
from antecede.core.roster import checked_names, checked_packet
from antecede.core.snapshot import values
from antecede.core.types import GroupId, Packet, Pending, ProcessId

T = TypeVar("T")


@values.storable("AcyclicGroups")
@dataclass(slots=True)
class AcyclicGroups:
    """`inner` with stamps about the group of the message alone. `members` are all that a group ever had."""

    inner: Algorithm
    members: dict[GroupId, frozenset[ProcessId]]

    @property
    def process(self) -> ProcessId:
        return self.inner.process

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> list[Effect]:
        effects = self.inner.send(dests, payload)
        copies = [effect for effect in effects if isinstance(effect, Transmit)]
        if not copies:
            return effects
        packet = _reduce(copies[0].packet)  # it is the same for all destinations
        return [Transmit(effect.to, packet) if isinstance(effect, Transmit) else effect for effect in effects]

    def receive(self, packet: Packet) -> list[Effect]:
        checked_packet(packet)
        if packet.message is not None and _reduce(packet) != packet:
            raise RemoteViolation(
                f"the stamp of {packet.message.id} is about other groups than {packet.message.group!r}: "
                f"{packet.sender} was made without acyclic=True"
            )
        return self.inner.receive(packet)

    def tick(self, now: float) -> list[Effect]:
        return self.inner.tick(now)

    def pending(self) -> tuple[Pending, ...]:
        return self.inner.pending()

    def join(self, process: ProcessId, groups: Iterable[GroupId] = ()) -> list[Effect]:
        joined = frozenset(checked_names("groups", groups))
        checked_names("a process", [process])
        members = {name: who | {process} if name in joined else who for name, who in self.members.items()}
        check_acyclic(members)
        effects = self.inner.join(process, joined)
        self.members = members
        return effects

    def leave(self, process: ProcessId) -> list[Effect]:
        return self.inner.leave(process)

    def snapshot(self) -> bytes:
        return values.dumps(self)

    def resume(self) -> None:
        self.inner.resume()


def check_acyclic(groups: Mapping[GroupId, Iterable[ProcessId]]) -> None:
    """Raise `Misuse`, which names the cycle, if a stamp about one group is not enough among these groups."""
    obstacle = group_graph(groups).obstacle
    if obstacle:
        raise Misuse(f"acyclic=True does not keep causal order in these groups: {obstacle}. Leave the option out")


def _reduce(packet: Packet) -> Packet:
    """Return the packet with what its stamp says about the group of the message, and nothing else."""
    message, stamp = packet.message, packet.stamp
    assert message is not None
    if isinstance(stamp, IsisStamp):
        return Packet(packet.sender, message, IsisStamp(_only(message.group, stamp.vectors)))
    if isinstance(stamp, PhaseStamp):
        return Packet(packet.sender, message, PhaseStamp(_only(message.group, stamp.phase)))
    return packet  # a stamp of another algorithm, which the algorithm inside refuses


def _only(group: GroupId | None, counts: Mapping[GroupId, T]) -> dict[GroupId, T]:
    return {name: count for name, count in counts.items() if name == group}
