"""The oracle of random executions, which knows everything: what happened before what, by explicit sets.

It keeps, for every message, the set of messages whose send happened before its send.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from antecede import Message, MessageId


class Broken(AssertionError):
    """The algorithm did something the oracle does not allow; or nothing, when it had to do something."""


@dataclass
class Oracle:
    """happened-before by explicit sets, and what has been delivered where."""

    past: dict[MessageId, frozenset[MessageId]] = field(default_factory=dict)
    messages: dict[MessageId, Message] = field(default_factory=dict)
    knows: dict[str, set[MessageId]] = field(default_factory=dict)
    delivered: dict[str, set[MessageId]] = field(default_factory=dict)
    violations: int = 0

    def sent(self, message: Message) -> None:
        if message.id in self.messages:
            raise Broken(f"{message.id} was sent before")
        known = self.knows.setdefault(message.sender, set())
        self.past[message.id] = frozenset(known)
        self.messages[message.id] = message
        known.add(message.id)

    def deliver(self, at: str, message: Message) -> None:
        done = self.delivered.setdefault(at, set())
        if message.id in done:
            raise Broken(f"{at} delivered {message.id} twice")
        if self.messages.get(message.id) != message or at not in message.dests:
            raise Broken(f"{at} delivered {message.id}, which was not sent to it as it is")
        self.violations += bool(self.missing(at, message.id))
        done.add(message.id)
        self.knows.setdefault(at, set()).update(self.past[message.id], {message.id})

    def missing(self, at: str, message: MessageId) -> list[MessageId]:
        """The predecessors of `message` that are for `at` and have not been delivered there."""
        done = self.delivered.get(at, set())
        return sorted(m for m in self.past[message] if at in self.messages[m].dests and m not in done)

    def is_settled(self, process: str, gone: Iterable[str]) -> bool:
        """Whether nothing that `process` sent, or was sent, is still to be delivered."""
        return not any(process in (message.sender, dest) for message, dest in self.lost(gone))

    def lost(self, gone: Iterable[str] = ()) -> list[tuple[MessageId, str]]:
        return sorted(
            (message.id, dest)
            for message in self.messages.values()
            for dest in message.dests - set(gone)
            if message.id not in self.delivered.get(dest, set())
        )


@dataclass
class MobileOracle(Oracle):
    """A message that was dropped for a host, and said to be, is not missing there and not lost."""

    dropped: set[tuple[str, MessageId]] = field(default_factory=set)

    def missing(self, at: str, message: MessageId) -> list[MessageId]:
        return [m for m in super().missing(at, message) if (at, m) not in self.dropped]

    def lost(self, gone: Iterable[str] = ()) -> list[tuple[MessageId, str]]:
        return [(m, at) for m, at in super().lost(gone) if (at, m) not in self.dropped]
