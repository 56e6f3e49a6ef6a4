"""Mistakes of 000 §9 and 001 about hosts that move, each put back into the scheme of its protocol.

In the hand-off of 001 §5.2 (`NotifyingRelay`) the new station sends the notifications, as soon as a host registers:

    host             new station       old station       other stations
      | -- register --> |                   |                   |
      |                 | --- begin ------> |                   |
      |                 | --- notify -----> | ----------------> |    to each, or as one causal multicast
      |                 | <-- handover ---- |                   |
      |                 |                   | <---- last ------ |    of all; then the old station sends `over`

Hosts register in our way: a host names the station that last welcomed it, and not the cell that it left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import ClassVar

from antecede.core.mobile import handoff
from antecede.core.mobile.direct import Direct
from antecede.core.mobile.effects import Effect
from antecede.core.mobile.flood import Flood
from antecede.core.mobile.host_and_station_frames import Begin, Notify, Old, Register
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
    **handoff.DRAINED,
    (handoff.AWAY, handoff.REGISTER): (handoff.AWAITED, ("ask", "notify")),
    (handoff.AWAITED, handoff.REGISTER): (handoff.AWAITED, ("ask", "notify")),
}


class InhibitingDirect(Direct):
    """001 §4.1: what is in the air to a host precedes what the host sends, though the host has not had it."""

    __slots__ = ()

    def _known(self, luggage: Luggage, got: int) -> int:  # noqa: ARG002
        return luggage.serial


class StandingFlood(Flood):
    """000 §9.1: h_RECD stands for ever at the first message that is not for h."""

    __slots__ = ()

    def _may_pass(self, luggage: Luggage, init: ProcessId) -> bool:
        casts, seq = self.casts[init], luggage.mind.received.get(init, 0)
        return not casts.can_skip(seq, luggage.host) and self._can_deliver(luggage.mind, casts, seq)


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


MakeScheme = Callable[[Process], Scheme]
SCHEMES: Mapping[str, MakeScheme] = {
    "av1": lambda _: InhibitingDirect("rst"),
    "av2": NotifyingRelay,
    "prs-mobile": lambda _: StandingFlood(),
}
"""For each protocol, its defective scheme; one that has a causal layer gets the station's process of it."""


def printed_station(
    protocol: str,
    *,
    name: ProcessId,
    stations: Iterable[ProcessId],
    homes: Mapping[ProcessId, ProcessId],
    policy: Policy | None = None,
    make_scheme: MakeScheme | None = None,
) -> Station:
    """Return a station of the protocol as its paper has it. The parameters are those of `antecede.mobile.station`.

    `make_scheme`, if given, makes the scheme of another reading of the paper.
    """
    everyone = tuple(sorted(stations))
    causal_layer = Process(Roster.of(name, "multicast", everyone, None), Rst(name))
    scheme = (make_scheme or SCHEMES[protocol])(causal_layer)
    made = Station(name, everyone, scheme, policy or Policy())
    for host, home in sorted(homes.items()):
        made.join(host, home)
    return made
