"""What a clock puts on an event or a message, and what a receiver keeps of a message to compare it later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from antecede.core.types import ProcessId


@dataclass(frozen=True, slots=True)
class ClockStamp:
    """The clock entries that travel with a message of `sender`, or mark one of its events.

    `sequence` numbers the messages of one channel from 1, if channels are not FIFO and the clock does not do it.
    `receiver` is the process that the stamp was made for, if it was made for one. It is the message's address, not an
    entry; a stamp that has lost it on the way is not checked for it.
    """

    sender: ProcessId
    clock: Mapping[ProcessId, int]
    sequence: int | None = None
    receiver: ProcessId | None = None

    @property
    def entries(self) -> int:
        """The numbers on the wire: one for each clock entry, and one for the sequence if there is one."""
        return len(self.clock) + (self.sequence is not None)


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message as its receiver remembers it.

    `position` orders the messages of one sender by their sending; what it counts differs. `known_at` is the receiver's
    own time when it first knew of the sending (`Arr` in the paper, where it is the time of arrival), if one is kept, or
    an earlier time since which the receiver has sent nothing: others cannot tell the two apart.
    """

    sender: ProcessId
    position: int
    clock: Mapping[ProcessId, int]
    known_at: int | None = None
