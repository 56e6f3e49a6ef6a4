"""Raynal-Schiper-Toueg: a matrix of how many messages each process has sent to each other (001 §3, 000 §3).

Guarantees causal order for unicast and, counting one message for each destination, multicast, over any channels, and
holds a message back only while one that precedes it is missing. Its stamp is the whole n x n matrix; entries that
are zero are not sent.

    SENT_i[k, j]  `sent[k][j]`: messages k is known to have sent to j
    DELIV_i[k]    `received[k]`: messages of k delivered here

A message is deliverable at i when DELIV_i[k] >= ST[k, i] for all k. With multicast the receiver learns of the copies
to the other destinations too, so it adds one to all of them; the paper adds one to its own only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from antecede.core.snapshot.values import storable
from antecede.core.types import Message, Need, ProcessId, Reached, Stamp
from antecede.core.vectors import greatest, rows_without
from antecede.core.wire import shapes


@shapes.stamp(3, "RstStamp")
@dataclass(frozen=True, slots=True)
class RstStamp:
    """ST: the sender's matrix before this message."""

    sent: Mapping[ProcessId, Mapping[ProcessId, int]]

    @property
    def entries(self) -> int:
        return sum(map(len, self.sent.values()))

    def write(self, to: shapes.Writer) -> None:
        to.table(self.sent)

    @classmethod
    def read(cls, source: shapes.Reader) -> RstStamp:
        return cls(source.table())


@storable("Rst")
@dataclass(slots=True)
class Rst:
    """The matrix of process `me`. Rows are replaced, never changed: stamps share them."""

    me: ProcessId
    delivered: dict[ProcessId, int] = field(default_factory=dict)
    received: dict[ProcessId, int] = field(default_factory=dict)
    sent: dict[ProcessId, dict[ProcessId, int]] = field(default_factory=dict)
    departed: frozenset[ProcessId] = frozenset()

    def stamps(self, message: Message, others: Sequence[ProcessId]) -> list[Stamp]:  # noqa: ARG002
        stamp = RstStamp(dict(self.sent))
        mine = dict(self.sent.get(self.me, {}))
        for dest in others:
            mine[dest] = mine.get(dest, 0) + 1
        self.sent[self.me] = mine
        return [stamp] * len(others)

    def accepts(self, message: Message, stamp: Stamp) -> bool:  # noqa: ARG002
        return isinstance(stamp, RstStamp)

    def unmet(self, message: Message, stamp: Stamp) -> Iterator[Need]:  # noqa: ARG002
        assert isinstance(stamp, RstStamp)
        for sender, row in stamp.sent.items():
            count, received = row.get(self.me, 0), self.received.get(sender, 0)
            if count > received:
                yield Need(sender, received + 1, count, f"|to {self.me}")

    def deliver(self, message: Message, stamp: Stamp) -> Iterable[Reached]:
        self.learn(message, stamp)
        return (self.count(message),)

    def count(self, message: Message) -> Reached:
        """Do the half of a delivery that later messages wait for."""
        sender = message.id.sender
        self.received[sender] = self.received.get(sender, 0) + 1
        return Reached(sender, self.received[sender], f"|to {self.me}")

    def learn(self, message: Message, stamp: Stamp) -> None:
        """Do the half of a delivery that later stamps tell of."""
        assert isinstance(stamp, RstStamp)
        sender = message.id.sender
        for process, theirs in rows_without(stamp.sent, self.departed).items():
            self.sent[process] = greatest(self.sent.get(process, {}), theirs)
        before = stamp.sent.get(sender, {})
        others = sorted(message.dests - self.departed - {sender})
        self.sent[sender] = greatest(self.sent.get(sender, {}), {dest: before.get(dest, 0) + 1 for dest in others})

    def forget(self, process: ProcessId) -> None:
        self.departed |= {process}
        for kept in (self.delivered, self.received):
            kept.pop(process, None)
        self.sent = {sender: dict(row) for sender, row in rows_without(self.sent, self.departed).items()}
