"""The printed forms of `antecede.lab.printed`, to be put on a stage.

prs(...)           000 §5.2; or §8.2, where a message carries one row of the barrier and the receiver takes all to be so
rst()              001 §3
look_ahead()       002 §4.5, if senders prune what they send (§4.3), or with hardware multicast
learn_ahead()      002 §4.5, with RCV(3) ahead too
rcv4()             002 §4.3
inferred_phases()  003 §3.3, also with senders that wait for the phase before
by_the_rules()     003 §3.4, the same
phases(...)        003 §4.1; or §4.3, where timestamps have entries for the groups of their sender only
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from antecede import Effect, Packet
from antecede.lab.printed import ks, mr
from antecede.lab.printed.ordering import Bare, PickRow, PrintedPrs, PrintedRst
from tests.errata.forms import Form, Groups, Party


def prs(row: PickRow | None = None, *, counts_own: bool = False, at_once: bool = False) -> Form:
    """Return 000 §5.2. `row` picks the row that is sent.

    With `at_once` the sender is a destination and gets its own copy as it sends. With `counts_own` it is not one, and
    counts its messages as delivered to itself all the same.
    """

    def make(name: str, names: Sequence[str]) -> Party:
        return Bare(name, PrintedPrs(name, names=names, row=row, counts_own=counts_own), at_once)

    return _form("000 as printed", make)


def rst() -> Form:
    return _form("001 §3 as printed", lambda name, _: Bare(name, PrintedRst(name)))


def look_ahead(*, hardware: bool = False) -> Form:
    """Return 002 §4.5. With `hardware`, one packet serves all destinations, and nothing is pruned before it arrives."""
    return _form("002 §4.5 as printed", partial(ks.look_ahead_ks, hardware=hardware))


def learn_ahead(*, hardware: bool = False) -> Form:
    return _form("002 §4.5 with RCV(3)", partial(ks.learn_ahead_ks, hardware=hardware))


def rcv4() -> Form:
    return _form("002 §4.3 as printed", ks.rcv4_ks)


def inferred_phases(*, waiting: bool = False) -> Form:
    """Return 003 §3.3. With `waiting`, a process sends in a phase when all have got there."""

    def make(name: str, names: Sequence[str]) -> Party:
        made = mr.inferred_phases(name, names)
        return Waiting(made, lambda: _all_reached(made.expected, name, names)) if waiting else made

    return _form("003 §3.3 as printed", make)


def by_the_rules(*, waiting: bool = False) -> Form:
    """Return 003 §3.4, for one group. With `waiting`, a process sends in a phase when all have got there."""

    def make(names: Sequence[str], groups: Groups) -> dict[str, Party]:
        return {name: make_one(name, groups) for name in names}

    def make_one(name: str, groups: Groups) -> Party:
        made = mr.ByTheRules(mr.PrintedPhases(name, groups))
        (group,) = made.inner.expected.values()
        return Waiting(made, lambda: _all_reached(group, name, group)) if waiting else made

    return Form("003 §3.4 as printed", make, by_group=True)


def phases(*, own_groups: bool = False) -> Form:
    def make(names: Sequence[str], groups: Groups) -> dict[str, Party]:
        return {name: mr.PrintedPhases(name, groups, own_groups) for name in names}

    return Form("003 §4.1 as printed", make, by_group=True)


@dataclass
class Waiting:
    """A process that keeps what it has to send until `may_send`, which changes when something arrives."""

    inner: Party
    may_send: Callable[[], bool]
    unsent: deque[tuple[str | Iterable[str], bytes]] = field(default_factory=deque)

    def send(self, dests: str | Iterable[str], payload: bytes) -> list[Effect]:
        self.unsent.append((dests, payload))
        return self._send_waiting()

    def receive(self, packet: Packet) -> list[Effect]:
        return [*self.inner.receive(packet), *self._send_waiting()]

    def _send_waiting(self) -> list[Effect]:
        effects: list[Effect] = []
        while self.unsent and self.may_send():
            effects += self.inner.send(*self.unsent.popleft())
        return effects


def _all_reached(expected: Mapping[str, int], name: str, names: Iterable[str]) -> bool:
    """Return whether all are known to have reached the phase of process `name` (003 §3.1)."""
    return all(expected.get(each, 0) >= expected.get(name, 0) for each in names)


def _form(name: str, make_party: Callable[[str, Sequence[str]], Party]) -> Form:
    """Return a form without groups; `make_party` makes a party from its name and the names of all."""

    def make(names: Sequence[str], groups: Groups) -> dict[str, Party]:
        return {each: make_party(each, names) for each in names}

    return Form(name, make)
