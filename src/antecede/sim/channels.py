"""Carries packets through a network, each to its fate.

A copy of a message on its way from its author to a destination brings its latency along; what else may become of it
is drawn from a stream named after the message and the destination, so that it does not depend on what else is sent.
Any other packet (a token, an acknowledgement, what a representative forwards) draws from a stream of its channel.

A network that has nothing but a latency is the common case, and takes one step: the kernel is told when the packet
arrives. In every other, a packet becomes a `Copy` that is attempted, perhaps again and again. A channel that is FIFO
and retransmits numbers its packets and hands them over in order, once each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from antecede.core.types import Packet, ProcessId
from antecede.sim.chance import stream
from antecede.sim.flight import Flight
from antecede.sim.kernel import Kernel
from antecede.sim.network import Network

Channel: TypeAlias = tuple[ProcessId, ProcessId]


@dataclass(slots=True)
class Copy:
    """One packet on its way, in as many attempts as it takes."""

    source: ProcessId
    to: ProcessId
    packet: Packet
    flight: Flight | None
    chance: Random
    latency_s: float | None
    number: int = 0
    acknowledged: bool = False


@dataclass(slots=True)
class Counts:
    """What the channels did."""

    lost: int = 0
    duplicated: int = 0
    retransmitted: int = 0
    acknowledgements: int = 0


class Channels:
    """Carries packets. `arrive(to, packet, flight)` is called for each that arrives; `size` tells its bytes."""

    def __init__(
        self,
        network: Network,
        kernel: Kernel,
        seed: int,
        arrive: Callable[[ProcessId, Packet, Flight | None], None],
        size: Callable[[Packet], int],
    ) -> None:
        self.network, self.kernel, self.seed, self.arrive, self.size = network, kernel, seed, arrive, size
        self.counts = Counts()
        self._plain = network.plain
        self._draw = network.latency.draw
        self._streams: dict[Channel, Random] = {}
        self._free_s: dict[Channel, float] = {}
        self._last_s: dict[Channel, float] = {}
        self._sent: dict[Channel, int] = {}
        self._handed_over: dict[Channel, int] = {}
        self._early: dict[Channel, dict[int, Copy]] = {}

    def carry(self, source: ProcessId, dests: list[ProcessId], packet: Packet, flight: Flight | None) -> None:
        """Take a packet, whom it is for, and the flight of its message, if it has one."""
        known = flight.latency_s if flight is not None and flight.author == source else {}
        if not self._plain:
            for to in dests:
                self._attempt(self._copy(source, to, packet, flight, known.get(to)))
            return
        after, arrive = self.kernel.after, self.arrive
        for to in dests:
            latency = known[to] if to in known else self._draw(self._stream(source, to))
            after(latency, arrive, to, packet, flight)

    def _copy(
        self, source: ProcessId, to: ProcessId, packet: Packet, flight: Flight | None, latency_s: float | None
    ) -> Copy:
        number = self._sent[source, to] = self._sent.get((source, to), 0) + 1
        if latency_s is not None and flight is not None:
            return Copy(source, to, packet, flight, stream(self.seed, "copy", flight.name, to), latency_s, number)
        chance = self._stream(source, to)
        return Copy(source, to, packet, flight, chance, self._draw(chance), number)

    def _attempt(self, copy: Copy) -> None:
        if copy.acknowledged:
            return
        now, network = self._departure(copy), self.network
        self.counts.retransmitted += copy.latency_s is None
        latency = self._draw(copy.chance) if copy.latency_s is None else copy.latency_s
        copy.latency_s = None  # a retransmission has a latency of its own
        if self._is_lost(copy.source, copy.to, now, copy.chance):
            self.counts.lost += 1
        else:
            self._arrive_at(now + latency, copy)
            if network.duplicate and copy.chance.random() < network.duplicate:
                self.counts.duplicated += 1
                self._arrive_at(now + self._draw(copy.chance), copy)
        if network.retransmit_after_s is not None:
            self.kernel.at(now + network.retransmit_after_s, self._attempt, copy)

    def _departure(self, copy: Copy) -> float:
        now, bandwidth = self.kernel.now, self.network.bandwidth_bytes_per_s
        if bandwidth is None:
            return now
        channel = (copy.source, copy.to)
        leaves = max(now, self._free_s.get(channel, 0.0)) + self.size(copy.packet) / bandwidth
        self._free_s[channel] = leaves
        return leaves

    def _is_lost(self, source: ProcessId, to: ProcessId, now_s: float, chance: Random) -> bool:
        unlucky = self.network.loss > 0 and chance.random() < self.network.loss
        return unlucky or any(partition.cuts(source, to, now_s) for partition in self.network.partitions)

    def _arrive_at(self, time_s: float, copy: Copy) -> None:
        if self.network.fifo and self.network.retransmit_after_s is None:
            channel = (copy.source, copy.to)
            time_s = self._last_s[channel] = max(time_s, self._last_s.get(channel, 0.0))
        self.kernel.at(time_s, self._arrived, copy)

    def _arrived(self, copy: Copy) -> None:
        if self.network.retransmit_after_s is None:
            self.arrive(copy.to, copy.packet, copy.flight)
            return
        self._acknowledge(copy)
        if self.network.fifo:
            self._hand_over_in_order(copy)
        else:
            self.arrive(copy.to, copy.packet, copy.flight)

    def _acknowledge(self, copy: Copy) -> None:
        """The transport's own acknowledgement goes back through the same network."""
        self.counts.acknowledgements += 1
        if not self._is_lost(copy.to, copy.source, self.kernel.now, copy.chance):
            self.kernel.after(self._draw(copy.chance), _acknowledged, copy)

    def _hand_over_in_order(self, copy: Copy) -> None:
        channel = (copy.source, copy.to)
        early = self._early.setdefault(channel, {})
        done = self._handed_over.get(channel, 0)
        if copy.number > done:
            early[copy.number] = copy
        while done + 1 in early:
            done += 1
            self._handed_over[channel] = done
            following = early.pop(done)
            self.arrive(following.to, following.packet, following.flight)

    def _stream(self, source: ProcessId, to: ProcessId) -> Random:
        channel = (source, to)
        if channel not in self._streams:
            self._streams[channel] = stream(self.seed, "channel", source, to)
        return self._streams[channel]


def _acknowledged(copy: Copy) -> None:
    copy.acknowledged = True
