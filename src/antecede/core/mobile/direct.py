"""One ordering per host, kept by its station: Algorithm 1 of 001 with RST (`av1`), and `roam`, the same with KS.

A message goes straight to the stations of its destinations. A station that does not have a host's luggage passes the
message on to where it sent it, and tells the station the message came from; a message also tells where its own sender
is. So a hand-off is two messages whatever the number of stations, and nobody else hears of it who does not need to.

    MH_DELIV, MH_SENT  the `ordering` of the host's mind: `Rst`, or `Ks`
    MH_PENDING         its hold-back queue
    PEND_ACK           the outbox of the luggage

Changed from 001 §4.1: the station counts a message as delivered when it sends it to the host, as the paper says, but
lets it into the host's past only when the host says it had it (`Uplink.got`). In the paper, a message that was still in
the air when the host sent becomes a cause of what the host sent, and is waited for elsewhere without need. A message
that is dropped is counted, so that nothing waits for it, and never learned: the host did not see it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from antecede.core.effects import Transmit
from antecede.core.errors import HoldBackFull, Misuse, RemoteViolation
from antecede.core.holdback import HOLD_BACK_LIMIT, HoldBack
from antecede.core.mobile import border, handoff
from antecede.core.mobile.effects import Effect
from antecede.core.mobile.host_and_station_frames import Carried, Moved
from antecede.core.mobile.luggage import Berth, Luggage
from antecede.core.mobile.scheme import Held, Waiter, message_of
from antecede.core.mobile.station import Station
from antecede.core.ordering.ks import Ks, KsStamp
from antecede.core.ordering.prs import Prs
from antecede.core.ordering.rst import Rst, RstStamp
from antecede.core.snapshot import values
from antecede.core.types import Message, Need, Packet, ProcessId, Stamp

NOBODY: frozenset[ProcessId] = frozenset()
STAMPS: dict[str, type] = {"ks": KsStamp, "rst": RstStamp}
UNLEARNED_MAX = 1_000
"""Stamps of delivered messages kept apart until the host's next word; beyond that the oldest is learned early."""


@values.storable("Mind")
@dataclass(slots=True)
class Mind:
    """The ordering of one host, what is held back for it, and what was sent to it that its own messages do not know."""

    ordering: Rst | Ks | Prs
    held: HoldBack = field(default_factory=HoldBack)
    unlearned: dict[int, tuple[Message, Stamp]] = field(default_factory=dict)

    def has(self, message: Message) -> bool:
        """Return whether the message was delivered, or is held back."""
        return message.id.seq <= self.ordering.delivered.get(message.sender, 0) or message.id in self.held

    def is_of(self, host: ProcessId, ordering: type, stamp: type) -> bool:
        """Return whether this is a mind of `host` with this ordering, and all stamps in it are of this kind.

        The answer is for luggage of another station, whose checksum is right and whose content may not be.
        """
        held = self.held.packets
        return (
            isinstance(self.ordering, ordering)
            and self.ordering.me == host
            and all(0 < serial <= self.held.serial for serial in held)
            and all(isinstance(_inner_stamp(packet), stamp) for packet in held.values())
            and all(isinstance(kept, stamp) for _, kept in self.unlearned.values())
        )

    def keep_stamp(self, serial: int, message: Message, stamp: Stamp, departed: frozenset[ProcessId] = NOBODY) -> None:
        """Keep the stamp of a message that was sent to the host, until the host says that it had the message."""
        self.unlearned[serial] = (replace(message, payload=b""), stamp)  # what it says is in the outbox
        if len(self.unlearned) > UNLEARNED_MAX:
            self.learn(next(iter(self.unlearned)), departed)

    def learn(self, got: int, departed: frozenset[ProcessId] = NOBODY) -> None:
        """Let the first `got` messages that were sent to the host into its past: it sends what follows after them.

        Older stamps may name hosts that were removed. The station drops these names, so that luggage does not grow.
        """
        self.ordering.departed = departed
        for serial in [serial for serial in self.unlearned if serial <= got]:
            self.ordering.learn(*self.unlearned.pop(serial))
        self.ordering.departed = NOBODY

    def forget(self, departed: frozenset[ProcessId]) -> None:
        """Drop all that is known of the departed, and what is held back of them: it goes to nobody.

        Nothing waits for them any more, so what is held back is to be filed anew (`HoldBack.resume`).
        """
        assert isinstance(self.ordering, Ks)
        owing = (hosts for entries in self.ordering.log.values() for hosts in entries.values())
        known = {*self.ordering.context, *self.ordering.delivered, *self.ordering.log}.union(*owing)
        for host in sorted(known & departed):
            self.ordering.forget(host)
        self.ordering.departed = NOBODY
        held = self.held.packets.items()
        self.held.packets = {serial: packet for serial, packet in held if message_of(packet).sender not in departed}


@values.storable("Direct", removed={1: False})
@dataclass(slots=True)
class Direct:
    """Messages straight to the stations of their destinations, ordered for each host by itself.

    At most `hold_max` messages are held back for a host, and as many wait for luggage that is on its way.
    """

    table: ClassVar[handoff.Table] = handoff.SIMPLE

    ordering: str = "ks"
    hold_max: int = HOLD_BACK_LIMIT

    def join(self, host: ProcessId, home: ProcessId) -> Mind:  # noqa: ARG002
        return Mind(Ks(host, multicast=True) if self.ordering == "ks" else Rst(host), HoldBack(self.hold_max))

    def is_luggage(self, luggage: Luggage) -> bool:
        ordering = Ks if self.ordering == "ks" else Rst
        return isinstance(luggage.mind, Mind) and luggage.mind.is_of(luggage.host, ordering, STAMPS[self.ordering])

    def check(self, station: Station, packet: Packet) -> None:
        border.check_wire(packet, station.berths, station.stations)
        stamp = packet.stamp
        if isinstance(stamp, Carried) and not isinstance(stamp.stamp, STAMPS[self.ordering]):
            raise RemoteViolation(
                f"{packet.sender} carries a {type(stamp.stamp).__name__}, which is of another protocol"
            )
        if isinstance(stamp, Carried):
            for host in sorted(stamp.to):
                self._check_room(station, host, message_of(packet), stamp.stamp)

    def wire(self, station: Station, to: ProcessId, packet: Packet) -> Iterator[Effect]:  # noqa: ARG002
        yield Transmit(to, packet)

    def send(self, station: Station, luggage: Luggage, message: Message, got: int) -> Iterator[Effect]:
        mind: Mind = luggage.mind
        others = sorted(message.dests - {luggage.host})
        known = self._known(luggage, got)
        if full := [host for host in others if self._is_full(station.berth(host))]:
            trial = values.loads(values.dumps(mind))
            assert isinstance(trial, Mind)
            stamp = _stamp(trial, known, message, others, station.departed)  # the mind itself stays as it is
            for host in full:
                self._check_room(station, host, message, stamp)
        if not others:
            mind.learn(known, station.departed)
            return
        stamp = _stamp(mind, known, message, others, station.departed)
        for at, hosts in _by_station(station, others).items():
            packet = Packet(station.me, message, Carried(frozenset(hosts), luggage.epoch, stamp))
            if at == station.me:
                yield from self.receive(station, packet)
            else:
                yield Transmit(at, packet)

    def receive(self, station: Station, packet: Packet) -> Iterator[Effect]:
        stamp, message = packet.stamp, packet.message
        if message is None or not isinstance(stamp, Carried):
            yield from station.control(packet)
            return
        station.note_place(message.sender, stamp.epoch, packet.sender)
        for host in sorted(stamp.to):
            yield from self._take(station, host, packet, stamp)

    def acknowledged(
        self,
        station: Station,
        luggage: Luggage,
        taken: list[tuple[Message, Any]],  # noqa: ARG002
        got: int,
    ) -> Iterator[Effect]:
        luggage.mind.learn(got, station.departed)
        yield from ()

    def unpack(self, station: Station, host: ProcessId, berth: Berth, _: object) -> Iterator[Effect]:  # noqa: ARG002
        """Deliver or hold back the packets that waited for the luggage, which is here now."""
        yield from self._ready(station, berth)  # what waited for somebody who was removed while the luggage travelled
        waiting, berth.waiting = berth.waiting, []
        for packet in waiting:
            yield from self._offer(station, berth, packet, refuse=False)  # they were taken, and are so many at most

    def release(self, station: Station, host: ProcessId, berth: Berth, _: object) -> Iterator[Effect]:
        """Pass on what waited for the luggage, which will not come."""
        waiting, berth.waiting = berth.waiting, []
        for packet in waiting:
            yield from self._take(station, host, packet, _carried(packet))

    def forget(self, station: Station, host: ProcessId) -> Iterator[Effect]:
        if self.ordering != "ks":
            raise Misuse("av1 cannot remove hosts: use roam")
        return self._forget(station, host)

    def _forget(self, station: Station, host: ProcessId) -> Iterator[Effect]:
        for berth in station.berths.values():
            berth.waiting = [packet for packet in berth.waiting if message_of(packet).sender != host]
        for berth, luggage in list(station.served()):
            self.resume(station, luggage)
            yield from self._ready(station, berth)

    def waiters(self, station: Station) -> Iterator[Waiter]:
        for _, luggage in station.served():
            for packet in luggage.mind.held.packets.values():
                yield luggage.host, packet.message.id

    def held(self, station: Station) -> Iterator[Held]:
        for _, luggage in station.served():
            for packet in luggage.mind.held.packets.values():
                needs = _unmet(station, luggage.mind, packet.message, packet.stamp.stamp)
                yield Held(luggage.host, packet.message.id, tuple(needs))

    def resume(self, station: Station, luggage: Luggage | None) -> None:
        assert self.ordering in STAMPS, f"there is no ordering {self.ordering!r}"
        if luggage is not None:
            mind: Mind = luggage.mind
            if station.departed:
                mind.forget(station.departed)
            mind.held.resume(lambda packet: _unmet(station, mind, message_of(packet), _carried(packet).stamp))

    def _known(self, luggage: Luggage, got: int) -> int:  # noqa: ARG002
        """Return how many of the messages to the host, which says it had `got`, precede what it sends now."""
        return got

    def _is_full(self, berth: Berth) -> bool:
        """Return whether nothing more can wait for this host here."""
        if berth.luggage is not None:
            mind: Mind = berth.luggage.mind
            return len(mind.held) >= mind.held.limit
        return berth.state == handoff.AWAITED and len(berth.waiting) >= min(self.hold_max, HOLD_BACK_LIMIT)

    def _check_room(self, station: Station, host: ProcessId, message: Message, stamp: Stamp) -> None:
        """Raise `HoldBackFull` if the message would have to wait and there is no room for it. Change nothing."""
        berth = station.berth(host)
        if not self._is_full(berth):
            return
        if berth.luggage is None:
            raise HoldBackFull(f"{len(berth.waiting)} packets wait for the luggage of {host}: offer this one later")
        mind: Mind = berth.luggage.mind
        if mind.has(message):
            return
        need = next(_unmet(station, mind, message, stamp), None)
        if need is not None:
            raise HoldBackFull(
                f"{len(mind.held)} packets are held back for {host}: offer {message.id} later, after {need}"
            )

    def _take(self, station: Station, host: ProcessId, packet: Packet, stamp: Carried) -> Iterator[Effect]:
        berth = station.berth(host)
        if berth.luggage is not None:
            yield from self._offer(station, berth, packet)
        elif berth.state == handoff.AWAITED:
            berth.waiting.append(packet)
        else:
            yield Transmit(berth.at, replace(packet, stamp=replace(stamp, to=frozenset({host}))))
            if packet.sender != station.me:
                yield Transmit(packet.sender, Packet(station.me, None, Moved(host, berth.epoch, 0, berth.at)))

    def _offer(self, station: Station, berth: Berth, packet: Packet, *, refuse: bool = True) -> Iterator[Effect]:
        mind: Mind = berth.luggage_here.mind
        message, stamp = message_of(packet), _carried(packet).stamp
        if mind.has(message):
            return
        mind.held.offer(packet, _unmet(station, mind, message, stamp), refuse=refuse)
        yield from self._ready(station, berth)

    def _ready(self, station: Station, berth: Berth) -> Iterator[Effect]:
        """Deliver what waits for nothing any more."""
        while (ready := berth.luggage_here.mind.held.pop()) is not None:
            yield from self._deliver(station, berth, message_of(ready), _carried(ready).stamp)

    def _deliver(self, station: Station, berth: Berth, message: Message, stamp: Stamp) -> Iterator[Effect]:
        luggage = berth.luggage_here
        mind: Mind = luggage.mind
        delivered = mind.ordering.delivered
        delivered[message.sender] = max(message.id.seq, delivered.get(message.sender, 0))
        mind.held.reached(mind.ordering.count(message))
        before = luggage.serial
        yield from station.deliver(berth, message)
        if luggage.serial > before:
            mind.keep_stamp(luggage.serial, message, stamp, station.departed)


def _inner_stamp(packet: Packet) -> object:
    """Return the stamp that the packet carries for a host, or None if it does not carry a message."""
    return packet.stamp.stamp if isinstance(packet.stamp, Carried) and packet.message is not None else None


def _carried(packet: Packet) -> Carried:
    assert isinstance(packet.stamp, Carried)
    return packet.stamp


def _unmet(station: Station, mind: Mind, message: Message, stamp: Stamp) -> Iterator[Need]:
    """Yield what the message waits for, but nothing of hosts that are gone for good, or go while it waits."""
    return (need for need in mind.ordering.unmet(message, stamp) if need.sender not in station.departed)


def _stamp(mind: Mind, known: int, message: Message, others: list[ProcessId], departed: frozenset[ProcessId]) -> Stamp:
    """Return the stamp of a message that the host sent after the first `known`; it serves all destinations."""
    mind.learn(known, departed)
    return mind.ordering.stamps(message, others)[0]


def _by_station(station: Station, hosts: list[ProcessId]) -> Mapping[ProcessId, list[ProcessId]]:
    """Return the destinations by where their luggage is thought to be. Luggage that is expected here counts as here."""
    places: dict[ProcessId, list[ProcessId]] = {}
    for host in hosts:
        berth = station.berth(host)
        at = station.me if berth.state != handoff.AWAY else berth.at
        places.setdefault(at, []).append(host)
    return dict(sorted(places.items()))
