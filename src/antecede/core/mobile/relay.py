"""Algorithm 2 of 001: causal order between the stations, and a hand-off that waits for what is under way.

Every packet between stations, hand-off control too, goes through one causal layer: a `Process` of the core with RST
(`av2`), or with KS (`av2-ks`). The header grows with the stations and not with the hosts. The price is inhibition:
a message may wait for one that is for another host of the same station; and a hand-off of O(n_s) messages, for
each station has to say that its last message to the old place is out.

    MSS_DELIV, MSS_SENT, MSS_PENDING   the process
    a station's knowledge of a host    `location`, which changes at a notification and nowhere else
    enable                             `Handover`

Changed from 001 §5.2. There, the new station broadcasts the notification as soon as a host registers. So a stale
notification may put a location back; and, if a broadcast is a unicast to each, a station that has been notified may
cause one that has not to send to the old place, from where the message overtakes its cause. Here the old station
notifies, with one causal multicast, when it gives the luggage away, which it does only when its own hand-off is over:
all notifications of one host are ordered by causality itself, and a host that comes back while its old hand-off drains
waits its turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

from antecede.core.effects import Deliver, Transmit
from antecede.core.effects import Effect as CoreEffect
from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.mobile import border, handoff
from antecede.core.mobile.effects import Dropped, Effect
from antecede.core.mobile.host_and_station_frames import Begin, Handover, Last, Notify, Old, Over, Relayed
from antecede.core.mobile.luggage import Berth, Luggage
from antecede.core.mobile.scheme import Held, Waiter, message_of
from antecede.core.mobile.station import Station
from antecede.core.process import Process
from antecede.core.roster import checked_packet
from antecede.core.snapshot import values
from antecede.core.types import Message, MessageId, Packet, ProcessId
from antecede.core.wire import packets

PRESENT = (handoff.HERE, handoff.SETTLING, handoff.DRAINING)
"""The states of a host for which a message may come."""


CARRIED = (Relayed, Old, Notify, Last, Over, *border.CONTROL)
"""What the causal layer carries."""

SHORT_BYTES_MAX, SHORT_KEPT_MAX = 4096, 512
"""The latest short packets that the causal layer carried are kept as they were decoded: a station looks into a packet
when it comes, while it is held back and when it is delivered.
"""


def unwrap(message: Message) -> Packet:
    """Return the packet that a message of the causal layer carries."""
    payload = message.payload
    return _decode_short(payload) if len(payload) <= SHORT_BYTES_MAX else packets.decode(payload)


_decode_short = lru_cache(SHORT_KEPT_MAX)(packets.decode)


def _hosts_at(station: ProcessId, packet: Packet) -> list[ProcessId]:
    """Return the hosts that a message is for, as the station that sent it located them."""
    stamp = packet.stamp
    if isinstance(stamp, Relayed):
        return sorted(stamp.at.get(station, ()))
    return [stamp.host] if isinstance(stamp, Old) else []


@values.storable("Relay", removed={1: False})
@dataclass(slots=True)
class Relay:
    """One station's part of the causal layer, and where it believes the hosts to be."""

    table: ClassVar[handoff.Table] = handoff.DRAINED

    process: Process
    location: dict[ProcessId, ProcessId] = field(default_factory=dict)
    draining: dict[ProcessId, tuple[int, ProcessId]] = field(default_factory=dict)
    _waiters: dict[MessageId, tuple[Waiter, ...]] = field(default_factory=dict, compare=False)
    _settling: set[ProcessId] = field(default_factory=set, compare=False)

    def join(self, host: ProcessId, home: ProcessId) -> None:
        self.location[host] = home

    def is_luggage(self, luggage: Luggage) -> bool:
        return luggage.mind is None

    def check(self, station: Station, packet: Packet) -> None:
        """Raise `RemoteViolation` for a packet whose content is wrong, before the causal layer counts it."""
        checked_packet(packet)
        if packet.message is not None:
            inner = unwrap(packet.message)
            if inner.sender != packet.message.sender:
                raise RemoteViolation(f"{packet.message.sender} sent a packet in the name of {inner.sender}")
            border.check_wire(inner, station.berths, station.stations, station.static)
            if not isinstance(inner.stamp, CARRIED):
                raise border.not_for_stations(inner)
            if isinstance(inner.stamp, Handover):
                station.luggage_in(inner.stamp)
            if isinstance(inner.stamp, Relayed) and station.me not in inner.stamp.at:
                raise RemoteViolation(f"{inner.sender} relayed a message to {station.me} that is for no host there")
            if inner.message is not None and self._is_next(packet, packet.message):
                self._check_present(station, inner)

    def _is_next(self, packet: Packet, message: Message) -> bool:
        """Return whether the causal layer would deliver the packet at once."""
        self.process.roster.accept(packet)
        ordering = self.process.ordering
        is_new = message.id.seq > ordering.delivered.get(message.sender, 0) and message.id not in self.process.held
        return is_new and ordering.accepts(message, packet.stamp) and not any(ordering.unmet(message, packet.stamp))

    def _check_present(self, station: Station, packet: Packet) -> None:
        """Raise `RemoteViolation` if a message is for a host that is not here. No correct station sends such a message:
        it would have been notified of the move first.
        """
        for host in _hosts_at(station.me, packet):
            state = station.berth(host).state
            if state not in PRESENT:
                raise RemoteViolation(f"message {message_of(packet).id} for {host}, which is {state} at {station.me}")

    def wire(self, station: Station, to: ProcessId, packet: Packet) -> Iterator[Effect]:
        yield from self._carry_out(station, self.process.send({to}, packets.encode(packet)))

    def send(self, station: Station, luggage: Luggage, message: Message, got: int) -> Iterator[Effect]:  # noqa: ARG002
        at: dict[ProcessId, set[ProcessId]] = {}
        for host in sorted(message.dests - {luggage.host}):
            at.setdefault(self.location[host], set()).add(host)
        if at:
            relayed = Relayed({place: frozenset(hosts) for place, hosts in at.items()})
            payload = packets.encode(Packet(station.me, message, relayed))
            yield from self._carry_out(station, self.process.send(at.keys(), payload))

    def receive(self, station: Station, packet: Packet) -> Iterator[Effect]:
        yield from self._carry_out(station, self.process.receive(packet))

    def acknowledged(
        self,
        station: Station,  # noqa: ARG002
        luggage: Luggage,  # noqa: ARG002
        taken: list[tuple[Message, Any]],  # noqa: ARG002
        got: int,  # noqa: ARG002
    ) -> Iterator[Effect]:
        yield from ()

    def unpack(self, station: Station, host: ProcessId, berth: Berth, _: object) -> Iterator[Effect]:
        """Deliver what waited until nothing old can come any more."""
        waiting, berth.waiting = berth.waiting, []
        self._settling.discard(host)
        for packet in waiting:
            yield from station.deliver(berth, message_of(packet))

    def release(self, *_: object) -> None:
        """Do nothing: nobody was told of a registration that another has overtaken, so nothing has come for it."""

    def notify(self, station: Station, host: ProcessId, _: Berth, begin: Begin) -> Iterator[Effect]:
        """Tell all stations where the host is, and from now on count who has said `last`."""
        self.draining[host] = (begin.move, begin.to)
        note = Packet(station.me, None, Notify(host, begin.move, station.me, begin.to))
        yield from self._carry_out(station, self.process.send(station.stations, packets.encode(note)))
        yield from self._check_drained(station, host)

    def finish(self, station: Station, host: ProcessId, berth: Berth, _: object) -> Iterator[Effect]:
        """Tell the new station that nobody sends here for the host any more."""
        move, to = self.draining.pop(host)
        del berth.lasts[move]
        yield from self.wire(station, to, Packet(station.me, None, Over(host, move)))

    def forget(self, *_: object) -> Iterator[Effect]:
        raise Misuse("Algorithm 2 cannot remove hosts: use roam")

    def waiters(self, station: Station) -> Iterator[Waiter]:
        for packet in self.process.held.packets.values():
            yield from self._waiters_of(station, message_of(packet))
        yield from self._settling_waiters(station)

    def held(self, station: Station) -> Iterator[Held]:
        for pending in self.process.pending():
            for host, message in self._waiters_of(station, pending.message):
                yield Held(host, message, pending.needs)
        yield from (Held(host, message) for host, message in self._settling_waiters(station))

    def _settling_waiters(self, station: Station) -> Iterator[Waiter]:
        """Yield what waits until nothing old can come any more for its host, which is new here."""
        for host in sorted(self._settling):
            for packet in station.berth(host).waiting:
                yield host, message_of(packet).id

    def _waiters_of(self, station: Station, message: Message) -> tuple[Waiter, ...]:
        """Return the hosts for which the causal layer holds a message back, each with the message that is for it."""
        waiters = self._waiters.get(message.id)
        if waiters is None:
            inner = unwrap(message)
            hosts = _hosts_at(station.me, inner) if inner.message is not None else ()
            waiters = self._waiters[message.id] = tuple((host, message_of(inner).id) for host in hosts)
        return waiters

    def resume(self, station: Station, luggage: Luggage | None) -> None:
        if luggage is None:
            draining = {host for host, berth in station.berths.items() if berth.state == handoff.DRAINING}
            assert station.berths.keys() <= self.location.keys(), "the place of a host is not known"
            assert draining <= self.draining.keys(), "a host drains to nowhere"
            self._settling = {host for host, berth in station.berths.items() if berth.waiting}
            self.process.resume()

    def _carry_out(self, station: Station, effects: list[CoreEffect]) -> Iterator[Effect]:
        for effect in effects:
            if isinstance(effect, Transmit):
                yield effect
            elif isinstance(effect, Deliver):
                self._waiters.pop(effect.message.id, None)
                yield from self._take(station, unwrap(effect.message))

    def _take(self, station: Station, packet: Packet) -> Iterator[Effect]:
        """Take a packet that the causal layer delivers to this station, and do what its stamp says."""
        stamp = packet.stamp
        if isinstance(stamp, Relayed | Old):
            for host in _hosts_at(station.me, packet):
                yield from self._arrive(station, host, packet)
        elif isinstance(stamp, Notify):
            self.location[stamp.host] = stamp.to
            yield from self.wire(station, stamp.previous, Packet(station.me, None, Last(stamp.host, stamp.move)))
        elif isinstance(stamp, Last):
            station.berth(stamp.host).lasts.setdefault(stamp.move, set()).add(packet.sender)
            yield from self._check_drained(station, stamp.host)
        elif isinstance(stamp, Over):
            yield from station.step(stamp.host, handoff.OVER, stamp)
        else:
            yield from station.control(packet)

    def _arrive(self, station: Station, host: ProcessId, packet: Packet) -> Iterator[Effect]:
        berth, message = station.berth(host), message_of(packet)
        if berth.state == handoff.DRAINING:
            yield from self.wire(station, berth.at, Packet(station.me, message, Old(host)))
        elif berth.state == handoff.HERE or (berth.state == handoff.SETTLING and isinstance(packet.stamp, Old)):
            yield from station.deliver(berth, message)
        elif berth.state == handoff.SETTLING:
            berth.waiting.append(packet)
            self._settling.add(host)
        else:  # the packet was held back, and no correct station sent it; what came with it is not to blame
            yield Dropped(host, message.id)

    def _check_drained(self, station: Station, host: ProcessId) -> Iterator[Effect]:
        berth = station.berth(host)
        move, _ = self.draining.get(host, (0, ""))
        if berth.state == handoff.DRAINING and berth.lasts.get(move) == set(station.stations):
            yield from station.step(host, handoff.DRAINED_ALL)
