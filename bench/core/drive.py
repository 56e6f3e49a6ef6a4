"""One algorithm in a small world: deliveries per second, and what its packets weigh.

Messages are sent when `traffic` says so. Every packet, also a control packet, travels for an exponentially
distributed time of mean `propagation`; links are FIFO only for algorithms that need it. Destinations are everybody,
or a random set of 1 to n - 1 others; algorithms that send to groups take one of n random groups of a quarter of the
processes instead, and those that send to one process, one. Time is the processor's, in `send` and in `receive`
alone, so that other work on the machine counts as little as it can.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import islice
from random import Random
from time import process_time

import antecede
from antecede import Deliver, Packet, Transmit
from bench.core.traffic import sends

SETTLED = 1 / 3
"""The part of the messages after which packets are weighed: the stamps have grown by then."""


@dataclass(frozen=True, slots=True)
class Driven:
    """What one algorithm did."""

    algorithm: str
    n: int
    traffic: str
    messages: int
    deliveries: int
    control_packets: int
    entries_mean: float
    bytes_roster_mean: float
    bytes_alone_mean: float
    send_seconds: float
    receive_seconds: float

    @property
    def deliveries_per_second(self) -> float:
        return self.deliveries / self.receive_seconds

    @property
    def sends_per_second(self) -> float:
        return self.messages / self.send_seconds


class Drive:
    """The processes of one algorithm, the packets in flight, and the meters."""

    def __init__(self, algorithm: str, n: int, traffic: str, propagation: float, seed: int) -> None:
        self.info = antecede.algorithms()[algorithm]
        self.traffic, self.propagation = traffic, propagation
        self.names = [f"p{number}" for number in range(n)]
        self.links, self.choices = Random(f"{seed}/links"), Random(f"{seed}/dests")
        self.groups = self._groups() if self.info.addressing == "group" else None
        self.nodes = {
            name: antecede.create(algorithm, process=name, processes=self.names, groups=self.groups)
            for name in self.names
        }
        self.in_flight: list[tuple[float, int, str, Packet]] = []
        self.last_arrival: dict[tuple[str, str], float] = {}
        self.codec, self.alone = antecede.Codec(self.names), antecede.Codec()
        self.settled = False
        self.seen: set[tuple[antecede.MessageId, str]] = set()
        self.serial = self.deliveries = self.control_packets = 0
        self.entries = self.bytes_roster = self.bytes_alone = 0
        self.send_seconds = self.receive_seconds = 0.0

    def run(self, messages: int, seed: int) -> Driven:
        for number, (now, sender) in enumerate(islice(sends(len(self.names), seed), messages)):
            self._arrivals(until=now)
            self.settled = number >= messages * SETTLED
            self._send(now, self.names[sender])
        self._arrivals(until=float("inf"))
        weighed = max(1, len(self.seen))
        return Driven(
            self.info.name, len(self.names), self.traffic, messages, self.deliveries, self.control_packets,
            self.entries / weighed, self.bytes_roster / weighed, self.bytes_alone / weighed,
            self.send_seconds, self.receive_seconds,
        )  # fmt: skip

    def _send(self, now: float, sender: str) -> None:
        dests = self._dests(sender)
        start = process_time()
        effects = self.nodes[sender].send(dests, b"")
        self.send_seconds += process_time() - start
        self._carry_out(now, sender, effects)

    def _arrivals(self, until: float) -> None:
        while self.in_flight and self.in_flight[0][0] <= until:
            now, _, to, packet = heappop(self.in_flight)
            start = process_time()
            effects = self.nodes[to].receive(packet)
            self.receive_seconds += process_time() - start
            self._carry_out(now, to, effects)

    def _carry_out(self, now: float, process: str, effects: list[antecede.Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Deliver):
                self.deliveries += 1
            elif isinstance(effect, Transmit):
                self._weigh(effect.packet)
                arrival = now + self.links.expovariate(1.0) * self.propagation
                if self.info.needs_fifo:
                    link = (process, effect.to)
                    arrival = self.last_arrival[link] = max(arrival, self.last_arrival.get(link, 0.0))
                self.serial += 1
                heappush(self.in_flight, (arrival, self.serial, effect.to, effect.packet))

    def _weigh(self, packet: Packet) -> None:
        """One packet of each message and each process that passes it on."""
        if packet.message is None:
            self.control_packets += 1
            return
        key = (packet.message.id, packet.sender)
        if not self.settled or key in self.seen:
            return
        self.seen.add(key)
        self.entries += packet.control_entries
        self.bytes_roster += len(self.codec.encode(packet))
        self.bytes_alone += len(self.alone.encode(packet))

    def _dests(self, sender: str) -> str | set[str]:
        others = [name for name in self.names if name != sender]
        if self.groups is not None:
            mine = [group for group, members in self.groups.items() if sender in members]
            return "g0" if self.traffic == "broadcast" else self.choices.choice(mine)
        if self.info.addressing == "unicast":
            return {self.choices.choice(others)}
        if self.traffic == "broadcast":
            return set(others)
        return set(self.choices.sample(others, self.choices.randint(1, len(others))))

    def _groups(self) -> dict[str, list[str]]:
        if self.traffic == "broadcast":
            return {"g0": list(self.names)}
        size = max(2, len(self.names) // 4)
        groups = {name: {name, *self.choices.sample(self.names, size - 1)} for name in self.names}
        return {f"g-{name}": sorted(members) for name, members in groups.items()}


def drive(algorithm: str, n: int, traffic: str, messages: int, *, propagation: float = 1.0, seed: int = 1) -> Driven:
    """`messages` messages of `traffic` ("broadcast" or "subsets") through `n` processes of `algorithm`."""
    return Drive(algorithm, n, traffic, propagation, seed).run(messages, seed)
