"""Every algorithm of the registry as a `System`.

Channels are not FIFO, so algorithms that need it number their packets. Packets without a message, and packets to the
representatives of a hierarchy, which are no processes of the scenario, are the system's own traffic: they are carried
at once, the latest first.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import antecede
from antecede import Algorithm, Deliver, Effect, Misuse, Packet, Sent, Transmit

RELAYS = ("relay 1", "relay 2")


class AntecedeSystem:
    """All processes of one algorithm. `flying` and `brought` are copies of messages; `own` is the rest."""

    def __init__(self, algorithm: str) -> None:
        self.algorithm = algorithm
        self.info = antecede.algorithms()[algorithm]

    def start(self, processes: Collection[str], groups: Mapping[str, Collection[str]]) -> None:
        self.groups = {name: set(members) for name, members in groups.items()}
        self.names = [*processes, *(RELAYS if self.algorithm == "hierarchy" else ())]
        self.options: dict[str, Any] = {"numbered": True} if self.info.needs_fifo else {}
        if self.algorithm == "hierarchy":
            halves = [list(processes)[half::2] for half in (0, 1)]
            self.options["representatives"] = dict(zip(RELAYS, halves, strict=True))
        self.nodes = {name: self._create(name) for name in self.names}
        self.given: dict[str, list[str]] = {name: [] for name in self.names}
        self.flying: dict[tuple[str, str], Packet] = {}
        self.brought: dict[tuple[str, str], Packet] = {}
        self.own: list[Transmit] = []

    def send(self, process: str, dests: Collection[str], payload: bytes) -> str:
        effects = self.nodes[process].send(self._address(process, set(dests)), payload)
        sent = effects[0]
        assert isinstance(sent, Sent)
        self._carry_out(process, effects)
        return str(sent.message.id)

    def arrivals(self) -> list[tuple[str, str]]:
        return list(self.flying)

    def arrive(self, message: str, to: str) -> None:
        """Bring a copy, for the first time or again. One that still waits to leave its sender is not brought."""
        copy = (message, to)
        packet = self.flying.pop(copy, None) or self.brought.get(copy)
        if packet is not None:
            self.brought[copy] = packet
            self._carry_out(to, self.nodes[to].receive(packet))

    def restart(self, process: str) -> None:
        self.nodes[process] = antecede.restore(self.nodes[process].snapshot())

    def delivered(self, process: str) -> list[str]:
        return list(self.given[process])

    def join(self, process: str) -> None:
        effects = {name: node.join(process, sorted(self.groups) if self._grouped else ()) for name, node in self._all()}
        self.groups = {name: members | {process} for name, members in self.groups.items()}
        self.names.append(process)
        self.given[process] = []
        self.nodes[process] = self._create(process)
        for name, theirs in effects.items():
            self._carry_out(name, theirs)

    @property
    def _grouped(self) -> bool:
        return self.info.addressing == "group"

    def _all(self) -> list[tuple[str, Algorithm]]:
        return sorted(self.nodes.items())

    def _create(self, name: str) -> Algorithm:
        groups = self.groups if self._grouped else None
        return antecede.create(self.algorithm, process=name, processes=self.names, groups=groups, **self.options)

    def _address(self, process: str, dests: set[str]) -> str | set[str]:
        if not self._grouped:
            return dests
        for name, members in self.groups.items():
            if members == dests | {process}:
                return name
        raise Misuse(f"there is no group of {sorted(dests | {process})}")

    def _carry_out(self, process: str, effects: list[Effect]) -> None:
        self._take(process, effects)
        while self.own:
            transmit = self.own.pop()
            self._take(transmit.to, self.nodes[transmit.to].receive(transmit.packet))

    def _take(self, process: str, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Deliver):
                self.given[process].append(str(effect.message.id))
            elif isinstance(effect, Transmit):
                message = effect.packet.message
                if message is None or effect.to in RELAYS:
                    self.own.append(effect)
                else:
                    self.flying[str(message.id), effect.to] = effect.packet
