"""The limits of a node: `antecede.runtime.node.node` says what happens at each of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """From how much on a node waits, and how long something may not move before it is a stall.

    How many packets are held back at most is an option of the algorithm: `join(..., hold_back_limit=...)`.
    """

    outbox: int = 10_000
    """Entries that are owed to some inbox, from which on `send` waits."""
    inbox: int = 10_000
    """Messages that the application did not acknowledge, from which on nothing more is taken from the broker."""
    stall_after_s: float = 10.0
