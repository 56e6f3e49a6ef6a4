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

A representative is a causal separator (000 §3): give as representatives the articulation points of the network, each
with the processes of its side. A message to another side carries no dependency of its own side. With `prs` or `ks`
inside, it also carries less as traffic allows.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import TypeAlias

from antecede.core.algorithm import Algorithm
from antecede.core.effects import Deliver, Effect, Sent, Transmit
from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.roster import Participant, Roster, checked_names, checked_packet
from antecede.core.snapshot import values
from antecede.core.types import GroupId, Message, MessageId, Need, Packet, Pending, ProcessId, Stamp
from antecede.core.wire import shapes
from antecede.core.wire.fields import Empty

Clusters: TypeAlias = Mapping[ProcessId, Iterable[ProcessId]]
LEVELS_MAX = shapes.STAMP_DEPTH_MAX - 2
"""Levels of representatives. Each puts its stamp around that of the level above; the channel number is around all."""


@shapes.stamp(19, "Up")
@dataclass(frozen=True, slots=True)
class Up(Empty):
    """From a process to its representative."""


@shapes.stamp(20, "Down")
@dataclass(frozen=True, slots=True)
class Down(Up):
    """From a representative to a process it represents."""


@shapes.stamp(21, "Across")
@dataclass(frozen=True, slots=True)
class Across:
    """Between representatives: the identity and the stamp of the message of the inner algorithm."""

    id: MessageId
    to: frozenset[ProcessId]
    inner: Stamp

    @property
    def entries(self) -> int:
        return self.inner.entries

    def write(self, to: shapes.Writer) -> None:
        to.message(Message(self.id, self.to, b""))
        to.stamp(self.inner)

    @classmethod
    def read(cls, source: shapes.Reader) -> Across:
        identity, dests, _ = source.message()
        return cls(identity, dests, source.stamp())


@values.storable("Hierarchy")
@dataclass(slots=True)
class Hierarchy(Participant):
    """`representative[p]` is the process that p goes through. Only representatives have an `inner` algorithm, which
    carries the messages `carried`.
    """

    representative: dict[ProcessId, ProcessId]
    inner: Algorithm | None
    carried: dict[MessageId, Message]

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> list[Effect]:
        message = self.roster.message(dests, payload)
        effects: list[Effect] = [Sent(message)]
        if self.process in message.dests:
            effects.append(Deliver(message))
        if message.dests == {self.process}:
            return effects
        if self.inner is not None:
            return effects + self._forward(message)
        return [*effects, Transmit(self.representative[self.process], Packet(self.process, message, Up()))]

    def receive(self, packet: Packet) -> list[Effect]:
        checked_packet(packet)
        stamp, message, sender = packet.stamp, packet.message, packet.sender
        if message is None or not isinstance(stamp, Up | Across):
            raise RemoteViolation(f"{sender} sent a {type(stamp).__name__}, which is of another algorithm")
        if isinstance(stamp, Down):
            if sender != self.representative[self.process] or self.process not in message.dests:
                raise RemoteViolation(
                    f"{message.id} came down from {sender} to {self.process}, where it does not belong"
                )
            return [Deliver(message)]
        if self.inner is None:
            raise RemoteViolation(f"{message.id} came to {self.process}, which does not represent other processes")
        if isinstance(stamp, Across):
            return self._arrive(packet, message, stamp)
        if self._representative_of(sender) != self.process or message.id.sender != sender:
            raise RemoteViolation(f"{message.id} came up from {sender}, which {self.process} does not represent")
        if message.dests <= {sender}:
            raise RemoteViolation(f"{message.id} came up from {sender}, and has no other destination")
        return self._forward(message)

    def pending(self) -> tuple[Pending, ...]:
        if self.inner is None:
            return ()
        return tuple(
            Pending(self.carried[held.message.id], tuple(_across(need) for need in held.needs))
            for held in self.inner.pending()
        )

    def join(self, process: ProcessId, groups: Iterable[GroupId] = ()) -> list[Effect]:
        self.roster.join(process, groups)
        self.representative.setdefault(process, self._representative_of(process))
        return []

    def leave(self, process: ProcessId) -> list[Effect]:
        if process in self.representative.values():
            raise Misuse(f"{process!r} represents a cluster, and newcomers may be placed there: it cannot leave")
        self.roster.leave(process)
        return []

    def resume(self) -> None:
        assert self.process in self.representative, f"{self.process} has no representative"
        if self.inner is not None:
            self.inner.resume()
            held = {pending.message.id for pending in self.inner.pending()}
            assert held <= self.carried.keys(), "a message is held back that is not carried"

    def _representative_of(self, process: ProcessId) -> ProcessId:
        return self.representative.get(process) or _place(process, sorted(set(self.representative.values())))

    def _forward(self, message: Message) -> list[Effect]:
        """Send a message that came up across to the representatives of its destinations; this may be one of them."""
        assert self.inner is not None
        to = {self._representative_of(dest) for dest in message.dests - {message.id.sender}}
        effects = self.inner.send(to, b"")
        sent = effects[0]
        assert isinstance(sent, Sent)
        self.carried[sent.message.id] = message
        return self._translate(effects)

    def _arrive(self, packet: Packet, message: Message, stamp: Across) -> list[Effect]:
        assert self.inner is not None
        if stamp.id.sender != packet.sender and not isinstance(self.inner, Hierarchy):  # which forwards, and checks it
            raise RemoteViolation(f"{packet.sender} forwarded {message.id} in the name of {stamp.id.sender}")
        effects = self.inner.receive(Packet(packet.sender, Message(stamp.id, stamp.to, b""), stamp.inner))
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
        return Transmit(effect.to, Packet(self.process, self.carried[inner.id], stamp))

    def _down(self, message: Message) -> list[Effect]:
        out: list[Effect] = []
        for dest in sorted(message.dests - {message.id.sender}):
            if dest == self.process:
                out.append(Deliver(message))
            elif self._representative_of(dest) == self.process and dest not in self.roster.departed:
                out.append(Transmit(dest, Packet(self.process, message, Down())))
        return out


def _across(need: Need) -> Need:
    return Need(need.sender, need.first, need.last, need.scope or "|among the representatives")


def levels_of(processes: Iterable[ProcessId], chosen: object) -> list[dict[ProcessId, ProcessId]]:
    """Return for each level the representative of each process in it, the lowest level first.

    `chosen` are the clusters of the lowest level, or a list with those of each level; see `clusters`. In each level but
    the lowest are the representatives of the one below.
    """
    levels = list(chosen) if isinstance(chosen, list | tuple) and all(map(_is_level, chosen)) and chosen else [chosen]
    if len(levels) > LEVELS_MAX:
        raise Misuse(f"a hierarchy has at most {LEVELS_MAX} levels, not {len(levels)}")
    through: list[dict[ProcessId, ProcessId]] = []
    for level in levels:
        through.append(clusters(through[-1].values() if through else processes, level))
    return through


def build_hierarchy(
    roster: Roster, levels: Sequence[dict[ProcessId, ProcessId]], innermost: Algorithm | None
) -> Hierarchy:
    """Return the process of the lowest of `levels`. If it represents others, the levels above are inside it."""
    first, *above = levels
    heads = sorted(set(first.values()))
    inner = innermost
    if above:
        inner = build_hierarchy(Roster.of(roster.me, "multicast", heads, None), above, innermost)
    return Hierarchy(roster, first, inner if roster.me in heads else None, {})


def clusters(processes: Iterable[ProcessId], chosen: object) -> dict[ProcessId, ProcessId]:
    """Return the representative of each process.

    `chosen` are the processes of each representative. If it is None, processes are in the order of their names in
    clusters of the square root of their number. Everybody must be told the same. A process that is not among those
    chosen is placed by its name, as a newcomer is.
    """
    everyone = sorted(set(processes))
    if chosen is None:
        size = max(1, isqrt(len(everyone)))
        return {process: everyone[at - at % size] for at, process in enumerate(everyone)}
    if not isinstance(chosen, Mapping):
        raise Misuse(f"representatives must be a mapping of each to the processes it represents, not {chosen!r}")
    for head, theirs in chosen.items():
        checked_names(f"the processes of representative {head!r}", theirs)
    strangers = sorted(set(checked_names("representatives", chosen)) - set(everyone))
    if strangers:
        raise Misuse(f"{strangers[0]!r} represents others, and is not among the processes {everyone}")
    members = [process for head, theirs in chosen.items() for process in sorted({head, *theirs})]
    if not members or len(set(members)) != len(members):
        raise Misuse(f"representatives must hold every process once, and there must be one: {sorted(members)}")
    through = {process: head for head, theirs in chosen.items() for process in sorted({head, *theirs})}
    heads = sorted(chosen)
    return through | {process: _place(process, heads) for process in everyone if process not in through}


def _is_level(chosen: object) -> bool:
    return chosen is None or isinstance(chosen, Mapping)


def _place(process: ProcessId, heads: Sequence[ProcessId]) -> ProcessId:
    """Return the representative of a newcomer, which is the same for every process that chooses it."""
    return heads[zlib.crc32(process.encode()) % len(heads)]
