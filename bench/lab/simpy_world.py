"""The world of the measurement, written on SimPy the way its documentation teaches: everything that takes time is a
process.

Every process of the system is a SimPy process that waits for an exponentially distributed time and then sends to a
random set of others; every copy of a message in flight is a SimPy process that waits for its latency and then
arrives. What a process does with messages is the same `none` of the core that our simulator drives; `bare` leaves that out
too, so that a message is just handed over. Delays and hold-back times are measured as our simulator measures them:
one sample a delivery, and the message is forgotten with its last delivery.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import simpy

import antecede
from antecede import Deliver, MessageId, Packet, Sent, Transmit


@dataclass
class SimpyWorld:
    """`n` processes until `deliveries` have happened."""

    n: int
    deliveries: int
    seed: int
    bare: bool = False
    done: int = 0
    delays: list[float] = field(default_factory=list)
    sent_at: dict[MessageId, float] = field(default_factory=dict)
    awaiting: dict[MessageId, int] = field(default_factory=dict)

    def run(self) -> int:
        self.env = simpy.Environment()
        self.names = [f"p{number:02}" for number in range(1, self.n + 1)]
        self.links, self.choices = Random(f"{self.seed}/links"), Random(f"{self.seed}/dests")
        self.nodes = {name: antecede.create("none", process=name, processes=self.names) for name in self.names}
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
                self.carry_out(self.nodes[name].send(dests, b""))

    def send_bare(self, message: MessageId, dests: list[str]) -> None:
        self.sent_at[message], self.awaiting[message] = self.env.now, len(dests)
        for _ in dests:
            self.env.process(self.flight_bare(message))

    def flight_bare(self, message: MessageId) -> Generator[Any, Any, None]:
        yield self.env.timeout(self.links.expovariate(1.0))
        self.deliver(message)

    def flight(self, to: str, packet: Packet) -> Generator[Any, Any, None]:
        yield self.env.timeout(self.links.expovariate(1.0))
        self.carry_out(self.nodes[to].receive(packet))

    def carry_out(self, effects: list[antecede.Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Transmit):
                self.env.process(self.flight(effect.to, effect.packet))
            elif isinstance(effect, Deliver):
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
