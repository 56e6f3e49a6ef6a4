"""Two mistakes of 002, each put back into `Ks`, the first in three readings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from antecede.core.ordering.ks import Ks, KsStamp
from antecede.core.process import Process
from antecede.core.roster import Roster
from antecede.core.types import Message, Need, ProcessId, Stamp
from antecede.core.wire import shapes


class LookAheadKs(Ks):
    """§4.5, second note: a message that cannot be delivered yet changes the log all the same, by RCV(4) and RCV(5).

    RCV(3) is not executed ahead, so the log may say for a while that this process is owed a message.

    If the sender prunes O_M, as in §4.3, this breaks causal order: the log forgets messages that are guaranteed to come
    only before what follows the delivery. With `multicast=True`, O_M arrives as it was in the log of the sender (§4.5,
    first note: the logic of SND(2) is performed at the start of RCV(3)), and no failure is known.
    """

    __slots__ = ()

    def unmet(self, message: Message, stamp: Stamp) -> Iterator[Need]:
        assert isinstance(stamp, KsStamp)
        self._look_ahead(_carried_log(stamp), stamp)
        yield from super().unmet(message, stamp)

    def _look_ahead(self, carried: shapes.Log, stamp: KsStamp) -> None:
        news = {
            (sender, clock)
            for sender, entries in carried.items()
            for clock, dests in entries.items()
            if self.me in dests and clock > self._newest_known(sender)
        }
        self._merge(carried, stamp.context)
        for sender, clock in sorted(news):  # `_merge` leaves this process out, which is RCV(3)
            self._set_dests(sender, clock, self._dests(sender, clock) | {self.me})

    def learn(self, message: Message, stamp: Stamp) -> None:
        super().learn(message, stamp)
        for sender, entries in list(self.log.items()):  # RCV(3): what this process was owed before M has come
            for clock in [clock for clock, dests in entries.items() if self.me in dests]:
                if clock <= self.delivered.get(sender, 0):
                    self._set_dests(sender, clock, self._dests(sender, clock) - {self.me})

    def _dests(self, sender: ProcessId, clock: int) -> frozenset[ProcessId]:
        return self.log.get(sender, {}).get(clock, frozenset())

    def _set_dests(self, sender: ProcessId, clock: int, dests: frozenset[ProcessId]) -> None:
        entries = {at: owing for at, owing in self.log.get(sender, {}).items() if at != clock}
        self.log[sender] = {**entries, clock: dests} if dests else entries


def _carried_log(stamp: KsStamp) -> shapes.Log:
    """Return the log that a stamp carries: what is owed to others, and what is due to destinations of the message."""
    carried = {sender: dict(entries) for sender, entries in stamp.owed.items()}
    for dest, row in stamp.due.items():
        for sender, clock in row.items():
            entries = carried.setdefault(sender, {})
            entries[clock] = entries.get(clock, frozenset()) | {dest}
    return carried


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


def look_ahead_ks(process: ProcessId, processes: Iterable[ProcessId], *, hardware: bool = False) -> Process:
    """Return one process of `ks` with the look-ahead of 002 §4.5.

    Senders prune what they send (§4.3); with `hardware`, the receivers of a hardware multicast do so (§4.5).
    """
    return Process(Roster.of(process, "multicast", processes, None), LookAheadKs(process, multicast=hardware))


def learn_ahead_ks(process: ProcessId, processes: Iterable[ProcessId], *, hardware: bool = False) -> Process:
    """Return one process of `ks` with the look-ahead of 002 §4.5, and with RCV(3) ahead too."""
    return Process(Roster.of(process, "multicast", processes, None), LearnAheadKs(process, multicast=hardware))


def rcv4_ks(process: ProcessId, processes: Iterable[ProcessId]) -> Process:
    """Return one process of `ks` with RCV(4) of 002 §4.3 to the letter."""
    return Process(Roster.of(process, "multicast", processes, None), Rcv4Ks(process))
