"""The error tree, by whose fault it is.

`Misuse`: the caller's; correct the call. `RemoteViolation`: what came from elsewhere can not be trusted; it was
refused and no state changed. `LimitReached`: a bound the caller set; nothing already held is lost. Faults
of our own are assertions, and crash.
"""

from __future__ import annotations


class AntecedeError(Exception):
    """The root of every error that is raised on purpose."""


class Misuse(AntecedeError):
    """The caller asked for something that makes no sense. The message says what to do instead."""


class UnknownAlgorithm(Misuse):
    """There is no algorithm of that name."""


class RemoteViolation(AntecedeError):
    """No correct process could have sent this packet here. It was refused, and the state is as it was."""


class WireError(RemoteViolation):
    """These bytes are not a packet. This is the only error that `decode` raises for bytes."""


class SnapshotError(RemoteViolation):
    """These bytes are not a snapshot that this release can read. This is the only error that `restore` raises for
    bytes.
    """


class LimitReached(AntecedeError):
    """A limit was reached. The input was refused, and may be offered again later."""


class HoldBackFull(LimitReached):
    """The hold-back queue is full. The packet was refused; the packets that are held stay held."""
