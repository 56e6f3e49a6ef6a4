"""Birman-Schiper-Stephenson: a vector for each of overlapping groups (003 §2.3, 002 §1).

Guarantees causal order for multicast within groups over any channels, and holds a message back only while one that
precedes it is missing. Its stamp is the vectors of all groups, whether the sender is in them or not: if groups overlap
in a cycle, a dependency can reach the sender through groups that it is not in. If they do not, the
vectors of the sender's own groups are enough: `acyclic=True` (`core.acyclic`).

A message of j to group g is deliverable at i when it is the next of j in g, and everything else it counts in the
groups of i has been delivered at i. The sender delivers its own copy at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from antecede.core.snapshot.values import storable
from antecede.core.types import GroupId, Message, Need, ProcessId, Reached, Stamp
from antecede.core.wire import shapes


@shapes.stamp(8, "IsisStamp")
@dataclass(frozen=True, slots=True)
class IsisStamp:
    """The sender's vectors, with this message already counted."""

    vectors: Mapping[GroupId, Mapping[ProcessId, int]]

    @property
    def entries(self) -> int:
        return sum(map(len, self.vectors.values()))

    def write(self, to: shapes.Writer) -> None:
        to.table(self.vectors)

    @classmethod
    def read(cls, source: shapes.Reader) -> IsisStamp:
        return cls(source.table())


@storable("Isis")
@dataclass(slots=True)
class Isis:
    """The vectors of process `me`: group -> member -> messages counted. Vectors are replaced, never changed."""

    me: ProcessId
    mine: frozenset[GroupId]
    delivered: dict[ProcessId, int] = field(default_factory=dict)
    vectors: dict[GroupId, dict[ProcessId, int]] = field(default_factory=dict)
    departed: frozenset[ProcessId] = frozenset()

    def stamps(self, message: Message, others: Sequence[ProcessId]) -> list[Stamp]:
        assert message.group is not None
        vector = self.vectors.get(message.group, {})
        self.vectors[message.group] = {**vector, self.me: vector.get(self.me, 0) + 1}
        return [IsisStamp(dict(self.vectors))] * len(others)

    def accepts(self, message: Message, stamp: Stamp) -> bool:  # noqa: ARG002
        return isinstance(stamp, IsisStamp)

    def unmet(self, message: Message, stamp: IsisStamp) -> Iterator[Need]:
        for group, vector in stamp.vectors.items():
            if group not in self.mine:
                continue
            for process, count in vector.items():
                before = count - 1 if (group, process) == (message.group, message.id.sender) else count
                known = self.vectors.get(group, {}).get(process, 0)
                if before > known and process != self.me:
                    yield Need(process, known + 1, before, f"|in {group}")

    def deliver(self, message: Message, stamp: IsisStamp) -> Iterable[Reached]:
        for group, theirs in stamp.vectors.items():
            here = self.vectors.get(group, {})
            self.vectors[group] = here | {
                p: count for p, count in theirs.items() if count > here.get(p, 0) and p not in self.departed
            }
        group, sender = str(message.group), message.id.sender
        return (Reached(sender, self.vectors.get(group, {}).get(sender, 0), f"|in {group}"),)

    def enter(self, groups: Iterable[GroupId]) -> None:
        """Take part in further groups. What is known of them so far was sent before anybody could send it here."""
        self.mine |= frozenset(groups)

    def baseline(self, groups: Iterable[GroupId]) -> Mapping[str, int]:
        counts = {group: self.vectors.get(group, {}).get(self.me, 0) for group in groups}
        return {group: count for group, count in counts.items() if count}

    def rebase(self, sender: ProcessId, counts: Mapping[str, int]) -> Iterable[Reached]:
        for group, count in sorted(counts.items()):
            here = self.vectors.get(group, {})
            if group in self.mine and count > here.get(sender, 0):
                self.vectors[group] = {**here, sender: count}
                yield Reached(sender, count, f"|in {group}")

    def forget(self, process: ProcessId) -> None:
        """Drop the counts of a process that left, for good: newcomers would wait for what a late packet says of it."""
        self.departed |= {process}
        self.delivered.pop(process, None)
        for group, vector in self.vectors.items():
            self.vectors[group] = {name: count for name, count in vector.items() if name != process}
