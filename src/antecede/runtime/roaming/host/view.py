"""How a host is doing: its counts, and what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from antecede.runtime.roaming.host.durable_host import DurableHost
from antecede.runtime.roaming.host.heard_stations import HeardStations
from antecede.runtime.roaming.host.itinerary import Itinerary
from antecede.runtime.roaming.websocket import Refusal
from antecede.runtime.watch.acknowledgements import Acknowledgements
from antecede.runtime.watch.problem_log import LOGGER, ProblemLog
from antecede.runtime.watch.problems import SOON_S, MessageRefused, MoveFailed, NoBeacons, NotConnected, Problem
from antecede.runtime.watch.words import plural


class HostView:
    """Looks at one host, and changes nothing.

    `refusals` are the messages that went to nobody. `is_served` tells whether a station serves the host now. `forgets`
    is whether its state is in memory alone.
    """

    def __init__(
        self,
        durable: DurableHost,
        itinerary: Itinerary,
        acknowledgements: Acknowledgements,
        refusals: Iterable[Refusal],
        heard: HeardStations,
        *,
        is_served: Callable[[], bool],
        forgets: bool,
        clock: Callable[[], float],
    ) -> None:
        self._durable, self._itinerary, self._acknowledgements = durable, itinerary, acknowledgements
        self._refusals, self._heard, self._is_served, self._forgets = refusals, heard, is_served, forgets
        self.process = durable.host.me
        self._log = ProblemLog(self.process, clock)

    def look(self) -> list[Problem]:
        """Log what begins and ends to be a problem. Return what is one now."""
        self._log.look(self.problems())
        if not self._forgets:
            self._acknowledgements.remind(self.process)
        return self._log.current

    def stop(self, failure: Exception) -> None:
        """Log that the host has stopped by itself, and why."""
        self._log.stop(failure)

    def tell_what_is_left(self) -> None:
        """Log what an application that ends leaves behind, however short it waited: all that is wrong now, and messages
        that it took and has not acknowledged.
        """
        self._log.look([*self.problems(), *([] if self._forgets else self._acknowledgements.find_left())])

    def warn_of_unsent(self) -> None:
        """Log that the host closes with messages that no station is known to have, if there are any."""
        count = len(self._durable.host.unsent)
        if count:
            LOGGER.warning(
                "%s: %s not known to be at a station, %s",
                self.process,
                plural(count, "message"),
                self._describe_unsent(),
            )

    def _describe_unsent(self) -> str:
        """Return what becomes of messages that are unsent when the host closes, and what to do."""
        if self._forgets:
            return (
                "and the host closes without a path: what is left is lost. Call `await host.drained()` before the end"
            )
        return (
            "and the host closes: what is left is sent when the host is opened again with the same path. "
            "`await host.drained()` waits until everything is sent"
        )

    def problems(self) -> list[Problem]:
        """Return what is wrong now."""
        found = self._log.find_stopped()
        is_stopped = bool(found)
        if not self._forgets:  # otherwise nothing is offered again
            found += [*self._acknowledgements.find_forgotten(self._log), *self._acknowledgements.find_missing()]
        away_s = self._log.age_s("not connected", not (self._is_served() or is_stopped))
        if away_s >= SOON_S:
            found.append(NotConnected(away_s, self._itinerary.trouble or "none has answered yet"))
        failed = self._itinerary.failed_move
        failed_s = self._log.age_s(("move", failed), failed is not None)
        if failed is not None:
            found.append(MoveFailed(failed_s, *failed))
        deaf_s = self._log.age_s("no beacons", bool(self._heard.trouble))
        if self._heard.trouble:
            found.append(NoBeacons(deaf_s, f"heard at {self._heard.at}", self._heard.trouble))
        found += [MessageRefused(self._log.age_s(("refused", refusal.message)), *refusal) for refusal in self._refusals]
        return found

    def problem_counts(self) -> dict[str, int]:
        """Return the number of problems at the last look, by kind."""
        return self._log.counts()

    def counts(self) -> dict[str, int]:
        """Return what this host sent and got, restarts included, and what waits now."""
        host = self._durable.host
        return {
            "sent": host.sent,
            "delivered": host.got,
            "unsent": len(host.unsent),
            "connected": int(self._is_served()),
        }
