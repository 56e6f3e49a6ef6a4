"""A stage: the processes of one algorithm, and a network that brings a packet only when it is told to.

The golden examples are directed on it step by step, and the random plays of the property tests are performed on it. A
packet that has been brought stays known, so that it can be brought again. Every call and its effects are written down
as a `Step`, so that a performance can be repeated call by call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

import antecede
from antecede import Deliver, Effect, Message, MessageId, Packet, Sent, Transmit
from tests.link_graphs import random_links
from tests.replay import Drawing


@dataclass(frozen=True)
class Flight:
    """One transmission. Two are the same only if they are the same object."""

    sender: str
    to: str
    packet: Packet


@dataclass(frozen=True)
class Step:
    """One call of one process, and what came of it."""

    process: str
    call: str
    arguments: tuple[Any, ...]
    effects: list[Effect]


class Stage:
    """`delivered[p]` is what p has delivered, in order; `flying` is what the network has not yet brought."""

    def __init__(
        self,
        algorithm: str,
        processes: Iterable[str],
        groups: Mapping[str, Iterable[str]] | None = None,
        **options: Any,
    ) -> None:
        self.names = list(processes)
        self.links: list[tuple[str, str]] | None = options.get("links")
        self._create = partial(antecede.create, algorithm, groups=groups, **options)
        self.nodes = {name: self.create(name) for name in self.names}
        self.delivered: dict[str, list[MessageId]] = {name: [] for name in self.names}
        self.flying: list[Flight] = []
        self.brought: list[Flight] = []
        self.steps: list[Step] = []
        self.drawing = Drawing()
        self.witnesses: list[Callable[[str, Effect], None]] = []

    def create(self, name: str) -> antecede.Algorithm:
        """A process as it is in the beginning."""
        return self._create(process=name, processes=self.names)

    def send(self, process: str, dests: str | Iterable[str], payload: bytes = b"x") -> Message:
        sent = self.call(process, "send", dests, payload)[0]
        assert isinstance(sent, Sent)
        return sent.message

    def arrive(self, message: Message, to: str) -> list[MessageId]:
        """Bring a message, for the first time or again: what does `to` deliver now?"""
        return self.bring(self._flight(lambda packet: packet.message == message, to))

    def arrive_control(self, sender: str, to: str) -> list[MessageId]:
        """Bring the oldest control packet from `sender` that is in flight."""
        return self.bring(next(f for f in self.flying if (f.sender, f.to) == (sender, to) and f.packet.message is None))

    def bring(self, flight: Flight) -> list[MessageId]:
        self.flying = [other for other in self.flying if other is not flight]
        self.brought.append(flight)
        effects = self.call(flight.to, "receive", flight.packet)
        return [effect.message.id for effect in effects if isinstance(effect, Deliver)]

    def drain(self) -> None:
        """Bring everything, oldest first, and what comes of it."""
        while self.flying:
            self.bring(self.flying[0])

    def packet(self, message: Message, to: str) -> Packet:
        return self._flight(lambda packet: packet.message == message, to).packet

    def controls(self, sender: str) -> list[tuple[str, Any]]:
        """The control packets of `sender` in flight: to whom, and what they say."""
        return [(f.to, f.packet.stamp) for f in self.flying if f.sender == sender and f.packet.message is None]

    def ordering(self, process: str) -> Any:
        """The paper's variables, where the algorithm is an ordering."""
        return getattr(self.nodes[process], "ordering")  # noqa: B009 - not part of the Algorithm protocol

    def held(self, process: str) -> list[str]:
        return [str(waiting) for waiting in self.nodes[process].pending()]

    def restart(self, process: str) -> None:
        self.drawing.add(process, "restart")
        self.nodes[process] = antecede.restore(self.nodes[process].snapshot())

    def call(self, process: str, call: str, *arguments: Any) -> list[Effect]:
        if call == "receive":
            self.drawing.add_arrival(process, *arguments)
        elif call != "send":
            self.drawing.add(process, f"{call} {', '.join(map(str, arguments))}")
        effects: list[Effect] = getattr(self.nodes[process], call)(*arguments)
        self.steps.append(Step(process, call, arguments, effects))
        for effect in effects:
            self.drawing.add_effect(process, effect)
            if isinstance(effect, Transmit):
                self.flying.append(Flight(process, effect.to, effect.packet))
            elif isinstance(effect, Deliver):
                self.delivered[process].append(effect.message.id)
            for witness in self.witnesses:
                witness(process, effect)
        return effects

    def _flight(self, wanted: Callable[[Packet], bool], to: str) -> Flight:
        return next(f for f in [*self.flying, *self.brought] if f.to == to and wanted(f.packet))


def stage_for(algorithm: str, random: Random, processes: int = 5) -> Stage:
    """A stage for `algorithm` over channels that are not FIFO, with random groups where it sends to groups.

    Further words of `algorithm` are options that are true, "ks differential", or "links" for those of a random network.
    """
    name, *flags = algorithm.split()
    info = antecede.algorithms()[name]
    names = [f"p{number}" for number in range(1, processes + 1)]
    groups = None
    if info.addressing == "group":
        groups = {f"g{n}": random.sample(names, random.randint(2, processes)) for n in range(1, 4)}
        groups["g0"] = list(names)
    options: dict[str, Any] = dict.fromkeys([*flags, "numbered"] if info.needs_fifo else flags, True)
    if "links" in flags:
        options["links"] = random_links(random, names)
    return Stage(name, names, groups, **options)


def destinations(stage: Stage, sender: str, random: Random) -> str | set[str]:
    """Whom `sender` may send to, chosen at random; itself too."""
    roster = _roster(stage.nodes[sender])
    if roster.addressing == "group":
        return str(random.choice(roster.my_groups))
    if roster.addressing == "broadcast":
        return set(stage.names) - (set() if random.random() < 0.7 else {sender})
    near = [name for name in stage.names if stage.links is None or name == sender or (sender, name) in stage.links]
    size = 1 if roster.addressing == "unicast" else random.randint(1, len(near))
    return set(random.sample(near, size))


def improvise(stage: Stage, random: Random, sends: int, duplicates: float = 0.1) -> Stage:
    """Send and bring in random order, until all is sent and brought."""
    while sends or stage.flying:
        if sends and (not stage.flying or random.random() < 0.4):
            sender = random.choice(stage.names)
            stage.send(sender, destinations(stage, sender, random), random.randbytes(random.randint(0, 3)))
            sends -= 1
        elif stage.brought and random.random() < duplicates:
            stage.call((again := random.choice(stage.brought)).to, "receive", again.packet)
        else:
            stage.bring(random.choice(stage.flying))
    return stage


def _roster(node: Any) -> Any:
    return node.roster if hasattr(node, "roster") else _roster(node.inner)
