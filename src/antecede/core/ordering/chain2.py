"""Chains of length two only: what 2n identifiers can do, and no more (002 §7.1, Lemma 8). NOT causal order.

Enforces order over the causal chains "i sends to k; i sends to j, j sends to k", and breaks it over the chain of
Theorem 8, on purpose: it shows what is lost when less than `ks` carries is carried. Over any channels, any
multicast.

A message from i to j carries (1) the latest message i has sent to each process, and (2) the latest message from
each process to j that i has been told of by its sender. It waits at j for (2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from antecede.core.snapshot.values import storable
from antecede.core.types import Message, Need, ProcessId, Reached, Stamp
from antecede.core.wire import shapes


@shapes.stamp(9, "Chain2Stamp")
@dataclass(frozen=True, slots=True)
class Chain2Stamp:
    """(1) `sent`: destination -> the sender's latest to it; (2) `due`: process -> its latest to the receiver."""

    sent: Mapping[ProcessId, int]
    due: Mapping[ProcessId, int]

    @property
    def entries(self) -> int:
        return len(self.sent) + len(self.due)

    def write(self, to: shapes.Writer) -> None:
        to.vector(self.sent)
        to.vector(self.due)

    @classmethod
    def read(cls, source: shapes.Reader) -> Chain2Stamp:
        return cls(source.vector(), source.vector())


@storable("Chain2")
@dataclass(slots=True)
class Chain2:
    """`heard[k][s]`: the latest message to k that s, or a packet of s, told `me` of; `me` is one of the s."""

    me: ProcessId
    delivered: dict[ProcessId, int] = field(default_factory=dict)
    heard: dict[ProcessId, dict[ProcessId, int]] = field(default_factory=dict)
    departed: frozenset[ProcessId] = frozenset()

    def stamps(self, message: Message, others: Sequence[ProcessId]) -> list[Stamp]:
        sent = {dest: row[self.me] for dest, row in self.heard.items() if self.me in row}
        stamps: list[Stamp] = [Chain2Stamp(sent, dict(self.heard.get(dest, {}))) for dest in others]
        for dest in others:
            self.heard.setdefault(dest, {})[self.me] = message.id.seq
        return stamps

    def accepts(self, message: Message, stamp: Stamp) -> bool:  # noqa: ARG002
        return isinstance(stamp, Chain2Stamp)

    def unmet(self, message: Message, stamp: Chain2Stamp) -> Iterator[Need]:  # noqa: ARG002
        for process, count in stamp.due.items():
            if count > self.delivered.get(process, 0):
                yield Need(process, count, count)

    def deliver(self, message: Message, stamp: Chain2Stamp) -> Iterable[Reached]:
        sender, seq = message.id
        for dest, count in {**stamp.sent, **dict.fromkeys(sorted(message.dests), seq)}.items():
            if dest not in (self.me, sender) and dest not in self.departed:
                self.heard.setdefault(dest, {})[sender] = count
        return (Reached(sender, seq),)

    def forget(self, process: ProcessId) -> None:
        self.departed |= {process}
        for kept in (self.delivered, self.heard):
            kept.pop(process, None)
        for row in self.heard.values():
            row.pop(process, None)
