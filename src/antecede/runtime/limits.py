"""The bounds of a node."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What a node holds at most, and how long something may not move before it is a stall."""

    outbox: int = 10_000
    inbox: int = 10_000
    stall_after_s: float = 10.0
