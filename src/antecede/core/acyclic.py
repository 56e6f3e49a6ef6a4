"""Groups without cycles: `isis` and `mr` that know of their own groups only (003 §2.3, §4.3).

`AcyclicGroups` is an algorithm around an algorithm. Of a stamp that arrives, it passes on what is about groups of this
process. So "a process then manages only control information related to groups it belongs to" (§4.3), and its stamps
have no other. It is refused if the graph of groups has a cycle; for `mr` also if two groups share two processes.

Why it is enough: let m1 to group x precede m2 to group y, and let process d be in both groups. Without cycles every way
from x to y is through a process p of both. After m1, p sent a message m to y that precedes m2, or is m2. It counts m1.

* `isis`: d waits for m before it delivers m2, and for m1 before it delivers m.
* `mr`: d delivers m2 when m has arrived, and m may still wait for m1 (the errata of 003 §4.3 show it). If x and y share
  one process, this cannot happen: d is p, and delivered m1 before. A stamp and its receiver then have one group in
  common, that of the message, so messages are compared by their counts of one group.

A process that left still counts as a member of its groups: what it passed on may be on its way. A running process can
join a further group only if none of its own groups shares a process with it: it has dropped what it was told of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from antecede.core.effects import Effect
from antecede.core.errors import Misuse
from antecede.core.group_graph import GroupGraph, group_graph
from antecede.core.ordering.isis import IsisStamp
from antecede.core.ordering.mr import Phases, PhaseStamp, ShortPhases, ShortPhaseStamp
from antecede.core.ordering.mr_bare_resynch import BarePhases
from antecede.core.process import Process
from antecede.core.roster import checked_names, checked_packet
from antecede.core.snapshot import values
from antecede.core.types import GroupId, Packet, Pending, ProcessId, Stamp

T = TypeVar("T")


@values.storable("AcyclicGroups")
@dataclass(slots=True)
class AcyclicGroups:
    """`inner`, told of the groups of this process only. `members` are all that a group ever had."""

    inner: Process | Phases | ShortPhases | BarePhases
    members: dict[GroupId, frozenset[ProcessId]]

    @property
    def process(self) -> ProcessId:
        return self.inner.process

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> list[Effect]:
        return self.inner.send(dests, payload)

    def receive(self, packet: Packet) -> list[Effect]:
        checked_packet(packet)
        return self.inner.receive(Packet(packet.sender, packet.message, self._cut(packet.stamp)))

    def tick(self, now: float) -> list[Effect]:
        return self.inner.tick(now)

    def pending(self) -> tuple[Pending, ...]:
        return self.inner.pending()

    def join(self, process: ProcessId, groups: Iterable[GroupId] = ()) -> list[Effect]:
        joined = frozenset(checked_names("groups", groups))
        checked_names("a process", [process])
        members = {name: who | {process} if name in joined else who for name, who in self.members.items()}
        check_groups(members, one_shared=isinstance(self.inner, Phases))
        if process == self.process:
            self._check_nothing_was_dropped(joined)
        effects = self.inner.join(process, joined)
        self.members = members
        return effects

    def leave(self, process: ProcessId) -> list[Effect]:
        return self.inner.leave(process)

    def snapshot(self) -> bytes:
        return values.dumps(self)

    def resume(self) -> None:
        self.inner.resume()

    def _check_nothing_was_dropped(self, joined: frozenset[GroupId]) -> None:
        """Raise `Misuse` if this process may depend on messages to the groups it joins, which it did not count."""
        mine = sorted(group for group, members in self.members.items() if self.process in members)
        for group in sorted((joined & self.members.keys()).difference(mine)):  # the roster refuses what is unknown
            near = [other for other in mine if self.members[other] & self.members[group]]
            if near:
                raise Misuse(
                    f"with acyclic=True {self.process!r} did not count the messages to group {group!r} that it was "
                    f"told of in {near[0]!r}, and cannot join it while it runs: join with another name, or leave the "
                    f"option out"
                )

    def _cut(self, stamp: Stamp) -> Stamp:
        """Return what a stamp says about groups of this process. Another algorithm's stamp is refused inside."""
        if isinstance(stamp, IsisStamp):
            return IsisStamp(self._of_mine(stamp.vectors))
        if isinstance(stamp, PhaseStamp | ShortPhaseStamp):
            return type(stamp)(self._of_mine(stamp.phase))
        return stamp

    def _of_mine(self, counts: Mapping[GroupId, T]) -> dict[GroupId, T]:
        return {group: count for group, count in counts.items() if self.process in self.members.get(group, ())}


def within_acyclic_groups(inner: Process | Phases) -> AcyclicGroups:
    """Return the process, told of its own groups only. Raise `Misuse` if this is not enough among the groups."""
    check_groups(inner.roster.groups, one_shared=isinstance(inner, Phases))
    return AcyclicGroups(inner, dict(inner.roster.groups))


def check_groups(groups: Mapping[GroupId, Iterable[ProcessId]], *, one_shared: bool) -> None:
    """Raise `Misuse` if own groups are not enough. With `one_shared`, two groups may share one process at most."""
    obstacle = find_obstacle(group_graph(groups), one_shared=one_shared)
    if obstacle:
        raise Misuse(f"acyclic=True does not keep causal order here, because {obstacle}. Leave the option out")


def find_obstacle(graph: GroupGraph, *, one_shared: bool) -> str:
    """Return in words why it is not enough to know of one's own groups; an empty string if it is."""
    if not graph.is_acyclic:
        steps = zip(graph.cycle, (*graph.cycle[1:], graph.cycle[0]), strict=True)
        return f"the graph of groups has a cycle: {', '.join(_share(graph, *pair) for pair in steps)}"
    wide = [pair for pair, shared in graph.edges.items() if len(shared) > 1]
    return f"two groups share more than one process: {_share(graph, *wide[0])}" if wide and one_shared else ""


def _share(graph: GroupGraph, one: GroupId, other: GroupId) -> str:
    shared = graph.edges[min(one, other), max(one, other)]
    return f"{one} and {other} share {' and '.join(shared)}"
