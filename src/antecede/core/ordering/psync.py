"""Peterson-Buchholz-Schlichting, Psync: a message names the messages before it, each to a host once (002 §1).

Guarantees causal order for any multicast over any channels, and holds a message back only while one that precedes it is
missing. Its stamp is the identifiers of preceding messages, each with its destinations: those that its sender has not
told to this destination before. The first message to a process has all that are kept, so it is long, up to n x n.

What is the paper's: a message "carries message-ids rather than entire messages" (compare `history`), and information
"is not sent if the sending host had sent it before". What is ours:

* An identifier has its destinations. In Psync everybody in a conversation gets every message, so a process waits for
  every message that is named. Here it waits for those that are addressed to it, and only passes the others on.
* Of the messages of one sender to one destination, the last one stands for all, because it names the one before it, and
  the destination delivers that first. So the context graph that Psync keeps has at most one identifier for each sender
  and destination. The graph has no edges: a process that is told of a message is told of all before it that it lacks.

    context    `last[s][d]`: the number of the last message of s to d in the causal past of this process;
               `learned[s][d]`: the number of its own last message when it learned of that message
    sent to d  `told[d]`: the number of its own last message to d. What it learned since then, d was not told

Why it is right. Let M' be the message to d after M, of the same sender. M' names M, since the sender learned of M when
it sent M. So d delivers M before M', as causal order demands, and knows then what M' leaves out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from antecede.core.snapshot.values import storable
from antecede.core.types import Message, Need, ProcessId, Reached, Stamp
from antecede.core.vectors import rows_without, without
from antecede.core.wire import shapes


@shapes.stamp(26, "PsyncStamp")
@dataclass(frozen=True, slots=True)
class PsyncStamp:
    """The identifiers, by destination: sender -> destination -> number. A message to several has the number at each."""

    before: Mapping[ProcessId, Mapping[ProcessId, int]]

    @property
    def entries(self) -> int:
        return sum(len(set(row.values())) for row in self.before.values())

    def write(self, to: shapes.Writer) -> None:
        to.table(self.before)

    @classmethod
    def read(cls, source: shapes.Reader) -> PsyncStamp:
        return cls(source.table())


@storable("Psync")
@dataclass(slots=True)
class Psync:
    """The context of process `me`, and what it told to whom."""

    me: ProcessId
    delivered: dict[ProcessId, int] = field(default_factory=dict)
    last: dict[ProcessId, dict[ProcessId, int]] = field(default_factory=dict)
    learned: dict[ProcessId, dict[ProcessId, int]] = field(default_factory=dict)
    told: dict[ProcessId, int] = field(default_factory=dict)
    sent: int = 0
    departed: frozenset[ProcessId] = frozenset()

    def stamps(self, message: Message, others: Sequence[ProcessId]) -> list[Stamp]:
        stamps: list[Stamp] = [PsyncStamp(self._untold(to)) for to in others]
        self.sent = message.id.seq
        self.told |= dict.fromkeys(others, self.sent)
        self._learn(self.me, dict.fromkeys(others, self.sent))
        return stamps

    def accepts(self, message: Message, stamp: Stamp) -> bool:
        """Return whether the stamp names no message of this process, and none of its sender that is not before it."""
        if not isinstance(stamp, PsyncStamp) or self.me in stamp.before:
            return False
        sender, seq = message.id
        return max(stamp.before.get(sender, {}).values(), default=0) < seq

    def unmet(self, message: Message, stamp: Stamp) -> Iterator[Need]:  # noqa: ARG002
        """Yield the messages that the stamp names for this process and that have not been delivered here yet."""
        assert isinstance(stamp, PsyncStamp)
        for sender, row in stamp.before.items():
            seq = row.get(self.me, 0)
            if seq > self.delivered.get(sender, 0):
                yield Need(sender, seq, seq)

    def deliver(self, message: Message, stamp: Stamp) -> Iterable[Reached]:
        assert isinstance(stamp, PsyncStamp)
        for sender, row in stamp.before.items():
            self._learn(sender, row)
        self._learn(message.id.sender, dict.fromkeys(sorted(message.dests), message.id.seq))
        return (Reached(*message.id),)

    def forget(self, process: ProcessId) -> None:
        self.departed |= {process}
        self.delivered.pop(process, None)
        self.told.pop(process, None)
        self.last = {sender: dict(row) for sender, row in rows_without(self.last, self.departed).items()}
        self.learned = {sender: dict(row) for sender, row in rows_without(self.learned, self.departed).items()}

    def _untold(self, to: ProcessId) -> dict[ProcessId, dict[ProcessId, int]]:
        """Return the part of the context that this process has not told to `to`, without messages of `to` itself."""
        told, untold = self.told.get(to, 0), {}
        for sender, row in self.last.items():
            learned = self.learned.get(sender, {})
            news = {dest: seq for dest, seq in row.items() if learned.get(dest, 0) >= told}
            if news and sender != to:
                untold[sender] = news
        return untold

    def _learn(self, sender: ProcessId, row: Mapping[ProcessId, int]) -> None:
        """Take the numbers of messages of `sender` by destination, where they are news. Own copies never are."""
        if sender in self.departed:
            return
        last, learned = self.last.setdefault(sender, {}), self.learned.setdefault(sender, {})
        for dest, seq in without(row, self.departed | {sender, self.me}).items():
            if seq > last.get(dest, 0):
                last[dest] = seq
                learned[dest] = self.sent
