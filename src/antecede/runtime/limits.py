"""The limits of a node, and what happens at each of them.

* `Limits.outbox`: `send` waits while so many entries of the outbox are owed to some inbox. Packets count, and so do
  rosters and lines for the stream of a trace. Only `send` waits: what the algorithm transmits by itself does not.
* `Limits.inbox`: no further batch is taken from the broker while the application has so many messages that it did not
  acknowledge. The batch that reaches the limit is taken whole, and may go beyond it.
* `hold_back_limit`, an option of the algorithm: a packet that would have to be held back beyond it is left with the
  broker, which offers it again after `Limits.retry_s`. Packets that can be delivered at once are still taken.
* `Limits.stall_after_s`: what did not move for so long is a stall, which is logged as a problem.
* `Limits.forgotten_after_s`: a message that the application has had for so long and did not acknowledge is a problem,
  if the application has acknowledged a later one.
* `Limits.event_lasts_s`: a number that was used twice, and packets of a process that was given up, are problems until
  none has come for so long. The metrics go on counting them.
* `Limits.back_off_s`: a publication that failed is repeated after the first pause; each pause is twice as long as the
  one before, up to the longest.
* `Limits.snapshot_bytes_min`: a snapshot of the state is taken when the inputs that were logged since the last snapshot
  are longer than this, and twice as long as that snapshot.
"""

from __future__ import annotations

from dataclasses import dataclass

BACK_OFF_S = (0.02, 2.0)
SNAPSHOT_BYTES_MIN = 256 * 2**10
FORGOTTEN_AFTER_S = 60.0
EVENT_LASTS_S = 600.0
"""Twice as long as the alarm of the guide waits, so that one event is noticed and does not ring for ever."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a node holds before it waits, and how long something may stand still before it is a stall.

    `send` waits while `outbox` packets are owed to some inbox. Nothing more is taken from the broker while the
    application has `inbox` messages that it did not acknowledge. What did not move for `stall_after_s` seconds is a
    stall. A message that is not acknowledged `forgotten_after_s` seconds after the application took it is a problem, if
    a later one is acknowledged. An event, such as a number that was used twice, is a problem until it has not happened
    for `event_lasts_s` seconds. How many packets are held back at most is an option of the algorithm:
    `join(..., hold_back_limit=...)`.
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
    forgotten_after_s: float = FORGOTTEN_AFTER_S
    """How long a message may be without an acknowledgement if a later one has it."""
    event_lasts_s: float = EVENT_LASTS_S
    """How long an event is a problem after it has happened last."""
