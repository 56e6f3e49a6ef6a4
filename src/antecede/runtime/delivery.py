"""What an application gets of a message that was delivered: the message, and how to say that it is done with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from antecede.core.types import GroupId, MessageId, ProcessId
from antecede.runtime.state.store import Delivered


class Acknowledged(Protocol):
    """Whoever is told that the application is done with messages: a node."""

    async def ack(self, batch: Iterable[Delivery]) -> None:
        """Acknowledge these messages."""
        ...


class Delivery:
    """A message that was delivered. It is offered again after a restart until it is acknowledged."""

    __slots__ = ("_node", "message", "n")

    def __init__(self, node: Acknowledged, delivered: Delivered) -> None:
        self._node, self.n, self.message = node, delivered.n, delivered.message

    @property
    def id(self) -> MessageId:
        """Return the identity of the message."""
        return self.message.id

    @property
    def sender(self) -> ProcessId:
        """Return the process that sent the message."""
        return self.message.sender

    @property
    def dests(self) -> frozenset[ProcessId]:
        """Return the destinations of the message."""
        return self.message.dests

    @property
    def payload(self) -> bytes:
        """Return the bytes of the message."""
        return self.message.payload

    @property
    def group(self) -> GroupId | None:
        """Return the group that the message was sent to, or None."""
        return self.message.group

    async def ack(self) -> None:
        """Acknowledge the message. When this returns, the message is never offered again."""
        await self._node.ack((self,))

    def __repr__(self) -> str:
        return f"Delivery({self.message!r})"
