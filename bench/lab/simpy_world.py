"""The world of the measurement, written on SimPy the way its documentation teaches: everything that takes time is a
process.

Every process of the system is a SimPy process that waits for an exponentially distributed time and then sends to a
random set of others; every copy of a message in flight is a SimPy process that waits for its latency and then
arrives. What a process does with messages is the same `none` of the core that our simulator drives, and the same is
measured: entries on every packet, bytes of the stamp on one packet of each message, and of every delivery its delay and
how long it was held back. `bare` leaves out the algorithm and all of that but the delay: a message is just handed over.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import simpy

import antecede
from antecede import Deliver, MessageId, Packet, Sent, Transmit
from antecede.sim.measure.packet_size import Scale


@dataclass
class SimpyWorld:
    """`n` processes until `deliveries` have happened."""

    n: int
    deliveries: int
    seed: int
    bare: bool = False
    done: int = 0
    packets: int = 0
    entries: int = 0
    stamp_bytes: int = 0
    delays: list[float] = field(default_factory=list)
    held: list[float] = field(default_factory=list)
    arrived_at: dict[tuple[MessageId, str], float] = field(default_factory=dict)
    sent_at: dict[MessageId, float] = field(default_factory=dict)
    awaiting: dict[MessageId, int] = field(default_factory=dict)

    def run(self) -> int:
        self.env = simpy.Environment()
        self.names = [f"p{number:02}" for number in range(1, self.n + 1)]
        self.links, self.choices = Random(f"{self.seed}/links"), Random(f"{self.seed}/dests")
        self.nodes = {name: antecede.create("none", process=name, processes=self.names) for name in self.names}
        self.scale = Scale(self.names)
        self.enough = self.env.event()
        for name in self.names:
            self.env.process(self.sender(name, Random(f"{self.seed}/sender/{name}")))
        self.env.run(until=self.enough)
        return self.done

    def sender(self, name: str, chance: Random) -> Generator[Any, Any, None]:
        others = [other for other in self.names if other != name]
        number = 0
        while True:
            yield self.env.timeout(chance.expovariate(1.0))
            dests = self.choices.sample(others, self.choices.randint(1, len(others)))
            number += 1
            if self.bare:
                self.send_bare(MessageId(name, number), dests)
            else:
                self.carry_out(name, self.nodes[name].send(dests, b""))

    def send_bare(self, message: MessageId, dests: list[str]) -> None:
        self.sent_at[message], self.awaiting[message] = self.env.now, len(dests)
        for _ in dests:
            self.env.process(self.flight_bare(message))

    def flight_bare(self, message: MessageId) -> Generator[Any, Any, None]:
        yield self.env.timeout(self.links.expovariate(1.0))
        self.deliver(message)

    def flight(self, to: str, packet: Packet) -> Generator[Any, Any, None]:
        yield self.env.timeout(self.links.expovariate(1.0))
        if packet.message is not None:
            self.arrived_at[packet.message.id, to] = self.env.now
        self.carry_out(to, self.nodes[to].receive(packet))

    def carry_out(self, at: str, effects: list[antecede.Effect]) -> None:
        weighed = False
        for effect in effects:
            if isinstance(effect, Transmit):
                self.packets += 1
                self.entries += effect.packet.control_entries
                if not weighed:
                    self.stamp_bytes += self.scale.stamp_bytes(effect.packet)
                    weighed = True
                self.env.process(self.flight(effect.to, effect.packet))
            elif isinstance(effect, Deliver):
                self.held.append(self.env.now - self.arrived_at.pop((effect.message.id, at), self.env.now))
                self.deliver(effect.message.id)
            elif isinstance(effect, Sent):
                self.sent_at[effect.message.id] = self.env.now
                self.awaiting[effect.message.id] = len(effect.message.dests)

    def deliver(self, message: MessageId) -> None:
        self.delays.append(self.env.now - self.sent_at[message])
        self.awaiting[message] -= 1
        if not self.awaiting[message]:
            del self.awaiting[message], self.sent_at[message]
        self.done += 1
        if self.done == self.deliveries:
            self.enough.succeed()
