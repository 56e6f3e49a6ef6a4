"""What a gateway remembers of one process: at which own time it came to know each value of that process's clock.

When a message arrives whose sending the gateway may have heard of by another way, `first_above` tells since when. Two
things keep the memory short. Steps between which the gateway sent nothing are one step: nobody else can tell them
apart. And a step is forgotten once no message still to come on the direct link can ask for it, that is when all
messages sent before it have arrived. What is left is at most one step per message the gateway sent since it last heard
from the process directly; a process that is only heard of is remembered long, so there is a limit, and at it the
input is refused. The input is also refused if that many messages arrived after a message that is still missing.
"""

from __future__ import annotations

from bisect import bisect_right

from antecede.core.errors import LimitReached, RemoteViolation
from antecede.core.types import ProcessId

MEMORY_MAX = 65_536
"""Steps remembered of one process."""


class MemoryFull(LimitReached):
    """A gateway remembers too many steps of a process that does not write to it. Nothing changed."""


class Memory:
    """The steps of one process's clock as they became known here, both columns increasing."""

    __slots__ = ("_early", "_fifo", "_known_at", "_limit", "_next", "_values", "settled")

    def __init__(self, fifo: bool, limit: int) -> None:
        self._fifo = fifo
        self._limit = limit
        self._values: list[int] = []
        self._known_at: list[int] = []
        self._next = 1
        self._early: dict[int, int] = {}
        self.settled = 0

    def __len__(self) -> int:
        return len(self._values)

    def space_entries(self) -> int:
        """Return how many numbers are kept: two for a step and for a message that came early, and two in any case."""
        return 2 * (len(self._values) + len(self._early) + 1)

    def refuse_if_full(self, gateway: ProcessId, process: ProcessId, last_sent: int) -> None:
        if len(self._values) >= self._limit and not self._merges(last_sent):
            raise MemoryFull(
                f"gateway {gateway!r} remembers {self._limit} steps of {process!r} since its last message: let "
                f"{process!r} write to it more often, raise memory_max, or plan without memory"
            )

    def refuse_taken(self, gateway: ProcessId, process: ProcessId, position: int) -> None:
        """Raise if the message at `position` has come before, or if too many after it have. Channels are not FIFO."""
        if position < self._next or position in self._early:
            raise RemoteViolation(
                f"gateway {gateway!r} has taken message {position} of {process!r} before: it is a duplicate, or forged"
            )
        if position != self._next and len(self._early) >= self._limit:
            raise MemoryFull(
                f"gateway {gateway!r} has {self._limit} messages of {process!r} that overtook message {self._next}: "
                f"deliver that, or raise memory_max"
            )

    def note(self, value: int, now: int, last_sent: int) -> None:
        """Note that the clock of the process has become `value` here.

        It did so at the own time `now`; the gateway last sent something at `last_sent`.
        """
        if self._merges(last_sent):
            self._values[-1] = value
        else:
            self._values.append(value)
            self._known_at.append(now)

    def first_above(self, value: int, position: int) -> int:
        """Return since when a value above `value` is known, for the message at `position` of the direct link."""
        known_at = self._known_at[bisect_right(self._values, value)]
        self._forget(value, position)
        return known_at

    def _merges(self, last_sent: int) -> bool:
        return bool(self._known_at) and self._known_at[-1] > last_sent

    def _forget(self, value: int, position: int) -> None:
        """Forget the steps that no message still to come can ask for.

        Such a message was sent at least one event after the last message up to which all have arrived.
        """
        if not self._fifo:
            self._early[position] = value
            value = 0
            while self._next in self._early:
                value = self._early.pop(self._next)
                self._next += 1
        self.settled = max(self.settled, value)
        done = bisect_right(self._values, self.settled + 1)
        del self._values[:done]
        del self._known_at[:done]
