"""000 §9 and 001 on hosts that move, as printed, or read outside their assumptions, in the scheme of each protocol.

Most of these forms are wrong. `StayingRelay` is a reading that is not, and `NeedlesslyWaitingDirect` does what 001 does
not deny.

In the hand-off of 001 §5.2 (`NotifyingRelay`) the new station sends the notifications, as soon as a host registers:

    host             new station       old station       other stations
      | -- register --> |                   |                   |
      |                 | --- begin ------> |                   |
      |                 | --- notify -----> | ----------------> |    to each, or as one causal multicast
      |                 | <-- handover ---- |                   |
      |                 |                   | <---- last ------ |    of all; then the old station sends `over`

Hosts register as 001 §2 says (`LeavingHost`): a host names the station of the cell that it left. A station takes its
part in one hand-off of a host after the other (`LiteralStation`): a question for a host waits until the hand-off to
this station has ended, as §5.2 says. A registration waits too, while this station still has a part in an earlier
hand-off of the host: the paper does not say what happens then, and the air may take any time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from antecede.core.mobile import handoff
from antecede.core.mobile.direct import Direct
from antecede.core.mobile.effects import Effect
from antecede.core.mobile.flood import Casts, Flood
from antecede.core.mobile.host import OUT, Host
from antecede.core.mobile.host_and_station_frames import Begin, Delete, Notify, Old, Register
from antecede.core.mobile.luggage import Berth, Luggage, Policy
from antecede.core.mobile.relay import Relay
from antecede.core.mobile.scheme import Scheme
from antecede.core.mobile.station import Station
from antecede.core.ordering.rst import Rst
from antecede.core.process import Process
from antecede.core.roster import Roster
from antecede.core.types import Packet, ProcessId
from antecede.core.wire import packets

NOTIFIED_AT_ONCE: handoff.Table = {
    (handoff.AWAY, handoff.REGISTER): (handoff.AWAITED, ("ask", "notify")),
    (handoff.AWAITED, handoff.HANDOVER): (handoff.SETTLING, ("admit", "welcome")),
    (handoff.SETTLING, handoff.AGAIN): (handoff.SETTLING, ("welcome",)),
    (handoff.SETTLING, handoff.OVER): (handoff.HERE, ("unpack", "serve")),
    (handoff.HERE, handoff.AGAIN): (handoff.HERE, ("welcome",)),
    (handoff.HERE, handoff.BEGIN): (handoff.DRAINING, ("hand_over", "notify")),
    (handoff.DRAINING, handoff.DRAINED_ALL): (handoff.AWAY, ("finish", "serve")),
}


class LeavingHost(Host):
    """001 §2: a host names the station of the cell that it left, whether that station has welcomed it or not."""

    __slots__ = ()

    def enter(self, station: ProcessId) -> list[Effect]:
        if station == self.cell and self.state != OUT:  # it hears the beacon of its own cell
            return []
        self.previous = self.cell
        return super().enter(station)


def leaving_host(name: ProcessId, home: ProcessId, *, retry_s: float = 1.0) -> LeavingHost:
    """Return a host that registers as 001 §2 says. The parameters are those of `antecede.mobile.host`."""
    return LeavingHost(name, home, home, retry_s=retry_s)


class NeedlesslyWaitingDirect(Direct):
    """001 §4.1: what is in the air to a host precedes what the host sends, though the host has not had it.

    So a message may wait needlessly. The paper does not call that inhibition, which it defines by `MSS_PENDING`, the
    queue of Algorithm 2.
    """

    __slots__ = ()

    def _known(self, luggage: Luggage, got: int) -> int:  # noqa: ARG002
        return luggage.serial


class StandingFlood(Flood):
    """000 §9.1: h_RECD stands for ever at the first message that is not for h; a Delete deletes what is there by then.

    So a message that its Delete has overtaken is kept for ever.
    """

    __slots__ = ()

    def receive(self, station: Station, packet: Packet) -> Iterator[Effect]:
        if isinstance(packet.stamp, Delete):
            self.casts.setdefault(packet.sender, Casts()).store.pop(packet.stamp.seq, None)
        else:
            yield from super().receive(station, packet)

    def _may_pass(self, luggage: Luggage, init: ProcessId) -> bool:
        casts, seq = self.casts[init], luggage.mind.received.get(init, 0)
        return not casts.can_skip(seq, luggage.host) and self._can_deliver(luggage.mind, casts, seq)


class ForgettingFlood(Flood):
    """000 §9.2, read so that a hand-off moves h_RECD and CB_h alone: Delivered_h begins anew in the new cell."""

    __slots__ = ()

    def resume(self, station: Station, luggage: Luggage | None) -> None:
        super().resume(station, luggage)
        if luggage is not None:
            ordering = luggage.mind.ordered.ordering
            ordering.delivered, ordering.known = {}, {}


class NotifyingRelay(Relay):
    """001 §5.2: the new station notifies, at once, with a unicast to each station.

    So a message may come for a host that is not here, or not yet. The paper does not say what becomes of it: here it is
    passed on to where the host went, or waits for the host.
    """

    __slots__ = ()
    table: ClassVar[handoff.Table] = NOTIFIED_AT_ONCE

    def notify(self, station: Station, host: ProcessId, _: Berth, subject: Begin | Register) -> Iterator[Effect]:
        """Tell all stations when the host registers; when its luggage is asked for, only count who has said `last`."""
        if isinstance(subject, Register):
            yield from self._broadcast(station, Notify(host, subject.move, subject.previous, station.me))
        else:
            self.draining[host] = (subject.move, subject.to)
            yield from self._check_drained(station, host)

    def _broadcast(self, station: Station, notify: Notify) -> Iterator[Effect]:
        for to in station.stations:
            yield from self.wire(station, to, Packet(station.me, None, notify))

    def _check_present(self, station: Station, packet: Packet) -> None:
        """Accept a message for a host that is not here."""

    def _arrive(self, station: Station, host: ProcessId, packet: Packet) -> Iterator[Effect]:
        berth = station.berth(host)
        if berth.state == handoff.AWAY:
            yield from self.wire(station, berth.at, Packet(station.me, packet.message, Old(host)))
        elif berth.state == handoff.AWAITED:
            berth.waiting.append(packet)
        else:
            yield from super()._arrive(station, host, packet)


class MulticastNotifyingRelay(NotifyingRelay):
    """001 §5.2, read so that the broadcast of notify is one causal multicast of the new station."""

    __slots__ = ()

    def _broadcast(self, station: Station, notify: Notify) -> Iterator[Effect]:
        note = packets.encode(Packet(station.me, None, notify))
        yield from self._carry_out(station, self.process.send(station.stations, note))


@dataclass(slots=True)
class ChainingRelay(MulticastNotifyingRelay):
    """001 §5.2, read so that a station puts the moves of a host that it was notified of one after the other.

    So after notify(h, s2, s3) a late notify(h, s1, s2) does not put the location back. If a host returns to a cell, the
    moves that a station knows of may be put together in two ways; then it takes the place that it was told last.
    """

    homes: dict[ProcessId, ProcessId] = field(default_factory=dict)
    moves: dict[ProcessId, list[tuple[ProcessId, ProcessId]]] = field(default_factory=dict)
    places: dict[ProcessId, ProcessId] = field(default_factory=dict)

    def join(self, host: ProcessId, home: ProcessId) -> None:
        super(ChainingRelay, self).join(host, home)
        self.homes[host] = home

    def _take(self, station: Station, packet: Packet) -> Iterator[Effect]:
        yield from super(ChainingRelay, self)._take(station, packet)
        if isinstance(packet.stamp, Notify):
            notify = packet.stamp
            before = self.places.get(notify.host, self.homes[notify.host])
            self.moves.setdefault(notify.host, []).append((notify.previous, notify.to))
            possible = last_places(self.homes[notify.host], self.moves[notify.host])
            self.location[notify.host] = self.places[notify.host] = self._choose(possible, before)

    def _choose(self, possible: Sequence[ProcessId], before: ProcessId) -> ProcessId:  # noqa: ARG002
        """Return where to send, of the `possible` places, the one told last first; it was `before` until now."""
        return possible[0]


class StayingRelay(ChainingRelay):
    """The same, but a station sends to the place that it has until the host is known to have left it for good.

    So if the moves can be put together in two ways, it does not go back. The paper does not say this either.
    """

    __slots__ = ()

    def _choose(self, possible: Sequence[ProcessId], before: ProcessId) -> ProcessId:
        return before if before in possible else possible[0]


def last_places(home: ProcessId, moves: Sequence[tuple[ProcessId, ProcessId]]) -> list[ProcessId]:
    """Return the places where a host can be after these moves, and others unknown, the one told last first.

    It can be at a place that it has entered more often than left. If all moves are known there is one such place.
    """
    entered = [home, *(to for _, to in moves)]
    surplus = Counter(entered)
    surplus.subtract(previous for previous, _ in moves)
    return [place for place in dict.fromkeys(reversed(entered)) if surplus[place] > 0]


@dataclass(slots=True)
class LiteralStation(Station):
    """A station of 001 §5.2, which does what a host's registrations and moves ask of it one after the other."""

    registers: dict[ProcessId, dict[int, Register]] = field(default_factory=dict)

    def _register(self, host: ProcessId, berth: Berth, register: Register) -> Iterator[Effect]:
        if berth.luggage is not None and berth.luggage.move == register.move:
            yield from self.step(host, handoff.AGAIN, register)
        elif register.move > berth.heard:
            self.registers.setdefault(host, {})[register.move] = register
            yield from self._serve(host, berth)

    def _begin(self, begin: Begin) -> Iterator[Effect]:
        berth = self.berth(begin.host)
        berth.begins.append((begin.move, begin.to))
        yield from self._serve(begin.host, berth)

    def _serve(self, host: ProcessId, berth: Berth, _: object = None) -> Iterator[Effect]:
        """Give the host away if the next station has asked for it; or ask for it if it has registered here."""
        if berth.state == handoff.HERE:
            for move, to in berth.begins:
                if move == berth.luggage_here.move + 1:
                    berth.begins.remove((move, to))
                    yield from self.step(host, handoff.BEGIN, Begin(host, move, to, 0))
                    return
        elif berth.state == handoff.AWAY and (waiting := self.registers.get(host)):
            register = waiting.pop(min(waiting))
            berth.heard = register.move
            yield from self.step(host, handoff.REGISTER, register)


@dataclass(slots=True)
class SelfAskingStation(LiteralStation):
    """001 §5.2 to the letter: the new station sends handoff_begin to itself, and not to the old station."""

    def _ask(self, host: ProcessId, berth: Berth, register: Register) -> Iterator[Effect]:  # noqa: ARG002
        yield from self.scheme.wire(self, self.me, self._packet(Begin(host, register.move, self.me, 0)))


MakeScheme = Callable[[Process], Scheme]
SCHEMES: Mapping[str, MakeScheme] = {
    "av1": lambda _: NeedlesslyWaitingDirect("rst"),
    "av2": NotifyingRelay,
    "prs-mobile": lambda _: StandingFlood(),
}
"""For each protocol, its defective scheme; one that has a causal layer gets the station's process of it."""
KINDS: Mapping[str, type[Station]] = {"av2": LiteralStation}
"""The stations of a protocol, if its hand-off is another than ours."""


def printed_station(
    protocol: str,
    *,
    name: ProcessId,
    stations: Iterable[ProcessId],
    homes: Mapping[ProcessId, ProcessId],
    policy: Policy | None = None,
    make_scheme: MakeScheme | None = None,
    kind: type[Station] | None = None,
) -> Station:
    """Return a station of the protocol as its paper has it. The parameters are those of `antecede.mobile.station`.

    `make_scheme`, if given, makes the scheme of another reading of the paper, and `kind` is another form of station.
    """
    everyone = tuple(sorted(stations))
    causal_layer = Process(Roster.of(name, "multicast", everyone, None), Rst(name))
    scheme = (make_scheme or SCHEMES[protocol])(causal_layer)
    made = (kind or KINDS.get(protocol, Station))(name, everyone, scheme, policy or Policy())
    for host, home in sorted(homes.items()):
        made.join(host, home)
    return made
