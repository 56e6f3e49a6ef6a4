"""Combine verdicts into one answer. The judge and the pipeline both follow this rule.

A run is undecidable if happened-before has a cycle, or if no message of the run has both a send and a deliver.

A trace is `violated` if any run is. A violation that was found is real, whatever else could not be read. Otherwise the
trace is `undecidable` if any run is, or if too little of the input could be read. Otherwise it `holds`.

If any row was refused, the answer is incomplete, whatever the verdict is.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from antecede.core.errors import Misuse

HOLDS, VIOLATED, UNDECIDABLE = "holds", "violated", "undecidable"
NOT_COMPUTED = "not computed"
"""In place of a verdict on synchronous order, which needs all events of a run in one task."""
QUARANTINE_MAX = 0.01
"""The share of the rows that may be refused without making the trace undecidable."""

NO_SHARED_ID = "no deliver has the message id of a send, so sends and delivers cannot be paired"
NO_DELIVER = "no deliver was recorded, so no message has both a send and a deliver"
NO_SEND = "no send was recorded, so no message has both a send and a deliver"
NO_IDENTITY = "no message identities: internal events alone do not show which deliver belongs to which send"
NO_MESSAGE = "no message was sent or delivered"


@dataclass(frozen=True, slots=True)
class Coverage:
    """The amount of input that could be read.

    `events` rows are valid events and `quarantined` rows were refused. `unread_share` is the share of the input's bytes
    that lie in damaged files and in files without any valid event.
    """

    events: int
    quarantined: int
    unread_share: float = 0.0

    @property
    def rows(self) -> int:
        return self.events + self.quarantined

    @property
    def complete(self) -> bool:
        return not self.quarantined

    def why_too_little(self, quarantine_max: float) -> str | None:
        """Return why so little was read that the trace is undecidable, or None if enough was read."""
        if not self.rows:
            return "the input has no events"
        if not self.events:
            return f"no row could be read as an event: all {self.quarantined:,} are in quarantine"
        if self.quarantined / self.rows > quarantine_max:
            return (
                f"{self.quarantined:,} of {self.rows:,} rows could not be read as events, "
                f"more than the {percent(quarantine_max)} that quarantine-max allows"
            )
        if self.unread_share > quarantine_max:
            return (
                f"files that could not be read hold {percent(self.unread_share)} of the input's bytes, "
                f"more than the {percent(quarantine_max)} that quarantine-max allows"
            )
        return None


def combine_verdicts(verdicts: Collection[str], *, too_little: str | None) -> str:
    """Return the verdict on a trace from those on its runs; `too_little` says why too little was read, if so."""
    if VIOLATED in verdicts:
        return VIOLATED
    return UNDECIDABLE if too_little or UNDECIDABLE in verdicts else HOLDS


def check_quarantine_max(quarantine_max: float) -> None:
    """Raise `Misuse` if `quarantine_max` is not a share between 0 and 1."""
    if not 0 <= quarantine_max <= 1:
        raise Misuse(f"quarantine_max is {quarantine_max}: give a share between 0 and 1, such as 0.01 for 1 %")


def percent(share: float) -> str:
    """Return a share as a percentage, with as many digits as it needs."""
    return f"{100 * share:.3g} %"
