"""000 §9: every message to every station, the causal barrier of each host kept by its station.

A station numbers what it sends for its hosts (M_init, M_seq, from 0) and sends it to all stations. Each keeps a
message until M_init says that all destinations have it, so a host finds its messages wherever it goes, and a hand-off
moves only what is known of the host: CB_h, Delivered_h and sent_h, in the ordering of its mind, and h_RECD.

    h_RECD[s]     `received[s]`: the next message of station s to be looked at for this host
    Acknowledge   from the station of a destination to M_init, when the host has the message
    Delete        from M_init to all, when all destinations have it; it may overtake its message: hence tombstones

With `combine=True` a station sends one acknowledgement of a message for all hosts of its cell (§9.3, `CombiningFlood`).

Messages of one station reach a host in the order of M_seq, even those of different hosts that have nothing to do with
each other: a message may wait needlessly, which the paper does not say. With `any_order=True` concurrent messages reach
a host in any order, and a message waits for its predecessors only (`AnyOrderFlood`).

Changed from the paper: there h_RECD never passes a message that is not for h, and everything after it waits for ever.
Here it steps over what is known not to be for h, or to be deleted.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from typing import Any, ClassVar

from antecede.core.effects import Transmit
from antecede.core.errors import HoldBackFull, Misuse, RemoteViolation
from antecede.core.holdback import HOLD_BACK_LIMIT
from antecede.core.mobile import border, handoff
from antecede.core.mobile.direct import Mind
from antecede.core.mobile.effects import Effect
from antecede.core.mobile.host_and_station_frames import Acknowledge, AcknowledgeAll, Cast, Delete
from antecede.core.mobile.luggage import Berth, Luggage
from antecede.core.mobile.scheme import Held, Waiter
from antecede.core.mobile.station import Station
from antecede.core.ordering.prs import Prs, PrsStamp
from antecede.core.snapshot import values
from antecede.core.types import Message, Packet, ProcessId


@values.storable("Casts")
@dataclass(slots=True)
class Casts:
    """What a station has of the messages of one station, M_init: those in store, and which are deleted for good."""

    store: dict[int, tuple[Message, Cast]] = field(default_factory=dict)
    floor: int = 0
    tombstones: set[int] = field(default_factory=set)

    def delete(self, seq: int) -> None:
        self.store.pop(seq, None)
        if seq >= self.floor:
            self.tombstones.add(seq)
        while self.floor in self.tombstones:
            self.tombstones.remove(self.floor)
            self.floor += 1

    def is_deleted(self, seq: int) -> bool:
        return seq < self.floor or seq in self.tombstones

    def can_skip(self, seq: int, host: ProcessId) -> bool:
        """Return whether message `seq` is known not to be for `host`, or to be deleted."""
        return self.is_deleted(seq) or (seq in self.store and not _is_for(host, self.store[seq][0]))


@values.storable("FloodMind")
@dataclass(slots=True)
class FloodMind:
    """A host's ordering, and h_RECD."""

    ordered: Mind
    received: dict[ProcessId, int] = field(default_factory=dict)

    def has_passed(self, init: ProcessId, seq: int) -> bool:
        """Return whether message `seq` of station `init` was delivered to the host, or skipped."""
        return seq < self.received.get(init, 0)

    def note_passed(self, init: ProcessId, seq: int) -> None:
        """Note that message `seq` of station `init`, the next one, was delivered to the host, or skipped."""
        self.received[init] = seq + 1


@values.storable("AnyOrderMind")
@dataclass(slots=True)
class AnyOrderMind(FloodMind):
    """A host's ordering, h_RECD, and what the host has beyond h_RECD."""

    passed: dict[ProcessId, set[int]] = field(default_factory=dict)

    def has_passed(self, init: ProcessId, seq: int) -> bool:
        return seq < self.received.get(init, 0) or seq in self.passed.get(init, ())

    def note_passed(self, init: ProcessId, seq: int) -> None:
        passed = self.passed.setdefault(init, set())
        passed.add(seq)
        while (first := self.received.get(init, 0)) in passed:
            passed.remove(first)
            self.received[init] = first + 1


@values.storable("Flood", removed={0: False})
@dataclass(slots=True)
class Flood:
    """One station's messages so far, what is unacknowledged of them, and everybody's that are not deleted."""

    table: ClassVar[handoff.Table] = handoff.SIMPLE
    mind_type: ClassVar[type[FloodMind]] = FloodMind

    seq: int = 0
    unacknowledged: dict[int, set[ProcessId]] = field(default_factory=dict)
    casts: dict[ProcessId, Casts] = field(default_factory=dict)
    _kept_max: int = HOLD_BACK_LIMIT  # messages of one station, from which on no more of it are taken

    def join(self, host: ProcessId, home: ProcessId) -> FloodMind:  # noqa: ARG002
        return self.mind_type(Mind(Prs(host)))

    def is_luggage(self, luggage: Luggage) -> bool:
        mind, notes = luggage.mind, [note for _, note in luggage.outbox.values()]
        return (
            type(mind) is self.mind_type
            and mind.ordered.is_of(luggage.host, Prs, PrsStamp)
            and all(map(_is_note, notes))
        )

    def check(self, station: Station, packet: Packet) -> None:
        border.check_wire(packet, station.berths, station.stations)
        stamp = packet.stamp
        if isinstance(stamp, Cast) and not isinstance(stamp.stamp, PrsStamp):
            raise RemoteViolation(f"{packet.sender} sent a {type(stamp.stamp).__name__}, which is of another protocol")
        kept = self.casts.get(packet.sender)
        if isinstance(stamp, Cast) and kept is not None and len(kept.store) >= self._kept_max:
            raise HoldBackFull(f"{len(kept.store)} messages of {packet.sender} are kept: offer this one later")

    def wire(self, station: Station, to: ProcessId, packet: Packet) -> Iterator[Effect]:
        if to == station.me:
            yield from self.receive(station, packet)
        else:
            yield Transmit(to, packet)

    def send(self, station: Station, luggage: Luggage, message: Message, got: int) -> Iterator[Effect]:
        mind: Mind = luggage.mind.ordered
        mind.learn(got)
        others = sorted(message.dests - {luggage.host})
        if others:
            cast = Cast(self.seq, mind.ordering.stamps(message, others)[0])
            self.unacknowledged[self.seq] = set(others)
            self.seq += 1
            yield from self._to_all(station, Packet(station.me, message, cast))

    def receive(self, station: Station, packet: Packet) -> Iterator[Effect]:
        stamp = packet.stamp
        if isinstance(stamp, Cast) and packet.message is not None:
            casts = self.casts.setdefault(packet.sender, Casts())
            if not casts.is_deleted(stamp.seq):
                casts.store[stamp.seq] = (packet.message, stamp)
                yield from self._look_again(station)
        elif isinstance(stamp, Acknowledge):
            yield from self._acknowledge(station, {stamp.host}, stamp.seq)
        elif isinstance(stamp, AcknowledgeAll):
            yield from self._acknowledge(station, stamp.hosts, stamp.seq)
        elif isinstance(stamp, Delete):
            self.casts.setdefault(packet.sender, Casts()).delete(stamp.seq)
            yield from self._look_again(station)
        else:
            yield from station.control(packet)

    def acknowledged(
        self, station: Station, luggage: Luggage, taken: list[tuple[Message, Any]], got: int
    ) -> Iterator[Effect]:
        luggage.mind.ordered.learn(got)
        for _, (init, seq) in taken:
            yield from self._has(station, luggage.host, init, seq)

    def unpack(self, station: Station, host: ProcessId, berth: Berth, _: object) -> Iterator[Effect]:  # noqa: ARG002
        """Go through what is in store for the host, whose luggage is here now."""
        yield from self._look(station, berth)

    def release(self, *_: object) -> None:
        """Do nothing: no message waits for luggage, because every station has every message."""

    def forget(self, *_: object) -> Iterator[Effect]:
        raise Misuse("prs-mobile cannot remove hosts: use roam")

    def waiters(self, station: Station) -> Iterator[Waiter]:
        for _, luggage in station.served():
            for init, casts in self.casts.items():
                for seq, (message, _) in casts.store.items():
                    if not luggage.mind.has_passed(init, seq) and _is_for(luggage.host, message):
                        yield luggage.host, message.id

    def held(self, station: Station) -> Iterator[Held]:
        return (Held(host, message) for host, message in self.waiters(station))

    def resume(self, station: Station, luggage: Luggage | None) -> None:
        """Do nothing: everything is in the snapshot."""

    def _to_all(self, station: Station, packet: Packet) -> Iterator[Effect]:
        for to in station.stations:
            if to != station.me:
                yield Transmit(to, packet)
        yield from self.receive(station, packet)

    def _look_again(self, station: Station) -> Iterator[Effect]:
        for berth, _ in list(station.served()):
            yield from self._look(station, berth)

    def _look(self, station: Station, berth: Berth) -> Iterator[Effect]:
        """Go through the messages of each station, as far as this host may have them."""
        moved = True
        while moved:
            moved = False
            for init in sorted(self.casts):
                while (seq := self._find_next(berth.luggage_here, init)) is not None:
                    moved = True
                    yield from self._next(station, berth, init, seq)

    def _find_next(self, luggage: Luggage, init: ProcessId) -> int | None:
        """Return the number of a message of `init` that can be delivered to the host now, or skipped."""
        return luggage.mind.received.get(init, 0) if self._may_pass(luggage, init) else None

    def _may_pass(self, luggage: Luggage, init: ProcessId) -> bool:
        """Return whether the next message of `init` can be delivered to the host, or skipped."""
        mind: FloodMind = luggage.mind
        casts, seq = self.casts[init], mind.received.get(init, 0)
        return casts.can_skip(seq, luggage.host) or self._can_deliver(mind, casts, seq)

    def _can_deliver(self, mind: FloodMind, casts: Casts, seq: int) -> bool:
        """Return whether message `seq`, which is for the host, is here and waits for nothing."""
        if seq not in casts.store:
            return False
        message, cast = casts.store[seq]
        return next(mind.ordered.ordering.unmet(message, cast.stamp), None) is None

    def _next(self, station: Station, berth: Berth, init: ProcessId, seq: int) -> Iterator[Effect]:
        luggage = berth.luggage_here
        mind: FloodMind = luggage.mind
        mind.note_passed(init, seq)
        message, cast = self.casts[init].store.get(seq, (None, None))
        if message is None or cast is None or not _is_for(luggage.host, message):
            return
        delivered = mind.ordered.ordering.delivered
        if message.id.seq <= delivered.get(message.sender, 0):  # a station that says it again, or lies
            yield from self._has(station, luggage.host, init, seq)
            return
        delivered[message.sender] = message.id.seq
        before = luggage.serial
        yield from station.deliver(berth, message, (init, seq))
        if luggage.serial > before:
            mind.ordered.keep_stamp(luggage.serial, message, cast.stamp)
        else:
            yield from self._has(station, luggage.host, init, seq)

    def _has(self, station: Station, host: ProcessId, init: ProcessId, seq: int) -> Iterator[Effect]:
        yield from self.wire(station, init, Packet(station.me, None, Acknowledge(host, seq)))

    def _acknowledge(self, station: Station, hosts: Set[ProcessId], seq: int) -> Iterator[Effect]:
        missing = self.unacknowledged.get(seq)
        if missing is None:
            return
        missing -= hosts
        if not missing:
            del self.unacknowledged[seq]
            yield from self._to_all(station, Packet(station.me, None, Delete(seq)))


@values.storable("CombiningFlood")
@dataclass(slots=True)
class CombiningFlood(Flood):
    """The same, with one acknowledgement of a message for all hosts of the cell (§9.3).

    A station collects the acknowledgements of a message until no host here is still to have it: until the last one has
    it, or leaves. This delays no Delete, because M_init waits for the last host anyway.
    """

    table: ClassVar[handoff.Table] = handoff.COMBINED

    collected: dict[ProcessId, dict[int, set[ProcessId]]] = field(default_factory=dict)

    def send_collected(self, station: Station, *_: object) -> Iterator[Effect]:
        """Send what waited for nobody but a host that has just left."""
        for init, collected in sorted(self.collected.items()):
            for seq in sorted(collected):
                yield from self._send_complete(station, init, seq)

    def _has(self, station: Station, host: ProcessId, init: ProcessId, seq: int) -> Iterator[Effect]:
        self.collected.setdefault(init, {}).setdefault(seq, set()).add(host)
        yield from self._send_complete(station, init, seq)

    def _send_complete(self, station: Station, init: ProcessId, seq: int) -> Iterator[Effect]:
        """Send the acknowledgements of a message, unless they are sent, or a host of this cell is still to have it."""
        is_sent = seq not in self.collected[init]  # to send those of another message may lead to these
        if is_sent or any(self._is_to_have(luggage, init, seq) for _, luggage in station.served()):
            return
        hosts = frozenset(self.collected[init].pop(seq))
        yield from self.wire(station, init, Packet(station.me, None, AcknowledgeAll(hosts, seq)))

    def _is_to_have(self, luggage: Luggage, init: ProcessId, seq: int) -> bool:
        """Return whether the message is here and for the host, and the host has not acknowledged it."""
        message, _ = self.casts[init].store.get(seq, (None, None)) if init in self.casts else (None, None)
        if message is None or not _is_for(luggage.host, message):
            return False
        mind: FloodMind = luggage.mind
        return not mind.has_passed(init, seq) or any(note == (init, seq) for _, note in luggage.outbox.values())


@values.storable("AnyOrderFlood")
@dataclass(slots=True)
class AnyOrderFlood(CombiningFlood):
    """Concurrent messages of one station in any order (§9.1): a host has a message as soon as its barrier allows it.

    Acknowledgements are combined with `combine`.
    """

    mind_type: ClassVar[type[FloodMind]] = AnyOrderMind

    combine: bool = False

    def _find_next(self, luggage: Luggage, init: ProcessId) -> int | None:
        mind, casts = luggage.mind, self.casts[init]
        first = mind.received.get(init, 0)
        if casts.can_skip(first, luggage.host):
            return int(first)
        new = (seq for seq in sorted(casts.store) if not mind.has_passed(init, seq))
        mine = (seq for seq in new if _is_for(luggage.host, casts.store[seq][0]))
        return next((seq for seq in mine if self._can_deliver(mind, casts, seq)), None)

    def _has(self, station: Station, host: ProcessId, init: ProcessId, seq: int) -> Iterator[Effect]:
        yield from (CombiningFlood if self.combine else Flood)._has(self, station, host, init, seq)


def _is_note(note: object) -> bool:
    """Return whether this is what is kept for a message in an outbox: M_init and M_seq."""
    return isinstance(note, tuple) and list(map(type, note)) == [str, int]


def _is_for(host: ProcessId, message: Message) -> bool:
    return host in message.dests and host != message.sender
