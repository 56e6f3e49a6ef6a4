"""Causal barriers for broadcast: only the maximal predecessors of a message (000 §8.2).

Guarantees causal order for broadcast over any channels, and holds a message back only while one that precedes it is
missing. Its stamp is the set of maximal predecessors, one to n of them: few where traffic is light.

§8.2 says that in the broadcast case all rows of the barrier are equal and one of them can be sent. That is right if the
sender is one of the destinations, as it is there; with the assumption of §5.1, that it is not, rows k and l differ in
the tuples of k and l (see the errata, tests/errata/prs.py). Here a packet is not sent to its sender, and one set S of
(process, count) takes the place of the rows:

    send      stamp the message with S, then S := {(me, c)}
    deliver   when V[k] >= x for every (k, x) in S_M with k other than oneself, V being `delivered`, and V[j] >= c - 1
    then      S := (S - S_M) + {(j, c)}

The last of these conditions follows from the others where j tells the truth; it is what a false number fails on, which
would otherwise have V run backwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from antecede.core.process import CountsBroadcasts
from antecede.core.snapshot.values import storable
from antecede.core.types import Message, Need, ProcessId, Reached, Stamp
from antecede.core.wire import shapes


@shapes.stamp(6, "BarrierStamp")
@dataclass(frozen=True, slots=True)
class BarrierStamp:
    """S_M: the maximal predecessors, by process."""

    barrier: Mapping[ProcessId, int]

    @property
    def entries(self) -> int:
        return len(self.barrier)

    def write(self, to: shapes.Writer) -> None:
        to.vector(self.barrier)

    @classmethod
    def read(cls, source: shapes.Reader) -> BarrierStamp:
        return cls(source.vector())


@storable("PrsBroadcast")
@dataclass(slots=True)
class PrsBroadcast(CountsBroadcasts):
    """S at process `me`."""

    me: ProcessId
    delivered: dict[ProcessId, int] = field(default_factory=dict)
    barrier: dict[ProcessId, int] = field(default_factory=dict)
    sent: int = 0

    def stamps(self, message: Message, others: Sequence[ProcessId]) -> list[Stamp]:
        stamp = BarrierStamp(self.barrier)
        self.sent = message.id.seq
        self.barrier = {self.me: self.sent}
        return [stamp] * len(others)

    def accepts(self, message: Message, stamp: Stamp) -> bool:  # noqa: ARG002
        return isinstance(stamp, BarrierStamp)

    def unmet(self, message: Message, stamp: BarrierStamp) -> Iterator[Need]:
        sender, seq = message.id
        if seq - 1 > self.delivered.get(sender, 0):
            yield Need(sender, seq - 1, seq - 1)
        for process, count in stamp.barrier.items():
            if count > self.delivered.get(process, 0) and process != self.me and (process != sender or count >= seq):
                yield Need(process, count, count)

    def deliver(self, message: Message, stamp: BarrierStamp) -> Iterable[Reached]:
        covered = stamp.barrier
        self.barrier = {process: count for process, count in self.barrier.items() if covered.get(process) != count}
        sender, seq = message.id
        self.barrier[sender] = seq
        return (Reached(sender, seq),)

    def forget(self, process: ProcessId) -> None:
        self.delivered.pop(process, None)
        self.barrier = {name: count for name, count in self.barrier.items() if name != process}
