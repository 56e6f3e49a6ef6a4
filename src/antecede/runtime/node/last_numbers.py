"""The number of the last message to each process and from each process, if messages go through other processes.

With such an algorithm, a message may still be at a process in the middle when its sender and its destination have
nothing of it any more to send or to wait for. So a process that leaves, and each process that is asked whether it may
leave, says which message was its last to the other one (`departure`). Messages of one sender are delivered in their
order: a process that has delivered the last one has delivered all.
"""

from __future__ import annotations

from antecede.core.types import Message, ProcessId
from antecede.runtime.state.store import Store

TO, FROM = "last message to ", "last message from "
"""Begin the names of facts, which end with the name of a process."""


class LastNumbers:
    """The numbers, as facts of the store. If `is_relayed` is false, messages go straight, and all numbers are 0."""

    def __init__(self, store: Store, *, is_relayed: bool) -> None:
        self._store, self._is_relayed = store, is_relayed

    def note_sent(self, message: Message) -> None:
        """Remember a message that this process has sent."""
        if self._is_relayed:
            for dest in message.dests - {message.sender}:
                self._store.put(TO + dest, b"%d" % message.id.seq)

    def note_delivered(self, message: Message) -> None:
        """Remember a message that this process has delivered."""
        if self._is_relayed:
            self._store.put(FROM + message.sender, b"%d" % message.id.seq)

    def to(self, process: ProcessId) -> int:
        """Return the number of the last message that was sent to `process`, or 0."""
        return int(self._store.facts.get(TO + process, b"0"))

    def has_delivered(self, process: ProcessId, last: int) -> bool:
        """Return whether message `last` of `process`, and so all before it, is delivered here."""
        return last <= int(self._store.facts.get(FROM + process, b"0"))

    def forget(self, process: ProcessId) -> None:
        """Keep nothing of a process that has left."""
        self._store.drop(TO + process)
        self._store.drop(FROM + process)
