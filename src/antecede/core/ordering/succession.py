"""How a representative of `hierarchy` hands its role over to another process of its cluster, and leaves.

A *role* is what a representative does for its cluster (002 §7.1). It has the name of the process that played it first.
The inner algorithm knows roles only, so nothing changes there when another process plays one. The neighbours of a
player are the processes of its cluster and the players of the other roles. Nobody else exchanges packets with it.

    r, which leaves               each neighbour of r               s, the first of its cluster by name
      Resign ------------------>    keeps what it would send to r
      keeps all that it would send
           <--------------- Quiet
      when all are quiet:
      RolePart, RolePart ... ------------------------------------>    plays the role
           <------------------------ <-------------------- Succeed
      may go                        sends what it kept to s           sends what r kept

Nothing is lost, repeated or overtaken. Channels are FIFO. On the channel between r and a neighbour, `Resign` is the
last packet of r, and `Quiet` is the last packet to r. So when all are quiet, nothing is on its way to or from r, and
all that came to r is in the state that s gets. `Succeed` is the first packet of s as a player, and nobody sends s a
packet for the role before. So the role has one FIFO channel with each neighbour, before and after: it is one process
that was slow for a while. No application has to stop sending. Processes of other clusters hear of nothing.

One representative leaves at a time, and newcomers come before or after (`algorithm`, duty 5). If r is alone in its
cluster, its role ends with it, and the inner algorithm of the others forgets it. The paper has no representatives that
leave: this is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field

from antecede.core.algorithm import Algorithm
from antecede.core.effects import Effect, Transmit
from antecede.core.errors import RemoteViolation
from antecede.core.ordering.hops import Across, Up
from antecede.core.snapshot import values
from antecede.core.types import Message, MessageId, Need, Packet, Pending, ProcessId
from antecede.core.wire import shapes
from antecede.core.wire.fields import Empty, Fields

PART_BYTES_MAX = 2**18
PARTS_MAX = 2**12
"""A role is at most this many parts, which is a gibibyte: who is sent more is not sent a role."""


@shapes.stamp(29, "Resign")
@dataclass(frozen=True, slots=True)
class Resign(Empty):
    """From a representative that leaves: send me nothing until my successor says that it plays my role."""


@shapes.stamp(30, "Quiet")
@dataclass(frozen=True, slots=True)
class Quiet(Empty):
    """The answer to `Resign`: this is the last packet to you."""


@shapes.stamp(31, "RolePart")
@dataclass(frozen=True, slots=True)
class RolePart(Fields):
    """Part `number` of the `count` parts of a stored `Role`, for the successor."""

    number: int
    count: int
    data: bytes


@shapes.stamp(32, "Succeed")
@dataclass(frozen=True, slots=True)
class Succeed(Fields):
    """The sender plays the role from now on."""

    role: str


@values.storable("Role")
@dataclass(frozen=True, slots=True)
class Role:
    """All that a successor needs: the inner process, what it carries, who is where, and what was not sent yet."""

    inner: Algorithm
    carried: dict[MessageId, Message]
    representative: dict[ProcessId, ProcessId]
    players: dict[ProcessId, ProcessId]
    kept: list[tuple[ProcessId, Packet]]

    def keeps_messages_for(self, names: Container[ProcessId]) -> bool:
        """Return whether all that was not sent yet are hops of messages, to processes of these names."""
        return all(to in names and _is_hop(packet) for to, packet in self.kept)

    def as_parts(self) -> list[RolePart]:
        """Return the parts in which the role travels."""
        data = values.dumps(self)
        chunks = [data[at : at + PART_BYTES_MAX] for at in range(0, len(data), PART_BYTES_MAX)]
        return [RolePart(number, len(chunks), chunk) for number, chunk in enumerate(chunks, start=1)]


def read_role(data: bytes, may_be_inside: Callable[[object], bool]) -> Role:
    """Return the role that `as_parts` was called for. Raise `RemoteViolation` if `data` is not a role, or its algorithm
    is none that `may_be_inside` a hierarchy.
    """
    role = values.loads(data)
    if not isinstance(role, Role) or not may_be_inside(role.inner):
        raise RemoteViolation(f"a {type(role).__name__} where a role was expected")
    values.resume(role.inner)
    if not {pending.message.id for pending in role.inner.pending()} <= role.carried.keys():
        raise RemoteViolation("a role in which a message is held back that is not carried")
    return role


def check_part(part: RolePart, had: int) -> None:
    """Raise `RemoteViolation` if this is not the next part of a role, of which there are `had`."""
    if len(part.data) > PART_BYTES_MAX:
        raise RemoteViolation(f"a part of a role with {len(part.data)} bytes, where {PART_BYTES_MAX} are the most")
    if not had + 1 == part.number <= part.count <= PARTS_MAX:
        raise RemoteViolation(f"part {part.number} of {part.count} of a role, after part {had}")


def _is_hop(packet: Packet) -> bool:
    """Return whether this is a packet that a player may keep: one hop of a message."""
    return packet.message is not None and isinstance(packet.stamp, Up | Across)


@values.storable("Succession")
@dataclass(slots=True)
class Succession:
    """What one process knows of roles that are handed over.

    `players[role]` is the process that plays a role, if that is not the one it is named after. Nothing may be sent to
    the processes in `quiet`, who have resigned, nor to anybody if this process is `resigning`: `kept` is what would
    have been sent, and to whom. A process that resigns waits for the answers of `awaited`, and is in its own `quiet`
    after that. A successor has the first `parts` of its role.
    """

    players: dict[ProcessId, ProcessId] = field(default_factory=dict)
    quiet: set[ProcessId] = field(default_factory=set)
    kept: list[tuple[ProcessId, Packet]] = field(default_factory=list)
    resigning: bool = False
    awaited: set[ProcessId] = field(default_factory=set)
    parts: list[bytes] = field(default_factory=list)

    def check(self) -> None:
        """Check what was read from a snapshot."""
        assert all(_is_hop(packet) for _, packet in self.kept), "a packet is kept that is not one of a message"

    def player(self, role: ProcessId) -> ProcessId:
        return self.players.get(role, role)

    def role_of(self, player: ProcessId) -> ProcessId:
        """Return the role that a process plays if it plays one. A process that has handed its role over has none."""
        if not self.players:
            return player
        found = (role for role, process in sorted(self.players.items()) if process == player)
        return next(found, "" if player in self.players else player)

    def keep(self, effects: list[Effect]) -> list[Effect]:
        """Return the effects that can be carried out now, and keep the others."""
        if not self.resigning and not self.quiet:
            return effects
        out: list[Effect] = []
        for effect in effects:
            if isinstance(effect, Transmit) and (self.resigning or effect.to in self.quiet):
                self.kept.append((effect.to, effect.packet))
            else:
                out.append(effect)
        return out

    def release(self, player: ProcessId, successor: ProcessId) -> list[Effect]:
        """Return what was kept for a player as transmissions to its successor."""
        released = [packet for to, packet in self.kept if to == player]
        self.forget(player)
        return [Transmit(successor, packet) for packet in released]

    def forget(self, player: ProcessId) -> None:
        """Stop waiting for the successor of a player. Drop what was kept for the player."""
        self.quiet.discard(player)
        self.kept = [(to, packet) for to, packet in self.kept if to != player]

    def pending(self, process: ProcessId) -> Iterable[Pending]:
        """Return the messages that are kept at `process`, each once."""
        waiting: dict[MessageId, Pending] = {}
        for to, packet in self.kept:
            assert packet.message is not None, "a control packet is kept"
            need = Need(process if self.resigning else to, 1, 1, "successor|")
            waiting.setdefault(packet.message.id, Pending(packet.message, (need,)))
        return waiting.values()
