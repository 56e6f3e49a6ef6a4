"""The error tree, by whose fault it is.

`Misuse`: the caller's; correct the call. `RemoteViolation`: what came from elsewhere can not be trusted; it was
refused and no state changed. `LimitReached`: a bound the caller set; nothing already held is lost. Faults
of our own are assertions, and crash.
"""

from __future__ import annotations


class AntecedeError(Exception):
    """The root of every error raised on purpose."""


class Misuse(AntecedeError):
    """The caller asked for something that has no meaning; the message says what to do instead."""


class UnknownAlgorithm(Misuse):
    """No algorithm of that name."""


class RemoteViolation(AntecedeError):
    """A packet that no correct process could have sent here. It was refused; the state is as it was."""


class WireError(RemoteViolation):
    """Bytes that are not a packet. The only error `decode` raises."""


class SnapshotError(RemoteViolation):
    """Bytes that are not a snapshot of this version. The only error `restore` raises."""


class LimitReached(AntecedeError):
    """A bound was reached; the input was refused, and may be offered again later."""


class HoldBackFull(LimitReached):
    """The hold-back queue is full. The packet was refused; those already held are still held."""
