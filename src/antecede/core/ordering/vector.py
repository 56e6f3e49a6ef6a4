"""One group, broadcast, vector clock: a count for each process (002 §7.1, broadcast case).

Guarantees causal order for broadcast over any channels, and holds a message back only while one that precedes it is
missing. Its stamp is n counts.

A broadcast of j is deliverable when it is the next of j, and everything its sender had delivered has been delivered
here. When a process hears of a newcomer, it sends it a `Baseline`: the number of its messages that the newcomer will
never get. The first stamps of the newcomer count these too, so for a moment others may wait for messages that it never
saw.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from antecede.core.process import CountsBroadcasts
from antecede.core.snapshot.values import storable
from antecede.core.types import Message, Need, ProcessId, Reached, Stamp
from antecede.core.wire import shapes


@shapes.stamp(5, "VectorStamp")
@dataclass(frozen=True, slots=True)
class VectorStamp:
    """What the sender had delivered of each other process; of its own, the message's number tells."""

    delivered: Mapping[ProcessId, int]

    @property
    def entries(self) -> int:
        return len(self.delivered) + 1

    def write(self, to: shapes.Writer) -> None:
        to.vector(self.delivered)

    @classmethod
    def read(cls, source: shapes.Reader) -> VectorStamp:
        return cls(source.vector())


@storable("Vector")
@dataclass(slots=True)
class Vector(CountsBroadcasts):
    """The vector clock of process `me`: `delivered` for the others, `sent` for itself."""

    me: ProcessId
    delivered: dict[ProcessId, int] = field(default_factory=dict)
    sent: int = 0

    def stamps(self, message: Message, others: Sequence[ProcessId]) -> list[Stamp]:
        self.sent = message.id.seq
        return [VectorStamp(dict(self.delivered))] * len(others)

    def accepts(self, message: Message, stamp: Stamp) -> bool:  # noqa: ARG002
        return isinstance(stamp, VectorStamp)

    def unmet(self, message: Message, stamp: VectorStamp) -> Iterator[Need]:
        sender, seq = message.id
        yield from self._missing(sender, seq - 1)
        for process, count in stamp.delivered.items():
            if process != self.me:
                yield from self._missing(process, count)

    def _missing(self, process: ProcessId, count: int) -> Iterator[Need]:
        known = self.delivered.get(process, 0)
        if count > known:
            yield Need(process, known + 1, count)

    def deliver(self, message: Message, stamp: VectorStamp) -> Iterable[Reached]:  # noqa: ARG002
        return (Reached(*message.id),)

    def forget(self, process: ProcessId) -> None:
        self.delivered.pop(process, None)
