"""Prakash-Raynal-Singhal: causal barriers (000 §5).

Guarantees causal order for any multicast over any channels, and holds a message back only while one that precedes it is
missing: it delivers at the same instants as `ks`. Its stamp is the barrier, up to n x n tuples (process, count). With
`bit_string=True`, the stamp is written as §7.1 does: as a string of n x n bits, and an integer for each tuple.

    sent_i           the sequence number of the message; per sender, not per pair: never test for "last + 1"
    CB_i[k]          `barrier[k]`: what must be delivered at k before anything sent to k from now on;
                     CB_i[i] is no constraint but the latest messages delivered here
    Delivered_i[k,j] `known[k][j]`: the last message of k known here to have been delivered at j;
                     of it, Delivered_i[k,i] is `delivered[k]`

The steps are those of §5.2. The order of step 5 does not matter; step 8 only saves space; the barrier is copied
strictly before step 3 of the send. The sender is never among the destinations here: its own copy is delivered at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from antecede.core.snapshot.values import storable
from antecede.core.types import Message, Need, ProcessId, Reached, Stamp
from antecede.core.vectors import greatest, rows_without
from antecede.core.wire import bit_string, shapes

BIT_STRING_NAMES_MAX = 1024
"""Names in a barrier that is sent as a string of bits, which then has 128 KiB."""

Tuples = dict[ProcessId, int]


@shapes.stamp(7, "PrsStamp")
@dataclass(frozen=True, slots=True)
class PrsStamp:
    """CB_M, without its empty rows."""

    barrier: Mapping[ProcessId, Mapping[ProcessId, int]]

    @property
    def entries(self) -> int:
        return sum(map(len, self.barrier.values()))

    def write(self, to: shapes.Writer) -> None:
        to.table(self.barrier)

    @classmethod
    def read(cls, source: shapes.Reader) -> PrsStamp:
        return cls(source.table())


@shapes.stamp(28, "BitStringStamp")
@dataclass(frozen=True, slots=True)
class BitStringStamp(PrsStamp):
    """CB_M, written as a string of bits and integers (§7.1)."""

    def write(self, to: shapes.Writer) -> None:
        bit_string.write_table(to, self.barrier)

    @classmethod
    def read(cls, source: shapes.Reader) -> BitStringStamp:
        return cls(bit_string.read_table(source))


@storable("Prs")
@dataclass(slots=True)
class Prs:
    """CB and Delivered of process `me`. Rows are replaced, never changed: stamps share them."""

    me: ProcessId
    delivered: dict[ProcessId, int] = field(default_factory=dict)
    barrier: dict[ProcessId, Tuples] = field(default_factory=dict)
    known: dict[ProcessId, dict[ProcessId, int]] = field(default_factory=dict)
    departed: frozenset[ProcessId] = frozenset()

    def stamps(self, message: Message, others: Sequence[ProcessId]) -> list[Stamp]:
        stamp = self._make_stamp()
        for dest in others:  # step 3 of the send
            self.barrier[dest] = {self.me: message.id.seq}
        return [stamp] * len(others)

    def _make_stamp(self) -> PrsStamp:
        return PrsStamp(dict(self.barrier))

    def accepts(self, message: Message, stamp: Stamp) -> bool:  # noqa: ARG002
        return isinstance(stamp, PrsStamp)

    def unmet(self, message: Message, stamp: Stamp) -> Iterator[Need]:  # noqa: ARG002
        """Yield the messages of the barrier that have not been delivered here yet: step 1 of the reception."""
        assert isinstance(stamp, PrsStamp)
        for process, count in stamp.barrier.get(self.me, {}).items():
            if count > self.delivered.get(process, 0):
                yield Need(process, count, count)

    def deliver(self, message: Message, stamp: Stamp) -> Iterable[Reached]:
        self.learn(message, stamp)
        return (self.count(message),)

    def count(self, message: Message) -> Reached:
        """Do the half of a delivery that later messages wait for; `delivered` is all there is to it."""
        return Reached(*message.id)

    def learn(self, message: Message, stamp: Stamp) -> None:
        """Do the half of a delivery that later stamps tell of."""
        assert isinstance(stamp, PrsStamp)
        sender, seq = message.id
        dests, theirs = message.dests - self.departed - {sender}, rows_without(stamp.barrier, self.departed)
        for process, count in theirs.get(sender, {}).items():  # step 4
            row = self.known.setdefault(process, {})
            row[sender] = max(row.get(sender, 0), count)
        for dest in sorted(dests):  # step 5
            self.barrier[dest] = _less(greatest(self.barrier.get(dest, {}), {sender: seq}), theirs.get(dest, {}))
        for dest in sorted(theirs.keys() - dests - {sender}):  # step 6
            self.barrier[dest] = greatest(self.barrier.get(dest, {}), theirs[dest])
        self.barrier[sender] = _less(self.barrier.get(sender, {}), theirs.get(sender, {}))  # step 7
        self._collect()

    def _collect(self) -> None:
        """Drop the tuples that are known to be delivered, and the rows that are then empty: step 8."""
        for dest, row in list(self.barrier.items()):
            if dest != self.me:
                row = {p: count for p, count in row.items() if self.known.get(p, {}).get(dest, 0) < count}  # noqa: PLW2901
            if row:
                self.barrier[dest] = row
            else:
                del self.barrier[dest]

    def forget(self, process: ProcessId) -> None:
        self.departed |= {process}
        self.delivered.pop(process, None)
        self.barrier = {dest: dict(row) for dest, row in rows_without(self.barrier, self.departed).items() if row}
        self.known = {sender: dict(row) for sender, row in rows_without(self.known, self.departed).items()}


@storable("BitStringPrs")
@dataclass(slots=True)
class BitStringPrs(Prs):
    """`Prs` whose stamps are written as strings of bits. Each of the two accepts the stamps of the other.

    A string of bits grows with the square of the names in the barrier. So if others tell of more than
    `BIT_STRING_NAMES_MAX` names, stamps are those of `Prs`.
    """

    def _make_stamp(self) -> PrsStamp:
        is_short = len(bit_string.names_of(self.barrier)) <= BIT_STRING_NAMES_MAX
        return BitStringStamp(dict(self.barrier)) if is_short else Prs._make_stamp(self)


def _less(mine: Mapping[ProcessId, int], theirs: Mapping[ProcessId, int]) -> Tuples:
    """Return the tuples of `mine` that `theirs` does not say are satisfied: the operator "minus max"."""
    return {process: count for process, count in mine.items() if count > theirs.get(process, 0)}
