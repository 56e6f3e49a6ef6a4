"""What a clock may say: the one test of numbers that came from elsewhere, made before anything is changed.

A clock value is a whole number from 0 to `VALUE_MAX`, so that it fits a signed 64-bit field. Two entries are
bound more closely. The sender's own counts its sending, so it is at least 1, and leaves room for the 1 that an arrival
adds. The receiver's own can not be above what the receiver has told others.
"""

from __future__ import annotations

from collections.abc import Mapping

from antecede.core.clocks.stamp import ClockStamp
from antecede.core.errors import RemoteViolation
from antecede.core.types import ProcessId

VALUE_MAX = 2**63 - 1


def is_value(value: object, least: int = 0, most: int = VALUE_MAX) -> bool:
    """Is it a whole number in these bounds? True and False are not."""
    return type(value) is int and least <= value <= most


def refuse_misdirected(stamp: ClockStamp, receiver: ProcessId) -> None:
    """Entries are chosen for one link; on another they mean something else."""
    if stamp.receiver is not None and stamp.receiver != receiver:
        raise RemoteViolation(
            f"{receiver!r} got a stamp that {stamp.sender!r} made for {stamp.receiver!r}: make one for each receiver"
        )


def refuse_no_mapping(stamp: ClockStamp) -> None:
    if not isinstance(stamp.clock, Mapping):
        raise RemoteViolation(f"the clock of a stamp of {stamp.sender!r} is {stamp.clock!r}, not a mapping of entries")


def refuse_impossible(stamp: ClockStamp, receiver: ProcessId, own_max: int) -> None:
    """No correct sender has these entries: `own_max` is the most that others can know of the receiver's clock."""
    bounds = {receiver: (0, own_max), stamp.sender: (1, VALUE_MAX - 1)}
    for process, value in stamp.clock.items():
        least, most = bounds.get(process, (0, VALUE_MAX))
        if type(value) is not int or not least <= value <= most:
            raise RemoteViolation(
                f"a stamp of {stamp.sender!r} for {receiver!r} says {value!r} of the clock of {process!r}, which must "
                f"be a whole number from {least} to {most}"
            )


def refuse_not_after(stamp: ClockStamp, receiver: ProcessId, last: int) -> None:
    """On a FIFO channel, or past all that has settled, the sender's own entry only grows."""
    if stamp.clock[stamp.sender] <= last:
        raise RemoteViolation(
            f"{receiver!r} has taken a message that {stamp.sender!r} sent at its time {last}, and now got one sent at "
            f"{stamp.clock[stamp.sender]}: it is a duplicate, or was overtaken on a channel said to be FIFO, or "
            f"one of the two is forged"
        )
