"""The limits of a node: `antecede.runtime.node.node` says what happens at each of them."""

from __future__ import annotations

from dataclasses import dataclass

BACK_OFF_S = (0.02, 2.0)
SNAPSHOT_BYTES_MIN = 256 * 2**10


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
    """How long something does not move before it is a stall."""
    retry_s: float = 0.25
    """How long the broker keeps a packet that could not be taken before it offers the packet again."""
    back_off_s: tuple[float, float] = BACK_OFF_S
    """The first and the longest pause after a publication that failed."""
    snapshot_bytes_min: int = SNAPSHOT_BYTES_MIN
    """Bytes of logged inputs, below which no snapshot of the state is taken."""
