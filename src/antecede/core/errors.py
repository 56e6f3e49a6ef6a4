"""The error tree, by whose fault it is.

`Misuse`: the caller's; correct the call. `RemoteViolation`: what came from elsewhere cannot be trusted; it was
refused and no state changed. `LimitReached`: a bound the caller set; nothing already held is lost. Faults
of our own are assertions, and crash.

`too_new` and `unknown` are the words for data that a later release wrote. Each format has a version of its own. A
reader that finds a later version than it knows refuses the data: it neither guesses what the data means nor changes it.
The data is whole, so the words say what to do.
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


class TooNew(WireError):
    """These bytes are of a later release, which this one cannot read. They are whole: keep them, and upgrade."""


class SnapshotError(RemoteViolation):
    """These bytes are not a snapshot that this release can read. This is the only error that `restore` raises for
    bytes.
    """


class LimitReached(AntecedeError):
    """A limit was reached. The input was refused, and may be offered again later."""


class HoldBackFull(LimitReached):
    """The hold-back queue is full. The packet was refused; the packets that are held stay held."""


def too_new(what: str, found: int, newest: int, *, where: str = "here") -> str:
    """Return the text of the error for `what`, which has version `found` where versions up to `newest` are read."""
    return f"{what} has version {found}, and this release reads versions up to {newest}: upgrade antecede {where}"


def unknown(what: str) -> str:
    """Return the text of the error for `what`, which no release up to this one writes."""
    return f"{what}, which this release does not know: if a later release wrote it, upgrade antecede here"
