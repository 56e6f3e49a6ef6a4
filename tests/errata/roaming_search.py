"""Random worlds of roaming hosts within the model of the papers, and what goes wrong in them.

Nothing is lost, repeated or restarted. Wires reorder, the air is FIFO, what a host sent arrives even if it has moved
on, and hosts move at any time (001 §2). With the printed forms, hosts register as 001 §2 says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from antecede.core.mobile import protocols
from antecede.core.mobile.luggage import Policy
from antecede.lab.printed.roaming import leaving_host, printed_station
from tests.errata.erratum import Failures, Frequency
from tests.errata.executions import found_otherwise, in_words, told_of
from tests.mobile_worlds import Calm, MakeHost, MakeStation, MobileWorld
from tests.oracle import Broken

WITHIN_THE_MODEL = Calm(late=True, patient=False, drag=0.4, pace=6, roaming=0.3)
Failed = Callable[[MobileWorld], bool]


class Unicasts(MobileWorld):
    """A world in which every message goes to one other host, as in 001."""

    def _send(self) -> None:
        answers = self.answering and self.random.random() < 0.7
        sender = self.answering.pop() if answers else self.random.choice(self.names)
        self.send(sender, {self.random.choice([name for name in self.names if name != sender])})


class Multicasts(MobileWorld):
    """A world in which no host sends to itself, as in 000."""

    def _send(self) -> None:
        answers = self.answering and self.random.random() < 0.7
        sender = self.answering.pop() if answers else self.random.choice(self.names)
        others = [name for name in self.names if name != sender]
        self.send(sender, self.random.sample(others, self.random.randint(1, len(others))))


@dataclass(frozen=True, slots=True)
class Stations:
    """One form of a protocol: how its stations and its hosts are made."""

    protocol: str
    make_station: MakeStation = protocols.station
    make_host: MakeHost = protocols.host


def as_printed(protocol: str, make_station: MakeStation = printed_station) -> Stations:
    return Stations(protocol, make_station, leaving_host)


@dataclass(frozen=True, slots=True)
class Search:
    """Random worlds of one kind. `size` limits steps, stations and hosts. `other` is a fourth way to fail."""

    kind: type[MobileWorld] = Unicasts
    worlds: int = 200
    size: Mapping[str, Any] = field(default_factory=dict)
    other: Failed = lambda _: False

    def __str__(self) -> str:
        sizes = (self.size.get(name, getattr(MobileWorld, name)) for name in ("stations_max", "hosts_max", "steps_max"))
        return "1 to {} stations, 2 to {} hosts, 10 to {} steps".format(*sizes)

    def failures(self, stations: Stations) -> Failures:
        """Return in how many worlds what goes wrong. A world that does not come to rest has no other failure."""
        order = lost = endless = other = 0
        for seed in range(self.worlds):
            made = self._run(stations, seed)
            if made is None:
                endless += 1
                continue
            order += made.oracle.violations > 0
            lost += bool(made.oracle.lost())
            other += self.other(made)
        return Failures(order, lost, endless, other)

    def compare(self, printed: Stations, ours: Stations, *, other: str = "") -> Frequency:
        """Return what is found with both forms. `other` says what `Search.other` looks for, if that is the question."""
        found, mended = self.failures(printed), self.failures(ours)
        if not other:
            return told_of(self.worlds, f"worlds ({self})", found, mended)
        counts = f"in {found.other} as printed, and in {mended.other} with ours"
        told = f"Of {self.worlds} random worlds ({self}), {other} {counts}."
        return found_otherwise(self.worlds, found.other, mended.other, told)

    def _run(self, stations: Stations, seed: int) -> MobileWorld | None:
        made = self.kind(
            stations.protocol,
            seed,
            calm=WITHIN_THE_MODEL,
            policy=Policy(),
            strict=False,
            make_station=stations.make_station,
            make_host=stations.make_host,
            **dict(self.size),
        )
        try:
            return made.run()
        except Broken as error:
            if "does not come to rest" not in str(error):
                raise
            return None


def tell_readings(search: Search, readings: Mapping[str, Failures]) -> str:
    """Return a sentence about several readings of a paper, by their names."""
    said = [f"{name}, {in_words(found)}" for name, found in readings.items()]
    return f"Of {search.worlds} random worlds ({search}): {'; '.join(said)}."


def waits_needlessly(made: MobileWorld) -> bool:
    """Return whether a message was held back although nothing that precedes it was missing."""
    return made.counts["held for nothing"] > 0
