"""Carry packets through a network.

A copy of a message on its way from its author to a destination already has its latency. Its other fate (loss,
duplication) is drawn from a stream named after the message and the destination, so that it does not depend on what else
is sent. Any other packet (a token, an acknowledgement, a packet that a representative forwards) draws from a stream of
its channel.

A network that has nothing but a latency is the common case, and takes one step: the kernel schedules the arrival. In
any other network a packet becomes a `Copy` that is attempted until it arrives. A channel that is FIFO and retransmits
numbers its packets and hands them over in order, once each.

If answers ride on acknowledgements, a process takes a packet before the packet is acknowledged. What it answers to the
sender, without a message, goes onto the acknowledgement. Only the packet's first arrival can be answered so: all of its
acknowledgements then carry the answer, and the packet is sent again until one of them is back. So no answer is lost.

    a ---- packet k ----> b       a ---- packet k ------> b
                          |                               |
    a <--- ack of k ----- b       a <--- ack of k, with --b
    a <--- resynch ------ b              the resynch
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

from antecede.core.types import Packet, ProcessId
from antecede.sim.chance import stream
from antecede.sim.kernel import Kernel
from antecede.sim.measure.ledger import Flight
from antecede.sim.network import Network

Channel: TypeAlias = tuple[ProcessId, ProcessId]


@dataclass(slots=True)
class Copy:
    """One packet on its way to one destination, in one or more attempts.

    `riders` ride on its acknowledgements: they go the other way.
    """

    source: ProcessId
    to: ProcessId
    packet: Packet
    flight: Flight | None
    chance: Random
    latency_s: float | None
    number: int = 0
    acknowledged: bool = False
    has_arrived: bool = False
    riders: list[Copy] = field(default_factory=list)


@dataclass(slots=True)
class ChannelCounts:
    """The number of packets that the channels lost, duplicated and retransmitted, of their acknowledgements, and of
    packets that rode on one.
    """

    lost: int = 0
    duplicated: int = 0
    retransmitted: int = 0
    acknowledgements: int = 0
    rides: int = 0


class Channels:
    """The channels between all pairs of processes.

    They call `arrive(to, packet, flight)` for each packet that arrives. `size` returns the size of a packet in bytes.
    """

    def __init__(
        self,
        network: Network,
        kernel: Kernel,
        seed: int,
        arrive: Callable[[ProcessId, Packet, Flight | None], None],
        size: Callable[[Packet], int],
    ) -> None:
        self.network, self.kernel, self.seed, self.arrive, self.size = network, kernel, seed, arrive, size
        self.counts = ChannelCounts()
        self._plain = network.is_plain
        self._draw = network.latency.draw
        self._streams: dict[Channel, Random] = {}
        self._bandwidths: dict[Channel, float | None] = {}
        self._free_s: dict[Channel, float] = {}
        self._last_s: dict[Channel, float] = {}
        self._sent: dict[Channel, int] = {}
        self._handed_over: dict[Channel, int] = {}
        self._early: dict[Channel, dict[int, Copy]] = {}
        self._answerable: Copy | None = None

    def carry(self, source: ProcessId, dests: list[ProcessId], packet: Packet, flight: Flight | None) -> None:
        """Carry a packet to its destinations. `flight` is the flight of its message, if it has one."""
        known = flight.latency_s if flight is not None and flight.author == source else {}
        if not self._plain:
            for to in dests:
                self._attempt(self._make_copy(source, to, packet, flight, known.get(to)))
            return
        after, arrive = self.kernel.after, self.arrive
        for to in dests:
            latency = known[to] if to in known else self._draw(self._stream(source, to))
            after(latency, arrive, to, packet, flight)

    def let_ride(self, source: ProcessId, dests: list[ProcessId], packet: Packet) -> list[ProcessId]:
        """Let a packet without a message ride on an acknowledgement that is due, and return for whom it could not."""
        answered = self._answerable
        if answered is None or answered.to != source or answered.source not in dests:
            return dests
        number = self._next_number(source, answered.source)
        answered.riders.append(Copy(source, answered.source, packet, None, answered.chance, None, number))
        self.counts.rides += 1
        return [to for to in dests if to != answered.source]

    def _make_copy(
        self, source: ProcessId, to: ProcessId, packet: Packet, flight: Flight | None, latency_s: float | None
    ) -> Copy:
        """Return a copy of a packet for one destination, with its number on the channel and its latency."""
        number = self._next_number(source, to)
        if latency_s is not None and flight is not None:
            return Copy(source, to, packet, flight, stream(self.seed, "copy", flight.name, to), latency_s, number)
        chance = self._stream(source, to)
        return Copy(source, to, packet, flight, chance, self._draw(chance), number)

    def _next_number(self, source: ProcessId, to: ProcessId) -> int:
        number = self._sent[source, to] = self._sent.get((source, to), 0) + 1
        return number

    def _attempt(self, copy: Copy) -> None:
        """Send a copy once, and schedule the next attempt if the network retransmits."""
        if copy.acknowledged:
            return
        now, network = self._departure_s(copy), self.network
        self.counts.retransmitted += copy.latency_s is None
        latency = self._draw(copy.chance) if copy.latency_s is None else copy.latency_s
        copy.latency_s = None  # a retransmission has a latency of its own
        if self._is_lost(copy.source, copy.to, now, copy.chance):
            self.counts.lost += 1
        else:
            self._schedule_arrival(now + latency, copy)
            if network.duplicate and copy.chance.random() < network.duplicate:
                self.counts.duplicated += 1
                self._schedule_arrival(now + self._draw(copy.chance), copy)
        if network.retransmit_after_s is not None:
            self.kernel.at(now + network.retransmit_after_s, self._attempt, copy)

    def _departure_s(self, copy: Copy) -> float:
        """Return when a copy leaves, which is later than now if the channel has a bandwidth."""
        now, channel = self.kernel.now, (copy.source, copy.to)
        bandwidth = self._bandwidth(channel)
        if bandwidth is None:
            return now
        leaves = max(now, self._free_s.get(channel, 0.0)) + self.size(copy.packet) / bandwidth
        self._free_s[channel] = leaves
        return leaves

    def _bandwidth(self, channel: Channel) -> float | None:
        if channel not in self._bandwidths:
            self._bandwidths[channel] = self.network.bandwidth_between(*channel)
        return self._bandwidths[channel]

    def _is_lost(self, source: ProcessId, to: ProcessId, now_s: float, chance: Random) -> bool:
        unlucky = self.network.loss > 0 and chance.random() < self.network.loss
        return unlucky or any(partition.has_cut(source, to, now_s) for partition in self.network.partitions)

    def _schedule_arrival(self, time_s: float, copy: Copy) -> None:
        if self.network.fifo and self.network.retransmit_after_s is None:
            channel = (copy.source, copy.to)
            time_s = self._last_s[channel] = max(time_s, self._last_s.get(channel, 0.0))
        self.kernel.at(time_s, self._receive, copy)

    def _receive(self, copy: Copy) -> None:
        if self.network.retransmit_after_s is None:
            self.arrive(copy.to, copy.packet, copy.flight)
        elif self.network.answers_ride:
            self._answerable = None if copy.has_arrived else copy
            copy.has_arrived = True
            self._hand_over(copy)
            self._answerable = None
            self._acknowledge(copy)
        else:
            self._acknowledge(copy)
            self._hand_over(copy)

    def _hand_over(self, copy: Copy) -> None:
        if self.network.fifo:
            self._hand_over_in_order(copy)
        else:
            self.arrive(copy.to, copy.packet, copy.flight)

    def _acknowledge(self, copy: Copy) -> None:
        """Send an acknowledgement of the transport back through the same network."""
        self.counts.acknowledgements += 1
        if not self._is_lost(copy.to, copy.source, self.kernel.now, copy.chance):
            self.kernel.after(self._draw(copy.chance), self._take_acknowledgement, copy)

    def _take_acknowledgement(self, copy: Copy) -> None:
        """Stop sending a copy, and hand over what rode on its first acknowledgement that is back."""
        if not copy.acknowledged:
            copy.acknowledged = True
            for rider in copy.riders:
                self._hand_over(rider)

    def _hand_over_in_order(self, copy: Copy) -> None:
        """Hand over all copies of the channel that are next in order, each once."""
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
