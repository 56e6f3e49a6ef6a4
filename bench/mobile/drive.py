"""A timed roaming world, calm but slow: counts what Table 1 of 001 is about, for any protocol.

Hosts send and move at exponential intervals. Wires take 7 ms and as much again on average, so that packets overtake
each other; the air takes half a millisecond, keeps order and loses only what is sent to a cell the host has left.
Pasts are bit sets, one bit for each message, so needless waiting is decided exactly.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

from antecede import Codec, Deliver, Packet, Sent, SetTimer, Transmit
from antecede.core.mobile import protocols
from antecede.core.mobile.effects import Effect, Radio
from antecede.core.mobile.host_and_station_frames import (
    Acknowledge,
    AcknowledgeAll,
    Begin,
    Carried,
    Cast,
    Delete,
    Handover,
    Last,
    Moved,
    Notify,
    Over,
)
from antecede.core.mobile.host_and_station_frames import Relayed as RelayedStamp
from antecede.core.mobile.scheme import Held
from antecede.core.types import MessageId, Stamp
from antecede.core.wire import packets as wire

WIRE_S, AIR_S = 0.007, 0.0005
PAYLOAD = b"x" * 16
HANDOFF = (Begin, Handover, Notify, Last, Over, Moved)


@dataclass(frozen=True, slots=True)
class Setting:
    """One point of the table. Intervals are means; packets are counted after `warm_s`, when counters have filled."""

    protocol: str
    hosts: int = 20
    stations: int = 10
    logical: int = 1
    send_s: float = 1.0
    move_s: float = 10.0
    dests_max: int = 3
    warm_s: float = 5.0
    duration_s: float = 25.0
    watch: bool = True
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Measured:
    """What one setting gave, per message on the wire, per hand-off and per delivery."""

    protocol: str
    hosts: int
    logical: int
    header_entries: float
    header_bytes: float
    packets_per_message: float
    control_per_message: float
    handoffs: int
    handoff_messages: float
    handoff_bytes: float
    forwarded_per_handoff: float
    deliveries: int
    delay_ms: float
    needless_share: float | None


class Drive:
    """One run: `Drive(setting).run()`."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.random = random.Random(f"hosts {setting.seed}")
        self.network = random.Random(f"network {setting.seed}")  # its own, so that all protocols have the same hosts
        cells = [f"s{n}" for n in range(setting.stations)]
        homes = {f"h{n:03}": self.random.choice(cells) for n in range(setting.hosts)}
        options: dict[str, Any] = {"logical": setting.logical} if setting.protocol == "av3" else {}
        self.cells, self.names = cells, sorted(homes)
        self.stations = {
            cell: protocols.station(setting.protocol, name=cell, stations=cells, homes=homes, **options)
            for cell in cells
        }
        self.hosts = {name: protocols.host(name, home) for name, home in homes.items()}
        self.codec = Codec([*self.names, *cells])
        self.heap: list[tuple[float, int, tuple[str, ...], Packet | None]] = []
        self.serial = 0
        self.now = 0.0
        self.counts: Counter[str] = Counter()
        self.numbers: dict[MessageId, int] = {}
        self.past: dict[MessageId, int] = {}
        self.sent_at: dict[MessageId, float] = {}
        self.knows: Counter[str] = Counter()
        self.addressed: Counter[str] = Counter()
        self.delivered: Counter[str] = Counter()
        self.needless: set[tuple[str, MessageId]] = set()

    def run(self) -> Measured:
        for name in self.names:
            self._later(self.random.expovariate(1 / self.setting.send_s), ("send", name))
            self._later(self.random.expovariate(1 / self.setting.move_s), ("move", name))
        while self.heap:
            self.now, _, (kind, *who), packet = heappop(self.heap)
            getattr(self, f"_{kind}")(*who, packet)
        assert self.counts["deliveries"] == self.counts["expected"], "something was never delivered"
        return self._measured()

    def _measured(self) -> Measured:
        c = self.counts
        handoffs, packets, messages = max(1, c["Handover"]), max(1, c["data"]), max(1, c["messages"])
        return Measured(
            self.setting.protocol,
            self.setting.hosts,
            self.setting.logical,
            header_entries=c["entries"] / packets,
            header_bytes=c["header bytes"] / packets,
            packets_per_message=packets / messages,
            control_per_message=c["control"] / messages,
            handoffs=c["Handover"],
            handoff_messages=c["handoff"] / handoffs,
            handoff_bytes=c["handoff bytes"] / handoffs,
            forwarded_per_handoff=c["forwarded"] / handoffs,
            deliveries=c["deliveries"],
            delay_ms=1000 * c["delay"] / max(1, c["deliveries"]),
            needless_share=len(self.needless) / max(1, c["deliveries"]) if self.setting.watch else None,
        )

    # What happens.

    def _send(self, name: str, _: object) -> None:
        if self.now > self.setting.duration_s:
            return
        count = self.random.randint(1, self.setting.dests_max)
        others = [other for other in self.names if other != name]
        self._carry_out(name, self.hosts[name].send(self.random.sample(others, count), PAYLOAD))
        self._later(self.random.expovariate(1 / self.setting.send_s), ("send", name))

    def _move(self, name: str, _: object) -> None:
        if self.now > self.setting.duration_s:
            return
        self._tick(name, None)
        cell = self.random.choice([cell for cell in self.cells if cell != self.hosts[name].cell])
        self._carry_out(name, self.hosts[name].enter(cell))
        self._later(self.random.expovariate(1 / self.setting.move_s), ("move", name))

    def _wire(self, to: str, packet: Packet) -> None:
        self._carry_out(to, self.stations[to].receive(packet))
        self._watch(to)

    def _up(self, station: str, packet: Packet) -> None:
        self._carry_out(station, self.stations[station].hear(packet))
        self._watch(station)

    def _down(self, station: str, host: str, packet: Packet) -> None:
        if self.hosts[host].cell == station:
            self._carry_out(host, self.hosts[host].hear(packet))

    def _tick(self, name: str, _: object) -> None:
        node = self.hosts.get(name) or self.stations[name]
        self._carry_out(name, node.tick(self.now))

    # What is counted.

    def _carry_out(self, at: str, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Transmit):
                self._count(at, effect.packet)
                self._later(WIRE_S + self.network.expovariate(1 / WIRE_S), ("wire", effect.to), effect.packet)
            elif isinstance(effect, Radio):
                link = ("down", at, effect.to) if at in self.stations else ("up", effect.to)
                self._later(AIR_S, link, effect.packet)
            elif isinstance(effect, SetTimer):
                self._later(max(0.0, effect.at - self.now), ("tick", at))
            elif isinstance(effect, Sent):
                self._sent(effect)
            elif isinstance(effect, Deliver):
                self._delivered(at, effect)

    def _sent(self, effect: Sent) -> None:
        message = effect.message
        bit = 1 << len(self.numbers)
        self.numbers[message.id] = len(self.numbers)
        self.past[message.id] = self.knows[message.sender]
        self.knows[message.sender] |= bit
        self.sent_at[message.id] = self.now
        self.counts["expected"] += len(message.dests)
        self.counts["messages"] += self.now >= self.setting.warm_s
        for dest in message.dests:
            self.addressed[dest] |= bit

    def _delivered(self, at: str, effect: Deliver) -> None:
        identity = effect.message.id
        bit = 1 << self.numbers[identity]
        missing = self.past[identity] & self.addressed[at] & ~self.delivered[at]
        assert not missing, f"{identity} at {at}: out of order"
        assert not self.delivered[at] & bit, f"{identity} at {at}: twice"
        self.delivered[at] |= bit
        self.knows[at] |= self.past[identity] | bit
        self.counts["deliveries"] += 1
        self.counts["delay"] += self.now - self.sent_at[identity]  # type: ignore[assignment]  # seconds among counts

    def _watch(self, station: str) -> None:
        if self.setting.watch:
            self.needless.update((one.host, one.message) for one in self.stations[station].held() if self._in_vain(one))

    def _in_vain(self, held: Held) -> bool:
        return not self.past[held.message] & self.addressed[held.host] & ~self.delivered[held.host]

    def _count(self, at: str, packet: Packet) -> None:
        if self.now < self.setting.warm_s:
            return
        stamp, payload, inner = _inside(packet)
        size = len(self.codec.encode(packet))
        if _is_data(at, packet, stamp):
            self.counts["data"] += 1
            self.counts["entries"] += inner.entries
            self.counts["header bytes"] += size - len(payload)
        elif isinstance(stamp, HANDOFF) and getattr(stamp, "move", True):
            self.counts["handoff"] += 1
            self.counts["handoff bytes"] += size
            self.counts[type(stamp).__name__] += 1
        elif isinstance(stamp, Acknowledge | AcknowledgeAll | Delete):
            self.counts["control"] += 1
        else:
            self.counts["forwarded"] += 1

    def _later(self, delay_s: float, what: tuple[str, ...], packet: Packet | None = None) -> None:
        self.serial += 1
        heappush(self.heap, (self.now + delay_s, self.serial, what, packet))


def _inside(packet: Packet) -> tuple[Stamp, bytes, Stamp]:
    """What a packet is for, its application payload, and its header: those of Algorithms 2 and 3 have two layers."""
    message, stamp = packet.message, packet.stamp
    if message is None or isinstance(stamp, Carried | Cast):
        return stamp, message.payload if message is not None else b"", stamp
    inner = wire.decode(message.payload)
    return inner.stamp, inner.message.payload if inner.message is not None else b"", stamp


def _is_data(at: str, packet: Packet, stamp: Stamp) -> bool:
    """With a message, from the station it was sent at; logical stations send in their own names."""
    return isinstance(stamp, Carried | Cast | RelayedStamp) and packet.sender.partition("/")[0] == at


def measure(setting: Setting) -> Measured:
    return Drive(setting).run()
