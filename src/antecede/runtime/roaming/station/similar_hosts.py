"""Names of hosts that are like one that is unknown and may be misspelt: "did you mean ...?".

A comparison with every name takes time, in which the station does nothing else, and whoever has a token can ask for it.
So a station looks among `HOSTS_MAX` names at most, and again only after `PAUSE_S`, whoever asks. With names of 36
characters, such as UUIDs, a search takes 60 ms at most.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection
from math import inf

from antecede.core.types import ProcessId
from antecede.runtime.roaming.websocket import SIMILAR_MAX

HOSTS_MAX = 1_000
NAME_CHARS_MAX = 40
PAUSE_S = 1.0


class SimilarHosts:
    """The searches of one station. `pause_s` is the least time from one to the next."""

    def __init__(self, clock: Callable[[], float], *, pause_s: float = PAUSE_S) -> None:
        self._clock, self._pause_s = clock, pause_s
        self._searched_at = -inf

    def find(self, unknown: ProcessId, hosts: Collection[ProcessId], *, sender: ProcessId) -> tuple[ProcessId, ...]:
        """Return the `hosts` other than `sender` whose names are like `unknown`, the most similar first.

        Return nothing if there are too many hosts, if the name is long, or if the last search was a moment ago.
        """
        now = self._clock()
        if now - self._searched_at < self._pause_s or len(hosts) > HOSTS_MAX or len(unknown) > NAME_CHARS_MAX:
            return ()
        self._searched_at = now
        others = sorted(name for name in hosts if name != sender and len(name) <= NAME_CHARS_MAX)
        return tuple(difflib.get_close_matches(unknown, others, n=SIMILAR_MAX))
