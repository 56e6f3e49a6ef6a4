"""Algorithms of 000 and 001 that stamp messages, word for word.

A `Printed` is a paper's pseudo-code with its own variables. `Bare` runs one: it sends a copy to every destination, the
sender among them if it is one, and of the packets here it delivers the first that is ready, in order of arrival. With
`at_once` the copy for the sender does not travel: it is received within the send.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from antecede.core.effects import Deliver, Effect, Sent, Transmit
from antecede.core.ordering.prs import PrsStamp
from antecede.core.ordering.rst import RstStamp
from antecede.core.types import Message, MessageId, Packet, Stamp

Tuples = dict[str, int]


class Printed(Protocol):
    """A paper's three procedures at process `me`."""

    def send(self, message: Message) -> Stamp: ...

    def ready(self, stamp: Stamp) -> bool: ...

    def deliver(self, message: Message, stamp: Stamp) -> None: ...


@dataclass
class Bare:
    """A process that knows nothing but the printed procedures."""

    me: str
    paper: Printed
    at_once: bool = False
    seq: int = 0
    held: list[Packet] = field(default_factory=list)

    def send(self, dests: str | Iterable[str], payload: bytes) -> list[Effect]:
        self.seq += 1
        message = Message(MessageId(self.me, self.seq), frozenset(dests), payload)
        packet = Packet(self.me, message, self.paper.send(message))
        own = {self.me} & message.dests if self.at_once else set[str]()
        effects: list[Effect] = [Sent(message), *(Transmit(to, packet) for to in sorted(message.dests - own))]
        return effects + self.receive(packet) if own else effects

    def receive(self, packet: Packet) -> list[Effect]:
        self.held.append(packet)
        effects: list[Effect] = []
        while (ready := self._first_ready()) is not None:
            assert ready.message is not None
            self.held.remove(ready)
            self.paper.deliver(ready.message, ready.stamp)
            effects.append(Deliver(ready.message))
        return effects

    def _first_ready(self) -> Packet | None:
        return next((p for p in self.held if self.paper.ready(p.stamp)), None)


@dataclass
class PrintedPrs:
    """000 §5.2, steps as numbered there.

    `row`, if given, names the one row of the barrier that is sent in the place of all (§8.2). With `skip_own` a process
    does not wait for its own messages, which the paper does not say.
    """

    me: str
    names: Sequence[str]
    row: Callable[[str, Sequence[str]], str] | None = None
    skip_own: bool = False
    cb: dict[str, Tuples] = field(default_factory=dict)
    delivered: dict[tuple[str, str], int] = field(default_factory=dict)

    def send(self, message: Message) -> Stamp:
        stamp = PrsStamp(dict(self.cb) if self.row is None else self._one_row(self.row(self.me, self.names)))
        for j in message.dests:  # step 3
            self.cb[j] = {self.me: message.id.seq}
        return stamp

    def _one_row(self, row: str) -> dict[str, Tuples]:
        return {name: self.cb.get(row, {}) for name in self.names}

    def ready(self, stamp: Stamp) -> bool:
        assert isinstance(stamp, PrsStamp)
        wanted = stamp.barrier.get(self.me, {}).items()  # step 1
        return all(self.delivered.get((k, self.me), 0) >= x for k, x in wanted if not (self.skip_own and k == self.me))

    def deliver(self, message: Message, stamp: Stamp) -> None:
        assert isinstance(stamp, PrsStamp)
        theirs, (j, sent) = stamp.barrier, message.id
        self.delivered[j, self.me] = sent  # step 3
        for k, y in theirs.get(j, {}).items():  # step 4
            self.delivered[k, j] = max(self.delivered.get((k, j), 0), y)
        for k in message.dests:  # step 5
            self.cb[k] = minus_max(union_max(self.cb.get(k, {}), {j: sent}), theirs.get(k, {}))
        for k in theirs.keys() - message.dests - {j}:  # step 6
            self.cb[k] = union_max(self.cb.get(k, {}), theirs[k])
        self.cb[j] = minus_max(self.cb.get(j, {}), theirs.get(j, {}))  # step 7
        for k in self.cb.keys() - {self.me}:  # step 8
            self.cb[k] = {m: x for m, x in self.cb[k].items() if self.delivered.get((m, k), 0) < x}


@dataclass
class PrintedRst:
    """001 §3, with SENT_i as `sent` and DELIV_i as `deliv`."""

    me: str
    deliv: Tuples = field(default_factory=dict)
    sent: dict[str, Tuples] = field(default_factory=dict)

    def send(self, message: Message) -> Stamp:
        stamp = RstStamp({k: dict(row) for k, row in self.sent.items()})
        mine = self.sent.setdefault(self.me, {})
        for j in message.dests:
            mine[j] = mine.get(j, 0) + 1
        return stamp

    def ready(self, stamp: Stamp) -> bool:
        assert isinstance(stamp, RstStamp)
        return all(self.deliv.get(k, 0) >= row.get(self.me, 0) for k, row in stamp.sent.items())

    def deliver(self, message: Message, stamp: Stamp) -> None:
        assert isinstance(stamp, RstStamp)
        j = message.sender
        self.deliv[j] = self.deliv.get(j, 0) + 1
        self.sent.setdefault(j, {})[self.me] = stamp.sent.get(j, {}).get(self.me, 0) + 1
        for k, theirs in stamp.sent.items():
            self.sent[k] = union_max(self.sent.get(k, {}), theirs)


def union_max(mine: Mapping[str, int], theirs: Mapping[str, int]) -> Tuples:
    return {k: max(mine.get(k, 0), theirs.get(k, 0)) for k in sorted(mine.keys() | theirs.keys())}


def minus_max(mine: Mapping[str, int], theirs: Mapping[str, int]) -> Tuples:
    return {k: x for k, x in mine.items() if x > theirs.get(k, 0)}
