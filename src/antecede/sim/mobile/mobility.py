"""Decide where hosts are. Hosts move to another cell at times, and some disconnect for a while and come back elsewhere.

Each host has its own streams for the times between two moves, the cells, the times until it disconnects and the times
until it is back. None of these depends on the protocol: with the same seed, hosts make the same journeys whatever
carries their messages. A move that is due while the host is disconnected does not take place.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from antecede.core.errors import Misuse
from antecede.core.types import ProcessId
from antecede.sim.chance import Distribution, stream


@dataclass(frozen=True, slots=True)
class Mobility:
    """The parameters of the moves and absences of a host.

    `handoff` is the time between two moves. `connected` is the time from one absence to the next, which takes `away`.
    If `handoff` is None, hosts never move. If `connected` is None, hosts never disconnect.
    """

    handoff: Distribution | None = field(default_factory=lambda: Distribution("exponential", 10.0))
    connected: Distribution | None = None
    away: Distribution = field(default_factory=lambda: Distribution("exponential", 1.0))

    def __post_init__(self) -> None:
        for times in (self.handoff, self.connected):
            if times is not None and times.mean_s <= 0:
                raise Misuse(f"hosts that move or disconnect every {times}: give times above 0, or never")


class Journeys:
    """The journeys of named hosts among named cells."""

    def __init__(self, mobility: Mobility, hosts: list[ProcessId], cells: list[ProcessId], seed: int) -> None:
        self.mobility, self.cells = mobility, cells
        purposes = ("handoff", "cell", "connected", "away", "back")
        self._streams = {(purpose, host): stream(seed, purpose, host) for purpose in purposes for host in hosts}
        self.homes = {host: stream(seed, "home", host).choice(cells) for host in hosts}

    def until_move_s(self, host: ProcessId) -> float | None:
        """Return the time until the next move of a host, or None if it never moves."""
        return self._draw(self.mobility.handoff, "handoff", host)

    def until_absence_s(self, host: ProcessId) -> float | None:
        """Return the time until a host disconnects, or None if it never does."""
        return self._draw(self.mobility.connected, "connected", host)

    def absence_s(self, host: ProcessId) -> float:
        """Return how long the absence of a host lasts."""
        return self.mobility.away.draw(self._streams["away", host])

    def next_cell(self, host: ProcessId, now_in: ProcessId) -> ProcessId:
        """Return the cell to which a host moves: any other than the one it is in."""
        others = [cell for cell in self.cells if cell != now_in]
        return self._streams["cell", host].choice(others or self.cells)

    def cell_of_return(self, host: ProcessId) -> ProcessId:
        """Return the cell in which a host connects again: any, including the one it left."""
        return self._streams["back", host].choice(self.cells)

    def _draw(self, times: Distribution | None, purpose: str, host: ProcessId) -> float | None:
        return None if times is None else times.draw(self._streams[purpose, host])
