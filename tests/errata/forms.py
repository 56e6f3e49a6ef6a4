"""What can be put on a stage: a form of an algorithm makes one party for each process.

A form is ours (`core`), a printed one (`tests.errata.printed`), or `IDEAL`: the oracle itself, which knows every causal
past and delivers as early as causal order allows. What the ideal form does is the truth that the others are held
against.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import antecede
from antecede import Deliver, Effect, Message, MessageId, Packet, Sent, Transmit
from antecede.core.ordering.none import NoStamp
from tests.oracle import Oracle

Groups = Mapping[str, Sequence[str]]


class Party(Protocol):
    """One process of a form. It numbers its own messages from 1."""

    def send(self, dests: str | Iterable[str], payload: bytes) -> list[Effect]: ...

    def receive(self, packet: Packet) -> list[Effect]: ...


@dataclass(frozen=True)
class Form:
    """`make` gives the parties by name. With `by_group` they are told a group's name, else its members."""

    name: str
    make: Callable[[Sequence[str], Groups], Mapping[str, Party]]
    by_group: bool = False


def core(algorithm: str, **options: object) -> Form:
    """The algorithm of this name, as anybody would create it."""
    by_group = antecede.algorithms()[algorithm].addressing == "group"

    def make(names: Sequence[str], groups: Groups) -> dict[str, Party]:
        return {
            name: antecede.create(
                algorithm, process=name, processes=names, groups=groups if by_group else None, **options
            )
            for name in names
        }

    described = "".join(f", {option}={value!r}" for option, value in sorted(options.items()))
    return Form(algorithm + described, make, by_group)


@dataclass
class _Ideal:
    """Holds a message back while, as `oracle` knows, one that precedes it and is for `me` is missing."""

    me: str
    oracle: Oracle
    seq: int = 0
    held: list[Message] = field(default_factory=list)

    def send(self, dests: str | Iterable[str], payload: bytes) -> list[Effect]:
        self.seq += 1
        message = Message(MessageId(self.me, self.seq), frozenset(dests), payload)
        self.oracle.sent(message)
        packet = Packet(self.me, message, NoStamp())
        effects: list[Effect] = [Sent(message), *(Transmit(to, packet) for to in sorted(message.dests - {self.me}))]
        if self.me in message.dests:
            self.oracle.deliver(self.me, message)
            effects.append(Deliver(message))
        return effects

    def receive(self, packet: Packet) -> list[Effect]:
        assert packet.message is not None
        self.held.append(packet.message)
        effects: list[Effect] = []
        while (message := self._first_legal()) is not None:
            self.held.remove(message)
            self.oracle.deliver(self.me, message)
            effects.append(Deliver(message))
        return effects

    def _first_legal(self) -> Message | None:
        return next((message for message in self.held if not self.oracle.missing(self.me, message.id)), None)


def _ideal(names: Sequence[str], groups: Groups) -> dict[str, Party]:
    oracle = Oracle()
    return {name: _Ideal(name, oracle) for name in names}


IDEAL = Form("the oracle", _ideal)
