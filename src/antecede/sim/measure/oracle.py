"""An observer who knows everything: was a delivery legal, and how much of a wait was needless?

It keeps the explicit past of every process and of every message as a set of messages, one bit each, and shares no
code with the algorithms. A delivery is a violation while a message of its past that is for the same process has not
been delivered there. A message that has arrived waits needlessly from when nothing of that kind is missing.

One bit a message, for every process and every message in flight: it grows with the run, and is off unless asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from antecede.core.types import MessageId, ProcessId


@dataclass(slots=True)
class Waiting:
    """A message that has arrived and is held back: what of its past is missing here, and since when nothing is."""

    missing: int
    free_since_s: float


@dataclass(slots=True)
class Oracle:
    """To be told every send, arrival and delivery, as it happens."""

    violations: int = 0
    _bit: dict[MessageId, int] = field(default_factory=dict)
    _past: dict[MessageId, int] = field(default_factory=dict)
    _known: dict[ProcessId, int] = field(default_factory=dict)
    _due: dict[ProcessId, int] = field(default_factory=dict)
    _waiting: dict[ProcessId, dict[MessageId, Waiting]] = field(default_factory=dict)

    def sent(self, message: MessageId, dests: Iterable[ProcessId]) -> None:
        bit = self._bit[message] = 1 << len(self._bit)
        known = self._known.get(message.sender, 0)
        self._past[message] = known
        self._known[message.sender] = known | bit
        for dest in dests:
            self._due[dest] = self._due.get(dest, 0) | bit

    def held(self, at: ProcessId, message: MessageId, now_s: float) -> None:
        """`message` arrived and was not delivered at once."""
        missing = self._past[message] & self._due.get(at, 0)
        self._waiting.setdefault(at, {}).setdefault(message, Waiting(missing, now_s))

    def delivered(self, at: ProcessId, message: MessageId, now_s: float) -> float:
        """Returns for how long it had waited needlessly."""
        bit = self._bit[message]
        self._due[at] = due = self._due.get(at, 0) & ~bit
        self.violations += bool(self._past[message] & due)
        self._known[at] = self._known.get(at, 0) | self._past[message] | bit
        waiting = self._waiting.get(at, {})
        own = waiting.pop(message, None)
        for other in waiting.values():
            if other.missing & bit:
                other.missing &= ~bit
                other.free_since_s = now_s
        return 0.0 if own is None or own.missing else now_s - own.free_since_s

    def released(self, at: ProcessId, message: MessageId, now_s: float) -> float:
        """`message` is no longer held back, and not delivered yet either. Returns for how long it waited needlessly."""
        own = self._waiting.get(at, {}).pop(message, None)
        return 0.0 if own is None or own.missing else now_s - own.free_since_s

    def dropped(self, at: ProcessId, message: MessageId) -> None:
        """It will never be delivered at `at`, and counts as if it had been for what comes after it."""
        bit = self._bit[message]
        self._due[at] = self._due.get(at, 0) & ~bit
        for other in self._waiting.get(at, {}).values():
            other.missing &= ~bit

    def forget(self, message: MessageId) -> None:
        """It has been delivered everywhere: it is in the past of others, and its own past is of no more use."""
        del self._past[message]
