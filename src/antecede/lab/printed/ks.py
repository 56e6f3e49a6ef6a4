"""Two mistakes of 002, each put back into `Ks`, the first in two readings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from antecede.core.ordering.ks import Ks, KsStamp
from antecede.core.process import Process
from antecede.core.roster import Roster
from antecede.core.types import Message, Need, ProcessId, Stamp


class LookAheadKs(Ks):
    """§4.5, second note: a message that cannot be delivered yet changes the log all the same.

    It breaks causal order: the log forgets messages that are guaranteed to come only before what follows the delivery.
    """

    __slots__ = ()

    def unmet(self, message: Message, stamp: Stamp) -> Iterator[Need]:
        assert isinstance(stamp, KsStamp)
        self._merge(stamp.owed, stamp.context)
        yield from super().unmet(message, stamp)


class LearnAheadKs(Ks):
    """§4.5, second note, read so that RCV(3) is executed ahead of the delivery too.

    It breaks causal order as well: the log says that this process has what it still waits for.
    """

    __slots__ = ()

    def unmet(self, message: Message, stamp: Stamp) -> Iterator[Need]:
        self.learn(message, stamp)
        yield from super().unmet(message, stamp)


class Rcv4Ks(Ks):
    """§4.3: the first test of RCV(4) reads l_{s,t'} for l_{s,t}, and is never true.

    It keeps causal order, and more in the log than is owed: what the log has dropped comes back as if it were news.
    """

    __slots__ = ()

    def _newest_known(self, sender: ProcessId) -> int:  # noqa: ARG002
        return 0


def look_ahead_ks(process: ProcessId, processes: Iterable[ProcessId]) -> Process:
    """Return one process of `ks` with the look-ahead of 002 §4.5."""
    return Process(Roster.of(process, "multicast", processes, None), LookAheadKs(process))


def learn_ahead_ks(process: ProcessId, processes: Iterable[ProcessId]) -> Process:
    """Return one process of `ks` with the look-ahead of 002 §4.5, and with RCV(3) ahead too."""
    return Process(Roster.of(process, "multicast", processes, None), LearnAheadKs(process))


def rcv4_ks(process: ProcessId, processes: Iterable[ProcessId]) -> Process:
    """Return one process of `ks` with RCV(4) of 002 §4.3 to the letter."""
    return Process(Roster.of(process, "multicast", processes, None), Rcv4Ks(process))
