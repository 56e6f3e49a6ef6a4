"""Mistakes of 003: its protocol word for word, with sentences of the paper put in, and one put into `BroadcastPhases`.

`PrintedPhases` is the protocol of §4.1, statements GS1 to GS4; with one group it is that of §3.2. Of messages that
become deliverable together, those with lower timestamps go first, as §3.1, the comment of GS4 and the proof of safety
say. The sentences that can be put in:

    `own_groups`      §4.3: timestamps have entries for the groups of their sender only. Two are then compared on the
                      entries both have
    `ByTheRules`      §3.4: on channels that reorder, an arrival takes place once its timestamp is the next by the
                      rules of §3.3
    `InferredPhases`  §3.3: a resynchronisation does not carry its phase, which the receiver infers by the rules
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from antecede.core.effects import Deliver, Effect, Sent, Transmit
from antecede.core.ordering.mr import PhaseStamp, Resynch
from antecede.core.ordering.mr_broadcast import BroadcastPhases
from antecede.core.roster import Roster
from antecede.core.types import Message, MessageId, Packet, ProcessId

Timestamp = Mapping[str, int]


class InferredPhases(BroadcastPhases):
    """§3.3: the phase of a resynchronisation is one more than that of the last, and two more than that of a message.

    A process may fall behind by several phases at once, so messages are never delivered.
    """

    __slots__ = ()

    def _take_resynch(self, sender: ProcessId, stamp: Resynch) -> list[Effect]:  # noqa: ARG002
        self._expect(sender, self.expected.get(sender, 0) + 1)
        return self._drain()


def inferred_phases(process: ProcessId, processes: Iterable[ProcessId]) -> InferredPhases:
    """Return one process of `mr-broadcast` with the inference of 003 §3.3."""
    return InferredPhases(Roster.of(process, "broadcast", processes, None))


@dataclass
class PrintedPhases:
    """CTL_i. `expected[x][j]` is expected_i^x[j], `k` is K_i."""

    me: str
    groups: Mapping[str, Sequence[str]]
    own_groups: bool = False
    seq: int = 0
    pending: list[Packet] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.mine = sorted(x for x, members in self.groups.items() if self.me in members)
        self.expected = {x: dict.fromkeys(self.groups[x], 0) for x in self.mine}
        self.k = dict.fromkeys(self.mine if self.own_groups else sorted(self.groups), 0)

    def send(self, dests: str | Iterable[str], payload: bytes) -> list[Effect]:
        assert isinstance(dests, str)
        self.seq += 1
        message = Message(MessageId(self.me, self.seq), frozenset(self.groups[dests]), payload, dests)
        effects: list[Effect] = [Sent(message)]
        effects += self._multicast(dests, Packet(self.me, message, PhaseStamp(dict(self.k))))  # GS1
        self.expected[dests][self.me] += 1
        self.k[dests] = self.expected[dests][self.me]
        return [*effects, Deliver(message), *self._deliverable()]

    def receive(self, packet: Packet) -> list[Effect]:
        stamp, effects = packet.stamp, list[Effect]()
        if isinstance(stamp, Resynch):
            self.expected[stamp.group][packet.sender] = stamp.phase  # GS3
        else:
            effects += self._arrive(packet)
        return effects + self._deliverable()

    def _arrive(self, packet: Packet) -> list[Effect]:
        """Take a message: GS2."""
        assert packet.message is not None
        x = packet.message.group
        assert x is not None
        t = timestamp(packet)[x] + 1
        self.pending.append(packet)
        self.expected[x][packet.sender] = t
        if self.expected[x][self.me] >= t:
            return []
        self.expected[x][self.me] = self.k[x] = t
        return self._multicast(x, Packet(self.me, None, Resynch(x, t)))

    def _deliverable(self) -> list[Effect]:
        """Deliver what can be delivered: GS4."""
        effects: list[Effect] = []
        while candidates := [packet for packet in self.pending if self._condition(timestamp(packet))]:
            packet = self._first(candidates)
            assert packet.message is not None
            self.pending.remove(packet)
            for y, phase in timestamp(packet).items():
                if y in self.k and y not in self.mine:
                    self.k[y] = max(self.k[y], phase)
            effects.append(Deliver(packet.message))
        return effects

    def _condition(self, k: Timestamp) -> bool:
        return all(phase >= k.get(x, 0) for x in self.mine for phase in self.expected[x].values())

    def _first(self, candidates: list[Packet]) -> Packet:
        return next(p for p in candidates if not any(less(timestamp(q), timestamp(p)) for q in candidates))

    def _multicast(self, x: str, packet: Packet) -> list[Effect]:
        return [Transmit(to, packet) for to in sorted(self.groups[x]) if to != self.me]


@dataclass
class ByTheRules:
    """§3.4 around the protocol of one group: `due` is the timestamp of the next message of a process, by the rules.

    A resynch that comes next has one more: two more than a message before it, one more than a resynch before it.
    """

    inner: PrintedPhases
    due: dict[str, int] = field(default_factory=dict)
    early: list[Packet] = field(default_factory=list)

    def send(self, dests: str | Iterable[str], payload: bytes) -> list[Effect]:
        return self.inner.send(dests, payload)

    def receive(self, packet: Packet) -> list[Effect]:
        self.early.append(packet)
        effects: list[Effect] = []
        while (following := next(filter(self._follows, self.early), None)) is not None:
            self.early.remove(following)
            self.due[following.sender] = self._due(following) + 1
            effects += self.inner.receive(following)
        return effects

    def _follows(self, packet: Packet) -> bool:
        phase = packet.stamp.phase - 1 if isinstance(packet.stamp, Resynch) else sum(timestamp(packet).values())
        return phase == self._due(packet)

    def _due(self, packet: Packet) -> int:
        return self.due.get(packet.sender, 0)


def timestamp(packet: Packet) -> Timestamp:
    assert isinstance(packet.stamp, PhaseStamp)
    return packet.stamp.phase


def less(a: Timestamp, b: Timestamp) -> bool:
    """Return whether K1 < K2: they differ, and K1 is nowhere above K2, on the entries that both have."""
    both = sorted(a.keys() & b.keys())
    return all(a[x] <= b[x] for x in both) and any(a[x] < b[x] for x in both)
