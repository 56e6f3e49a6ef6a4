"""Known links: `ks` and `prs` whose stamps leave out what the links of the network make useless (000 §3).

`KnownLinks` is an algorithm around an algorithm, for messages that go along links only. An *entry* of a stamp says that
message m of s is owed to d: a destination of `ks`, a tuple of `prs`. A pair (s, d) is a link from s to d. It is *of
use* at a process p in the same block (`locality.separators`) if p is s, or if p is d or reaches it on a path without s,
because s remembers m itself. A stamp from p to q tells of the pairs that are of use at both, except of the messages of
q. Of those it tells only which of them p has delivered. What a stamp does not tell of, its receiver keeps as it is.

Why order is kept. Say that m is *settled* in a past that has the delivery of m at d, or another message to d that m
causes. At each process p that knows of m, with (s, d) of use, p has the entry or m is settled in the past of p:

1. The sender of m makes the entry. Let another p hear of m first by a message n from p'. Then p' is in the block, as
   otherwise all ways from s to it lead through p. So p' is s, or reaches d through p without s: the pair is of use at
   p' and at p, and the stamp of n tells of it. Either it has the entry, or m is settled in the past of p' or by n.
2. `ks` deletes the entry if p sends to d, which settles m, or if a stamp that tells of the pair does not have it
   (002 §4: what is absent is known to be delivered, or guaranteed). Then m is settled as in 1, or its sender is d and
   has delivered m. `prs` deletes only what a stamp says is settled. That p is s changes nothing in this.

Now let a delivery at d be the first that breaks the order: of m2 from x, before a cause m of it. Of the causes of m2
that are late, let m cause no other. If x is not s, a chain of messages leads from m to m2. It passes no process twice,
and not d, so with the link from s to d it is a cycle, and lies in a block. So (s, d) is of use at x. If x has the
entry, m2 waits for m. Otherwise m was settled before m2: not by its delivery, as it is late, but by another message to
d that m causes. That one is not late, so d delivered it before m2, and before m: m2 is not the first.

Entries tell of causes only, so nothing is held back longer than without links. On a tree every link is a block, and a
stamp tells of the messages between its two ends. In a block whose links all go both ways, every pair is of use at every
process, and stamps leave out only what their receiver sent.

The links are the same for all processes, and do not change. Processes that they name may join later; who leaves is one
that no longer sends. Others can neither send nor be sent to. A snapshot has the links of the blocks of its process.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from antecede.core.effects import Deliver, Effect, Transmit
from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.locality.graph import Adjacency, Graph, Link
from antecede.core.locality.separators import blocks_around, useful_at
from antecede.core.ordering.ks import Ks, KsStamp
from antecede.core.ordering.prs import Prs, PrsStamp
from antecede.core.process import Process
from antecede.core.roster import checked_packet
from antecede.core.snapshot import values
from antecede.core.types import GroupId, Message, Packet, Pending, ProcessId, Stamp
from antecede.core.vectors import without

Entries: TypeAlias = Mapping[int, frozenset[ProcessId]]
Pairs: TypeAlias = Mapping[ProcessId, frozenset[ProcessId]]
"""Senders, each with destinations of its links."""


@values.storable("KnownLinks")
@dataclass(slots=True)
class KnownLinks:
    """`inner`, whose messages go along links. `blocks` are the links of each block that this process is in."""

    inner: Process
    blocks: tuple[dict[ProcessId, tuple[ProcessId, ...]], ...]
    _block_of: dict[ProcessId, Adjacency] = field(init=False, compare=False)
    _told: dict[tuple[ProcessId, ProcessId], Pairs] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        """Find the block that each other process shares with this one. No two processes share two blocks."""
        self._block_of = {p: links for links in self.blocks for p in links if p != self.process}

    @property
    def process(self) -> ProcessId:
        return self.inner.process

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> list[Effect]:
        to = _collected(dests)
        self._check_links(to)
        return [self._shorten(effect) for effect in self.inner.send(to, payload)]

    def receive(self, packet: Packet) -> list[Effect]:
        checked_packet(packet)
        if not self._has_link(packet.sender, self.process):
            raise RemoteViolation(f"a packet of {packet.sender}, which has no link to {self.process}")
        told = self._pairs_told(packet.sender, self.process)
        stamp = self._keep_untold(_cut(packet.stamp, told), told)
        effects = self.inner.receive(replace(packet, stamp=stamp))
        for effect in effects:
            assert isinstance(effect, Deliver), "a process that only stamps messages answers no packet"
            self._drop_useless(effect.message)
        return effects

    def tick(self, now: float) -> list[Effect]:
        return self.inner.tick(now)

    def pending(self) -> tuple[Pending, ...]:
        return self.inner.pending()

    def join(self, process: ProcessId, groups: Iterable[GroupId] = ()) -> list[Effect]:
        return self.inner.join(process, groups)

    def leave(self, process: ProcessId) -> list[Effect]:
        return self.inner.leave(process)

    def snapshot(self) -> bytes:
        return values.dumps(self)

    def resume(self) -> None:
        assert isinstance(self.inner.ordering, Ks | Prs), "an ordering that cannot be told of links"
        for links in self.blocks:
            assert self.process in links, "a block in which the process is not"
            assert links.keys() >= {q for qs in links.values() for q in qs}, "a link that leads out of its block"
        held = self.inner.held.packets.values()
        assert all(self._has_link(packet.sender, self.process) for packet in held), "a message that came without a link"
        self.inner.resume()

    def _check_links(self, dests: object) -> None:
        """Raise `Misuse` if a destination is another process to which there is no link."""
        roster = self.inner.roster
        to = frozenset([dests]) if isinstance(dests, str) else dests
        if isinstance(to, frozenset):
            strangers = sorted(p for p in to & roster.processes - {roster.me} if not self._has_link(roster.me, p))
            if strangers:
                raise Misuse(
                    f"there is no link from {roster.me!r} to {strangers[0]!r}: send to it through other processes, or "
                    f"give all processes this link too, in the option links"
                )

    def _has_link(self, sender: ProcessId, to: ProcessId) -> bool:
        return to in self._links_around(sender, to).get(sender, ())

    def _links_around(self, sender: ProcessId, to: ProcessId) -> Adjacency:
        """Return the links of the block that this process, one of the two, shares with the other."""
        return self._block_of.get(to if sender == self.process else sender, {})

    def _shorten(self, effect: Effect) -> Effect:
        """Return an effect whose packet tells only of what its receiver can use."""
        if not isinstance(effect, Transmit):
            return effect
        told = self._pairs_told(self.process, effect.to)
        return Transmit(effect.to, replace(effect.packet, stamp=_cut(effect.packet.stamp, told)))

    def _pairs_told(self, sender: ProcessId, to: ProcessId) -> Pairs:
        """Return the pairs of which a stamp on the link from `sender` to `to` tells."""
        if (sender, to) not in self._told:
            links = self._links_around(sender, to)
            there = {**useful_at(links, to), to: frozenset({sender})}
            pairs = {process: dests & there[process] for process, dests in useful_at(links, sender).items()}
            self._told[sender, to] = {process: dests for process, dests in pairs.items() if dests}
        return self._told[sender, to]

    def _keep_untold(self, stamp: Stamp, told: Pairs) -> Stamp:
        """Return a stamp of `ks` that also has what this process sent and the stamp does not tell of."""
        ordering = self.inner.ordering
        if not isinstance(stamp, KsStamp) or not isinstance(ordering, Ks):
            return stamp
        untold = _except(ordering.log.get(self.process, {}), told.get(self.process, frozenset()))
        return replace(stamp, owed={**stamp.owed, self.process: untold}) if untold else stamp

    def _drop_useless(self, message: Message) -> None:
        """Forget to whom a message that was delivered is owed, if this process can tell nobody who needs to know."""
        sender, ordering = message.sender, self.inner.ordering
        useless = message.dests - self._pairs_told(sender, self.process)[sender]
        if isinstance(ordering, Ks):
            entries = _except(ordering.log.pop(sender, {}), useless)
            if entries:
                ordering.log[sender] = entries
        else:
            assert isinstance(ordering, Prs)
            for dest in sorted(useless & ordering.barrier.keys()):
                row = without(ordering.barrier.pop(dest), {sender})
                if row:
                    ordering.barrier[dest] = dict(row)


def along_links(inner: Process, links: Iterable[Link]) -> KnownLinks:
    """Return the process, for messages that go along these links. Raise `Misuse` if a process has none."""
    graph = Graph.of(links)
    unlinked = sorted(inner.roster.processes - set(graph.processes))
    if unlinked:
        raise Misuse(
            f"{unlinked[0]!r} has no link, so it could neither send nor receive: name a link of it, or leave it out of "
            f"the processes"
        )
    return KnownLinks(inner, blocks_around(graph, inner.process))


def _collected(dests: ProcessId | GroupId | Iterable[ProcessId]) -> ProcessId | GroupId | Iterable[ProcessId]:
    """Return several destinations as a set, so that they can be read twice; anything else as it is, to be refused."""
    try:
        return dests if isinstance(dests, str) else frozenset(dests)
    except TypeError:
        return dests


def _cut(stamp: Stamp, told: Pairs) -> Stamp:
    """Return what a stamp says about these pairs. Another algorithm's stamp is refused inside."""
    if isinstance(stamp, PrsStamp):
        rows = {
            dest: {process: count for process, count in row.items() if dest in told.get(process, ())}
            for dest, row in stamp.barrier.items()
        }
        return replace(stamp, barrier={dest: row for dest, row in rows.items() if row})
    if isinstance(stamp, KsStamp):
        owed = {process: _only(entries, told[process]) for process, entries in stamp.owed.items() if process in told}
        due = {
            dest: {process: at for process, at in row.items() if dest in told.get(process, ())}
            for dest, row in stamp.due.items()
        }
        return KsStamp(
            {process: entries for process, entries in owed.items() if entries},
            {dest: row for dest, row in due.items() if row},
            {process: at for process, at in stamp.context.items() if process in told},
        )
    return stamp


def _only(entries: Entries, dests: frozenset[ProcessId]) -> dict[int, frozenset[ProcessId]]:
    """Return what is owed to `dests`."""
    return {at: rest for at, owing in entries.items() if (rest := owing & dests)}


def _except(entries: Entries, dests: frozenset[ProcessId]) -> dict[int, frozenset[ProcessId]]:
    """Return what is owed to others than `dests`."""
    return {at: rest for at, owing in entries.items() if (rest := owing - dests)}
