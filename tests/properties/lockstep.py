"""Several algorithms perform one execution: same sends, same arrivals, and so, where nobody waits needlessly, the same
deliveries at the same instants.

An `Ensemble` asks one algorithm after the other to do the same step, and compares what each delivers with what the
oracle of explicit pasts says can be delivered: everything that has arrived and has no predecessor still missing. The
order among messages delivered at one instant is each algorithm's own, as long as causes come first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from antecede import Deliver, Effect, MessageId, Packet, Sent, Transmit
from tests.oracle import Oracle
from tests.stage import Stage

Options = Mapping[str, Mapping[str, Any]]

NAMES = ("a", "b", "c", "d")
GROUPS = {"g1": ("a", "b", "c"), "g2": ("b", "c", "d"), "g3": ("a", "d"), "g4": NAMES}
MULTICAST: Options = {
    "ks": {},
    "ks multicast": {"multicast": True},
    "ks differential": {"differential": True},
    "prs": {},
    "prs bit_string": {"bit_string": True},
    "psync": {},
    "rst": {},
    "ses": {},
}
BROADCAST: Options = {"vector": {}, "prs-broadcast": {}, "ks": {}}
GROUP: Options = {"isis": {}, "ks": {}}


@dataclass
class Ensemble:
    """`cast` is name -> options; the name's first word is the algorithm. Destinations are sets, or group names."""

    cast: Options
    oracle: Oracle = field(default_factory=Oracle)

    def __post_init__(self) -> None:
        self.stages = {
            name: Stage(name.split()[0], NAMES, GROUPS if name == "isis" else None, **options)
            for name, options in self.cast.items()
        }
        self.flights: dict[tuple[MessageId, str], dict[str, Packet]] = {}
        self.arrived: dict[str, set[MessageId]] = {name: set() for name in NAMES}
        self.in_flight: list[tuple[MessageId, str]] = []
        self.brought: list[tuple[MessageId, str]] = []

    def send(self, sender: str, dests: str | frozenset[str]) -> None:
        members = frozenset(GROUPS[dests]) if isinstance(dests, str) else dests
        done = {
            name: stage.call(sender, "send", dests if name == "isis" else members, b"x")
            for name, stage in self.stages.items()
        }
        for name, effects in done.items():
            for effect in effects:
                if isinstance(effect, Transmit) and effect.packet.message is not None:
                    self.flights.setdefault((effect.packet.message.id, effect.to), {})[name] = effect.packet
        message = next(e.message for e in done["ks"] if isinstance(e, Sent))
        self.in_flight += [(message.id, to) for to in sorted(members - {sender})]
        self.oracle.sent(message)
        if sender in members:
            self.arrived[sender].add(message.id)
        self._compare(sender, done)

    def bring(self, flight: tuple[MessageId, str]) -> None:
        """A copy arrives, for the first time or again."""
        if flight in self.in_flight:
            self.in_flight.remove(flight)
            self.brought.append(flight)
        message, to = flight
        self.arrived[to].add(message)
        packets = self.flights[flight]
        assert packets.keys() == self.stages.keys(), f"{message} was not transmitted to {to} by all"
        self._compare(to, {name: stage.call(to, "receive", packets[name]) for name, stage in self.stages.items()})

    def restart(self, process: str) -> None:
        for stage in self.stages.values():
            stage.restart(process)

    def finish(self) -> None:
        while self.in_flight:
            self.bring(self.in_flight[-1])
        assert not self.oracle.lost()

    def _compare(self, at: str, done: Mapping[str, list[Effect]]) -> None:
        can_be = self._deliverable(at)
        for name, effects in done.items():
            delivered = [effect.message.id for effect in effects if isinstance(effect, Deliver)]
            assert sorted(delivered) == sorted(can_be), f"{name} at {at}"
            assert self._causes_first(delivered), f"{name} at {at} delivered {delivered}"
            held = {waiting.message.id for waiting in self.stages[name].nodes[at].pending()}
            assert held == self.arrived[at] - self.oracle.delivered.get(at, set()), f"{name} at {at} holds {held}"

    def _deliverable(self, at: str) -> list[MessageId]:
        """The oracle delivers all it can, one after the other, and says what that was."""
        done: list[MessageId] = []
        while ready := [m for m in self._waiting(at) if not self.oracle.missing(at, m)]:
            for message in ready:
                self.oracle.deliver(at, self.oracle.messages[message])
            done += ready
        assert not self.oracle.violations
        return done

    def _waiting(self, at: str) -> list[MessageId]:
        return sorted(self.arrived[at] - self.oracle.delivered.get(at, set()))

    def _causes_first(self, delivered: list[MessageId]) -> bool:
        return not any(
            later in self.oracle.past[message] for i, message in enumerate(delivered) for later in delivered[i:]
        )


def audiences(cast: Options, sender: str) -> list[str | frozenset[str]]:
    """Whom `sender` may send to, so that every algorithm of the cast can do it."""
    if "isis" in cast:
        return sorted(group for group, members in GROUPS.items() if sender in members)
    if "vector" in cast:
        return [frozenset(NAMES), frozenset(NAMES) - {sender}]
    numbers = range(1, 2 ** len(NAMES))
    return [frozenset(name for bit, name in enumerate(NAMES) if number >> bit & 1) for number in numbers]


def perform(cast: Options, seed: int, sends: int = 20, kind: type[Ensemble] = Ensemble) -> Ensemble:
    """A whole random execution."""
    random = Random(f"lockstep {seed}")
    ensemble = kind(cast)
    latest_first = random.random() < 0.3
    while sends or ensemble.in_flight:
        if sends and (not ensemble.in_flight or random.random() < 0.4):
            sender = random.choice(NAMES)
            ensemble.send(sender, random.choice(audiences(cast, sender)))
            sends -= 1
        elif ensemble.brought and random.random() < 0.1:
            ensemble.bring(random.choice(ensemble.brought))
        elif random.random() < 0.05:
            ensemble.restart(random.choice(NAMES))
        else:
            ensemble.bring(ensemble.in_flight[-1] if latest_first else random.choice(ensemble.in_flight))
    ensemble.finish()
    return ensemble
