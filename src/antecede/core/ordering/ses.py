"""Schiper-Eggli-Sandoz: for each destination, the vector time of what was last sent to it (002 §1, 000 §3).

Guarantees causal order for unicast and multicast over any channels, and holds a message back only while one that
precedes it is missing. Its stamp is the vector time of the message and up to n - 1 pairs (destination, vector).

    tm   `time`: the vector time of this process; it counts the messages each process has sent
    V_P  `last`: for each destination, the join of the vector times of the messages it was sent, in the causal past

A message for j is deliverable when the vector it carries for j is at or below tm_j. A multicast is recorded for
all its destinations, by its sender after sending and by each receiver on delivery.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from antecede.core.snapshot.values import storable
from antecede.core.types import Message, Need, ProcessId, Reached, Stamp
from antecede.core.vectors import greatest, rows_without, without
from antecede.core.wire import shapes

HEARD_OF = "|to have been heard of"


@shapes.stamp(4, "SesStamp")
@dataclass(frozen=True, slots=True)
class SesStamp:
    """The vector time of the message, and V_P as it was before it."""

    time: Mapping[ProcessId, int]
    last: Mapping[ProcessId, Mapping[ProcessId, int]]

    @property
    def entries(self) -> int:
        return len(self.time) + sum(map(len, self.last.values()))

    def write(self, to: shapes.Writer) -> None:
        to.vector(self.time)
        to.table(self.last)

    @classmethod
    def read(cls, source: shapes.Reader) -> SesStamp:
        return cls(source.vector(), source.table())


@storable("Ses")
@dataclass(slots=True)
class Ses:
    """The vector time of `me` and its pairs. Vectors are replaced, never changed: stamps share them."""

    me: ProcessId
    delivered: dict[ProcessId, int] = field(default_factory=dict)
    time: dict[ProcessId, int] = field(default_factory=dict)
    last: dict[ProcessId, dict[ProcessId, int]] = field(default_factory=dict)
    departed: frozenset[ProcessId] = frozenset()

    def stamps(self, message: Message, others: Sequence[ProcessId]) -> list[Stamp]:
        self.time = {**self.time, self.me: message.id.seq}
        stamp = SesStamp(self.time, dict(self.last))
        for dest in others:
            self.last[dest] = self.time
        return [stamp] * len(others)

    def accepts(self, message: Message, stamp: Stamp) -> bool:  # noqa: ARG002
        return isinstance(stamp, SesStamp)

    def unmet(self, message: Message, stamp: SesStamp) -> Iterator[Need]:  # noqa: ARG002
        for process, count in stamp.last.get(self.me, {}).items():
            known = self.time.get(process, 0)
            if count > known:
                yield Need(process, known + 1, count, HEARD_OF)

    def deliver(self, message: Message, stamp: SesStamp) -> Iterable[Reached]:
        time = without(stamp.time, self.departed)
        for dest, vector in rows_without(stamp.last, self.departed).items():
            if dest != self.me:
                self.last[dest] = greatest(vector, self.last.get(dest, {}))
        for dest in sorted(message.dests - self.departed - {self.me, message.id.sender}):
            self.last[dest] = greatest(time, self.last.get(dest, {}))
        before, self.time = self.time, greatest(time, self.time)
        return [
            Reached(process, count, HEARD_OF) for process, count in stamp.time.items() if count > before.get(process, 0)
        ]

    def forget(self, process: ProcessId) -> None:
        self.departed |= {process}
        self.delivered.pop(process, None)
        self.time = dict(without(self.time, self.departed))
        self.last = {dest: dict(vector) for dest, vector in rows_without(self.last, self.departed).items()}
