"""Short plays of every algorithm and roaming protocol: where golden packets and snapshots come from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import antecede
from antecede import Packet
from antecede.core.mobile.host import Host
from antecede.core.mobile.luggage import Policy
from antecede.core.mobile.protocols import host
from antecede.core.mobile.station import Station
from antecede.runtime.roaming.unordered import plain_station
from tests.mobile_worlds import FEW_HELD, FORMS, Calm, MobileWorld
from tests.stage import Flight, Stage, destinations

NAMES = ("p1", "p2", "p3", "p4", "p5")
LONG_NAMES = tuple(f"plant {n // 8}, machine {n:02}: überwacht" for n in range(30))
GROUPS = {"g0": NAMES, "g1": ("p1", "p2", "p3"), "g2": ("p3", "p4", "p5")}
ACYCLIC_GROUPS = {"g0": ("p1", "p2", "p3"), "g1": ("p3", "p4", "p5")}
PAIRS = (("p1", "p2"), ("p2", "p3"), ("p1", "p3"), ("p3", "p4"), ("p4", "p5"), ("p3", "p5"), ("p3", "newcomer"))
LINKS = [*PAIRS, *((q, p) for p, q in PAIRS)]
VARIANTS: tuple[tuple[str, dict[str, Any]], ...] = (
    *((name, {}) for name in sorted(antecede.algorithms())),
    ("ks", {"multicast": True}),
    ("ks", {"differential": True}),
    ("mr", {"numbered": True}),
    ("mr", {"resynch_after_s": 5.0}),
    ("mr-broadcast", {"numbered": True}),
    ("mr-broadcast", {"resynch_after_s": 5.0}),
    ("hierarchy", {"inner": "prs", "representatives": {"p1": ["p2"], "p3": ["p4", "p5"]}}),
    ("history", {"acknowledge_every": 2}),
    ("history", {"repeat_after_s": 5.0}),
    ("isis", {"acyclic": True}),
    ("mr", {"acyclic": True}),
    ("mr", {"own_count": False}),
    ("mr", {"own_count": False, "bare_resynch": True}),
    ("mr-scalar", {"numbered": True}),
    ("mr-scalar", {"resynch_after_s": 5.0}),
    ("prs", {"bit_string": True}),
    ("ks", {"links": LINKS}),
    ("prs", {"links": LINKS}),
)
"""Every algorithm with its own options where these change what is stored or sent."""


def open_stage(algorithm: str, options: dict[str, Any], names: tuple[str, ...] = NAMES) -> Stage:
    """Return the processes of one variant at the beginning of time."""
    grouped = antecede.algorithms()[algorithm].addressing == "group"
    groups = ACYCLIC_GROUPS if options.get("acyclic") else GROUPS
    return Stage(algorithm, names, groups if grouped else None, **options)


def play(stage: Stage, random: Random, sends: int, *, fifo: bool) -> Stage:
    """Send `sends` messages and bring some packets between the sends, the later ones rather than the older ones."""
    while sends:
        if stage.flying and random.random() < 0.6:
            stage.bring(_choose(stage.flying, random, fifo=fifo))
        else:
            sender = random.choice(stage.names)
            payload = random.randbytes(random.randint(0, 3))
            stage.send(sender, _sorted(destinations(stage, sender, random)), payload)
            sends -= 1
    return stage


def resign(seed: int) -> Stage:
    """Return a hierarchy in which p1 hands its role over to p2 while packets are on their way. It is not done yet if
    the seed is odd."""
    chosen = {"p1": ["p2", "p5"], "p3": ["p4"]}
    random = Random(f"resign {seed}")
    stage = play(Stage("hierarchy", NAMES, representatives=chosen), random, 6, fifo=False)
    stage.call("p1", "leave", "p1")
    steps = 12 if seed % 2 else 1_000
    while stage.flying and steps:
        stage.bring(random.choice(stage.flying))
        steps -= 1
        if random.random() < 0.2 and seed % 2:
            stage.send("p2", ["p4", "p5"], b"kept")
    return stage


def needs_fifo(algorithm: str, options: dict[str, Any]) -> bool:
    return antecede.algorithms()[algorithm].needs_fifo and not options.get("numbered", False)


def _choose(flying: list[Flight], random: Random, *, fifo: bool) -> Flight:
    if not fifo:
        return flying[-1] if random.random() < 0.5 else random.choice(flying)
    heads: dict[tuple[str, str], Flight] = {}
    for flight in flying:
        heads.setdefault((flight.sender, flight.to), flight)
    return random.choice(list(heads.values()))


def _sorted(dests: str | set[str]) -> str | list[str]:
    return dests if isinstance(dests, str) else sorted(dests)


@dataclass
class Call:
    """One call of a station or host: the state before it, what was held back then, and what came of it."""

    before: bytes
    held: int
    name: str
    arguments: tuple[Any, ...]
    effects: list[Any]


class Recorded:
    """A station or host whose calls are written down."""

    CALLS = ("send", "enter", "leave", "hear", "receive", "tick", "join")

    def __init__(self, inside: Any) -> None:
        self.inside = inside
        self.calls: list[Call] = []

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.inside, name)
        return self._recording(name) if name in self.CALLS else found

    def _recording(self, name: str) -> Any:
        def call(*arguments: Any) -> Any:
            held = self.inside.held() if hasattr(self.inside, "held") else self.inside.unsent
            made = Call(self.inside.snapshot(), len(held), name, arguments, [])
            self.calls.append(made)
            effects = getattr(self.inside, name)(*arguments)
            made.effects = [] if effects is None else list(effects)
            return effects

        return call


@dataclass
class RecordedWorld(MobileWorld):
    """A roaming world that keeps every packet, and every call of every station and host.

    With `plain`, its stations keep no order.
    """

    plain: bool = False
    packets: list[Packet] = field(default_factory=list)

    def populate(self, cells: list[str], homes: dict[str, str]) -> None:
        super().populate(cells, homes)
        stations: dict[str, Any] = dict(self.stations)
        if self.plain:
            stations = {cell: _plain(cell, cells, homes, self.rules) for cell in cells}
        hosts: dict[str, Any] = {name: Recorded(host) for name, host in self.hosts.items()}
        self.stations = {name: Recorded(station) for name, station in stations.items()}  # type: ignore[misc]  # a recorded station stands in for a station
        self.hosts = hosts

    def _count(self, medium: str, packet: Packet) -> None:
        super()._count(medium, packet)
        self.packets.append(packet)

    def machines(self) -> Iterator[tuple[str, list[Call]]]:
        """Yield "station" or "host" and the calls, of every machine."""
        for kind, machines in (("station", self.stations), ("host", self.hosts)):
            for machine in machines.values():
                assert isinstance(machine, Recorded)
                yield kind, machine.calls


def _plain(cell: str, cells: list[str], homes: dict[str, str], policy: Policy) -> Station:
    station = plain_station(cell, tuple(cells), policy)
    for name, home in homes.items():
        station.join(name, home)
    return station


def roaming_names() -> list[str]:
    """Return the names of the roaming protocols and their variants, and "plain" for stations without order."""
    return [*(name for name in sorted(FORMS) if name != FEW_HELD), "plain"]


def restless_host() -> Host:
    """Return a host that is in the cell of s2, and was not welcomed there."""
    restless = host("h1", "s1")
    restless.enter("s2")
    restless.leave()
    return restless


def roam(name: str, seed: int) -> RecordedWorld:
    """Return a roaming world after its end. Nothing is lost there, and nobody is restarted."""
    protocol, options = FORMS.get(name, ("roam", {}))
    world = RecordedWorld(
        protocol,
        seed,
        options=options,
        hosts_max=4,
        stations_max=3,
        steps_max=60,
        calm=Calm(repeat=0.05, late=True, sleeps=True, drag=0.4, pace=3, roaming=0.12),
        policy=Policy(stored_max=50),
        plain=name == "plain",
    )
    world.run()
    return world
