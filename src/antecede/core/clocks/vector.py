"""Vector clocks of Fidge and Mattern: Propagation and Determination 1 of paper 004, section 2.

Names of the paper: `FM_p` is `VectorClock.clock`, a local clock is its own entry. The own entry counts the
events of the process. The entry for another process q is one more than the last event of q known here, because
an arrival adds 1 to the sender's entry: that lets one comparison of integers decide. A stamp has n entries.

It guarantees the exact order of any two events of any execution, on any channels, and is the truth that cheaper
clocks are measured against in space (not in verdicts: the tests judge those by explicit causal pasts).
"""

from __future__ import annotations

from collections.abc import Iterable

from antecede.core.clocks.stamp import ClockStamp, Order, refuse_impossible, refuse_no_mapping
from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.types import ProcessId


class VectorClock:
    """The vector clock of one process among `processes`, all of them known beforehand."""

    __slots__ = ("clock", "process")

    def __init__(self, process: ProcessId, processes: Iterable[ProcessId]) -> None:
        self.process = process
        self.clock = dict.fromkeys(processes, 0)
        if process not in self.clock:
            raise Misuse(f"{process!r} is not among the processes of its own clock: add it to them")

    def event(self) -> ClockStamp:
        """Return the stamp of a new event here. On a send, attach it to the message."""
        self.clock[self.process] += 1
        return ClockStamp(self.process, dict(self.clock))

    def receive(self, stamp: ClockStamp) -> ClockStamp:
        """Return the stamp of the arrival of a message that carried `stamp`."""
        self.refuse(stamp)
        self.clock[self.process] += 1
        for process, time in stamp.clock.items():
            known = time + 1 if process == stamp.sender else time
            self.clock[process] = max(self.clock[process], known)
        return ClockStamp(self.process, dict(self.clock))

    def refuse(self, stamp: ClockStamp) -> None:
        """Raise what `receive` would raise for this stamp, and change nothing."""
        refuse_no_mapping(stamp)
        strangers = {stamp.sender, *stamp.clock} - self.clock.keys()
        if strangers:
            named = ", ".join(sorted(map(str, strangers)))
            raise Misuse(f"{self.process!r} has no entry for {named}: give all clocks the same processes")
        if stamp.sender == self.process or stamp.sender not in stamp.clock:
            raise RemoteViolation(
                f"{self.process!r} got a stamp of {stamp.sender!r} with the entries {sorted(stamp.clock)}: it must be "
                f"another's, and have the entry of its sender"
            )
        refuse_impossible(stamp, self.process, own_max=self.clock[self.process] + 1)


def compare(first: ClockStamp, second: ClockStamp) -> Order:
    """Compare any two different events by their full stamps (Determination 1)."""
    for stamp in (first, second):
        if not {first.sender, second.sender} <= stamp.clock.keys():
            raise Misuse(
                f"a stamp of {stamp.sender!r} lacks the entry of {first.sender!r} or {second.sender!r}: compare whole "
                f"stamps, for differential clocks those that `receive` returns"
            )
    if first.clock[first.sender] < second.clock[first.sender]:
        return Order.BEFORE
    if second.clock[second.sender] < first.clock[second.sender]:
        return Order.AFTER
    return Order.CONCURRENT
