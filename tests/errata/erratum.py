"""The shape of one erratum, whatever the paper."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Erratum:
    """What a paper says, a small execution against it, and three answers: as printed, in truth, and ours.

    The answers are made by running. An erratum holds if the printed form misses the truth and ours does not.
    """

    title: str
    section: str
    paper_says: str
    execution: str
    printed: str
    truth: str
    ours: str

    @property
    def holds(self) -> bool:
        return self.printed != self.truth and self.ours == self.truth
