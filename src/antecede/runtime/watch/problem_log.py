"""The log of what is wrong: each problem is logged once when it begins and once when it is over.

A log also remembers since when something is so, because a problem says for how long it has lasted. That a process stops
by itself is logged at once, as an error, because nobody may look again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable

from antecede.core.errors import AntecedeError
from antecede.runtime.watch.problems import BrokerLost, Problem, Stopped

LOGGER = logging.getLogger("antecede")
BROKER_LOST_AFTER_S = 2.0
"""How long the broker may be away, as when it is started again, before that is a problem."""


class ProblemLog:
    """Logs what begins and ends to be a problem of `who`, and remembers since when something is so."""

    def __init__(self, who: str, clock: Callable[[], float]) -> None:
        self._who, self._clock = who, clock
        self._since: dict[Hashable, float] = {}
        self._logged: dict[tuple[str, Hashable], Problem] = {}
        self._stopped: tuple[str, float] | None = None
        self.current: list[Problem] = []
        """The problems at the last look."""

    def age_s(self, key: Hashable, is_so: bool = True) -> float:
        """Return for how long something is so, as far as was asked. If it is not, it begins anew the next time."""
        if not is_so:
            self._since.pop(key, None)
            return 0.0
        return self._clock() - self._since.setdefault(key, self._clock())

    def look(self, problems: Iterable[Problem]) -> None:
        """Log what is a problem now and was not at the last look, and what was one and is not any more."""
        self.current = list(problems)
        now = {(problem.kind, problem.key): problem for problem in self.current}
        for key, problem in now.items():
            if key not in self._logged:
                LOGGER.warning("%s: %s", self._who, problem)
        for key, problem in self._logged.items():
            if key not in now:
                LOGGER.warning("%s: this is over: %s", self._who, problem)
        self._logged = now

    def stop(self, failure: Exception) -> None:
        """Log that `who` has stopped by itself, and why. This is a problem from now on, which is never over."""
        reason = str(failure) if isinstance(failure, AntecedeError) else repr(failure)
        LOGGER.error("%s stops: %s", self._who, reason)
        self._stopped = reason, self._clock()
        for problem in self.find_stopped():
            self.current.append(problem)
            self._logged[problem.kind, problem.key] = problem

    def find_stopped(self) -> list[Problem]:
        """Return the problem that `who` has stopped by itself, if it has."""
        if self._stopped is None:
            return []
        reason, since = self._stopped
        return [Stopped(self._clock() - since, reason)]

    def counts(self) -> dict[str, int]:
        """Return the number of problems at the last look, by kind."""
        found: dict[str, int] = {}
        for problem in self.current:
            found[problem.kind] = found.get(problem.kind, 0) + 1
        return found


def find_broker_lost(log: ProblemLog, outage: str) -> list[Problem]:
    """Return the problem that there is no broker, for the reason `outage`, if that is so for a while."""
    since_s = log.age_s("no broker", bool(outage))
    return [BrokerLost(since_s, outage)] if since_s >= BROKER_LOST_AFTER_S else []
