"""The limits of a node: `antecede.runtime.node.node` says what happens at each of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a node holds before it waits, and how long something may stand still before it is a stall.

    `send` waits while `outbox` entries are owed to some inbox. Nothing more is taken from the broker while the
    application has `inbox` messages that it did not acknowledge. What did not move for `stall_after_s` seconds is a
    stall. How many packets are held back at most is an option of the algorithm: `join(..., hold_back_limit=...)`.
    """

    outbox: int = 10_000
    inbox: int = 10_000
    stall_after_s: float = 10.0
