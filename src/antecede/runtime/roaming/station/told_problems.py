"""What the hosts of a station tell of their problems: it is kept while they are connected, and shown in the status.

Nothing of it is known to be true, and a host may tell anything. So what cannot be read is ignored: it is counted, and
the first is logged. The status shows a few problems for all hosts, the first problem of each host before the second of
any, and the number of the others.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from operator import attrgetter

from antecede.core.errors import WireError
from antecede.core.types import ProcessId
from antecede.runtime.roaming.problem_notice import TOLD_MAX, read_notice
from antecede.runtime.roaming.station.connection import Connection
from antecede.runtime.watch import status
from antecede.runtime.watch.problem_log import LOGGER


class ToldByHosts:
    """What the hosts on `connections` tell `station`. `ignored` notices could not be read."""

    def __init__(
        self, station: ProcessId, connections: Mapping[ProcessId, Connection], clock: Callable[[], float]
    ) -> None:
        self._station, self._connections, self._clock = station, connections, clock
        self.ignored = 0

    def hear(self, connection: Connection, notice: str) -> None:
        """Keep what a host tells in place of what it told before. Ignore a notice that cannot be read."""
        try:
            connection.told, connection.told_at = read_notice(notice), self._clock()
        except WireError as error:
            self.ignored += 1
            if self.ignored == 1:
                LOGGER.warning(
                    "%s: a notice of host %s cannot be read and is ignored, as later ones are without a word: %s",
                    self._station,
                    connection.host,
                    error,
                )

    def describe(self) -> dict[str, object]:
        """Return what `antecede status` shows."""
        shown = list(islice(self._problems(), status.PROBLEMS_SHOWN_MAX))
        count = sum(len(one.told.problems) + one.told.more for one in self._connections.values())
        return {"problems_of_hosts": shown, "problems_of_hosts_more": count - len(shown)}

    def _problems(self) -> Iterator[dict[str, object]]:
        """Yield the first problems of as many hosts as can be shown, then the second problems of these, and so on."""
        telling = (one for one in self._connections.values() if one.told.problems)
        first = heapq.nsmallest(status.PROBLEMS_SHOWN_MAX, telling, key=attrgetter("host"))
        now = self._clock()
        for rank in range(TOLD_MAX):
            for one in first:
                for each in one.told.problems[rank : rank + 1]:
                    since_s = round(each.since_s + now - one.told_at, 1)
                    yield {"host": one.host, "kind": each.kind, "since_s": since_s, "text": each.text}
