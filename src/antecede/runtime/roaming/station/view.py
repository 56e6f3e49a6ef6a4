"""How a station is doing: its counts, what does not move and since when, and the hand-offs in progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sized

from antecede.core.mobile.handoff import AWAITED
from antecede.core.types import ProcessId
from antecede.runtime.outbox import Lanes
from antecede.runtime.roaming.station.durable_station import Cell
from antecede.runtime.watch.stalls import Waiting, Watch

LOOK_S = 2.0
"""How often a station, which may have many thousands of hosts, looks what does not move."""
LINES_MAX = 5


class StationView:
    """Looks at the cell, the lanes and the connections of one station, and changes nothing."""

    def __init__(self, cell: Cell, lanes: Lanes, connections: Sized, clock: Callable[[], float]) -> None:
        self._cell, self._lanes, self._connections, self._clock = cell, lanes, connections, clock
        self._watch = Watch(LOOK_S, clock)
        self._moving: dict[ProcessId, float] = {}
        self._looked = clock()

    def look(self) -> None:
        """To be called now and then: since when something waits is known from the first look that saw it."""
        if self._clock() - self._looked >= LOOK_S:
            self._looked = self._clock()
            self._look_at_moves()
            self._watch.look(self._waiting(), self._lanes.lanes.values())

    def counts(self) -> dict[str, int]:
        """What happened since the station was started, and what is here now."""
        counts, station = self._cell.counts, self._cell.station
        served = list(station.served())
        return {
            **{name: counts[name] for name in ("heard", "received", "refused", "dropped")},
            "offered_again": counts["offered again"],
            "handed_over": counts["handed over"],
            "closed": counts["closed"],
            "connections": len(self._connections),
            "hosts": len(served),
            "known": len(station.berths),
            "awaited": sum(berth.state == AWAITED for berth in station.berths.values()),
            "stored": sum(len(luggage.outbox) for _, luggage in served),
            "held_back": len(station.held()),
            "outbox": len(self._lanes.owed),
        }

    def status(self) -> Mapping[str, object]:
        """What `antecede status` shows of this station."""
        waiting = self._watch.waiting(self._waiting(), self._lanes.lanes.values())
        self._look_at_moves()
        now, berths = self._clock(), self._cell.station.berths
        moving = sorted(self._moving, key=self._moving.__getitem__)
        return {
            **self.counts(),
            "stalls": [stall.as_dict() for stall in waiting[:LINES_MAX]],
            "hand_offs": [
                {"host": host, "from": berths[host].at, "since_s": round(now - self._moving[host], 1)}
                for host in moving[:LINES_MAX]
            ],
        }

    def _waiting(self) -> Iterator[Waiting]:
        return (Waiting(held.message, held.needs, held.host) for held in self._cell.station.held())

    def _look_at_moves(self) -> None:
        """Hosts that registered here and whose luggage is on its way."""
        now = self._clock()
        awaited = [host for host, berth in self._cell.station.berths.items() if berth.state == AWAITED]
        self._moving = {host: self._moving.get(host, now) for host in awaited}
