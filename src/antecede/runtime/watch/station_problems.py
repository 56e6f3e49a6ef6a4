"""What is wrong at stations only, beside the problems that nodes and hosts have too (`problems`)."""

from __future__ import annotations

from dataclasses import dataclass

from antecede.runtime.watch.problems import Problem


@dataclass(frozen=True, slots=True)
class SealsOff(Problem):
    """The station believes frames of other stations that have no seal, which anybody at the broker can write."""

    reason: str

    @property
    def kind(self) -> str:
        """Return a word for what is wrong."""
        return "seals off"

    def __str__(self) -> str:
        return f"frames of stations are believed without a seal: {self.reason}"
