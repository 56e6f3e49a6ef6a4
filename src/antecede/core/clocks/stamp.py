"""What a clock puts on an event or a message, what a receiver keeps of it, and which stamps a receiver refuses.

A clock value is a whole number from 0 to `VALUE_MAX`, so that it fits a signed 64-bit field. Two entries are
bound more closely. The sender's own entry counts its sending, so it is at least 1, and leaves room for the 1 that an
arrival adds. The receiver's own entry cannot be above what the receiver has told others. Every `refuse_` function is
called before anything is changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from antecede.core.errors import RemoteViolation
from antecede.core.types import ProcessId

VALUE_MAX = 2**63 - 1


class Order(Enum):
    """How the first of two messages stands to the second in happened-before."""

    BEFORE = "before"
    AFTER = "after"
    CONCURRENT = "concurrent"


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
        """Return how many numbers are on the wire: one for each clock entry, and one for the sequence if any."""
        return len(self.clock) + (self.sequence is not None)


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message as its receiver remembers it.

    `position` orders the messages of one sender by their sending; what it counts differs. `known_at` is the receiver's
    own time when it first knew of the sending (`Arr` in the paper, where it is the time of arrival), if one is kept, or
    an earlier time since which the receiver has sent nothing: others cannot tell the two apart. `is_ordered` is False
    if the clocks are for chosen pairs of processes, and do not order arrivals.
    """

    sender: ProcessId
    position: int
    clock: Mapping[ProcessId, int]
    known_at: int | None = None
    is_ordered: bool = True

    @property
    def entries(self) -> int:
        """Return how many numbers are kept: one for each clock entry, the position, and `known_at` if there is one."""
        return len(self.clock) + 1 + (self.known_at is not None)


def is_value(value: object, least: int = 0, most: int = VALUE_MAX) -> bool:
    """Return whether `value` is a whole number in these bounds. True and False are not."""
    return type(value) is int and least <= value <= most


def refuse_misdirected(stamp: ClockStamp, receiver: ProcessId) -> None:
    """Raise `RemoteViolation` if the stamp was made for another receiver: its entries mean something else here."""
    if stamp.receiver is not None and stamp.receiver != receiver:
        raise RemoteViolation(
            f"{receiver!r} got a stamp that {stamp.sender!r} made for {stamp.receiver!r}: make one for each receiver"
        )


def refuse_no_mapping(stamp: ClockStamp) -> None:
    """Raise `RemoteViolation` if the clock of the stamp is not a mapping."""
    if not isinstance(stamp.clock, Mapping):
        raise RemoteViolation(f"the clock of a stamp of {stamp.sender!r} is {stamp.clock!r}, not a mapping of entries")


def refuse_impossible(stamp: ClockStamp, receiver: ProcessId, own_max: int) -> None:
    """Raise `RemoteViolation` if no correct sender has these entries.

    `own_max` is the most that others can know of the receiver's clock.
    """
    bounds = {receiver: (0, own_max), stamp.sender: (1, VALUE_MAX - 1)}
    for process, value in stamp.clock.items():
        least, most = bounds.get(process, (0, VALUE_MAX))
        if type(value) is not int or not least <= value <= most:
            raise RemoteViolation(
                f"a stamp of {stamp.sender!r} for {receiver!r} says {value!r} of the clock of {process!r}, which must "
                f"be a whole number from {least} to {most}"
            )


def refuse_not_after(stamp: ClockStamp, receiver: ProcessId, last: int) -> None:
    """Raise `RemoteViolation` if the sender's own entry is not above `last`.

    On a FIFO channel, and after all messages that have settled, that entry only grows.
    """
    if stamp.clock[stamp.sender] <= last:
        raise RemoteViolation(
            f"{receiver!r} has taken a message that {stamp.sender!r} sent at its time {last}, and now got one sent at "
            f"{stamp.clock[stamp.sender]}: it is a duplicate, or was overtaken on a channel said to be FIFO, or "
            f"one of the two is forged"
        )
