"""Whether an application forgets `ack`: it takes messages, and acknowledges none, or not all of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import takewhile

from antecede.core.types import MessageId
from antecede.runtime.limits import FORGOTTEN_AFTER_S
from antecede.runtime.state.store import Delivered
from antecede.runtime.watch.problem_log import LOGGER, ProblemLog
from antecede.runtime.watch.problems import AcknowledgementMissing, NeverAcknowledged, Problem
from antecede.runtime.watch.words import plural

NEVER_AFTER_S = 2.0
"""How long an application goes on without an acknowledgement, before that is a problem."""
SLOW_AFTER_S = 4.0
"""How long an application has its first messages before it is told what an acknowledgement is for, within five seconds.
It may only be slow, so that is not a problem."""


@dataclass(slots=True)
class Acknowledgements:
    """What the application of a node or host has done with its messages so far.

    Messages are taken in the order of their numbers. A message is forgotten if it was taken `forgotten_after_s` ago and
    is not acknowledged, and one with a higher number is.
    """

    clock: Callable[[], float] = time.monotonic
    forgotten_after_s: float = FORGOTTEN_AFTER_S
    taken: int = 0
    has_asked_again: bool = False
    """The application took a message, and then asked for another."""
    has_acknowledged: bool = False
    is_told: bool = False
    """The application was told that it has not acknowledged its first messages yet."""
    _open: dict[int, tuple[MessageId, float]] = field(default_factory=dict)
    """By number, the messages that were taken and are not acknowledged, each with when it was taken."""
    _last: int = 0
    """The highest number of a message that was acknowledged."""

    def take(self, delivered: Delivered) -> None:
        """Note that the application gets a message."""
        self.taken += 1
        self._open[delivered.n] = delivered.message.id, self.clock()

    def acknowledge(self, n: int) -> None:
        """Note that the application has acknowledged message `n`."""
        self.has_acknowledged = True
        self._open.pop(n, None)
        self._last = max(self._last, n)

    def ask(self) -> None:
        """Note that the application asks for a message."""
        self.has_asked_again |= self.taken > 0

    def count_slow(self) -> int:
        """Return how many messages the application has if it works on the first ones for long. Return 0 the next time.

        Return 0 if it has ever acknowledged a message, or has asked for another one, because it is told something else.
        """
        if self.is_told or self.has_acknowledged or self.has_asked_again or not self._open:
            return 0
        oldest_at = next(iter(self._open.values()))[1]
        self.is_told = self.clock() - oldest_at >= SLOW_AFTER_S
        return len(self._open) if self.is_told else 0

    def remind(self, who: str) -> None:
        """Log once what `ack` is for, if the application of `who` works on its first messages for long."""
        count = self.count_slow()
        if count:
            LOGGER.warning(
                "%s: %s taken and not acknowledged for %.0f s. Call `await message.ack()`, or `message.ack()` with "
                "join_sync, when the work on a message is done: until then it is offered again after a restart. "
                "Nothing is wrong if the work takes so long. This is not told again",
                who,
                plural(count, "message"),
                SLOW_AFTER_S,
            )

    def find_forgotten(self, log: ProblemLog) -> list[Problem]:
        """Return a `NeverAcknowledged` if the application has gone on for a while and acknowledged nothing."""
        since_s = log.age_s("never acknowledged", self.has_asked_again and not self.has_acknowledged)
        return [NeverAcknowledged(since_s, self.taken)] if since_s >= NEVER_AFTER_S else []

    def find_missing(self) -> list[Problem]:
        """Return an `AcknowledgementMissing` if the application has acknowledged messages after forgotten ones."""
        return self._find_missing(self.forgotten_after_s)

    def _find_missing(self, after_s: float) -> list[Problem]:
        until = self.clock() - after_s
        skipped = takewhile(lambda one: one[0] < self._last and one[1][1] <= until, self._open.items())
        missing = [message for _, message in skipped]
        if not missing:
            return []
        oldest, taken_at = missing[0]
        return [AcknowledgementMissing(self.clock() - taken_at, len(missing), oldest)]

    def find_left(self) -> list[Problem]:
        """Return the problem that the application ends without having acknowledged every message that it took.

        It has acknowledged none, or left some out before the last one that it acknowledged. How long ago it took them
        does not matter.
        """
        if self.taken and not self.has_acknowledged:
            return [NeverAcknowledged(0.0, self.taken)]
        return self._find_missing(0.0)
