"""Whether an application forgets `ack`: it takes messages, and acknowledges none, or not all of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import takewhile

from antecede.core.types import MessageId
from antecede.runtime.limits import FORGOTTEN_AFTER_S
from antecede.runtime.state.store import Delivered
from antecede.runtime.watch.problem_log import ProblemLog
from antecede.runtime.watch.problems import AcknowledgementMissing, NeverAcknowledged, Problem

NEVER_AFTER_S = 2.0
"""How long an application goes on without an acknowledgement, before that is a problem."""


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
