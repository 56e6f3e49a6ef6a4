"""Random roaming worlds: hosts, stations, hostile wires and air, and the oracle of `tests.worlds`.

Wires bring everything, in any order, some of it twice, sometimes as bytes. The air loses, repeats and reorders; what a
station sends to a host is lost when the host is no longer in the cell, and what a host sent may arrive after it left.
Hosts send to any set of hosts, move, come back, switch off and on; stations and hosts are restarted from snapshots
between any two inputs. The events of happened-before are those at the hosts. All choices come from one seeded
generator.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import antecede
from antecede import Deliver, MessageId, Packet, Sent, SetTimer, Transmit
from antecede.core.errors import HoldBackFull
from antecede.core.mobile import protocols
from antecede.core.mobile.effects import Dropped, Effect, Radio
from antecede.core.mobile.host import IN, OUT, Host
from antecede.core.mobile.luggage import Policy
from antecede.core.mobile.scheme import Held
from antecede.judge.events import Event
from tests.oracle import Broken, MobileOracle
from tests.replay import Drawing
from tests.worlds import PAYLOAD

STEPS_MAX = 100_000
FEW_HELD = "roam, one held back"

FORMS: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in sorted(protocols.protocols())},
    "prs-mobile, combined": ("prs-mobile", {"combine": True}),
    "prs-mobile, any order": ("prs-mobile", {"any_order": True}),
    "prs-mobile, any order, combined": ("prs-mobile", {"any_order": True, "combine": True}),
    FEW_HELD: ("roam", {"hold_max": 1}),
}
"""Every protocol and its options, by a name."""
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    f"{name}{', stations send' * sends}": (protocol, {"options": options, "stations_send": sends})
    for name, (protocol, options) in FORMS.items()
    for sends in (False, True)
}
"""The same, and with stations that send too: the protocol and the settings of its worlds, by a name."""

MakeStation = Callable[..., protocols.AnyStation]
"""Called like `protocols.station`."""
MakeHost = Callable[..., Host]
"""Called like `protocols.host`."""


@dataclass
class Calm:
    """How rough a world is: the chance of losing a packet on the air, and of repeating one on air or wire.

    A packet on a wire may `drag`: everything else overtakes it, or causal order would be kept by itself. `pace` packets
    arrive for each thing a host does.
    """

    loss: float = 0.0
    repeat: float = 0.0
    late: bool = False
    fifo_air: bool = True
    patient: bool = True
    restarts: bool = False
    sleeps: bool = False
    drag: float = 0.0
    pace: int = 1
    roaming: float = 0.1


def rough(chance: random.Random) -> Calm:
    return Calm(
        loss=chance.choice((0.0, 0.1, 0.3)),
        repeat=chance.choice((0.0, 0.1)),
        late=chance.random() < 0.7,
        fifo_air=chance.random() < 0.5,
        patient=chance.random() < 0.2,
        restarts=chance.random() < 0.5,
        sleeps=chance.random() < 0.6,
        drag=chance.choice((0.0, 0.2, 0.4)),
        pace=chance.choice((2, 6, 12)),
        roaming=chance.choice((0.03, 0.15)),
    )


@dataclass
class MobileWorld:
    """One execution of `protocol`, all of it decided by `seed`. With `stations_send`, stations send and get messages
    too. `make_station` may make other forms of its stations, and `make_host` of its hosts.
    """

    protocol: str
    seed: int
    hosts_max: int = 5
    stations_max: int = 4
    steps_max: int = 120
    options: dict[str, Any] = field(default_factory=dict)
    calm: Calm | None = None
    policy: Policy | None = None
    strict: bool = True
    stations_send: bool = False
    make_station: MakeStation = protocols.station
    make_host: MakeHost = protocols.host

    def __post_init__(self) -> None:
        self.random = random.Random(f"{self.protocol} {self.seed}")
        self.info = protocols.protocols()[self.protocol]
        self.air = self.calm or rough(self.random)
        self.rules = self.policy or Policy(
            when_asleep=self.random.choice(("store", "store", "drop")),
            stored_max=self.random.choice((10_000, 10_000, 3)),
        )
        self.oracle = MobileOracle()
        self.events: list[Event] = []
        self.drawing = Drawing()
        self.index: dict[str, int] = {}
        self.counts: Counter[str] = Counter()
        self.now = 0.0
        self.timers: list[tuple[float, str]] = []
        self.wires: dict[tuple[str, str], list[Packet]] = {}
        self.frames: dict[tuple[str, str], list[Packet]] = {}
        self.answering: list[str] = []
        self.dragging: list[tuple[tuple[str, str], Packet]] = []
        self.latest_first = self.random.random() < 0.2
        cells = [f"s{number}" for number in range(1, self.random.randint(1, self.stations_max) + 1)]
        names = [f"h{number}" for number in range(1, self.random.randint(2, self.hosts_max) + 1)]
        self.populate(cells, {name: self.random.choice(cells) for name in names})

    def populate(self, cells: list[str], homes: dict[str, str]) -> None:
        own = {cell: cell for cell in cells} if self.stations_send else {}
        self.cells, self.names = cells, [*sorted(homes), *own]
        if self.protocol == "av3" and "logical" not in self.options:
            self.options = {**self.options, "logical": self.random.randint(1, 3)}
        self.stations = {
            cell: self.make_station(
                self.protocol, name=cell, stations=cells, homes={**homes, **own}, policy=self.rules, **self.options
            )
            for cell in cells
        }
        self.hosts = {name: self.make_host(name, home) for name, home in homes.items()}

    def run(self) -> MobileWorld:
        for _ in range(self.random.randint(10, self.steps_max)):
            choice = self.random.random()
            if choice < 0.22:
                self._send()
            elif choice < 0.25 and self.air.restarts:
                self._restart()
            elif choice < 0.26 and self.calm is None:
                self._newcomer()
            elif choice < 0.3:
                self._tick(self.now + 4 * self.random.random())
            elif choice < 0.3 + self.air.roaming:
                self._roam()
            else:
                for _ in range(self.air.pace):
                    self._arrive()
        self.settle()
        return self

    def settle(self) -> None:
        """Everybody comes back into reach, and everything comes to rest."""
        for name, host in self.hosts.items():
            if host.state == OUT:
                self.enter(name, self.random.choice(self.cells))
        for step in range(STEPS_MAX):
            if step == 2_000:
                self.air.loss = 0.0
            if self.wires or self.frames or self.dragging:
                self._arrive()
            elif self.timers:
                self._tick(max(self.now, min(self.timers)[0]))
            else:
                return
        raise Broken("the world does not come to rest")

    def finished(self) -> None:
        """Everything was delivered that was not dropped; nothing is held; and, when strict, nothing out of order."""
        lost = self.oracle.lost()
        if lost:
            raise Broken(f"never delivered: {lost[:3]}")
        if held := [one for station in self.stations.values() for one in station.held()]:
            raise Broken(f"held back for ever: {held[:3]}")
        if self.oracle.violations and self.strict:
            raise Broken(f"{self.oracle.violations} deliveries before a predecessor")
        if waiting := [name for name, host in self.hosts.items() if host.state != IN or host.unsent]:
            raise Broken(f"not welcome anywhere, or with messages that nobody took: {waiting}")

    # What hosts do.

    def send(self, sender: str, dests: Iterable[str]) -> MessageId:
        node: Any = self.hosts.get(sender) or self.stations[sender]
        effects = node.send(dests, PAYLOAD)
        self.carry_out(sender, effects)
        assert isinstance(effects[0], Sent)
        return effects[0].message.id

    def enter(self, name: str, cell: str) -> None:
        self._event(name, "move")
        self.carry_out(name, self.hosts[name].enter(cell))

    def leave(self, name: str) -> None:
        self._event(name, "disconnect")
        self.carry_out(name, self.hosts[name].leave())

    def _send(self) -> None:
        """Whoever has just got something is likely to answer: chains of causes are what order is about."""
        answers = self.answering and self.random.random() < 0.7
        sender = self.answering.pop() if answers else self.random.choice(self.names)
        dests = self.random.sample(self.names, self._fan_out())
        if sender in self.hosts:
            self.send(sender, dests)
        else:
            self.carry_out(sender, self._offer(sender, "send", dests, PAYLOAD) or [])

    def _fan_out(self) -> int:
        return 1 if self.random.random() < 0.4 else self.random.randint(1, len(self.names))

    def _roam(self) -> None:
        name = self.random.choice(list(self.hosts))
        host = self.hosts[name]
        if self.air.patient and host.state not in (IN, OUT):
            return
        if self.air.sleeps and host.state != OUT and self.random.random() < 0.3:
            self.leave(name)
        else:
            self.enter(name, self.random.choice(self.cells))

    def _newcomer(self) -> None:
        """Everybody hears of a new host at the same instant, with messages in flight."""
        if len(self.hosts) < self.hosts_max:
            name, home = f"n{len(self.names)}", self.random.choice(self.cells)
            for station in self.stations.values():
                station.join(name, home)
            self.hosts[name] = self.make_host(name, home)
            self.names.append(name)
            self.drawing.add(name, "join")

    # What the network does.

    def _arrive(self) -> None:
        if self.dragging and (self.random.random() < 0.01 or not (self.wires or self.frames)):
            late, packet = self.dragging.pop(self.random.randrange(len(self.dragging)))
            self.wires.setdefault(late, []).append(packet)
        links = [("wire", link) for link in self.wires] + [("air", link) for link in self.frames]
        if not links:
            return
        kind, link = self.random.choice(sorted(links))
        if kind == "wire":
            self.wire_arrives(link)
        else:
            self.frame_arrives(link)

    def wire_arrives(self, link: tuple[str, str], at: int | None = None) -> None:
        packet = self._take(self.wires, link, at, fifo=False)
        self.drawing.add_arrival(link[1], packet)
        effects = self._offer(link[1], "receive", self._as_bytes(packet))
        if effects is None:  # the wire brings it again, after others
            queue = self.wires.setdefault(link, [])
            queue[:0] = [] if packet in queue else [packet]
            return
        self.carry_out(link[1], effects)
        self._check_needless_waiting(link[1])

    def frame_arrives(self, link: tuple[str, str], at: int | None = None) -> None:
        packet = self._take(self.frames, link, at, fifo=self.air.fifo_air)
        sender, to = link
        if self.random.random() < self.air.loss:
            return
        if to in self.hosts:
            host = self.hosts[to]
            if host.state != OUT and host.cell == sender:
                self.drawing.add_arrival(to, packet)
                self.carry_out(to, host.hear(self._as_bytes(packet)))
        elif self.air.late or self.hosts[sender].cell == to:
            self.drawing.add_arrival(to, packet)
            self.carry_out(to, self._offer(to, "hear", self._as_bytes(packet)) or [])  # or the host sends it again
            self._check_needless_waiting(to)

    def _offer(self, station: str, call: str, *arguments: Any) -> list[Effect] | None:
        """Call a station, and return the effects, or None if it has no room. Then it is as it was."""
        before = self.stations[station].snapshot() if "hold_max" in self.options else b""
        try:
            effects: list[Effect] = getattr(self.stations[station], call)(*arguments)
        except HoldBackFull as error:
            self.counts["no room"] += 1
            if self.stations[station].snapshot() != before:
                raise Broken(f"{station} has no room, and has changed: {error}") from None
            return None
        return effects

    def _take(
        self, links: dict[tuple[str, str], list[Packet]], link: tuple[str, str], at: int | None, *, fifo: bool
    ) -> Packet:
        queue = links[link]
        if at is None:
            at = 0 if fifo else len(queue) - 1 if self.latest_first else self.random.randrange(len(queue))
        packet = queue[at] if self.random.random() < self.air.repeat else queue.pop(at)
        if not queue:
            del links[link]
        return packet

    def _as_bytes(self, packet: Packet) -> Packet:
        choice = self.random.random()
        if choice > 0.3:
            return packet
        roster = [*self.hosts, *self.cells] if choice > 0.15 else ()
        decoded = antecede.decode(antecede.encode(packet, roster), roster)
        if decoded != packet:
            raise Broken(f"the wire turned {packet} into {decoded}")
        return decoded

    def carry_out(self, at: str, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Sent):
                self._event(at, "send", effect.message)
                self.oracle.sent(effect.message)
            elif isinstance(effect, Deliver):
                self._event(at, "deliver", effect.message)
                self.oracle.deliver(at, effect.message)
                self.answering.append(at)
            elif isinstance(effect, Transmit):
                if effect.to == at:
                    raise Broken(f"{at} transmits to itself")
                self._count("wire", effect.packet)
                if self.random.random() < self.air.drag:
                    self.dragging.append(((at, effect.to), effect.packet))
                else:
                    self.wires.setdefault((at, effect.to), []).append(effect.packet)
            elif isinstance(effect, Radio):
                self._count("air", effect.packet)
                self.frames.setdefault((at, effect.to), []).append(effect.packet)
            elif isinstance(effect, SetTimer):
                self.timers.append((effect.at, at))
            elif isinstance(effect, Dropped):
                self.oracle.dropped.add((effect.host, effect.message))

    def _count(self, medium: str, packet: Packet) -> None:
        self.counts[f"{medium} {type(packet.stamp).__name__}"] += 1

    def _event(self, process: str, kind: str, message: antecede.Message | None = None) -> None:
        index = self.index[process] = self.index.get(process, -1) + 1
        dests = tuple(sorted(message.dests)) if message is not None and kind == "send" else None
        identity = str(message.id) if message is not None else None
        event = Event(run="r", process=process, index=index, kind=kind, message=identity, dests=dests)
        self.events.append(event)
        self.drawing.add_event(event)

    def _restart(self) -> None:
        name = self.random.choice([*self.cells, *self.hosts])
        where: dict[str, Any] = self.hosts if name in self.hosts else self.stations
        self.drawing.add(name, "restart")
        before = where[name]
        after = protocols.restore(before.snapshot())
        if after.snapshot() != before.snapshot() or (not isinstance(after, Host) and after.held() != before.held()):
            raise Broken(f"{name} is not the same after a restart")
        where[name] = after
        self.lose_frames(name)
        self.timers = [timer for timer in self.timers if timer[1] != name]
        self.carry_out(name, after.tick(self.now))

    def lose_frames(self, name: str) -> None:
        """What was in the air to or from a machine that restarts is gone."""
        self.frames = {link: queue for link, queue in self.frames.items() if name not in link}

    def _tick(self, now: float) -> None:
        self.now = now
        due = sorted({name for at, name in self.timers if at <= now})
        self.timers = [timer for timer in self.timers if timer[0] > now]
        for name in due:
            node = self.hosts.get(name) or self.stations[name]
            self.drawing.add(name, "timer")
            self.carry_out(name, node.tick(now))

    def _check_needless_waiting(self, at: str) -> None:
        for held in self.stations[at].held():
            needless = self.needless(held)
            self.counts["held"] += 1
            self.counts["held for nothing"] += needless
            if needless and self.strict and not self.info.inhibits:
                raise Broken(f"{at} holds {held.message} back for {held.host} for nothing: {held}")

    def needless(self, held: Held) -> bool:
        return not self.oracle.missing(held.host, held.message)


def run(protocol: str, seed: int, **settings: Any) -> MobileWorld:
    """A whole execution, checked to the end."""
    world = MobileWorld(protocol, seed, **settings)
    world.run()
    world.finished()
    return world
