"""What is wrong at stations only, beside the problems that nodes and hosts have too (`problems`)."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from antecede.core.types import ProcessId
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


@dataclass(frozen=True, slots=True)
class StationFellBack(Problem):
    """A host has more than this station knows of, as it says, and was refused: a store of a station fell back."""

    host: ProcessId
    reason: str

    @property
    def kind(self) -> str:
        """Return a word for what is wrong."""
        return "station fell back"

    @property
    def key(self) -> Hashable:
        """Return the host."""
        return self.host

    def __str__(self) -> str:
        return (
            f"{self.host} was refused, because {self.reason}. The store of this station, or of one that served the "
            "host before, is older than it was, or the host does not tell the truth. Start that station with the store "
            "that was used last"
        )
