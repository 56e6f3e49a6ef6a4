"""Happened-before of a world by explicit sets, as a value that is part of the world's state.

It knows, for each message, the messages whose send happened before its send, and for each process what it knows of and
what it has delivered. It shares nothing with the algorithms.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from antecede import Message, MessageId, Sent
from tests.exhaustive.machines import Events, Numbers
from tests.exhaustive.search import Violation

NOTHING: frozenset[MessageId] = frozenset()


@dataclass(frozen=True, slots=True)
class Past:
    """What happened: each message with its destinations and its predecessors; what each process knows and delivered."""

    messages: frozenset[tuple[MessageId, frozenset[str], frozenset[MessageId]]] = frozenset()
    knows: tuple[frozenset[MessageId], ...] = ()
    delivered: tuple[frozenset[MessageId], ...] = ()

    def send(self, at: int, message: Message) -> Past:
        """Return the past after process `at` has sent a message."""
        if any(known == message.id for known, _, _ in self.messages):
            raise Violation(f"{message.id} was sent before")
        record = (message.id, message.dests, self.knows[at])
        return replace(self, messages=self.messages | {record}, knows=_with(self.knows, at, frozenset({message.id})))

    def deliver(self, at: int, name: str, message: Message) -> Past:
        """Return the past after process `at` has delivered a message. Raise `Violation` if it must not."""
        found = next((record for record in self.messages if record[0] == message.id), None)
        if found is None or name not in found[1]:
            raise Violation(f"{name} delivers {message.id}, which was not sent to it")
        if message.id in self.delivered[at]:
            raise Violation(f"{name} delivers {message.id} twice")
        _, _, predecessors = found
        missing = [
            identity
            for identity, dests, _ in sorted(self.messages, key=lambda record: record[0])
            if identity in predecessors and name in dests and identity not in self.delivered[at]
        ]
        if missing:
            raise Violation(f"{name} delivers {message.id} before {missing[0]}, which happened before it")
        new = frozenset({message.id})
        return replace(self, knows=_with(self.knows, at, predecessors | new), delivered=_with(self.delivered, at, new))

    def lost(self, names: tuple[str, ...]) -> list[str]:
        """Return what was not delivered."""
        return [
            f"{identity} at {name}"
            for identity, dests, _ in sorted(self.messages, key=lambda record: record[0])
            for at, name in enumerate(names)
            if name in dests and identity not in self.delivered[at]
        ]


class Pasts:
    """Pasts by number. What happens after a past is worked out once."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names, self._numbers = names, Numbers()
        self._told: dict[tuple[int, int, Events], int] = {}
        nobody = tuple(NOTHING for _ in names)
        self.first = self._numbers.of(Past(knows=nobody, delivered=nobody))

    def after(self, past: int, at: int, events: Events) -> int:
        """Return the past after these events of process `at`. Raise `Violation` if one of them must not happen."""
        if not events:
            return past
        key = (past, at, events)
        found = self._told.get(key)
        if found is None:
            after: Past = self._numbers.values[past]
            for event in events:
                if isinstance(event, Sent):
                    after = after.send(at, event.message)
                else:
                    after = after.deliver(at, self._names[at], event.message)
            found = self._told[key] = self._numbers.of(after)
        return found

    def lost(self, past: int) -> list[str]:
        """Return what was not delivered."""
        found: Past = self._numbers.values[past]
        return found.lost(self._names)


def _with(
    sets: tuple[frozenset[MessageId], ...], at: int, more: frozenset[MessageId]
) -> tuple[frozenset[MessageId], ...]:
    return (*sets[:at], sets[at] | more, *sets[at + 1 :])
