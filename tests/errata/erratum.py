"""The shape of one erratum, whatever the paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Frequency:
    """Of `total` random executions, how many fail as printed and how many with ours; `told` says it in a sentence."""

    total: int
    printed: int
    ours: int
    told: str


@dataclass(frozen=True, slots=True)
class Erratum:
    """What a paper says, a small execution against it, and three answers: as printed, in truth, and ours.

    The answers are made by running. An erratum holds if the printed form misses the truth and ours does not.
    `execution` is a script, one sentence a step, or a description in words; `asked` is what the three answers are to;
    `why` says what goes wrong; `often` runs a random search for more of the same.
    """

    title: str
    section: str
    says: str
    execution: tuple[str, ...] | str
    printed: str
    truth: str
    ours: str
    asked: str = ""
    why: str = ""
    repair: str = ""
    diagram: str = ""
    often: Callable[[], Frequency] | None = None

    @property
    def holds(self) -> bool:
        return self.printed != self.truth and self.ours == self.truth
