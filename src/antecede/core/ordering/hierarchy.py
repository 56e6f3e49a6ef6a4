"""Representatives forward: a causal order among few instead of among all (002 §7.1, asymmetric organisation).

Guarantees causal order for any multicast over any channels that lose nothing. Its stamp is that of the inner
algorithm, by default `ks`, which only the representatives run; between a process and its representative there is a
channel number and nothing else. The price is two more hops; it is not delay-optimal.

Processes are in clusters, each with a representative, which is one of them. A message goes up to the representative
of its sender, across to the representatives of its destinations, and down to them. What a process has delivered
before it sends came down from the same representative that its message goes up to, so the inner algorithm sees
every dependency. The channels up and down must be FIFO, and are numbered.

"This logic can be extended to a multi-level hierarchy" (§7.1): the inner algorithm of the representatives may be such a
hierarchy itself, in which some of them represent the others. `representatives` is then a list with the clusters of each
level, the lowest first.

    c -- up --> b -- up --> a -- across --> d -- down --> e -- down --> f       a = {b}, d = {e}  among a, b, d, e
                                                                                b = {c}, e = {f}  among all

A representative may leave: it hands its role over to another process of its cluster (`succession`).

A representative is a causal separator (000 §3): give as representatives the articulation points of the network, each
with the processes of its side, as `antecede.locality.separate` finds them. A message to another side carries no
dependency of its own side. With `prs` or `ks` inside, it also carries less as traffic allows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from antecede.core.algorithm import Algorithm
from antecede.core.effects import Deliver, Effect, Sent, Transmit
from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.ordering.hops import Across, Down, Up
from antecede.core.ordering.representatives import INNER, place
from antecede.core.ordering.succession import Quiet, Resign, Role, RolePart, Succeed, Succession, check_part, read_role
from antecede.core.process import Process
from antecede.core.roster import Participant, Roster, checked_packet
from antecede.core.snapshot import values
from antecede.core.types import GroupId, Message, MessageId, Need, Packet, Pending, ProcessId, Stamp


@values.storable("Hierarchy", added=1)
@dataclass(slots=True)
class Hierarchy(Participant):
    """`representative[p]` is the role that p goes through. Only players of a role have an `inner` algorithm, which is
    named after the role and carries the messages `carried`.
    """

    representative: dict[ProcessId, ProcessId]
    inner: Algorithm | None
    carried: dict[MessageId, Message]
    succession: Succession = field(default_factory=Succession)

    @property
    def is_handing_over(self) -> bool:
        if self.process not in self.roster.departed:
            return False
        return self.process in self.succession.quiet or (self.inner is not None and bool(self._cluster()))

    @property
    def awaited_to_hand_over(self) -> set[ProcessId]:
        state = self.succession
        if self.process in state.quiet:  # the successor has the role, and has not said so
            return set(self._members(self.representative[self.process], self.process)[:1])
        return state.awaited | state.quiet if self.is_handing_over else set()

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> list[Effect]:
        message = self.roster.message(dests, payload)
        effects: list[Effect] = [Sent(message)]
        if self.process in message.dests:
            effects.append(Deliver(message))
        if message.dests == {self.process}:
            return effects
        if self.inner is not None:
            effects += self._forward(message)
        else:
            through = self.succession.player(self.representative[self.process])
            effects.append(Transmit(through, Packet(self.process, message, Up())))
        return self.succession.keep(effects)

    def receive(self, packet: Packet) -> list[Effect]:
        checked_packet(packet)
        if packet.message is None:
            return self._take_control(packet.sender, packet.stamp)
        return self.succession.keep(self._take(packet, packet.message))

    def pending(self) -> tuple[Pending, ...]:
        kept = tuple(self.succession.pending(self.process))
        if self.inner is None:
            return kept
        held = (
            Pending(self.carried[held.message.id], tuple(_across(need) for need in held.needs))
            for held in self.inner.pending()
        )
        return (*held, *kept)

    def join(self, process: ProcessId, groups: Iterable[GroupId] = ()) -> list[Effect]:
        self.roster.join(process, groups)
        if process in self.representative:
            return []
        self.representative[process] = self._representative_of(process)
        if not self.succession.resigning or process not in self._cluster():
            return []
        self.succession.awaited.add(process)
        return [Transmit(process, Packet(self.process, None, Resign()))]

    def leave(self, process: ProcessId) -> list[Effect]:
        self.roster.check_present(process)
        self._check_departure(process)
        self.roster.leave(process)
        if process == self.process:
            return self._resign()
        effects = self.succession.keep(self._end_role(process))
        self.succession.awaited.discard(process)
        return effects + self._resign() + self._hand_over()  # a successor that leaves too, once who came before is gone

    def resume(self) -> None:
        assert self.process in self.representative, f"{self.process} has no representative"
        state = self.succession
        state.check()
        is_leaving = self.inner is not None and self.process in self.roster.departed
        assert is_leaving or not state.resigning, "it resigns, and does not leave, or plays no role"
        if self.inner is not None:
            assert _may_be_inside(self.inner), "an algorithm is inside that cannot be"
            self.inner.resume()
            held = {pending.message.id for pending in self.inner.pending()}
            assert held <= self.carried.keys(), "a message is held back that is not carried"

    def _representative_of(self, process: ProcessId) -> ProcessId:
        return self.representative.get(process) or place(process, sorted(set(self.representative.values())))

    # Messages.

    def _take(self, packet: Packet, message: Message) -> list[Effect]:
        stamp, sender = packet.stamp, packet.sender
        if not isinstance(stamp, Up | Across):
            raise RemoteViolation(f"{sender} sent a {type(stamp).__name__}, which is of another algorithm")
        if isinstance(stamp, Down):
            player = self.succession.player(self.representative[self.process])
            if sender != player or self.process not in message.dests:
                raise RemoteViolation(
                    f"{message.id} came down from {sender} to {self.process}, where it does not belong"
                )
            return [Deliver(message)]
        if self.inner is None:
            raise RemoteViolation(f"{message.id} came to {self.process}, which does not represent other processes")
        if isinstance(stamp, Across):
            return self._arrive(sender, message, stamp)
        if self._representative_of(sender) != self.inner.process or message.id.sender != sender:
            raise RemoteViolation(f"{message.id} came up from {sender}, which {self.process} does not represent")
        if message.dests <= {sender}:
            raise RemoteViolation(f"{message.id} came up from {sender}, and has no other destination")
        return self._forward(message)

    def _forward(self, message: Message) -> list[Effect]:
        """Send a message that came up across to the representatives of its destinations; this may be one of them."""
        assert self.inner is not None
        to = {self._representative_of(dest) for dest in message.dests - {message.id.sender}}
        effects = self.inner.send(to, b"")
        sent = effects[0]
        assert isinstance(sent, Sent)
        self.carried[sent.message.id] = message
        return self._translate(effects)

    def _arrive(self, sender: ProcessId, message: Message, stamp: Across) -> list[Effect]:
        assert self.inner is not None
        role = self.succession.role_of(sender)
        if stamp.id.sender != role and not isinstance(self.inner, Hierarchy):  # which forwards, and checks it
            raise RemoteViolation(f"{sender} forwarded {message.id} in the name of {stamp.id.sender}")
        if stamp.id in self.carried:
            raise RemoteViolation(f"{sender} forwarded {message.id} as {stamp.id}, which is another message")
        effects = self.inner.receive(Packet(role, Message(stamp.id, stamp.to, b""), stamp.inner))
        self.carried[stamp.id] = message
        return self._translate(effects)

    def _translate(self, effects: Iterable[Effect]) -> list[Effect]:
        """Return effects of the inner algorithm as ours: its transmissions go across, its deliveries go down.

        The algorithms that can be inside set no timer. They do all that they do with a message in one call.
        """
        out: list[Effect] = []
        done: set[MessageId] = set()
        for effect in effects:
            if isinstance(effect, Transmit):
                out.append(self._across_to(effect, done))
            elif isinstance(effect, Deliver):
                done.add(effect.message.id)
                out += self._down(self.carried[effect.message.id])
        for identity in done:
            del self.carried[identity]
        return out

    def _across_to(self, effect: Transmit, done: set[MessageId]) -> Transmit:
        inner = effect.packet.message
        assert inner is not None, "the inner algorithm has no control packets"
        done.add(inner.id)
        stamp = Across(inner.id, inner.dests, effect.packet.stamp)
        return Transmit(self.succession.player(effect.to), Packet(self.process, self.carried[inner.id], stamp))

    def _down(self, message: Message) -> list[Effect]:
        assert self.inner is not None
        out: list[Effect] = []
        for dest in sorted(message.dests - {message.id.sender}):
            if dest == self.process:
                out.append(Deliver(message))
            elif self._representative_of(dest) == self.inner.process and dest not in self.roster.departed:
                out.append(Transmit(dest, Packet(self.process, message, Down())))
        return out

    # Roles.

    def _cluster(self) -> list[ProcessId]:
        """Return the processes that this process represents, but itself."""
        assert self.inner is not None
        return self._members(self.inner.process, self.process)

    def _members(self, role: ProcessId, but: ProcessId) -> list[ProcessId]:
        """Return the processes that are here and go through `role`, without `but`."""
        through, present = self.representative, self.roster.processes
        return sorted(name for name in through if through[name] == role and name in present and name != but)

    def _neighbours(self) -> list[ProcessId]:
        """Return the processes with which a representative exchanges packets."""
        players = {self.succession.player(role) for role in self.representative.values()}
        return sorted({*self._cluster(), *(players & self.roster.processes)} - {self.process})

    def _knows(self, player: ProcessId) -> bool:
        """Return whether a process plays a role, and is a neighbour of this one."""
        role = self.succession.role_of(player)
        is_near = self.inner is not None or role == self.representative[self.process]
        return is_near and player != self.process and role in self.representative.values()

    def _check_departure(self, process: ProcessId) -> None:
        """Raise `Misuse` if `process` plays a role that nobody would play without it."""
        role = self.succession.role_of(process)
        if self._knows(process) and self._members(role, process):
            if process not in self.succession.quiet:
                raise Misuse(f"{process!r} represents a cluster and has not handed that over: it has to leave itself")
        elif isinstance(self.inner, Hierarchy) and not self._members(role, process):
            above = self.inner._represented_by(role)
            if above:
                raise Misuse(
                    f"{process!r} represents {above[0]!r} on a higher level, and nobody else is in its own cluster "
                    f"who could take that over: it cannot leave"
                )

    def _represented_by(self, process: ProcessId) -> list[ProcessId]:
        """Return the processes that `process` represents on this level, or else on a higher one."""
        here = self._members(process, process)
        if here or not isinstance(self.inner, Hierarchy):
            return here
        return self.inner._represented_by(process)

    def _end_role(self, process: ProcessId) -> list[Effect]:
        """Forget the role of a process that has left if nobody else goes through it."""
        role = self.representative.get(process)
        if role is None or self._members(role, process) or role == self.representative[self.process]:
            return []
        self.succession.forget(self.succession.player(role))
        self.succession.players.pop(role, None)
        self.representative = {name: through for name, through in self.representative.items() if through != role}
        return self._translate(self.inner.leave(role)) if self.inner is not None else []

    # Roles that are handed over: see `succession`.

    def _take_control(self, sender: ProcessId, stamp: Stamp) -> list[Effect]:
        if isinstance(stamp, Resign):
            return self._fall_quiet(sender)
        if isinstance(stamp, Quiet):
            return self._hear_quiet(sender)
        if isinstance(stamp, RolePart):
            return self._take_part(sender, stamp)
        if isinstance(stamp, Succeed):
            return self._follow(sender, stamp.role)
        raise RemoteViolation(f"{sender} sent a {type(stamp).__name__}, which is of another algorithm")

    def _resign(self) -> list[Effect]:
        """Begin to hand over, if this process leaves, plays a role, and has a successor; later, if another one does."""
        state = self.succession
        if self.process not in self.roster.departed or self.inner is None or state.resigning or state.quiet:
            return []
        if not self._cluster():
            return []
        state.resigning, state.awaited = True, set(self._neighbours())
        packet = Packet(self.process, None, Resign())
        return [Transmit(to, packet) for to in sorted(state.awaited)]

    def _fall_quiet(self, sender: ProcessId) -> list[Effect]:
        if not self._knows(sender) or sender in self.succession.quiet:
            raise RemoteViolation(f"{sender} resigned, and plays no role that {self.process} has to do with")
        self.succession.quiet.add(sender)
        return [Transmit(sender, Packet(self.process, None, Quiet()))]

    def _hear_quiet(self, sender: ProcessId) -> list[Effect]:
        if sender not in self.succession.awaited:
            raise RemoteViolation(f"{sender} is quiet, and {self.process} did not ask for it")
        self.succession.awaited.discard(sender)
        return self._hand_over()

    def _hand_over(self) -> list[Effect]:
        """Send the role to the successor when all neighbours are quiet."""
        state = self.succession
        if not state.resigning or state.awaited or state.quiet:
            return []
        assert self.inner is not None
        state.resigning, kept, state.kept = False, state.kept, []
        cluster = self._cluster()
        if not cluster:  # who was left of it has been given up meanwhile
            return [Transmit(to, packet) for to, packet in kept]
        role = Role(self.inner, self.carried, self.representative, state.players, kept)
        self.inner, self.carried = None, {}
        state.quiet.add(self.process)
        return [Transmit(cluster[0], Packet(self.process, None, part)) for part in role.as_parts()]

    def _take_part(self, sender: ProcessId, stamp: RolePart) -> list[Effect]:
        state, role = self.succession, self.representative[self.process]
        if self.inner is not None or sender not in state.quiet or sender != state.player(role):
            raise RemoteViolation(f"{sender} handed over a role that {self.process} cannot take from it")
        check_part(stamp, len(state.parts))
        if stamp.number < stamp.count:
            state.parts.append(stamp.data)
            return []
        taken = read_role(b"".join([*state.parts, stamp.data]), _may_be_inside)
        if not self._fits(role, taken):
            raise RemoteViolation(f"{sender} handed over another role than {role}, or one that does not fit together")
        return self._take_over(role, taken)

    def _fits(self, role: ProcessId, taken: Role) -> bool:
        """Return whether this is the role of this process's cluster, and its parts fit together."""
        inner, through = taken.inner, taken.representative
        assert isinstance(inner, Process | Hierarchy), "another algorithm is inside"
        return (
            inner.process == through.get(self.process) == role
            and inner.roster.addressing == self.roster.addressing
            and inner.roster.processes.issuperset(through.values())
            and all(through.get(player) == of for of, player in taken.players.items())
            and taken.keeps_messages_for(through)
        )

    def _take_over(self, role: ProcessId, taken: Role) -> list[Effect]:
        """Take over a role: tell the neighbours, then send what its last player and this process have kept."""
        mine = [packet.message for _, packet in self.succession.kept if packet.message is not None]
        self.inner, self.carried, self.representative = taken.inner, taken.carried, taken.representative
        self.succession = Succession({**taken.players, role: self.process})
        for name in sorted(self.roster.processes):
            self.representative.setdefault(name, self._representative_of(name))
        packet = Packet(self.process, None, Succeed(role))
        effects: list[Effect] = [Transmit(to, packet) for to in self._neighbours()]
        for to, kept in taken.kept:
            effects += self._pass_on(to, kept)
        for message in mine:
            effects += self._forward(message)
        for name in sorted(self.roster.departed):
            effects += self._end_role(name)
        return effects

    def _pass_on(self, to: ProcessId, kept: Packet) -> list[Effect]:
        if to != self.process:
            return [Transmit(to, Packet(self.process, kept.message, kept.stamp))]
        assert kept.message is not None, "a control packet is kept"
        return [Deliver(kept.message)]

    def _follow(self, sender: ProcessId, role: ProcessId) -> list[Effect]:
        """Send to the successor of a player from now on."""
        state = self.succession
        player = state.player(role)
        if player not in state.quiet or self._representative_of(sender) != role:
            raise RemoteViolation(f"{sender} says that it plays role {role}, which nobody handed over to it")
        state.players[role] = sender
        return state.keep(state.release(player, sender)) + self._resign() + self._hand_over()


def _may_be_inside(inner: object) -> bool:
    """Return whether an algorithm is one that representatives run: an ordering, or a hierarchy without successions."""
    if isinstance(inner, Hierarchy):
        return inner.succession == Succession()
    return isinstance(inner, Process) and type(inner.ordering) in INNER.values()


def _across(need: Need) -> Need:
    return Need(need.sender, need.first, need.last, need.scope or "|among the representatives")


def build_hierarchy(
    roster: Roster,
    levels: Sequence[dict[ProcessId, ProcessId]],
    innermost: Algorithm | None,
    players: Mapping[ProcessId, ProcessId],
) -> Hierarchy:
    """Return the process of the lowest of `levels`. If it represents others, the levels above are inside it.

    `players` are the processes that play the roles of representatives that have left.
    """
    first, *above = levels
    heads = sorted(set(first.values()))
    inner = innermost
    if above:
        inner = build_hierarchy(Roster.of(roster.me, "multicast", heads, None), above, innermost, {})
    return Hierarchy(roster, first, inner if roster.me in heads else None, {}, Succession(dict(players)))
