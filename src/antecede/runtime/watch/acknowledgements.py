"""Whether an application forgets `ack`: it takes messages, and acknowledges none."""

from __future__ import annotations

from dataclasses import dataclass

from antecede.runtime.watch.problems import NeverAcknowledged, Problem, ProblemLog

NEVER_AFTER_S = 2.0
"""How long an application goes on without an acknowledgement, before that is a problem."""


@dataclass(slots=True)
class Acknowledgements:
    """What the application of a node or host has done with its messages so far."""

    taken: int = 0
    has_asked_again: bool = False
    """The application took a message, and then asked for another."""
    has_acknowledged: bool = False

    def ask(self) -> None:
        """Note that the application asks for a message."""
        self.has_asked_again |= self.taken > 0

    def find_forgotten(self, log: ProblemLog) -> list[Problem]:
        """Return the problem that the application goes on and acknowledges nothing, if that is so for a while."""
        since_s = log.age_s("never acknowledged", self.has_asked_again and not self.has_acknowledged)
        return [NeverAcknowledged(since_s, self.taken)] if since_s >= NEVER_AFTER_S else []

    def find_left(self) -> list[Problem]:
        """Return the problem that the application ends and has acknowledged nothing of what it took."""
        return [NeverAcknowledged(0.0, self.taken)] if self.taken and not self.has_acknowledged else []
