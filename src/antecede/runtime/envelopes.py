"""Which form of the wire a frame is written in: the newest that its destination reads.

A process announces the newest form that it reads when it claims its name. A process of 0.1.0 announces nothing, and
reads form 1. So one process after the other can be upgraded: whoever is new writes form 1 to whoever is old. To go
back to an earlier release, start every process with `wire=1` first: nobody writes a later form then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from antecede.core.errors import Misuse
from antecede.core.types import ProcessId
from antecede.runtime import frames


class Envelopes(Protocol):
    """What puts a frame into the form that a destination reads."""

    def wrap(self, to: ProcessId, announced: int | None, frame: bytes) -> bytes:
        """Return `frame` in a form that `to` reads. `announced` is the newest form that it says it reads, or None."""
        ...


@dataclass(frozen=True, slots=True)
class NodeEnvelopes:
    """The envelopes of a node. `newest` is the newest form that it writes."""

    newest: int
    epoch: int

    def wrap(self, to: ProcessId, announced: int | None, frame: bytes) -> bytes:
        """Return `frame` in the newest form that both sides know."""
        del to
        form = min(self.newest, announced or frames.BARE_FORM)
        return frames.without_last(frame) if form == frames.BARE_FORM else frames.envelope(self.epoch, frame)


def checked_form(wire: int) -> int:
    """Return the number of a form of the wire. Raise `Misuse` if there is no such form."""
    if type(wire) is not int or not frames.BARE_FORM <= wire <= frames.NEWEST_FORM:
        raise Misuse(f"wire is {wire!r}: give a form from {frames.BARE_FORM} to {frames.NEWEST_FORM}")
    return wire
