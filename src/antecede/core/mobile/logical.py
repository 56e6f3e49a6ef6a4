"""Algorithm 3 of 001: k logical stations in each station, each with Algorithm 2 by itself.

A host that enters a cell is given to the logical station with the fewest hosts, unless one of the cell has it already;
moving between logical stations is a full hand-off. Messages for hosts of different logical stations do not inhibit
each other; the header grows with k squared. A packet for several logical stations of a cell crosses the wire once.

A station that itself sends and gets messages (000 §9) is a host of its first logical station, and stays there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from antecede.core.effects import Transmit
from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.mobile.effects import Effect
from antecede.core.mobile.host_and_station_frames import Register
from antecede.core.mobile.scheme import Held, Waiter
from antecede.core.mobile.station import Station
from antecede.core.roster import checked_names, checked_packet
from antecede.core.snapshot import values
from antecede.core.types import Packet, ProcessId


def logical_name(cell: ProcessId, number: int) -> ProcessId:
    """Return the name of a logical station of the physical station `cell`."""
    return f"{cell}/{number}"


@values.storable("Cluster")
@dataclass(slots=True)
class Cluster:
    """One physical station, `me`, and its logical ones."""

    me: ProcessId
    logical: list[Station]
    given: dict[ProcessId, tuple[int, int]] = field(default_factory=dict)
    homed: dict[ProcessId, int] = field(default_factory=dict)

    @property
    def cells(self) -> set[ProcessId]:
        return {name.rpartition("/")[0] for name in self.logical[0].stations}

    def join(self, host: ProcessId, home: ProcessId) -> None:
        """Admit a new host, as `Station.join` does.

        Every station hears of new hosts in the same order, and so agrees on their first place.
        """
        checked_names("a host and its home", [host, home])
        is_cell = host in self.cells
        if host in self.given or (is_cell and host != home) or home not in self.cells:
            raise Misuse(
                f"{host!r} cannot join at {home!r}: give a new name and one of the stations {sorted(self.cells)}"
            )
        number = 0 if is_cell else self.homed.get(home, 0)
        if not is_cell:
            self.homed[home] = (number + 1) % len(self.logical)
        for station in self.logical:
            station.join(host, logical_name(home, number))
            station.static |= {host} if is_cell else frozenset()
        self.given[host] = (0, number)

    def send(self, dests: Iterable[ProcessId], payload: bytes) -> list[Effect]:
        """Send a message of this station itself, as `Station.send` does."""
        if self.me not in self.given:
            raise Misuse(f"{self.me} cannot send: let it join at all stations, with itself as its home")
        return self._carry_out_inside(self.logical[0].send(dests, payload))

    def hear(self, packet: Packet) -> list[Effect]:
        checked_packet(packet)
        host, stamp = packet.sender, packet.stamp
        if host in self.logical[0].static:
            raise RemoteViolation(f"{host} is a station, which sends nothing over the air")
        if host not in self.given:
            raise RemoteViolation(f"host {host!r} is not known at {self.me}: call join first")
        move, number = self.given[host]
        if isinstance(stamp, Register) and stamp.move > move:
            number = self._choose(host)
            self.given[host] = (stamp.move, number)
        return self._carry_out_inside(self.logical[number].hear(packet))

    def receive(self, packet: Packet) -> list[Effect]:
        checked_packet(packet)
        dests = packet.message.dests if packet.message is not None else frozenset()
        effects: list[Effect] = []
        for station in self.logical:
            if station.me in dests:
                effects += self._carry_out_inside(station.receive(packet))
        return effects

    def tick(self, now: float) -> list[Effect]:
        return self._carry_out_inside(effect for station in self.logical for effect in station.tick(now))

    def waiters(self) -> Iterator[Waiter]:
        return (waiter for station in self.logical for waiter in station.waiters())

    def held(self) -> tuple[Held, ...]:
        return tuple(held for station in self.logical for held in station.held())

    def snapshot(self) -> bytes:
        return values.dumps(self)

    def resume(self) -> None:
        assert self.logical, "a station without logical stations"
        assert all(0 <= number < len(self.logical) for _, number in self.given.values()), "no such logical station"
        for station in self.logical:
            station.resume()

    def _choose(self, host: ProcessId) -> int:
        loads = [sum(1 for _ in station.served()) for station in self.logical]
        serving = [n for n, station in enumerate(self.logical) if station.berth(host).luggage is not None]
        return serving[0] if serving else loads.index(min(loads))

    def _carry_out_inside(self, effects: Iterable[Effect]) -> list[Effect]:
        """Carry out what one logical station sends to another of this cell, and return the other effects.

        A packet for several logical stations of another cell goes there once.
        """
        by_name = {station.me: station for station in self.logical}
        todo, out = list(effects), list[Effect]()
        while todo:
            effect = todo.pop(0)
            if not isinstance(effect, Transmit):
                out.append(effect)
            elif effect.to in by_name:
                todo = [*by_name[effect.to].receive(effect.packet), *todo]
            else:
                cell = Transmit(effect.to.rpartition("/")[0], effect.packet)
                out += [] if any(one == cell for one in out[-len(by_name) :]) else [cell]
        return out
