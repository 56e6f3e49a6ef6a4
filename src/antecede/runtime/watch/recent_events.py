"""Events that are problems for some time after they happened, because nothing else tells that they are over.

That a number was used twice cannot be undone, so the problem would last until a restart, and with it every alarm.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


@dataclass(slots=True)
class Occurrences:
    """How often an event has happened, since when, and when last."""

    count: int
    since: float
    last: float


class RecentEvents(Generic[K]):
    """The events that have happened in the last `lasts_s` seconds, by what they are about."""

    def __init__(self, clock: Callable[[], float], lasts_s: float) -> None:
        self._clock, self._lasts_s = clock, lasts_s
        self._known: dict[K, Occurrences] = {}

    def find_ages(self, counts: Mapping[K, int]) -> dict[K, float]:
        """Return for how long each recent event has been going on.

        `counts` says how often each event has happened until now. Call this more often than every `lasts_s`.
        """
        now, known = self._clock(), self._known
        self._known = {}
        for key, count in counts.items():
            one = known.get(key) or Occurrences(0, now, now)
            if count != one.count:
                is_anew = now - one.last >= self._lasts_s
                one = Occurrences(count, now if is_anew else one.since, now)
            self._known[key] = one
        return {key: now - one.since for key, one in self._known.items() if now - one.last < self._lasts_s}
