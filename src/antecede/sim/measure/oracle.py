"""Observe a run with complete knowledge: was a delivery legal, and how much of a wait was needless?

The oracle keeps the explicit past of every process and of every message as a set of messages, one bit each. It shares
no code with the algorithms. A delivery is a violation if a message of its past that is for the same process has not
been delivered there. A message that has arrived waits needlessly from the time at which no such message is missing.

The oracle needs one bit per message, for every process and every message in flight. That grows with the run, so the
oracle is off by default.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from antecede.core.types import MessageId, ProcessId


@dataclass(slots=True)
class HeldMessage:
    """A message that has arrived and is held back.

    `missing` is the part of its past that is missing at its destination. `free_since_s` is the time since when nothing
    is missing.
    """

    missing: int
    free_since_s: float


@dataclass(slots=True)
class Oracle:
    """An observer of causal order. The caller must record every send, hold and delivery as it happens."""

    violations: int = 0
    _bit: dict[MessageId, int] = field(default_factory=dict)
    _past: dict[MessageId, int] = field(default_factory=dict)
    _known: dict[ProcessId, int] = field(default_factory=dict)
    _due: dict[ProcessId, int] = field(default_factory=dict)
    _waiting: dict[ProcessId, dict[MessageId, HeldMessage]] = field(default_factory=dict)

    def record_send(self, message: MessageId, dests: Iterable[ProcessId]) -> None:
        """Record that a message was sent to `dests`."""
        bit = self._bit[message] = 1 << len(self._bit)
        known = self._known.get(message.sender, 0)
        self._past[message] = known
        self._known[message.sender] = known | bit
        for dest in dests:
            self._due[dest] = self._due.get(dest, 0) | bit

    def record_hold(self, at: ProcessId, message: MessageId, now_s: float) -> None:
        """Record that `message` arrived at `at` and was not delivered at once."""
        missing = self._past[message] & self._due.get(at, 0)
        self._waiting.setdefault(at, {}).setdefault(message, HeldMessage(missing, now_s))

    def record_delivery(self, at: ProcessId, message: MessageId, now_s: float) -> float:
        """Record that `message` was delivered at `at`, and return for how long it had waited needlessly."""
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

    def end_hold(self, at: ProcessId, message: MessageId, now_s: float) -> float:
        """Record that `message` is no longer held back and not delivered yet, and return for how long it waited
        needlessly.
        """
        own = self._waiting.get(at, {}).pop(message, None)
        return 0.0 if own is None or own.missing else now_s - own.free_since_s

    def record_drop(self, at: ProcessId, message: MessageId) -> None:
        """Record that `message` will never be delivered at `at`. Later messages do not wait for it."""
        bit = self._bit[message]
        self._due[at] = self._due.get(at, 0) & ~bit
        for other in self._waiting.get(at, {}).values():
            other.missing &= ~bit

    def forget(self, message: MessageId) -> None:
        """Forget the past of a message that has been delivered everywhere. The message stays in the past of others."""
        del self._past[message]
