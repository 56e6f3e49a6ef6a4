"""Differential vector clocks of Singhal and Kshemkalyani: a message carries only the entries that changed.

Each process remembers the own time at which it last wrote to each peer (`LS`, here `_last_sent`) and the own
time at which each entry last changed (`LU`, here `_last_changed`); a message to q carries the entries changed
since the last message to q. Channels must be FIFO: a stamp means something only after all earlier ones.

Paper 004 (section 6) remarks that the differences alone cannot compare two arrived messages. The receiver can,
if it keeps the last whole vector of each peer and applies the differences to it; `receive` does, and returns the
whole stamp, so `vector.compare` applies. The saving is on the wire; the space is n entries per peer heard from.
"""

from __future__ import annotations

from collections.abc import Iterable

from antecede.core.clocks.stamp import ClockStamp, refuse_misdirected, refuse_not_after
from antecede.core.clocks.vector import VectorClock
from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.types import ProcessId


class DifferentialClock:
    """The vector clock of one process among `processes`, on FIFO channels. Stamps carry only what changed."""

    __slots__ = ("_heard", "_last_changed", "_last_sent", "_vector")

    def __init__(self, process: ProcessId, processes: Iterable[ProcessId]) -> None:
        self._vector = VectorClock(process, processes)
        self._last_sent: dict[ProcessId, int] = {}
        self._last_changed = dict.fromkeys(self._vector.clock, 0)
        self._heard: dict[ProcessId, dict[ProcessId, int]] = {}

    @property
    def process(self) -> ProcessId:
        """Return the name of the process."""
        return self._vector.process

    def event(self) -> ClockStamp:
        """Return the whole stamp of an internal event."""
        stamp = self._vector.event()
        self._last_changed[self.process] = stamp.clock[self.process]
        return stamp

    def send(self, to: ProcessId) -> ClockStamp:
        """Return the stamp for a message to `to`: what changed since the last message to it."""
        if to == self.process or to not in self._vector.clock:
            raise Misuse(f"{self.process!r} cannot send to {to!r}: name another of the processes of its clock")
        whole = self.event().clock
        since = self._last_sent.get(to, 0)
        self._last_sent[to] = whole[self.process]
        changed = {p: t for p, t in whole.items() if self._last_changed[p] > since}
        return ClockStamp(self.process, changed, receiver=to)

    def receive(self, stamp: ClockStamp) -> ClockStamp:
        """Take in the differences, and return the whole stamp of the message, which can be compared."""
        self._refuse(stamp)
        whole = self._heard.setdefault(stamp.sender, dict.fromkeys(self._vector.clock, 0))
        whole.update(stamp.clock)
        before = dict(self._vector.clock)
        after = self._vector.receive(ClockStamp(stamp.sender, stamp.clock)).clock
        for process, time in after.items():
            if time != before[process]:
                self._last_changed[process] = after[self.process]
        return ClockStamp(stamp.sender, dict(whole))

    def _refuse(self, stamp: ClockStamp) -> None:
        """Raise if no vector clock takes the stamp, or if the whole vector of its sender would not grow."""
        refuse_misdirected(stamp, self.process)
        self._vector.refuse(stamp)
        heard = self._heard.get(stamp.sender)
        if heard is None:
            return
        refuse_not_after(stamp, self.process, heard[stamp.sender])
        for process, time in stamp.clock.items():
            if time < heard[process]:
                raise RemoteViolation(
                    f"{stamp.sender!r} told {self.process!r} {heard[process]} of the clock of {process!r}, and now "
                    f"{time}: clocks never go back"
                )
